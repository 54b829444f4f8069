import { sql, type Transaction } from 'kysely';
import { type Group, group, type Person, person, personNameKey } from '../domain/person.ts';
import { readRow } from '../domain/stored/read-row.ts';
import type { Problem } from '../lib/schema/problems.ts';
import { createPace } from '../lib/timing/pace.ts';
import { writeAudit } from './audit-store.ts';
import type { Database, Reader } from './database.ts';
import type { PeopleChange, PeopleStore, UnreadablePerson } from './ports.ts';
import type { StoreKind } from '../domain/settings.ts';
import type { Tables } from './schema.ts';

/** What goes with a person, in the same transaction. A new table of grants is listed here. */
const ownedByPerson = [
  { table: 'person_sessions', column: 'person_id' },
  { table: 'grant_entries', column: 'person_id' },
  { table: 'person_factors', column: 'person_id' },
  { table: 'accounts', column: 'person_id' },
] as const;

const maxScanned = 100_000;
const rowsAtATime = 500;

/** Keeps people and groups as rows that are read by key, and a number that says whether any of them changed. */
export function createPeopleStore(
  db: Database,
  kind: StoreKind,
  onCommitted: (trx: Transaction<Tables>) => Promise<void> = async () => {},
): PeopleStore {
  return {
    async seq() {
      const { seq } = await db.reads
        .selectFrom('people_seq')
        .select('seq')
        .where('id', '=', 1)
        .executeTakeFirstOrThrow();
      return seq;
    },

    get: (id) => findPerson(db.reads, 'id', id),
    byIdentity: (identity) => findPerson(db.reads, 'identity', identity),
    byName: (nameKey) => findPerson(db.reads, 'name_key', nameKey),
    byInvitation: (hash) => findPerson(db.reads, 'invitation_hash', hash),

    async list({ limit, cursor, search }) {
      const pattern = search === undefined ? null : `%${personNameKey(search).replace(/[\\%_]/g, '\\$&')}%`;
      const rows = await db.reads
        .selectFrom('people')
        .selectAll()
        .$if(cursor !== undefined, (query) => query.where('id', '>', cursor!))
        .$if(pattern !== null, (query) => query.where(sql<boolean>`search_text like ${pattern} escape '\\'`))
        .orderBy('id')
        .limit(limit + 1)
        .execute();
      const page = rows.slice(0, limit);
      return {
        people: page.flatMap((row) => {
          const read = readPerson(row);
          return read.ok ? [{ person: read.entity, signedInAtMs: row.signed_in_at_ms }] : [];
        }),
        nextCursor: rows.length > limit ? page.at(-1)!.id : null,
      };
    },

    async present(ids) {
      const found = new Set<string>();
      for (let at = 0; at < ids.length; at += rowsAtATime) {
        const rows = await db.reads
          .selectFrom('people')
          .select('id')
          .where('id', 'in', ids.slice(at, at + rowsAtATime))
          .execute();
        for (const { id } of rows) found.add(id);
      }
      return found;
    },

    async count() {
      const { n } = await db.reads
        .selectFrom('people')
        .select((on) => on.fn.countAll<number | string>().as('n'))
        .executeTakeFirstOrThrow();
      return Number(n);
    },

    async hasPasswords() {
      const row = await db.reads
        .selectFrom('people')
        .select('id')
        .where('has_password', '=', 1)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    async groups() {
      const rows = await db.reads.selectFrom('person_groups').selectAll().orderBy('id').execute();
      return rows.flatMap((row) => {
        const read = readGroup(row);
        return read.ok ? [read.entity] : [];
      });
    },

    async noteSignIn(id, atMs) {
      await db.write((trx) =>
        trx.updateTable('people').set({ signed_in_at_ms: atMs }).where('id', '=', id).execute(),
      );
    },

    async unreadable(most) {
      const found: UnreadablePerson[] = [];
      const pace = createPace();
      let after = '';
      for (let seen = 0; seen < maxScanned && found.length < most; seen += rowsAtATime) {
        await pace();
        const rows = await db.reads
          .selectFrom('people')
          .selectAll()
          .where('id', '>', after)
          .orderBy('id')
          .limit(rowsAtATime)
          .execute();
        for (const row of rows) {
          const read = readPerson(row);
          if (!read.ok)
            found.push({
              kind: 'person',
              id: row.id,
              columns: { name_key: row.name_key },
              problems: read.problems,
            });
        }
        if (rows.length < rowsAtATime) break;
        after = rows.at(-1)!.id;
      }
      for (const row of await db.reads.selectFrom('person_groups').selectAll().execute()) {
        const read = readGroup(row);
        if (!read.ok)
          found.push({
            kind: 'group',
            id: row.id,
            columns: { name_key: row.name_key },
            problems: read.problems,
          });
      }
      return found.slice(0, most);
    },

    change: (work) =>
      db.write(async (trx) => {
        // One change at a time, on whichever instance: what it decides on stays true until it is committed.
        await trx
          .selectFrom('people_seq')
          .select('seq')
          .where('id', '=', 1)
          .$if(kind === 'postgres', (query) => query.forUpdate())
          .executeTakeFirstOrThrow();
        const { changes, audit, result } = await work({
          get: (id) => findPerson(trx, 'id', id),
          byIdentity: (identity) => findPerson(trx, 'identity', identity),
          byInvitation: (hash) => findPerson(trx, 'invitation_hash', hash),
          async nameTaken(nameKey, exceptId) {
            const row = await trx
              .selectFrom('people')
              .select('id')
              .where('name_key', '=', nameKey)
              .where('id', '<>', exceptId)
              .executeTakeFirst();
            return row?.id ?? null;
          },
          async hasPasswords() {
            const row = await trx
              .selectFrom('people')
              .select('id')
              .where('has_password', '=', 1)
              .executeTakeFirst();
            return row !== undefined;
          },
          async hasOtherOwner(id) {
            const rows = await trx
              .selectFrom('people')
              .selectAll()
              .where('role', '=', 'owner')
              .where('has_password', '=', 1)
              .where('id', '<>', id)
              .execute();
            return rows.some((row) => {
              const read = readPerson(row);
              return read.ok && read.entity.disabled !== true;
            });
          },
          async groups() {
            const rows = await trx.selectFrom('person_groups').selectAll().orderBy('id').execute();
            return rows.flatMap((row) => {
              const read = readGroup(row);
              return read.ok ? [read.entity] : [];
            });
          },
          async groupNameTaken(nameKey, exceptId) {
            const row = await trx
              .selectFrom('person_groups')
              .select('id')
              .where('name_key', '=', nameKey)
              .where('id', '<>', exceptId)
              .executeTakeFirst();
            return row?.id ?? null;
          },
        });
        for (const change of changes) await apply(trx, change);
        if (changes.length > 0) {
          await sql`update people_seq set seq = seq + 1 where id = 1`.execute(trx);
          await onCommitted(trx);
        }
        if (audit.length > 0) await writeAudit(trx, audit);
        return result;
      }),
  };
}

async function apply(trx: Transaction<Tables>, change: PeopleChange): Promise<void> {
  if (change.kind === 'group') {
    if (change.op === 'delete') {
      await trx.deleteFrom('person_groups').where('id', '=', change.id).execute();
      return;
    }
    const row = groupRow(change.entity);
    await trx
      .insertInto('person_groups')
      .values(row)
      .onConflict((c) => c.column('id').doUpdateSet(row))
      .execute();
    return;
  }
  if (change.op === 'delete') {
    for (const { table, column } of ownedByPerson)
      await trx.deleteFrom(table).where(column, '=', change.id).execute();
    await trx.deleteFrom('people').where('id', '=', change.id).execute();
    return;
  }
  const row = personRow(change.entity);
  await trx
    .insertInto('people')
    .values({ ...row, signed_in_at_ms: null })
    .onConflict((c) => c.column('id').doUpdateSet(row))
    .execute();
}

function personRow(entity: Person): Omit<Tables['people'], 'signed_in_at_ms'> {
  return {
    id: entity.id,
    revision: entity.revision,
    updated_at_ms: entity.updatedAtMs,
    doc: JSON.stringify(entity),
    ...lookupOf(entity),
  };
}

function lookupOf(entity: Person) {
  return {
    identity: entity.identity,
    // People of an identity provider don't sign in by name, so they may share one.
    name_key: entity.issuer === 'local' ? personNameKey(entity.name) : null,
    invitation_hash: entity.invitation?.hash ?? null,
    search_text: [entity.name, entity.email, entity.subject]
      .filter((part) => part !== undefined)
      .map(personNameKey)
      .join(' '),
    role: entity.role,
    has_password: entity.passwordHash === undefined ? 0 : 1,
  };
}

function groupRow(entity: Group): Tables['person_groups'] {
  return {
    id: entity.id,
    revision: entity.revision,
    updated_at_ms: entity.updatedAtMs,
    doc: JSON.stringify(entity),
    name_key: personNameKey(entity.name),
  };
}

type KeyColumn = 'id' | 'identity' | 'name_key' | 'invitation_hash';

async function findPerson(at: Reader, column: KeyColumn, value: string): Promise<Person | null> {
  const row = await at.selectFrom('people').selectAll().where(column, '=', value).executeTakeFirst();
  if (row === undefined) return null;
  const read = readPerson(row);
  return read.ok ? read.entity : null;
}

type Read<T> =
  | { readonly ok: true; readonly entity: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** A row that says otherwise than its columns is damaged, and not used. */
function readPerson(row: Tables['people']): Read<Person> {
  const read = readRow(person, row.doc);
  if (!read.ok) return read;
  return agreeing(read.entity, { id: read.entity.id, ...lookupOf(read.entity) }, row);
}

function readGroup(row: Tables['person_groups']): Read<Group> {
  const read = readRow(group, row.doc);
  if (!read.ok) return read;
  return agreeing(read.entity, { id: read.entity.id, name_key: personNameKey(read.entity.name) }, row);
}

function agreeing<T>(entity: T, said: object, row: object): Read<T> {
  const columns: Readonly<Record<string, unknown>> = { ...row };
  const problems = Object.entries(said)
    .filter(([name, value]) => columns[name] !== value)
    .map(([name]) => ({ path: '', message: `does not say the same as its row’s column "${name}"` }));
  return problems.length === 0 ? { ok: true, entity } : { ok: false, problems };
}
