import { hash, randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { storable } from './call-rows.ts';
import type { Database } from './database.ts';
import type { GrantStore, StoredGrantEntry } from './ports.ts';
import type { Tables } from './schema.ts';

const atOnce = 500;
// One row that changes whenever a grant ends early, so that other processes need not look at every grant.
const epochKind = 'epoch';
const epochId = idOf(epochKind, 'grants');
const never = 8_640_000_000_000_000;

/** Keeps what the built-in authorization server issues. Names can be secrets, so rows are keyed by their hashes. */
export function createGrantStore(db: Database): GrantStore {
  const bump = (trx: Transaction<Tables>) => {
    const doc = randomUUID();
    return trx
      .insertInto('grant_entries')
      .values({ ...nothing, id: epochId, kind: epochKind, created_at_ms: 0, expires_at_ms: never, doc })
      .onConflict((c) => c.column('id').doUpdateSet({ doc }))
      .execute();
  };
  const endWhere = (column: 'grant_id' | 'person_id', value: string) =>
    db.write(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('grant_entries')
        .where(column, '=', storable(value))
        .executeTakeFirstOrThrow();
      if (numDeletedRows > 0n) await bump(trx);
      return Number(numDeletedRows);
    });

  const count: GrantStore['count'] = async (kind, grantId) => {
    const row = await db.reads
      .selectFrom('grant_entries')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('kind', '=', kind)
      .$if(grantId !== undefined, (query) => query.where('grant_id', '=', grantId!))
      .executeTakeFirstOrThrow();
    return Number(row.count);
  };

  return {
    async put({ name, kind, grantId, lookup, personId, createdAtMs, expiresAtMs, doc }) {
      const fields = {
        grant_id: grantId ?? null,
        lookup: lookup === undefined ? null : storable(lookup),
        person_id: personId === undefined ? null : storable(personId),
        expires_at_ms: expiresAtMs,
        doc: storable(doc),
      };
      await db.write((trx) =>
        trx
          .insertInto('grant_entries')
          .values({ ...nothing, ...fields, id: idOf(kind, name), kind, created_at_ms: createdAtMs })
          .onConflict((c) => c.column('id').doUpdateSet(fields))
          .execute(),
      );
    },

    async get(kind, name, nowMs) {
      const row = await db.reads
        .selectFrom('grant_entries')
        .selectAll()
        .where('id', '=', idOf(kind, name))
        .where('expires_at_ms', '>', nowMs)
        .executeTakeFirst();
      return row === undefined ? null : entryOf(row);
    },

    async find(kind, lookup, nowMs) {
      const row = await db.reads
        .selectFrom('grant_entries')
        .selectAll()
        .where('kind', '=', kind)
        .where('lookup', '=', storable(lookup))
        .where('expires_at_ms', '>', nowMs)
        .orderBy('created_at_ms')
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : entryOf(row);
    },

    async list(kind, { nowMs, limit, personId, beforeMs }) {
      const rows = await db.reads
        .selectFrom('grant_entries')
        .selectAll()
        .where('kind', '=', kind)
        .where('expires_at_ms', '>', nowMs)
        .$if(personId !== undefined, (query) => query.where('person_id', '=', storable(personId!)))
        .$if(beforeMs !== undefined, (query) => query.where('created_at_ms', '<', beforeMs!))
        .orderBy('created_at_ms', 'desc')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(entryOf);
    },

    count,

    async consume(kind, name, atMs) {
      const { numUpdatedRows } = await db.write((trx) =>
        trx
          .updateTable('grant_entries')
          .set({ consumed_at_ms: atMs })
          .where('id', '=', idOf(kind, name))
          .where('consumed_at_ms', 'is', null)
          .executeTakeFirstOrThrow(),
      );
      return numUpdatedRows > 0n;
    },

    async touch(kind, grantId, usedAtMs) {
      await db.write((trx) =>
        trx
          .updateTable('grant_entries')
          .set({ used_at_ms: usedAtMs })
          .where('grant_id', '=', grantId)
          .where('kind', '=', kind)
          .execute(),
      );
    },

    async prolong(kind, grantId, expiresAtMs) {
      await db.write((trx) =>
        trx
          .updateTable('grant_entries')
          .set({ expires_at_ms: expiresAtMs })
          .where('grant_id', '=', grantId)
          .where('kind', '=', kind)
          .where('expires_at_ms', '<', expiresAtMs)
          .execute(),
      );
    },

    async remove(kind, name) {
      await removeAll(db, [idOf(kind, name)]);
    },

    endGrant: (grantId) => endWhere('grant_id', grantId),
    endGrantsOf: (personId) => endWhere('person_id', personId),

    async epoch() {
      const row = await db.reads
        .selectFrom('grant_entries')
        .select('doc')
        .where('id', '=', epochId)
        .executeTakeFirst();
      return row?.doc ?? '';
    },

    async standing(kind, grantIds, nowMs) {
      const found = new Set<string>();
      for (let at = 0; at < grantIds.length; at += atOnce) {
        const rows = await db.reads
          .selectFrom('grant_entries')
          .select('grant_id')
          .where('grant_id', 'in', grantIds.slice(at, at + atOnce))
          .where('kind', '=', kind)
          .where('expires_at_ms', '>', nowMs)
          .execute();
        for (const row of rows) if (row.grant_id !== null) found.add(row.grant_id);
      }
      return found;
    },

    async removeEnded(nowMs, bound) {
      for (;;) {
        const ended = await db.reads
          .selectFrom('grant_entries')
          .select('id')
          .where('expires_at_ms', '<=', nowMs)
          .limit(atOnce)
          .execute();
        if (ended.length === 0) break;
        await removeAll(
          db,
          ended.map(({ id }) => id),
        );
      }
      if (bound === undefined) return;
      for (let tooMany = (await count(bound.kind)) - bound.max; tooMany > 0; tooMany -= atOnce) {
        const first = await db.reads
          .selectFrom('grant_entries')
          .select('id')
          .where('kind', '=', bound.kind)
          .orderBy('expires_at_ms')
          .limit(Math.min(tooMany, atOnce))
          .execute();
        await removeAll(
          db,
          first.map(({ id }) => id),
        );
      }
    },
  };
}

const nothing = { grant_id: null, lookup: null, person_id: null, consumed_at_ms: null, used_at_ms: null };

async function removeAll(db: Database, ids: readonly string[]): Promise<void> {
  await db.write((trx) => trx.deleteFrom('grant_entries').where('id', 'in', ids).execute());
}

function idOf(kind: string, name: string): string {
  return hash('sha256', `${kind} ${name}`);
}

function entryOf(row: Tables['grant_entries']): StoredGrantEntry {
  return {
    kind: row.kind,
    ...(row.grant_id !== null && { grantId: row.grant_id }),
    ...(row.lookup !== null && { lookup: row.lookup }),
    ...(row.person_id !== null && { personId: row.person_id }),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    ...(row.consumed_at_ms !== null && { consumedAtMs: row.consumed_at_ms }),
    ...(row.used_at_ms !== null && { usedAtMs: row.used_at_ms }),
    doc: row.doc,
  };
}
