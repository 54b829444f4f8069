import { type PersonSession, personSession } from '../domain/person.ts';
import { fits } from '../lib/schema/problems.ts';
import { storable } from './call-rows.ts';
import type { Database } from './database.ts';
import type { SessionStore } from './ports.ts';
import type { Tables } from './schema.ts';

const maxOfPerson = 100;

/** Keeps the sessions of signed-in people. */
export function createSessionStore(db: Database): SessionStore {
  return {
    async add(session) {
      await db.write(async (trx) => {
        const kept = trx
          .selectFrom('person_sessions')
          .select('hash')
          .where('person_id', '=', session.personId)
          .orderBy('last_seen_at_ms', 'desc')
          .orderBy('hash')
          .limit(maxOfPerson - 1);
        await trx
          .deleteFrom('person_sessions')
          .where('person_id', '=', session.personId)
          .where('hash', 'not in', kept)
          .execute();
        await trx
          .insertInto('person_sessions')
          .values({
            hash: session.hash,
            person_id: session.personId,
            created_at_ms: session.createdAtMs,
            last_seen_at_ms: session.lastSeenAtMs,
            expires_at_ms: session.expiresAtMs,
            address: storable(session.address),
            user_agent: storable(session.userAgent),
          })
          .execute();
      });
    },

    async get(hash) {
      const row = await db.reads
        .selectFrom('person_sessions')
        .selectAll()
        .where('hash', '=', hash)
        .executeTakeFirst();
      return row ? readSession(row) : null;
    },

    async listOf(personId) {
      const rows = await db.reads
        .selectFrom('person_sessions')
        .selectAll()
        .where('person_id', '=', personId)
        .orderBy('last_seen_at_ms', 'desc')
        .execute();
      return rows.map(readSession).filter((session) => session !== null);
    },

    async touch(hash, atMs) {
      await db.write((trx) =>
        trx.updateTable('person_sessions').set({ last_seen_at_ms: atMs }).where('hash', '=', hash).execute(),
      );
    },

    async remove(hash) {
      await db.write((trx) => trx.deleteFrom('person_sessions').where('hash', '=', hash).execute());
    },

    async removeAllOf(personId, exceptHash) {
      await db.write((trx) =>
        trx
          .deleteFrom('person_sessions')
          .where('person_id', '=', personId)
          .$if(exceptHash !== undefined, (query) => query.where('hash', '<>', exceptHash!))
          .execute(),
      );
    },

    async removeExpired(nowMs) {
      await db.write((trx) =>
        trx.deleteFrom('person_sessions').where('expires_at_ms', '<=', nowMs).execute(),
      );
    },
  };
}

/** Null when the row cannot be read: then it signs no one in. */
function readSession(row: Tables['person_sessions']): PersonSession | null {
  const session = {
    hash: row.hash,
    personId: row.person_id,
    createdAtMs: row.created_at_ms,
    lastSeenAtMs: row.last_seen_at_ms,
    expiresAtMs: row.expires_at_ms,
    address: row.address,
    userAgent: row.user_agent,
  };
  return fits(personSession, session) ? session : null;
}
