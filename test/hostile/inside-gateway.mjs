// Loaded into the gateway by `--import`, and asked over the channel to its parent: how much processor time the busiest
// turn of the main thread took, and what the heap holds once the collector has run. Processor time, unlike the delay that
// a client sees, does not grow when other programs want the processors too. It is told only where Linux tells it.
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.send !== undefined) {
  const task = `/proc/self/task/${process.pid}/schedstat`;
  const usedMs = () => Number(readFileSync(task, 'utf8').split(' ', 1)[0]) / 1e6;
  const measures = process.platform === 'linux';
  let before = measures ? usedMs() : 0;
  let busiestMs = 0;
  const look = () => {
    const now = usedMs();
    busiestMs = Math.max(busiestMs, now - before);
    before = now;
  };
  if (measures) setInterval(look, 5).unref();
  const tellMemory = async () => {
    // What finalizers let go is collected in the turn after.
    for (let i = 0; i < 3; i++) {
      globalThis.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
    process.send({ heapUsed, external, arrayBuffers, rss });
  };
  process.on('message', (asked) => {
    if (asked === 'turn') {
      if (measures) look();
      process.send({ busiestMs });
      busiestMs = 0;
    } else if (asked === 'rest') {
      // How much it does in a tenth of a second in which nobody asks for anything.
      const from = measures ? usedMs() : 0;
      setTimeout(() => process.send({ usedMs: measures ? usedMs() - from : 0 }), 100);
    } else if (asked === 'memory') void tellMemory();
  });
  process.channel.unref();
}
