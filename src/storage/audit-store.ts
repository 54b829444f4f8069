import { sql, type Transaction } from 'kysely';
import type { AuditEntry } from '../domain/audit.ts';
import { storageErrors } from '../domain/error-messages/storage.ts';
import { storable } from './call-rows.ts';
import type { Database } from './database.ts';
import type { AuditStore } from './ports.ts';
import type { Tables } from './schema.ts';

const rowsPerStatement = 200;

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

    async purge(beforeMs, limit) {
      const result = await db.write((trx) =>
        trx
          .deleteFrom('audit_log')
          .where('id', 'in', (eb) =>
            eb.selectFrom('audit_log').select('id').where('at_ms', '<', beforeMs).orderBy('id').limit(limit),
          )
          .executeTakeFirst(),
      );
      return Number(result.numDeletedRows);
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
  for (let at = 0; at < entries.length; at += rowsPerStatement) {
    await trx
      .insertInto('audit_log')
      .values(entries.slice(at, at + rowsPerStatement).map(toRow))
      .execute();
  }
}

function toRow(entry: AuditEntry): Tables['audit_log'] {
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
