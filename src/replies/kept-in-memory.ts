import type { KeptReplyStore, StoredReply } from '../storage/ports.ts';

/** Kept replies of one process, where there is no store. */
export function keptInMemory(): KeptReplyStore {
  // In the order of their age. The size of a file grows with its parts.
  const kept = new Map<string, { readonly reply: StoredReply; readonly parts: Buffer[] }>();
  const bytes = () => [...kept.values()].reduce((sum, { reply }) => sum + reply.bytes, 0);
  return {
    put: async (reply, parts) => void kept.set(reply.id, { reply, parts: [...parts] }),
    begin: async (reply) => void kept.set(reply.id, { reply, parts: [] }),
    async addPart(id, part, content) {
      const entry = kept.get(id);
      if (entry === undefined) return false;
      entry.parts[part] = content;
      kept.set(id, { ...entry, reply: { ...entry.reply, bytes: entry.reply.bytes + content.length } });
      return true;
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
      let used = bytes();
      for (const [id, { reply }] of kept) {
        if (used <= maxBytes) break;
        kept.delete(id);
        used -= reply.bytes;
      }
    },
    async removeAllOf(callerId) {
      for (const [id, { reply }] of kept) if (reply.callerId === callerId) kept.delete(id);
    },
  };
}
