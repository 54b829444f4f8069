import { startWorker } from '../../lib/start-worker.ts';
import type { CountAnswer, CountRequest } from './count-tokens-worker.ts';

/** Counts tokens in a thread that starts on demand and ends when idle. */
export interface TokenCounter {
  /** The number of tokens of each text. Rejects once the counter is closed. */
  count(texts: readonly string[]): Promise<readonly number[]>;
  /**
   * The number of tokens of tools in a list, each given as its entry with the full input schema, which is also
   * shortened in the thread.
   */
  countEntries(entries: readonly string[]): Promise<readonly number[]>;
  close(): Promise<void>;
}

// The tokenizer's tables take about 100 MB, so they are freed.
const idleMs = 5_000;

type Thread = ReturnType<typeof startWorker>;

interface PendingCount {
  resolve(counts: readonly number[]): void;
  reject(why: Error): void;
}

export function createTokenCounter(): TokenCounter {
  const waiting = new Map<number, PendingCount>();
  let thread: Thread | null = null;
  let idle: NodeJS.Timeout | undefined;
  let asked = 0;
  let isClosed = false;

  function end(why: Error): Promise<unknown> {
    clearTimeout(idle);
    const ended = thread;
    thread = null;
    for (const { reject } of waiting.values()) reject(why);
    waiting.clear();
    return ended?.terminate() ?? Promise.resolve();
  }

  function start(): Thread {
    const started = startWorker(import.meta.url, './count-tokens-worker.ts');
    // It doesn't keep an otherwise idle process alive.
    started.unref();
    started.on('message', ({ id, counts }: CountAnswer) => {
      waiting.get(id)?.resolve(counts);
      waiting.delete(id);
      if (waiting.size > 0) return;
      started.unref();
      idle = setTimeout(() => void end(new Error('Nothing was left to count.')), idleMs).unref();
    });
    started.on('error', (error) => {
      if (thread === started) void end(error);
    });
    started.on('exit', () => {
      if (thread === started) void end(new Error('The thread that counts tokens ended.'));
    });
    return started;
  }

  function ask(texts: readonly string[], areEntries: boolean): Promise<readonly number[]> {
    if (isClosed) return Promise.reject(new Error('The token counter is closed.'));
    if (texts.length === 0) return Promise.resolve([]);
    clearTimeout(idle);
    thread ??= start();
    thread.ref();
    const id = asked++;
    const request: CountRequest = { id, texts, areEntries };
    thread.postMessage(request);
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  }

  return {
    count: (texts) => ask(texts, false),
    countEntries: (entries) => ask(entries, true),
    async close() {
      isClosed = true;
      await end(new Error('The token counter is closed.'));
    },
  };
}
