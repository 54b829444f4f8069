import type { Transaction } from 'kysely';
import { bytesOf } from './bytes-of.ts';
import { storable } from './call-rows.ts';
import type { Database } from './database.ts';
import type { ImportJobContent, ImportJobStore, StoredImportJob } from './ports.ts';
import type { Tables } from './schema.ts';

/** Keeps imports that run on their own; ids sort by the time they were started. */
export function createImportJobStore(db: Database): ImportJobStore {
  return {
    add: (job, content) =>
      db.write(async (trx) => {
        await trx.insertInto('import_jobs').values(rowOf(job)).execute();
        await putContent(trx, job.id, content);
      }),

    replace: (job, content = {}) =>
      db.write(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('import_jobs')
          .set(rowOf(job))
          .where('id', '=', job.id)
          .where('revision', '=', job.revision - 1)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await putContent(trx, job.id, content);
        return true;
      }),

    async get(id) {
      const row = await db.reads
        .selectFrom('import_jobs')
        .selectAll()
        .where('id', '=', storable(id))
        .executeTakeFirst();
      return row === undefined ? null : jobOf(row);
    },

    async content(id, name) {
      const rows = await db.reads
        .selectFrom('import_job_parts')
        .select('content')
        .where('id', '=', id)
        .where('name', '=', name)
        .orderBy('part')
        .execute();
      return rows.length === 0 ? null : rows.map(({ content }) => bytesOf(content));
    },

    async list() {
      const rows = await db.reads.selectFrom('import_jobs').selectAll().orderBy('id', 'desc').execute();
      return rows.map(jobOf);
    },

    async remove(ids) {
      if (ids.length === 0) return;
      await db.write(async (trx) => {
        await trx.deleteFrom('import_jobs').where('id', 'in', ids).execute();
        await trx.deleteFrom('import_job_parts').where('id', 'in', ids).execute();
      });
    },
  };
}

/** Replaces what is stored under each name. */
async function putContent(trx: Transaction<Tables>, id: string, content: ImportJobContent): Promise<void> {
  for (const [name, parts] of Object.entries(content)) {
    await trx.deleteFrom('import_job_parts').where('id', '=', id).where('name', '=', name).execute();
    for (const [part, bytes] of parts.entries())
      await trx.insertInto('import_job_parts').values({ id, name, part, content: bytes }).execute();
  }
}

const rowOf = ({ id, revision, updatedAtMs, text }: StoredImportJob): Tables['import_jobs'] => ({
  id,
  revision,
  updated_at_ms: updatedAtMs,
  doc: storable(text),
});

const jobOf = (row: Tables['import_jobs']): StoredImportJob => ({
  id: row.id,
  revision: row.revision,
  updatedAtMs: row.updated_at_ms,
  text: row.doc,
});
