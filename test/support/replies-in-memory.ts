import { MemoryBudget } from '../../src/lib/memory/memory-budget.ts';
import { pino } from 'pino';
import { countTokens } from '../../src/listing/tokens/count-tokens.ts';
import { openReplies, type Replies } from '../../src/replies/open-replies.ts';
import { keptInMemory } from '../../src/replies/kept-in-memory.ts';
import type { KeptReplyStore } from '../../src/storage/ports.ts';

/** Replies brought within a budget, without a store or a thread. */
export function repliesInMemory(
  replyMaxTokens: number,
  more: {
    readonly now?: () => number;
    readonly handleMaxBytes?: number;
    readonly store?: KeptReplyStore;
  } = {},
): Replies {
  return openReplies({
    config: {
      replyMaxTokens,
      handleSeconds: 3_600,
      handleMaxBytes: more.handleMaxBytes ?? 1_000_000_000,
      maxFileBytes: 100 * 1024 * 1024,
      fileLinkSeconds: 600,
    },
    memory: new MemoryBudget(),
    linkKey: Buffer.alloc(32, 7),
    base: () => 'http://gateway.test',
    fetchFile: () => Promise.reject(new Error('Nothing is fetched here.')),
    serves: () => true,
    store: more.store ?? keptInMemory(),
    counter: { count: async (texts) => texts.map(countTokens) },
    keepsContents: () => true,
    log: pino({ level: 'silent' }),
    now: more.now ?? Date.now,
    // What is repeated here keeps no process alive.
    onClose: () => {},
  });
}
