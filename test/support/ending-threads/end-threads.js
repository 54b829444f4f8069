// Ends threads in the middle of what they do, four at a time, and says so when all have ended:
//   node end-threads.js <how many>
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { startWorker } from '../../../dist/lib/start-worker.js';

let left = Number(process.argv[2]);

async function endSome() {
  while (left-- > 0) {
    const worker = startWorker(import.meta.url, './compiling-worker.ts');
    await once(worker, 'message');
    // Long enough that V8 has begun to compile, and each a little longer than the one before.
    await delay(20 + ((left * 7) % 100));
    await worker.terminate();
  }
}

await Promise.all([endSome(), endSome(), endSome(), endSome()]);
process.stdout.write('all have ended\n');
