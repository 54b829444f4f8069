import type { Transaction } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bytesOf } from './bytes-of.ts';
import type { KeptReplyStore, StoredReply } from './ports.ts';
import { storable } from './call-rows.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

const maxAtOnce = 200;
const partsAtOnce = 32;

interface KeptReplyStoreOptions {
  readonly readPart?: KeptReplyStore['part'];
}

/**
 * Keeps sealed replies for a while. `readPart` reads a part where the driver would need a multiple of it.
 */
export function createKeptReplyStore(db: Database, { readPart }: KeptReplyStoreOptions = {}): KeptReplyStore {
  const usage: KeptReplyStore['usage'] = async () => {
    const sums = await db.reads
      .selectFrom('kept_replies')
      .select(({ fn }) => [fn.countAll().as('count'), fn.sum('bytes').as('bytes')])
      .executeTakeFirst();
    return { count: Number(sums?.count ?? 0), bytes: Number(sums?.bytes ?? 0) };
  };
  return {
    usage,

    async put(reply, parts) {
      await db.write(async (trx) => {
        await insert(trx, reply);
        for (const [part, content] of parts.entries())
          await trx.insertInto('kept_reply_parts').values({ id: reply.id, part, content }).execute();
      });
    },

    begin: (reply) => db.write((trx) => insert(trx, reply)),

    async addPart(id, part, content) {
      return db.write(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('kept_replies')
          .set(({ eb }) => ({ bytes: eb('bytes', '+', content.length) }))
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await trx.insertInto('kept_reply_parts').values({ id, part, content }).execute();
        return true;
      });
    },

    async finish(id, { head, expiresAtMs, was }) {
      const { numUpdatedRows } = await db.write((trx) =>
        trx
          .updateTable('kept_replies')
          .set({ head, expires_at_ms: expiresAtMs })
          .where('id', '=', id)
          .$if(was !== undefined, (query) => query.where('head', '=', was!))
          .executeTakeFirstOrThrow(),
      );
      return numUpdatedRows > 0n;
    },

    remove: (id) => remove(db, [id]),

    async get(id) {
      const row = await db.reads
        .selectFrom('kept_replies')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined
        ? null
        : {
            id: row.id,
            callerId: row.caller_id,
            createdAtMs: row.created_at_ms,
            expiresAtMs: row.expires_at_ms,
            bytes: row.bytes,
            head: bytesOf(row.head),
          };
    },

    async part(id, part) {
      if (readPart !== undefined) return readPart(id, part);
      const row = await db.reads
        .selectFrom('kept_reply_parts')
        .select('content')
        .where('id', '=', id)
        .where('part', '=', part)
        .executeTakeFirst();
      return row === undefined ? null : bytesOf(row.content);
    },

    async removeEnded(nowMs, maxBytes) {
      const ended = await db.reads
        .selectFrom('kept_replies')
        .select('id')
        .where('expires_at_ms', '<=', nowMs)
        .execute();
      await remove(
        db,
        ended.map(({ id }) => id),
      );
      const { bytes } = await usage();
      let tooMany = bytes - maxBytes;
      while (tooMany > 0) {
        const oldest = await db.reads
          .selectFrom('kept_replies')
          .select(['id', 'bytes'])
          .orderBy('created_at_ms')
          .orderBy('id')
          .limit(maxAtOnce)
          .execute();
        if (oldest.length === 0) return;
        const going: string[] = [];
        for (const { id, bytes: each } of oldest) {
          if (tooMany <= 0) break;
          going.push(id);
          tooMany -= each;
        }
        await remove(db, going);
      }
    },

    async removeAllOf(callerId) {
      const theirs = await db.reads
        .selectFrom('kept_replies')
        .select('id')
        .where('caller_id', '=', storable(callerId))
        .execute();
      await remove(
        db,
        theirs.map(({ id }) => id),
      );
    },
  };
}

async function insert(trx: Transaction<Tables>, reply: StoredReply): Promise<void> {
  await trx
    .insertInto('kept_replies')
    .values({
      id: reply.id,
      caller_id: storable(reply.callerId),
      created_at_ms: reply.createdAtMs,
      expires_at_ms: reply.expiresAtMs,
      bytes: reply.bytes,
      head: reply.head,
    })
    .execute();
}

/**
 * A file has a hundred parts: they go a few at a time, because SQLite does it on the thread that serves calls. What they
 * belong to goes last, so that what is interrupted is found again.
 */
async function remove(db: Database, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { last } = await db.reads
      .selectFrom('kept_reply_parts')
      .select(({ fn }) => fn.max('part').as('last'))
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    for (let from = 0; from <= (last ?? -1); from += partsAtOnce) {
      await db.write((trx) =>
        trx
          .deleteFrom('kept_reply_parts')
          .where('id', '=', id)
          .where('part', '<', from + partsAtOnce)
          .execute(),
      );
      await nextTurn();
    }
    // A part may be about to be added. Adding one updates the reply first, so it either precedes this or finds no reply.
    await db.write(async (trx) => {
      await trx.deleteFrom('kept_replies').where('id', '=', id).execute();
      await trx.deleteFrom('kept_reply_parts').where('id', '=', id).execute();
    });
  }
}
