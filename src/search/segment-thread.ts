import { setImmediate as nextTurn } from 'node:timers/promises';
import { startWorker } from '../lib/start-worker.ts';
import type { SegmentRequest, ToolToIndex } from './build-segment-worker.ts';
import type { SearchSegment } from './search-segment.ts';

/** Indexes tools in a thread that starts on demand and ends when idle. One segment is built at a time. */
export interface SegmentThread {
  /** Indexes tools of different keys together. Rejects when the thread fails or is closed. */
  build(tools: readonly ToolToIndex[]): Promise<SearchSegment>;
  close(): Promise<void>;
}

const idleMs = 2_000;
// Copying more to the thread at once would hold up calls.
const toolsPerTurn = 128;

type Thread = ReturnType<typeof startWorker>;

export function createSegmentThread(): SegmentThread {
  let thread: Thread | null = null;
  let waiting: { resolve(segment: SearchSegment): void; reject(why: Error): void } | null = null;
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();

  function end(why: Error): Promise<unknown> {
    clearTimeout(idle);
    const ended = thread;
    thread = null;
    waiting?.reject(why);
    waiting = null;
    return ended?.terminate() ?? Promise.resolve();
  }

  function start(): Thread {
    const started = startWorker(import.meta.url, './build-segment-worker.ts');
    started.on('message', (segment: SearchSegment) => {
      waiting?.resolve(segment);
      waiting = null;
      // It doesn't keep an otherwise idle process alive.
      started.unref();
      idle = setTimeout(() => void end(new Error('Nothing was left to index.')), idleMs).unref();
    });
    started.on('error', (error) => {
      if (thread === started) void end(error);
    });
    started.on('exit', () => {
      if (thread === started) void end(new Error('The thread that indexes tools ended.'));
    });
    return started;
  }

  async function buildNow(tools: readonly ToolToIndex[]): Promise<SearchSegment> {
    if (isClosed) throw new Error('The thread that indexes tools is closed.');
    clearTimeout(idle);
    const asked = (thread ??= start());
    asked.ref();
    const answer = new Promise<SearchSegment>((resolve, reject) => (waiting = { resolve, reject }));
    // It may fail while the rest is sent.
    answer.catch(() => {});
    for (let at = 0; at < tools.length; at += toolsPerTurn) {
      const request: SegmentRequest = {
        tools: tools.slice(at, at + toolsPerTurn),
        isLast: at + toolsPerTurn >= tools.length,
      };
      asked.postMessage(request);
      await nextTurn();
    }
    return answer;
  }

  return {
    build(tools) {
      const built = last.then(() => buildNow(tools));
      last = built.catch(() => {});
      return built;
    },
    async close() {
      isClosed = true;
      await end(new Error('The thread that indexes tools is closed.'));
    },
  };
}
