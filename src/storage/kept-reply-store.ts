import type { Kysely, Transaction } from 'kysely';
import type { KeptReplyStore } from './ports.ts';
import { storable } from './call-rows.ts';
import type { Tables } from './schema.ts';

const mostAtOnce = 200;

/** Keeps sealed replies for a while. */
export function createKeptReplyStore(db: Kysely<Tables>): KeptReplyStore {
  const usage: KeptReplyStore['usage'] = async () => {
    const sums = await db
      .selectFrom('kept_replies')
      .select(({ fn }) => [fn.countAll().as('count'), fn.sum('bytes').as('bytes')])
      .executeTakeFirst();
    return { count: Number(sums?.count ?? 0), bytes: Number(sums?.bytes ?? 0) };
  };
  return {
    usage,

    async put(reply, parts) {
      await db.transaction().execute(async (trx) => {
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
        for (const [part, content] of parts.entries())
          await trx.insertInto('kept_reply_parts').values({ id: reply.id, part, content }).execute();
      });
    },

    async get(id) {
      const row = await db.selectFrom('kept_replies').selectAll().where('id', '=', id).executeTakeFirst();
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
      const row = await db
        .selectFrom('kept_reply_parts')
        .select('content')
        .where('id', '=', id)
        .where('part', '=', part)
        .executeTakeFirst();
      return row === undefined ? null : bytesOf(row.content);
    },

    async removeEnded(nowMs, mostBytes) {
      await db.transaction().execute(async (trx) => {
        const ended = await trx
          .selectFrom('kept_replies')
          .select('id')
          .where('expires_at_ms', '<=', nowMs)
          .execute();
        await remove(
          trx,
          ended.map(({ id }) => id),
        );
      });
      const { bytes } = await usage();
      let tooMany = bytes - mostBytes;
      while (tooMany > 0) {
        const oldest = await db
          .selectFrom('kept_replies')
          .select(['id', 'bytes'])
          .orderBy('created_at_ms')
          .orderBy('id')
          .limit(mostAtOnce)
          .execute();
        if (oldest.length === 0) return;
        const going: string[] = [];
        for (const { id, bytes: each } of oldest) {
          if (tooMany <= 0) break;
          going.push(id);
          tooMany -= each;
        }
        await db.transaction().execute((trx) => remove(trx, going));
      }
    },

    async removeAllOf(callerId) {
      await db.transaction().execute(async (trx) => {
        const theirs = await trx
          .selectFrom('kept_replies')
          .select('id')
          .where('caller_id', '=', callerId)
          .execute();
        await remove(
          trx,
          theirs.map(({ id }) => id),
        );
      });
    },
  };
}

async function remove(trx: Transaction<Tables>, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += mostAtOnce) {
    const some = ids.slice(at, at + mostAtOnce);
    await trx.deleteFrom('kept_reply_parts').where('id', 'in', some).execute();
    await trx.deleteFrom('kept_replies').where('id', 'in', some).execute();
  }
}

/** Bytes as either driver gives them. */
function bytesOf(value: Uint8Array | ArrayBuffer): Buffer {
  return value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : Buffer.from(value);
}
