import { timeMs } from '../domain/fields/row-fields.ts';
import { fits } from '../lib/schema/problems.ts';
import type { MetaStore } from '../storage/ports.ts';

/** Tracks when each access key was last used, and stores it periodically instead of at every call. */
export interface KeyUses {
  note(keyId: string, nowMs: number): void;
  /** When a key was last used, including uses not stored yet; undefined if never. */
  lastUsedAtMs(keyId: string): number | undefined;
  /** Stores new uses, and reads those of other processes. */
  sync(): Promise<void>;
}

const prefix = 'key_used:';

/** Creates the tracker of one process. */
export function createKeyUses(meta: MetaStore): KeyUses {
  let known = new Map<string, number>();
  let fresh = new Map<string, number>();
  return {
    note(keyId, nowMs) {
      fresh.set(keyId, nowMs);
    },
    lastUsedAtMs: (keyId) => fresh.get(keyId) ?? known.get(keyId),
    async sync() {
      const writing = fresh;
      fresh = new Map();
      try {
        await meta.setAll([...writing].map(([id, atMs]) => [`${prefix}${id}`, String(atMs)]));
        const facts = await meta.getAll(prefix);
        const read = facts.map(([name, value]) => [name.slice(prefix.length), Number(value)] as const);
        known = new Map(read.filter(([, atMs]) => fits(timeMs, atMs)));
      } catch (error) {
        fresh = new Map([...writing, ...fresh]);
        throw error;
      }
    },
  };
}
