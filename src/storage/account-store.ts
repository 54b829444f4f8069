import { type Account, account } from '../domain/account.ts';
import { readJson } from '../lib/schema/read-json.ts';
import { writeAudit } from './audit-store.ts';
import type { Database } from './database.ts';
import type { AccountStore } from './ports.ts';
import type { Tables } from './schema.ts';

/** Keeps people's own accounts at APIs. */
export function createAccountStore(db: Database): AccountStore {
  const rows = () => db.reads.selectFrom('accounts').selectAll();
  return {
    async find(personId, apiId) {
      const row = await rows()
        .where('person_id', '=', personId)
        .where('api_id', '=', apiId)
        .executeTakeFirst();
      return readAccount(row);
    },

    get: async (id) => readAccount(await rows().where('id', '=', id).executeTakeFirst()),

    async listOf(personId) {
      const found = await rows().where('person_id', '=', personId).orderBy('api_id').execute();
      return found.flatMap((row) => readAccount(row) ?? []);
    },

    async list({ apiId, afterId, limit }) {
      const found: Account[] = [];
      for (let after = afterId; found.length < limit;) {
        let query = rows();
        if (apiId !== undefined) query = query.where('api_id', '=', apiId);
        if (after !== undefined) query = query.where('id', '>', after);
        const page = await query.orderBy('id').limit(limit).execute();
        found.push(...page.flatMap((row) => readAccount(row) ?? []));
        if (page.length < limit) break;
        after = page.at(-1)!.id;
      }
      return found.slice(0, limit);
    },

    put: (entity, before, audit = []) =>
      db.write(async (trx) => {
        const row: Tables['accounts'] = {
          id: entity.id,
          revision: entity.revision,
          updated_at_ms: entity.updatedAtMs,
          doc: JSON.stringify(entity),
          person_id: entity.personId,
          api_id: entity.apiId,
        };
        if (before === null) {
          // A person who is removed in the same moment leaves a row that no one can use, until `removeOrphans`.
          const person = await trx
            .selectFrom('people')
            .select('id')
            .where('id', '=', entity.personId)
            .executeTakeFirst();
          if (person === undefined) return false;
          const added = await trx
            .insertInto('accounts')
            .values(row)
            .onConflict((c) => c.columns(['person_id', 'api_id']).doNothing())
            .executeTakeFirst();
          if (Number(added.numInsertedOrUpdatedRows) === 0) return false;
        } else {
          const changed = await trx
            .updateTable('accounts')
            .set(row)
            .where('id', '=', entity.id)
            .where('revision', '=', before)
            .executeTakeFirst();
          if (Number(changed.numUpdatedRows) === 0) return false;
        }
        await writeAudit(trx, audit);
        return true;
      }),

    remove: (personId, apiId, audit) =>
      db.write(async (trx) => {
        const removed = await trx
          .deleteFrom('accounts')
          .where('person_id', '=', personId)
          .where('api_id', '=', apiId)
          .executeTakeFirst();
        if (Number(removed.numDeletedRows) === 0) return false;
        await writeAudit(trx, audit);
        return true;
      }),

    async removeOfApi(apiId) {
      const removed = await db.write((trx) =>
        trx.deleteFrom('accounts').where('api_id', '=', apiId).executeTakeFirst(),
      );
      return Number(removed.numDeletedRows);
    },

    async removeOrphans() {
      const removed = await db.write((trx) =>
        trx
          .deleteFrom('accounts')
          .where((eb) =>
            eb.or([
              eb('api_id', 'not in', eb.selectFrom('apis').select('id')),
              eb('person_id', 'not in', eb.selectFrom('people').select('id')),
            ]),
          )
          .executeTakeFirst(),
      );
      return Number(removed.numDeletedRows);
    },
  };
}

/** A row that says otherwise than its columns is damaged, and not used. */
function readAccount(row: Tables['accounts'] | undefined): Account | null {
  if (row === undefined) return null;
  const read = readJson(account, row.doc);
  return read?.id === row.id &&
    read.personId === row.person_id &&
    read.apiId === row.api_id &&
    read.revision === row.revision
    ? read
    : null;
}
