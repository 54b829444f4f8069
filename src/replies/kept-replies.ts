import { createHash } from 'node:crypto';
import type { MemoryBudget } from '../lib/memory/memory-budget.ts';
import { repliesErrors } from '../domain/error-messages/replies.ts';
import { HandrailError } from '../domain/errors.ts';
import { readJson } from '../lib/schema/read-json.ts';
import { choice, flag, type Infer, integer, list, object, optional, text } from '../lib/schema/schema.ts';
import type { KeptReplyStore } from '../storage/ports.ts';
import { FileWriter } from './files/file-writer.ts';
import { newHandle, partBytes, type Seal, sealOf } from './seal-parts.ts';

const replyHead = object({
  /** The server, call and tool it came from; see `toolIdsOf`. */
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
  /** The size of each of its parts. */
  partBytes: integer(),
  /** Where the records or lines of a text are; absent if that isn't known. */
  places: optional(
    object({
      unit: choice('records', 'lines'),
      total: integer(),
      marks: list(integer(), { max: 1_000_000 }),
    }),
  ),
  /** Of its bytes, in hexadecimal. */
  sha256: optional(text()),
  /** The handle exists, but the content hasn't arrived completely. */
  pending: optional(flag()),
  /** The handle of the actual content: an upload that was completed here. */
  at: optional(text()),
});

/** What is known about a kept reply besides its content. */
export type ReplyHead = Infer<typeof replyHead>;

/** The tools that something came from: a script's result may come from many or none, an upload from none. */
export function toolIdsOf({ toolId }: Pick<ReplyHead, 'toolId'>): readonly string[] {
  return toolId === '' ? [] : toolId.split(' ');
}

/** Where something that is kept came from. */
export type ReplyOrigin = Pick<ReplyHead, 'serverId' | 'toolId' | 'callId' | 'apiSlug'>;

/** The handle of something that is kept, and until when it is valid. */
export interface KeptPlace {
  readonly handle: string;
  readonly expiresAtMs: number;
}

/** A reply that can be read for a while. */
export interface KeptReply extends KeptPlace {
  readonly callerId: string;
  readonly head: ReplyHead;
  /** All of its content; null if it was removed in the meantime. */
  content(): Promise<Buffer | null>;
  /** Some of its bytes, opening no more than needed; null if it was removed in the meantime. */
  slice(fromByte: number, toByte: number): Promise<Buffer | null>;
  /** Its bytes from one position to another, one part at a time; rejects if it was removed in the meantime. */
  chunks(from?: number, to?: number): AsyncGenerator<Buffer, void>;
}

/** A file that is being written to the store. */
export interface PendingFile {
  readonly handle: string;
  write(chunk: Uint8Array): Promise<void>;
  /** Completes it: from now on it can be read. */
  finish(
    about: Pick<ReplyHead, 'mediaType' | 'name'>,
  ): Promise<KeptPlace & Pick<ReplyHead, 'bytes'> & { readonly sha256: string }>;
  discard(): Promise<void>;
}

/** A place that a file can be uploaded to, once. */
export interface UploadPlace extends KeptPlace {
  readonly callerId: string;
  readonly serverId: string;
  /** Starts an upload; if there are several, the first to finish wins. */
  receive(): Promise<PendingFile>;
}

/** Keeps replies and files under handles, sealed, until they expire or their space is needed. */
export interface KeptReplies {
  /** Null if it is larger than everything that may be kept. */
  keep(
    callerId: string,
    head: Omit<ReplyHead, 'bytes' | 'partBytes'>,
    content: Buffer,
  ): Promise<KeptPlace | null>;
  /** Starts a file whose bytes are still to arrive. */
  begin(callerId: string, origin: ReplyOrigin): Promise<PendingFile>;
  /** Creates a place that someone else can upload a file to. */
  makeUploadPlace(callerId: string, serverId: string): Promise<KeptPlace>;
  /** The upload place of a handle that has no content yet; null for any other. */
  openUploadPlace(handle: string): Promise<UploadPlace | null>;
  /** Null for a handle that is unknown, has expired or has no content yet. */
  open(handle: string): Promise<KeptReply | null>;
  /** Removes everything that belongs to a caller. */
  removeAllOf(callerId: string): Promise<void>;
  /** Removes what has expired. */
  sweep(): Promise<void>;
  /** What is kept, as of the last count. */
  usage(): { readonly count: number; readonly bytes: number };
}

