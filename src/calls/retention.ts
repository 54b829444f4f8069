import type { CallStore } from '../storage/ports.ts';

const dayMs = 86_400_000;
const batch = 2_000;

/** Deletes records older than the retention time, in small steps that let calls through; returns how many. */
export async function purgeOldCalls(calls: CallStore, retentionDays: number, nowMs: number): Promise<number> {
  if (retentionDays === 0) return 0;
  let purged = 0;
  for (;;) {
    const removed = await calls.purge(nowMs - retentionDays * dayMs, batch);
    purged += removed;
    if (removed < batch) return purged;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
