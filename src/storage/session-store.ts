import { type AdminSession, adminSession } from '../domain/admin.ts';
import { fits } from '../lib/schema/problems.ts';
import { storable } from './call-rows.ts';
import type { Database } from './database.ts';
import type { SessionStore } from './ports.ts';
import type { Tables } from './schema.ts';

/** Keeps the sessions of signed-in admins. */
export function createSessionStore(db: Database): SessionStore {
  return {
    async add(session) {
      await db.write((trx) =>
        trx
          .insertInto('admin_sessions')
          .values({
            hash: session.hash,
            admin_id: session.adminId,
            created_at_ms: session.createdAtMs,
            last_seen_at_ms: session.lastSeenAtMs,
            expires_at_ms: session.expiresAtMs,
            address: storable(session.address),
            user_agent: storable(session.userAgent),
          })
          .execute(),
      );
    },

    async get(hash) {
      const row = await db.reads
        .selectFrom('admin_sessions')
        .selectAll()
        .where('hash', '=', hash)
        .executeTakeFirst();
      return row ? readSession(row) : null;
    },

    async listOf(adminId) {
      const rows = await db.reads
        .selectFrom('admin_sessions')
        .selectAll()
        .where('admin_id', '=', adminId)
        .orderBy('last_seen_at_ms', 'desc')
        .execute();
      return rows.map(readSession).filter((session) => session !== null);
    },

    async touch(hash, atMs) {
      await db.write((trx) =>
        trx.updateTable('admin_sessions').set({ last_seen_at_ms: atMs }).where('hash', '=', hash).execute(),
      );
    },

    async remove(hash) {
      await db.write((trx) => trx.deleteFrom('admin_sessions').where('hash', '=', hash).execute());
    },

    async removeAllOf(adminId, exceptHash) {
      await db.write((trx) =>
        trx
          .deleteFrom('admin_sessions')
          .where('admin_id', '=', adminId)
          .$if(exceptHash !== undefined, (query) => query.where('hash', '<>', exceptHash!))
          .execute(),
      );
    },

    async removeExpired(nowMs) {
      await db.write((trx) => trx.deleteFrom('admin_sessions').where('expires_at_ms', '<=', nowMs).execute());
    },
  };
}

/** Null when the row cannot be read: then it signs no one in. */
function readSession(row: Tables['admin_sessions']): AdminSession | null {
  const session = {
    hash: row.hash,
    adminId: row.admin_id,
    createdAtMs: row.created_at_ms,
    lastSeenAtMs: row.last_seen_at_ms,
    expiresAtMs: row.expires_at_ms,
    address: row.address,
    userAgent: row.user_agent,
  };
  return fits(adminSession, session) ? session : null;
}
