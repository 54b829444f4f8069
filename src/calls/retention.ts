import { setTimeout as delay } from 'node:timers/promises';
import { type RollupWidth, rollupWidthsMs } from '../domain/rollup.ts';
import type { ClaimWork } from '../storage/claim-work.ts';
import type { AuditStore, CallStore, MetaStore, RollupStore } from '../storage/ports.ts';
import { keysOf } from '../lib/json/plain-object.ts';

const dayMs = 86_400_000;
const batch = 2_000;

/** Deletes records older than the retention time; returns how many. 0 days keeps them forever. */
export async function purgeOldCalls(calls: CallStore, retentionDays: number, nowMs: number): Promise<number> {
  return retentionDays === 0 ? 0 : purgeCallsBefore(calls, nowMs - retentionDays * dayMs);
}

/** Deletes records of calls that started before a time, in small batches that let calls through; returns how many. */
export async function purgeCallsBefore(calls: CallStore, beforeMs: number): Promise<number> {
  let purged = 0;
  for (;;) {
    const removed = await calls.purge(beforeMs, batch);
    purged += removed;
    if (removed < batch) return purged;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The time up to which contents were removed, in epoch milliseconds. */
const droppedFact = 'contents_dropped_before_ms';

// A record is written after its call, and a call may take an hour.
const lateMs = 2 * 3_600_000;

/** Removes arguments and replies from records older than the retention time. 0 days keeps them as long as their record. */
export async function dropOldContents(
  calls: Pick<CallStore, 'dropContents'>,
  meta: Pick<MetaStore, 'get' | 'set'>,
  retentionDays: number,
  nowMs: number,
): Promise<void> {
  if (retentionDays === 0) return;
  const beforeMs = nowMs - retentionDays * dayMs;
  const droppedMs = Number((await meta.get(droppedFact)) ?? Number.NaN);
  let fromMs: number | null = Number.isFinite(droppedMs) ? Math.min(droppedMs, beforeMs) - lateMs : 0;
  while (fromMs !== null) {
    fromMs = await calls.dropContents(fromMs, beforeMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await meta.set(droppedFact, String(beforeMs));
}

// A step takes some milliseconds, and calls should have the rest.
const restMs = 50;

/** Maintains call records step by step until nothing is left to do. One process on a store does so. */
export function maintainRecords(
  calls: Pick<CallStore, 'maintain'>,
  claimWork: ClaimWork,
): { readonly run: () => Promise<void>; readonly stop: () => Promise<void> } {
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  const claim = () => claimWork('record maintenance', claimedForMs);
  async function work(): Promise<void> {
    while (!stopping.signal.aborted && (await claim()) && (await calls.maintain())) await delay(restMs);
  }
  return {
    run: () => (running ??= work().finally(() => (running = null))),
    async stop() {
      stopping.abort();
      // Whatever fails was reported to what ran it.
      await running?.catch(() => {});
    },
  };
}

const claimedForMs = 120_000;

/**
 * Deletes lines of the audit log older than the retention time, up to those that are still to be sent. 0 days keeps them
 * forever.
 */
export async function purgeOldAudit(
  audit: Pick<AuditStore, 'purge'>,
  {
    retentionDays,
    keepAfterSeq,
    nowMs,
  }: { readonly retentionDays: number; readonly keepAfterSeq: number | undefined; readonly nowMs: number },
): Promise<void> {
  if (retentionDays === 0) return;
  while ((await audit.purge(nowMs - retentionDays * dayMs, batch, keepAfterSeq)) === batch)
    await new Promise((resolve) => setImmediate(resolve));
}

// Each width is kept slightly longer than the longest range charted with it. They outlive the records because they
// contain only sums.
const keptDays: Readonly<Record<RollupWidth, number>> = { minute: 3, hour: 100, day: 800 };

/** Deletes roll-ups that are too old to be charted. */
export async function purgeOldRollups(rollups: RollupStore, nowMs: number): Promise<void> {
  for (const width of keysOf(rollupWidthsMs)) {
    await rollups.purge(width, nowMs - keptDays[width] * dayMs);
  }
}
