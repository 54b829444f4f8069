import type { LeaseStore } from './ports.ts';

/** What became of asking for leases: got, held by another process, or not answered by the store. */
export interface LeaseCounts {
  readonly got: number;
  readonly taken: number;
  readonly failed: number;
}

/** Leases that count what becomes of asking for them. */
export function countLeases(leases: LeaseStore): LeaseStore & { readonly counts: LeaseCounts } {
  const counts = { got: 0, taken: 0, failed: 0 };
  return {
    counts,
    async claim(...asked) {
      try {
        const isOurs = await leases.claim(...asked);
        counts[isOurs ? 'got' : 'taken']++;
        return isOurs;
      } catch (error) {
        counts.failed++;
        throw error;
      }
    },
    release: (...given) => leases.release(...given),
  };
}
