// Loaded into the gateway with `--import`: records in a file how much processor time the busiest tick of its
// event loop took. Unlike the delay that a client sees, that doesn't grow when other programs use the
// processors. Linux only.
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.HANDRAIL_SOAK_TURNS;
if (isMainThread && file !== undefined && process.platform === 'linux' && process.argv.includes('serve')) {
  const usedMs = () =>
    Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  let before = usedMs();
  setInterval(() => {
    const now = usedMs();
    const turnMs = now - before;
    before = now;
    // Startup isn't measured; the file is emptied when a measurement starts.
    if (turnMs > Number(readFileSync(file, 'utf8') || 0)) writeFileSync(file, turnMs.toFixed(1));
  }, 5).unref();
}
