import { readJson } from '../lib/schema/read-json.ts';
import { choice, flag, type Infer, integer, list, object, optional, text } from '../lib/schema/schema.ts';
import type { KeptReplyStore } from '../storage/ports.ts';
import { newHandle, sealOf } from './seal-parts.ts';

const replyHead = object({
  /** Through which server, and by which call of which tool, it came. */
  serverId: text(),
  toolId: text(),
  callId: text(),
  apiSlug: text(),
  /** Whether its text is shown between marks that call it untrusted. */
  wrapped: flag(),
  kind: choice('text', 'bytes'),
  mediaType: text(),
  name: text(),
  bytes: integer(),
  /** Where what is in a text; absent when nobody found out. */
  places: optional(
    object({
      unit: choice('records', 'lines'),
      total: integer(),
      marks: list(integer(), { max: 1_000_000 }),
    }),
  ),
});

/** What a kept reply is, besides its content. */
export type ReplyHead = Infer<typeof replyHead>;

/** A reply that can be read for a while. */
export interface KeptReply {
  readonly handle: string;
  readonly callerId: string;
  readonly expiresAtMs: number;
  readonly head: ReplyHead;
  /** Everything in it; null when it was taken away meanwhile. */
  content(): Promise<Buffer | null>;
  /** Some of its bytes, of which no more is opened than that; null when it was taken away meanwhile. */
  slice(fromByte: number, toByte: number): Promise<Buffer | null>;
}

/** Keeps replies under handles, sealed, until their time or the room for them is over. */
export interface KeptReplies {
  /** Null when it is larger than everything that may be kept. */
  keep(
    callerId: string,
    head: Omit<ReplyHead, 'bytes'>,
    content: Buffer,
  ): Promise<{ readonly handle: string; readonly expiresAtMs: number } | null>;
  /** Null for a handle that is not known, or not any more. */
  open(handle: string): Promise<KeptReply | null>;
  /** Removes what has ended. */
  sweep(): Promise<void>;
  /** What is kept, as last looked at. */
  usage(): { readonly count: number; readonly bytes: number };
}

const partBytes = 1024 * 1024;

export function createKeptReplies(options: {
  readonly store: KeptReplyStore;
  readonly lifeMs: () => number;
  readonly maxBytes: number;
  readonly now: () => number;
}): KeptReplies {
  const { store, lifeMs, maxBytes, now } = options;
  let used = { count: 0, bytes: 0 };

  async function sweep(): Promise<void> {
    await store.removeEnded(now(), maxBytes);
    used = await store.usage();
  }

  return {
    sweep,
    usage: () => used,

    async keep(callerId, about, content) {
      const handle = newHandle();
      const seal = sealOf(handle)!;
      const parts: Buffer[] = [];
      for (let at = 0; at < content.length || at === 0; at += partBytes)
        parts.push(await seal.close(String(parts.length), content.subarray(at, at + partBytes)));
      const head = await seal.close('head', Buffer.from(JSON.stringify({ ...about, bytes: content.length })));
      const bytes = parts.reduce((sum, part) => sum + part.length, head.length);
      if (bytes > maxBytes) return null;
      const createdAtMs = now();
      const expiresAtMs = createdAtMs + lifeMs();
      await store.put({ id: seal.id, callerId, createdAtMs, expiresAtMs, bytes, head }, parts);
      used = { count: used.count + 1, bytes: used.bytes + bytes };
      if (used.bytes > maxBytes) await sweep();
      return { handle, expiresAtMs };
    },

    async open(handle) {
      const seal = sealOf(handle);
      const stored = seal && (await store.get(seal.id));
      if (!seal || !stored || stored.expiresAtMs <= now()) return null;
      const opened = await seal.open('head', stored.head);
      const head = opened && readJson(replyHead, opened.toString('utf8'));
      if (!head) return null;
      const slice = async (fromByte: number, toByte: number): Promise<Buffer | null> => {
        const end = Math.min(toByte, head.bytes);
        const first = Math.floor(fromByte / partBytes);
        const parts: Buffer[] = [];
        for (let part = first; part * partBytes < end || part === 0; part++) {
          const sealed = await store.part(seal.id, part);
          const content = sealed && (await seal.open(String(part), sealed));
          if (content === null) return null;
          parts.push(content);
        }
        const from = fromByte - first * partBytes;
        return Buffer.concat(parts).subarray(from, from + Math.max(0, end - fromByte));
      };
      return {
        handle,
        callerId: stored.callerId,
        expiresAtMs: stored.expiresAtMs,
        head,
        content: () => slice(0, head.bytes),
        slice,
      };
    },
  };
}
