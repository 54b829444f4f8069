// Loaded into a gateway: its clock jumps by as many milliseconds as its parent says.
let skewMs = 0;
const { now } = Date;
Date.now = () => now() + skewMs;
process.on('SIGWINCH', () => (skewMs += Number(process.env.HANDRAIL_TEST_JUMP_MS)));
