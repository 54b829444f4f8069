import type { Logger } from 'pino';
import type { CallStore, UnreadableCalls } from '../storage/ports.ts';

/** Knows how many stored records cannot be shown, as of the last look. */
export interface UnreadableRecords {
  readonly counts: UnreadableCalls;
  /** Looks again, and says in the log what is new about it. */
  look(): Promise<void>;
}

/** What an operator is told, by why records are left out. */
const sayings: Readonly<Record<keyof UnreadableCalls, string>> = {
  newer:
    'call records that a newer version wrote are left out and left alone: that version shows, exports and purges them',
  damaged: 'call records that are damaged are left out: restore a backup to have them back',
};

/** Makes it; nothing is known before the first look. */
export function watchUnreadableRecords(
  calls: Pick<CallStore, 'unreadable'>,
  log: Pick<Logger, 'warn'>,
): UnreadableRecords {
  let counts: UnreadableCalls = { newer: 0, damaged: 0 };
  return {
    get counts() {
      return counts;
    },
    async look() {
      const before = counts;
      counts = await calls.unreadable();
      for (const why of ['newer', 'damaged'] as const)
        if (counts[why] > before[why]) log.warn({ records: counts[why] }, sayings[why]);
    },
  };
}
