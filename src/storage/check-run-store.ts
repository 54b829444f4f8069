import { storable } from './call-rows.ts';
import type { Database } from './database.ts';
import type { CheckRunStore, StoredCheckRun } from './ports.ts';
import type { Tables } from './schema.ts';

/** Keeps what became of checks; ids sort by the time they were made. */
export function createCheckRunStore(db: Database): CheckRunStore {
  return {
    async put({ id, serverId, startedAtMs, text }, most) {
      await db.write(async (trx) => {
        await trx
          .insertInto('check_runs')
          .values({ id, server_id: serverId, started_at_ms: startedAtMs, doc: storable(text) })
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ doc: storable(text) }))
          .execute();
        const oldest = await trx
          .selectFrom('check_runs')
          .select('id')
          .where('server_id', '=', serverId)
          .orderBy('id', 'desc')
          .limit(1)
          .offset(most)
          .executeTakeFirst();
        if (oldest !== undefined)
          await trx
            .deleteFrom('check_runs')
            .where('server_id', '=', serverId)
            .where('id', '<=', oldest.id)
            .execute();
      });
    },

    async get(id) {
      const row = await db.reads.selectFrom('check_runs').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : runOf(row);
    },

    async listOf(serverId, limit) {
      const rows = await db.reads
        .selectFrom('check_runs')
        .selectAll()
        .where('server_id', '=', serverId)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(runOf);
    },

    async removeAllOf(serverId) {
      await db.write((trx) => trx.deleteFrom('check_runs').where('server_id', '=', serverId).execute());
    },
  };
}

function runOf(row: Tables['check_runs']): StoredCheckRun {
  return {
    id: row.id,
    serverId: row.server_id,
    startedAtMs: row.started_at_ms,
    text: row.doc,
  };
}
