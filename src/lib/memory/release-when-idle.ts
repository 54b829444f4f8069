import type { Server } from 'node:http';
import { repeat } from '../timing/repeat.ts';

const lookEveryMs = 10_000;
/** Less than this isn't worth a collection, which takes about 4 ms of CPU for each megabyte in use. */
const worthBytes = 8 * 2 ** 20;
const maxUsedBytes = 64 * 2 ** 20;

/** What V8 has reserved, and how much of that is in use. */
export interface HeapUse {
  readonly heapTotal: number;
  readonly heapUsed: number;
}

/**
 * Returns memory to the system while a small gateway is idle: V8 keeps what loading and a burst of requests took until
 * its next collection, which an idle process may never need. Returns a function that stops it.
 */
export function releaseWhenIdle(server: Pick<Server, 'on'>, onTrouble: (error: unknown) => void): () => void {
  let requests = 0;
  server.on('request', () => {
    requests++;
  });
  return repeat(
    lookEveryMs,
    createIdleLook(() => requests, process.memoryUsage, collectAllGarbage),
    onTrouble,
  );
}

/** Collects once for each quiet period: when nothing was requested since the look before, and there is much to gain. */
export function createIdleLook(
  requests: () => number,
  heap: () => HeapUse,
  collect: () => Promise<void>,
): () => Promise<void> {
  let seen = requests();
  let isReleased = false;
  return async () => {
    const isQuiet = requests() === seen;
    seen = requests();
    if (!isQuiet) isReleased = false;
    if (!isQuiet || isReleased) return;
    isReleased = true;
    const { heapTotal, heapUsed } = heap();
    if (heapUsed <= maxUsedBytes && heapTotal - heapUsed >= worthBytes) await collect();
  };
}

/** The only collection that a program can request which also shrinks the young generation. */
async function collectAllGarbage(): Promise<void> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
