import { hash } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import type { AuditEntry } from '../domain/audit.ts';
import { storageErrors } from '../domain/error-messages/storage.ts';
import { storable } from './call-rows.ts';
import type { Database, Reader } from './database.ts';
import type { AuditChain, AuditLine, AuditStore, ChainPlace } from './ports.ts';
import type { Tables } from './schema.ts';

const rowsPerStatement = 200;

/** What the first line of a chain follows. */
const beginning: ChainPlace = { seq: 0, hash: '0'.repeat(64) };

/** Keeps the audit log; nothing in Handrail edits a line of it, and only its retention time deletes one. */
export function createAuditStore(db: Database): AuditStore {
  return {
    async add(entries) {
      await db.write((trx) => writeAudit(trx, entries));
    },

    async find(filter, limit, cursor) {
      if (cursor !== undefined && !/^audit_[0-9A-Z]{26}$/.test(cursor)) {
        throw storageErrors.cursorInvalid();
      }
      let query = db.reads.selectFrom('audit_log').selectAll();
      if (filter.actorId !== undefined) query = query.where('actor_id', '=', filter.actorId);
      if (filter.action !== undefined) query = query.where('action', '=', filter.action);
      if (filter.subjectKind !== undefined) query = query.where('subject_kind', '=', filter.subjectKind);
      if (filter.subjectId !== undefined) query = query.where('subject_id', '=', filter.subjectId);
      if (filter.fromMs !== undefined) query = query.where('at_ms', '>=', filter.fromMs);
      if (filter.toMs !== undefined) query = query.where('at_ms', '<', filter.toMs);
      for (const word of filter.search?.toLowerCase().split(/\s+/).filter(Boolean) ?? []) {
        const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
        query = query.where(
          sql<boolean>`lower(actor_label || ' ' || action || ' ' || subject_kind || ' ' || coalesce(subject_id, '') || ' ' || coalesce(subject_label, '') || ' ' || coalesce(before_text, '') || ' ' || coalesce(after_text, '')) like ${pattern} escape '\\'`,
        );
      }
      if (cursor !== undefined) query = query.where('id', '<', cursor);
      const rows = await query
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      const page = rows.slice(0, limit).map(toEntry);
      return { entries: page, nextCursor: rows.length > limit ? page.at(-1)!.id : null };
    },

    purge: (beforeMs, limit, keepAfterSeq) =>
      db.write(async (trx) => {
        // Only from its beginning, so that what remains is still one chain.
        const { removed } = await chainIn(trx);
        const kept = await trx
          .selectFrom('audit_log')
          .select('seq')
          .where('seq', '>', removed.seq)
          .where('at_ms', '>=', beforeMs)
          .orderBy('seq')
          .limit(1)
          .executeTakeFirst();
        const last = await trx
          .selectFrom((from) =>
            from
              .selectFrom('audit_log')
              .select(['seq', 'hash'])
              .where('seq', '>', removed.seq)
              .$if(kept !== undefined, (query) => query.where('seq', '<', kept!.seq))
              .$if(keepAfterSeq !== undefined, (query) => query.where('seq', '<=', keepAfterSeq!))
              .orderBy('seq')
              .limit(limit)
              .as('oldest'),
          )
          .select(['seq', 'hash'])
          .orderBy('seq', 'desc')
          .limit(1)
          .executeTakeFirst();
        let deleted = 0;
        if (last !== undefined) {
          const chained = await trx.deleteFrom('audit_log').where('seq', '<=', last.seq).executeTakeFirst();
          await trx
            .updateTable('audit_chain')
            .set({ removed_seq: last.seq!, removed_hash: last.hash! })
            .where('id', '=', 1)
            .execute();
          deleted = Number(chained.numDeletedRows);
        }
        if (deleted >= limit) return deleted;
        const older = await trx
          .deleteFrom('audit_log')
          .where('id', 'in', (eb) =>
            eb
              .selectFrom('audit_log')
              .select('id')
              .where('at_ms', '<', beforeMs)
              .where('seq', 'is', null)
              .orderBy('id')
              .limit(limit - deleted),
          )
          .executeTakeFirst();
        return deleted + Number(older.numDeletedRows);
      }),

    chain: () => chainIn(db.reads),

    async linesAfter(seq, limit) {
      const rows = await db.reads
        .selectFrom('audit_log')
        .selectAll()
        .where('seq', '>', seq)
        .orderBy('seq')
        .limit(limit)
        .execute();
      return rows.map(toLine);
    },

    async unchained() {
      const first = await db.reads
        .selectFrom('audit_log')
        .select('at_ms')
        .where('seq', 'is not', null)
        .orderBy('seq')
        .limit(1)
        .executeTakeFirst();
      if (first === undefined) return 0;
      const { n } = await db.reads
        .selectFrom('audit_log')
        .select((on) => on.fn.countAll<number | string>().as('n'))
        .where('seq', 'is', null)
        .where('at_ms', '>', first.at_ms)
        .executeTakeFirstOrThrow();
      return Number(n);
    },

    async actors() {
      const last = db.reads
        .selectFrom('audit_log')
        .select((on) => on.fn.max('id').as('id'))
        .groupBy('actor_id');
      const rows = await db.reads
        .selectFrom('audit_log')
        .select(['actor_id', 'actor_label'])
        .where('id', 'in', last)
        .orderBy('actor_label')
        .execute();
      return rows.map((row) => ({ id: row.actor_id, label: row.actor_label }));
    },
  };
}

