import { sql, type Transaction } from 'kysely';
import { newestLayout } from '../call-layout.ts';
import type { Database, Reader } from '../database.ts';
import type { CallFilter } from '../ports.ts';
import type { Tables } from '../schema.ts';
import { isLockTimeout, isWithoutPartition } from './errors.ts';

/** What holds call records: the second only while an older store is being moved. */
export type RecordTable = 'call_records' | 'call_records_unpartitioned';

/** A stretch of time. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether nothing is older. */
  readonly isLast: boolean;
}

/** The partitions of call records, one for each day in UTC. */
export interface Partitions {
  /** Runs a write of records with these start times, which then have a partition. */
  ensure(times: readonly number[], write: (trx: Transaction<Tables>) => Promise<unknown>): Promise<void>;
  /**
   * Splits the time that a filter spans, newest first: a day, then twice as long each time. A query that names its time
   * is planned for few partitions, and few queries reach back for years.
   */
  stretches(filter: Pick<CallFilter, 'fromMs' | 'toMs'>): AsyncGenerator<Window>;
  /** Drops partitions that ended before a time, without reading them; returns how many records they had. */
  dropBefore(beforeMs: number): Promise<number>;
  /** Moves some records of an older store into their partitions, the newest first. Returns whether there are more. */
  moveSome(): Promise<boolean>;
}

const dayMs = 86_400_000;
const recordsPerMove = 2_000;
// Only has to differ from the locks of other programs in the same database.
const partitionLock = 4_801_517_203;
const prefix = 'call_records_d';

export function createPartitions(db: Database): Partitions {
  /** Days that had a partition when this process last looked. */
  const known = new Set<number>();

  async function createMissing(trx: Transaction<Tables>, days: ReadonlySet<number>): Promise<void> {
    const missing = [...days].filter((day) => !known.has(day));
    if (missing.length === 0) return;
    await sql`select pg_advisory_xact_lock(${sql.lit(partitionLock)})`.execute(trx);
    for (const day of missing) {
      const table = partitionOf(day);
      if (await exists(trx, table)) continue;
      // Attaching one lets others go on writing and reading; creating it in its place would not.
      await sql`create table ${sql.table(table)} (like call_records including defaults)`.execute(trx);
      await sql`alter table call_records attach partition ${sql.table(table)} for values from (${sql.lit(day * dayMs)}) to (${sql.lit((day + 1) * dayMs)})`.execute(
        trx,
      );
    }
  }

  return {
    async ensure(times, write) {
      const days = new Set(times.map(dayOf));
      const attempt = () =>
        db.write(async (trx) => {
          await createMissing(trx, days);
          await write(trx);
        });
      await attempt().catch((thrown: unknown) => {
        if (!isWithoutPartition(thrown)) throw thrown;
        // Another process dropped it, and a late record came.
        known.clear();
        return attempt();
      });
      if (known.size > 1_000) known.clear();
      for (const day of days) known.add(day);
    },

    async *stretches({ fromMs = Number.MIN_SAFE_INTEGER, toMs = Number.MAX_SAFE_INTEGER }) {
      const spans = (await partitionDays(db.reads)).map((day) => [day * dayMs, (day + 1) * dayMs] as const);
      const tables = await recordTables(db.reads);
      if (tables.length > 1) {
        const older = await db.reads
          .selectFrom('call_records_unpartitioned')
          .select((eb) => [
            eb.fn.min<number | null>('started_at_ms').as('first'),
            eb.fn.max<number | null>('started_at_ms').as('last'),
          ])
          .executeTakeFirstOrThrow();
        if (older.first !== null && older.last !== null) spans.push([older.first, older.last + 1]);
      }
      const oldestMs = Math.max(
        fromMs,
        spans.reduce((least, [first]) => Math.min(least, first), Infinity),
      );
      let endMs = Math.min(
        toMs,
        spans.reduce((most, [, end]) => Math.max(most, end), -Infinity),
      );
      for (let days = 1; endMs > oldestMs; days *= 2) {
        const startMs = Math.max(oldestMs, dayOf(endMs - 1) * dayMs - (days - 1) * dayMs);
        yield { fromMs: startMs, toMs: endMs, isLast: startMs <= oldestMs };
        endMs = startMs;
      }
    },

    async dropBefore(beforeMs) {
      let dropped = 0;
      for (const day of await partitionDays(db.reads)) {
        if ((day + 1) * dayMs > beforeMs) continue;
        try {
          dropped += await db.write(async (trx) => {
            // A long read of it makes everyone behind this wait.
            await sql`set local lock_timeout = '2s'`.execute(trx);
            return dropPartition(trx, partitionOf(day));
          });
          known.delete(day);
        } catch (thrown) {
          // It is in use, and is dropped another time.
          if (!isLockTimeout(thrown)) throw thrown;
        }
      }
      return dropped;
    },

    moveSome: async () =>
      (await recordTables(db.reads)).length > 1 &&
      db.write(async (trx) => {
        await sql`select pg_advisory_xact_lock(${sql.lit(partitionLock)})`.execute(trx);
        if (!(await exists(trx, 'call_records_unpartitioned'))) return false;
        const newest = await trx
          .selectFrom('call_records_unpartitioned')
          .select('started_at_ms')
          .orderBy('started_at_ms', 'desc')
          .limit(1)
          .executeTakeFirst();
        if (newest === undefined) {
          await sql`create or replace view all_call_records as select * from call_records`.execute(trx);
          await sql`drop table call_records_unpartitioned`.execute(trx);
          return false;
        }
        const day = dayOf(newest.started_at_ms);
        await createMissing(trx, new Set([day]));
        await sql`with moved as (
          delete from call_records_unpartitioned where id in (
            select id from call_records_unpartitioned where started_at_ms >= ${day * dayMs}
            order by started_at_ms desc limit ${recordsPerMove}) returning *)
          insert into call_records select * from moved on conflict do nothing`.execute(trx);
        return true;
      }),
  };
}

