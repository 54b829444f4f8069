import type { Transaction } from 'kysely';
import { fits } from '../lib/schema/problems.ts';
import { type FactorKind, factorKind, secondFactor, type StoredFactor } from '../domain/second-factor.ts';
import { readRow } from '../domain/stored/read-row.ts';
import type { Database } from './database.ts';
import type { FactorStore } from './ports.ts';
import type { Tables } from './schema.ts';

/** Keeps the second factors of people. A row that can't be read is not a factor that anyone can use. */
export function createFactorStore(db: Database): FactorStore {
  const insert = (trx: Transaction<Tables>, factors: readonly StoredFactor[]) =>
    factors.length === 0
      ? Promise.resolve()
      : trx
          .insertInto('person_factors')
          .values(factors.map(rowOf))
          .execute()
          .then(() => undefined);

  return {
    async listOf(personId) {
      const rows = await db.reads
        .selectFrom('person_factors')
        .selectAll()
        .where('person_id', '=', personId)
        .orderBy('id')
        .execute();
      const read = rows.map(readFactor);
      return {
        factors: read.flatMap((factor) => factor ?? []),
        // Counts as a factor, so that damage doesn't open an account to the password alone.
        unreadable: read.filter((factor) => factor === null).length,
      };
    },

    async kindsOf(personIds) {
      const found = new Map<string, FactorKind[]>();
      if (personIds.length === 0) return found;
      const rows = await db.reads
        .selectFrom('person_factors')
        .select(['person_id', 'kind'])
        .distinct()
        .where('person_id', 'in', personIds)
        .orderBy('kind', 'desc')
        .execute();
      for (const { person_id: id, kind } of rows)
        if (fits(factorKind, kind)) found.set(id, [...(found.get(id) ?? []), kind]);
      return found;
    },

    async byLookup(lookup) {
      const row = await db.reads
        .selectFrom('person_factors')
        .selectAll()
        .where('lookup', '=', lookup)
        .executeTakeFirst();
      return row === undefined ? null : readFactor(row);
    },

    async allOf(kind, { after, limit }) {
      const rows = await db.reads
        .selectFrom('person_factors')
        .selectAll()
        .where('kind', '=', kind)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute();
      return { factors: rows.flatMap((row) => readFactor(row) ?? []), last: rows.at(-1)?.id ?? null };
    },

    add: (factor, max, recovery) =>
      db.write(async (trx) => {
        const { personId } = factor.factor;
        // One change at a time for each person, on whichever instance.
        const person = await trx
          .updateTable('people')
          .set((on) => ({ has_password: on.ref('has_password') }))
          .where('id', '=', personId)
          .executeTakeFirstOrThrow();
        if (person.numUpdatedRows === 0n) return 'gone';
        const rows = await trx
          .selectFrom('person_factors')
          .select(['kind', 'lookup'])
          .where('person_id', '=', personId)
          .execute();
        if (factor.lookup !== null && rows.some(({ lookup }) => lookup === factor.lookup)) return 'known';
        if (rows.filter(({ kind }) => kind !== 'recovery').length >= max) return 'full';
        await insert(trx, [factor]);
        if (rows.some(({ kind }) => kind === 'recovery')) return 'added';
        await insert(trx, recovery);
        return 'added with codes';
      }),

    replaceRecovery: (personId, recovery) =>
      db.write(async (trx) => {
        await trx
          .deleteFrom('person_factors')
          .where('person_id', '=', personId)
          .where('kind', '=', 'recovery')
          .execute();
        await insert(trx, recovery);
      }),

    async use({ id, mark, usedAtMs, doc }) {
      const { numUpdatedRows } = await db.write((trx) =>
        trx
          .updateTable('person_factors')
          .set({ mark, used_at_ms: usedAtMs, ...(doc !== undefined && { doc: JSON.stringify(doc) }) })
          .where('id', '=', id)
          .where('mark', '<', mark)
          .executeTakeFirstOrThrow(),
      );
      return numUpdatedRows > 0n;
    },

    async replace(factor, was) {
      await db.write((trx) =>
        trx
          .updateTable('person_factors')
          .set({ doc: JSON.stringify(factor) })
          .where('id', '=', factor.id)
          .where('doc', '=', JSON.stringify(was))
          .execute(),
      );
    },

    async spend(personId, lookup) {
      const { numDeletedRows } = await db.write((trx) =>
        trx
          .deleteFrom('person_factors')
          .where('person_id', '=', personId)
          .where('kind', '=', 'recovery')
          .where('lookup', '=', lookup)
          .executeTakeFirstOrThrow(),
      );
      return numDeletedRows > 0n;
    },

    remove: (personId, id) =>
      db.write(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('person_factors')
          .where('person_id', '=', personId)
          .where('id', '=', id)
          .where('kind', '<>', 'recovery')
          .executeTakeFirstOrThrow();
        const left = await trx
          .selectFrom('person_factors')
          .select('id')
          .where('person_id', '=', personId)
          .where('kind', '<>', 'recovery')
          .limit(1)
          .execute();
        // Codes for what is lost are nothing by themselves.
        if (left.length === 0)
          await trx.deleteFrom('person_factors').where('person_id', '=', personId).execute();
        return numDeletedRows > 0n;
      }),

    async removeAllOf(personId) {
      const { numDeletedRows } = await db.write((trx) =>
        trx.deleteFrom('person_factors').where('person_id', '=', personId).executeTakeFirstOrThrow(),
      );
      return Number(numDeletedRows);
    },
  };
}

function rowOf({ factor, lookup, usedAtMs, mark }: StoredFactor): Tables['person_factors'] {
  return {
    id: factor.id,
    person_id: factor.personId,
    kind: factor.kind,
    lookup,
    mark,
    used_at_ms: usedAtMs,
    doc: JSON.stringify(factor),
  };
}

/** A row that says otherwise than its columns is damaged, and not used. */
function readFactor(row: Tables['person_factors']): StoredFactor | null {
  const read = readRow(secondFactor, row.doc);
  if (!read.ok) return null;
  const { id, personId, kind } = read.entity;
  if (id !== row.id || personId !== row.person_id || kind !== row.kind) return null;
  return { factor: read.entity, lookup: row.lookup, usedAtMs: row.used_at_ms, mark: row.mark };
}
