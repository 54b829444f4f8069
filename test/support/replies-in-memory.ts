import { MemoryBudget } from '../../src/lib/memory/memory-budget.ts';
import { pino } from 'pino';
import { countTokens } from '../../src/listing/tokens/count-tokens.ts';
import { openReplies, type Replies } from '../../src/replies/open-replies.ts';
import type { KeptReplyStore, StoredReply } from '../../src/storage/ports.ts';

/** Kept replies of one process, for tests that have no store. */
export function keptInMemory(): KeptReplyStore {
  const kept = new Map<string, { readonly reply: StoredReply; readonly parts: Buffer[] }>();
  const bytes = () => [...kept.values()].reduce((sum, { reply }) => sum + reply.bytes, 0);
  return {
    put: async (reply, parts) => void kept.set(reply.id, { reply, parts: [...parts] }),
    begin: async (reply) => void kept.set(reply.id, { reply, parts: [] }),
    async addPart(id, part, content) {
      const entry = kept.get(id);
      if (entry !== undefined) entry.parts[part] = content;
      return entry !== undefined;
    },
    async finish(id, { was, ...end }) {
      const entry = kept.get(id);
      if (entry === undefined || (was !== undefined && !was.equals(entry.reply.head))) return false;
      kept.set(id, { ...entry, reply: { ...entry.reply, ...end } });
      return true;
    },
    remove: async (id) => void kept.delete(id),
    get: async (id) => kept.get(id)?.reply ?? null,
    part: async (id, part) => kept.get(id)?.parts[part] ?? null,
    usage: async () => ({ count: kept.size, bytes: bytes() }),
    async removeEnded(nowMs, maxBytes) {
      for (const [id, { reply }] of kept) if (reply.expiresAtMs <= nowMs) kept.delete(id);
      for (const [id] of kept) if (bytes() > maxBytes) kept.delete(id);
    },
    async removeAllOf(callerId) {
      for (const [id, { reply }] of kept) if (reply.callerId === callerId) kept.delete(id);
    },
  };
}

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