/** Writes lines of the audit log in the transaction that makes the changes they describe. */
export async function writeAudit(trx: Transaction<Tables>, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const lines = entries.map(toRow);
  // Also takes the row's lock, so that the lines of all processes form one chain.
  const at =
    (await trx
      .updateTable('audit_chain')
      .set((eb) => ({ seq: eb('seq', '+', lines.length) }))
      .where('id', '=', 1)
      .returning(['seq', 'hash'])
      .executeTakeFirst()) ?? (await beginChain(trx, lines.length));
  let place: ChainPlace = { seq: at.seq - lines.length, hash: at.hash };
  const rows = lines.map((line) => {
    place = { seq: place.seq + 1, hash: linkHash(place, line) };
    return { ...line, ...place };
  });
  await trx.updateTable('audit_chain').set({ hash: place.hash }).where('id', '=', 1).execute();
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    await trx
      .insertInto('audit_log')
      .values(rows.slice(from, from + rowsPerStatement))
      .execute();
  }
}

async function beginChain(trx: Transaction<Tables>, count: number): Promise<ChainPlace> {
  // There are none, unless someone removed the row: then the lines that follow fit no earlier ones, which verifying shows.
  const { first, last } = await trx
    .selectFrom('audit_log')
    .select((on) => [on.fn.min('seq').as('first'), on.fn.max('seq').as('last')])
    .executeTakeFirstOrThrow();
  await trx
    .insertInto('audit_chain')
    .values({
      id: 1,
      seq: last ?? 0,
      hash: beginning.hash,
      removed_seq: (first ?? 1) - 1,
      removed_hash: beginning.hash,
    })
    .onConflict((c) => c.column('id').doNothing())
    .execute();
  return trx
    .updateTable('audit_chain')
    .set((eb) => ({ seq: eb('seq', '+', count) }))
    .where('id', '=', 1)
    .returning(['seq', 'hash'])
    .executeTakeFirstOrThrow();
}

async function chainIn(at: Reader): Promise<AuditChain> {
  const row = await at.selectFrom('audit_chain').selectAll().where('id', '=', 1).executeTakeFirst();
  return row === undefined
    ? { last: beginning, removed: beginning }
    : {
        last: { seq: row.seq, hash: row.hash },
        removed: { seq: row.removed_seq, hash: row.removed_hash },
      };
}

type Content = Omit<Tables['audit_log'], 'seq' | 'hash'>;

function linkHash(before: ChainPlace, line: Content): string {
  const content = [
    line.id,
    line.at_ms,
    line.actor_id,
    line.actor_label,
    line.address,
    line.action,
    line.subject_kind,
    line.subject_id,
    line.subject_label,
    line.before_text,
    line.after_text,
  ];
  return hash('sha256', JSON.stringify([before.hash, before.seq + 1, ...content]));
}

/** Whether a line is what was written after the line before it. */
export function isNextInChain(before: ChainPlace, line: AuditLine): boolean {
  return line.seq === before.seq + 1 && line.hash === linkHash(before, toRow(line));
}

function toRow(entry: AuditEntry): Content {
  return {
    id: entry.id,
    at_ms: entry.atMs,
    actor_id: storable(entry.actorId),
    actor_label: storable(entry.actorLabel),
    address: entry.address,
    action: entry.action,
    subject_kind: entry.subjectKind,
    subject_id: storable(entry.subjectId),
    subject_label: storable(entry.subjectLabel),
    before_text: storable(entry.before),
    after_text: storable(entry.after),
  };
}

function toLine(row: Tables['audit_log']): AuditLine {
  return { ...toEntry(row), seq: row.seq!, hash: row.hash ?? '' };
}

function toEntry(row: Tables['audit_log']): AuditEntry {
  return {
    id: row.id,
    atMs: row.at_ms,
    actorId: row.actor_id,
    actorLabel: row.actor_label,
    address: row.address,
    action: row.action,
    subjectKind: row.subject_kind,
    subjectId: row.subject_id,
    subjectLabel: row.subject_label,
    before: row.before_text,
    after: row.after_text,
  };
}