/** The hash of a complete file, in the form it is reported. */
export function sha256Of(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

export function createKeptReplies(options: {
  readonly store: KeptReplyStore;
  readonly lifeMs: () => number;
  readonly maxBytes: number;
  readonly maxFileBytes: number;
  /** Counts the files that are being written. */
  readonly memory: Pick<MemoryBudget, 'add'>;
  readonly now: () => number;
}): KeptReplies {
  const { store, lifeMs, maxBytes, now } = options;
  let used = { count: 0, bytes: 0 };

  async function sweep(): Promise<void> {
    await store.removeEnded(now(), maxBytes);
    used = await store.usage();
  }

  async function counted(bytes: number): Promise<void> {
    used = { count: used.count + 1, bytes: used.bytes + bytes };
    if (used.bytes > maxBytes) await sweep();
  }

  const sealHead = (seal: Seal, head: Omit<ReplyHead, 'partBytes'>) =>
    seal.close('head', Buffer.from(JSON.stringify({ ...head, partBytes })));

  /** A place whose content is still to arrive. */
  async function makePlace(handle: string, callerId: string, origin: ReplyOrigin): Promise<KeptPlace> {
    const seal = sealOf(handle)!;
    const head = await sealHead(seal, { ...origin, ...nothingYet });
    const createdAtMs = now();
    const expiresAtMs = createdAtMs + lifeMs();
    await store.begin({ id: seal.id, callerId, createdAtMs, expiresAtMs, bytes: head.length, head });
    return { handle, expiresAtMs };
  }

  function writing(handle: string, origin: ReplyOrigin): PendingFile {
    const seal = sealOf(handle)!;
    const writer = new FileWriter(store, seal, Math.min(options.maxFileBytes, maxBytes), options.memory);
    return {
      handle,
      write: (chunk) => writer.write(chunk),
      discard: () => writer.discard(),
      async finish(about) {
        const written = await writer.finish();
        const head = await sealHead(seal, { ...origin, ...about, wrapped: false, kind: 'bytes', ...written });
        const expiresAtMs = now() + lifeMs();
        if (!(await store.finish(seal.id, { head, expiresAtMs }))) throw repliesErrors.fileRemoved();
        await counted(written.bytes);
        return { handle, expiresAtMs, ...written };
      },
    };
  }

  async function begin(callerId: string, origin: ReplyOrigin): Promise<PendingFile> {
    const { handle } = await makePlace(newHandle('reply'), callerId, origin);
    return writing(handle, origin);
  }

  /** A file that becomes the content of a place once it is complete. */
  function into(place: string, file: PendingFile): PendingFile {
    return {
      ...file,
      handle: place,
      async finish(about) {
        const kept = await file.finish(about);
        const seal = sealOf(place)!;
        const stored = await store.get(seal.id);
        const opened = stored && (await seal.open('head', stored.head));
        const before = opened && readJson(replyHead, opened.toString('utf8'));
        if (before) {
          const { pending, ...rest } = before;
          const head = await sealHead(seal, { ...rest, at: kept.handle });
          const { expiresAtMs } = kept;
          if (pending && (await store.finish(seal.id, { head, expiresAtMs, was: stored.head })))
            return { ...kept, handle: place };
        }
        await file.discard();
        throw repliesErrors.uploadEnded();
      },
    };
  }

  async function openAny(handle: string): Promise<KeptReply | null> {
    const seal = sealOf(handle);
    const stored = seal && (await store.get(seal.id));
    if (!seal || !stored || stored.expiresAtMs <= now()) return null;
    const opened = await seal.open('head', stored.head);
    const head = opened && readJson(replyHead, opened.toString('utf8'));
    if (!head) return null;
    if (head.at !== undefined) {
      const file = await openAny(head.at);
      return file && { ...file, handle };
    }
    const { callerId, expiresAtMs } = stored;
    const chunks = (from = 0, to = head.bytes) =>
      chunksOf(store, seal, head.partBytes, from, Math.min(to, head.bytes));
    const slice = async (fromByte: number, toByte: number): Promise<Buffer | null> => {
      const parts: Buffer[] = [];
      try {
        for await (const part of chunks(fromByte, toByte)) parts.push(part);
      } catch (error) {
        if (error instanceof GoneError) return null;
        throw error;
      }
      return Buffer.concat(parts);
    };
    return {
      handle,
      callerId,
      expiresAtMs,
      head,
      chunks,
      slice,
      content: () => slice(0, head.bytes),
    };
  }

  return {
    sweep,
    usage: () => used,
    removeAllOf: (callerId) => store.removeAllOf(callerId),

    async keep(callerId, about, content) {
      const handle = newHandle();
      const seal = sealOf(handle)!;
      const parts: Buffer[] = [];
      for (let at = 0; at < content.length || at === 0; at += partBytes)
        parts.push(await seal.close(String(parts.length), content.subarray(at, at + partBytes)));
      const head = await sealHead(seal, { ...about, bytes: content.length });
      const bytes = parts.reduce((sum, part) => sum + part.length, head.length);
      if (bytes > maxBytes) return null;
      const createdAtMs = now();
      const expiresAtMs = createdAtMs + lifeMs();
      await store.put({ id: seal.id, callerId, createdAtMs, expiresAtMs, bytes, head }, parts);
      await counted(bytes);
      return { handle, expiresAtMs };
    },

    begin,

    makeUploadPlace: (callerId, serverId) =>
      makePlace(newHandle('upload'), callerId, { ...uploaded, serverId }),

    async openUploadPlace(handle) {
      const place = await openAny(handle);
      if (place === null || place.head.pending !== true || place.head.toolId !== '') return null;
      const { callerId, expiresAtMs } = place;
      const { serverId } = place.head;
      return {
        handle,
        callerId,
        expiresAtMs,
        serverId,
        receive: async () => into(handle, await begin(callerId, { ...uploaded, serverId })),
      };
    },

    async open(handle) {
      const reply = await openAny(handle);
      return reply?.head.pending === true ? null : reply;
    },
  };
}

const uploaded = { toolId: '', callId: '', apiSlug: '' };

const nothingYet = {
  wrapped: false,
  kind: 'bytes',
  mediaType: '',
  name: '',
  bytes: 0,
  pending: true,
} as const;

/** The error for reading something that was removed in the meantime. */
class GoneError extends HandrailError {
  constructor() {
    super('unavailable', repliesErrors.contentRemoved().message);
  }
}

async function* chunksOf(
  store: KeptReplyStore,
  seal: Seal,
  each: number,
  from: number,
  to: number,
): AsyncGenerator<Buffer, void> {
  for (let part = Math.floor(from / each); part * each < to; part++) {
    const sealed = await store.part(seal.id, part);
    const content = sealed && (await seal.open(String(part), sealed));
    if (content === null) throw new GoneError();
    const start = part * each;
    yield content.subarray(Math.max(0, from - start), to - start);
  }
}