/** Returns how many records it had; 0 when it stays, because of records that only a newer version can read. */
async function dropPartition(trx: Transaction<Tables>, table: string): Promise<number> {
  const newer =
    await sql`select 1 from ${sql.table(table)} where layout > 1 and layout > ${newestLayout} limit 1`.execute(
      trx,
    );
  if (newer.rows.length > 0) return 0;
  const counted = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
    trx,
  );
  await sql`drop table ${sql.table(table)}`.execute(trx);
  return counted.rows[0]?.count ?? 0;
}

/** Where call records are at the moment. */
export async function recordTables(reads: Reader): Promise<readonly RecordTable[]> {
  return (await exists(reads, 'call_records_unpartitioned'))
    ? ['call_records', 'call_records_unpartitioned']
    : ['call_records'];
}

async function exists(reads: Reader, table: string): Promise<boolean> {
  const found = await reads
    .selectFrom(sql<{ name: string | null }>`(select to_regclass(${table})::text as name)`.as('found'))
    .select('name')
    .executeTakeFirst();
  return found?.name != null;
}

/** The days that have a partition, the oldest first. */
async function partitionDays(reads: Reader): Promise<readonly number[]> {
  const partitions = sql<{ name: string }>`(select child.relname as name
    from pg_inherits join pg_class as child on child.oid = inhrelid
    where inhparent = to_regclass('call_records'))`;
  const rows = await reads.selectFrom(partitions.as('partitions')).select('name').execute();
  return rows.map(({ name }) => Number(name.slice(prefix.length))).sort((one, other) => one - other);
}

function dayOf(ms: number): number {
  return Math.floor(ms / dayMs);
}

/** Named by its day since 1970, which sorts and needs no calendar. */
function partitionOf(day: number): string {
  return `${prefix}${day}`;
}
