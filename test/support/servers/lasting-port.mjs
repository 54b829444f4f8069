import { createServer } from 'node:net';

// Systems give out ports from 32768 on by themselves (Linux; others from 49152 on), to listeners and to every outgoing
// connection. A port from there that was free a moment ago can be anybody's; one below stays free. Each process has a
// row of its own, so that two test files never try the same.
const first = 20_000;
const rows = 750;
const perRow = 16;
let given = 0;

/** A port of 127.0.0.1 on which nothing listens, and which nobody is given by chance: also not between two uses. */
export async function lastingPort() {
  for (let tries = 0; tries < perRow; tries++) {
    const port = first + (process.pid % rows) * perRow + (given++ % perRow);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  throw new Error('Every port that this process may try is taken.');
}
