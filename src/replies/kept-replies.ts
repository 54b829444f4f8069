import { createHash } from 'node:crypto';
import type { MemoryBudget } from '../lib/memory/memory-budget.ts';
import { HandrailError } from '../domain/errors.ts';
import { readJson } from '../lib/schema/read-json.ts';
import { choice, flag, type Infer, integer, list, object, optional, text } from '../lib/schema/schema.ts';
import type { KeptReplyStore } from '../storage/ports.ts';
import { FileWriter, takenAway } from './files/file-writer.ts';
import { newHandle, partBytes, type Seal, sealOf } from './seal-parts.ts';

const replyHead = object({
  /** Through which server, and by which call of which tool, it came; see `toolIdsOf`. */
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
  /** How much is in each of its parts. */
  partBytes: integer(),
  /** Where what is in a text; absent when nobody found out. */
  places: optional(
    object({
      unit: choice('records', 'lines'),
      total: integer(),
      marks: list(integer(), { max: 1_000_000 }),
    }),
  ),
  /** Of bytes, in hexadecimal. */
  sha256: optional(text()),
  /** There is a place for it, but not all of it has come yet. */
  pending: optional(flag()),
  /** The handle under which it really is: a place that somebody put a file in. */
  at: optional(text()),
});

/** What a kept reply is, besides its content. */
export type ReplyHead = Infer<typeof replyHead>;

/** The tools that something came from: what a script returned may come from many or none, an upload from none. */
export function toolIdsOf({ toolId }: Pick<ReplyHead, 'toolId'>): readonly string[] {
  return toolId === '' ? [] : toolId.split(' ');
}

/** Where something came from that is kept. */
export type ReplyOrigin = Pick<ReplyHead, 'serverId' | 'toolId' | 'callId' | 'apiSlug'>;

/** What something that is kept can be read by, and until when. */
export interface KeptPlace {
  readonly handle: string;
  readonly expiresAtMs: number;
}

/** A reply that can be read for a while. */
export interface KeptReply extends KeptPlace {
  readonly callerId: string;
  readonly head: ReplyHead;
  /** Everything in it; null when it was taken away meanwhile. */
  content(): Promise<Buffer | null>;
  /** Some of its bytes, of which no more is opened than that; null when it was taken away meanwhile. */
  slice(fromByte: number, toByte: number): Promise<Buffer | null>;
  /** Its bytes from one place up to another, a part at a time; rejects when it was taken away meanwhile. */
  chunks(from?: number, to?: number): AsyncGenerator<Buffer, void>;
}

/** A file on its way into the store. */
export interface FileInTheMaking {
  readonly handle: string;
  write(chunk: Uint8Array): Promise<void>;
  /** Ends it: from now on it can be read. */
  finish(
    about: Pick<ReplyHead, 'mediaType' | 'name'>,
  ): Promise<KeptPlace & Pick<ReplyHead, 'bytes'> & { readonly sha256: string }>;
  discard(): Promise<void>;
}

/** A place that a file can be uploaded to, once. */
export interface UploadPlace extends KeptPlace {
  readonly callerId: string;
  readonly serverId: string;
  /** Begins what is put in; of several that are, the first to be whole stays. */
  receive(): Promise<FileInTheMaking>;
}

/** Keeps replies and files under handles, sealed, until their time or the room for them is over. */
export interface KeptReplies {
  /** Null when it is larger than everything that may be kept. */
  keep(
    callerId: string,
    head: Omit<ReplyHead, 'bytes' | 'partBytes'>,
    content: Buffer,
  ): Promise<KeptPlace | null>;
  /** Begins a file whose bytes are still to come. */
  begin(callerId: string, origin: ReplyOrigin): Promise<FileInTheMaking>;
  /** Makes a place that somebody else can put a file in. */
  makeUploadPlace(callerId: string, serverId: string): Promise<KeptPlace>;
  /** The place of a handle that nothing was put in yet; null for any other. */
  openUploadPlace(handle: string): Promise<UploadPlace | null>;
  /** Null for a handle that is not known, or not any more, or under which nothing is yet. */
  open(handle: string): Promise<KeptReply | null>;
  /** Removes everything of a caller. */
  removeAllOf(callerId: string): Promise<void>;
  /** Removes what has ended. */
  sweep(): Promise<void>;
  /** What is kept, as last looked at. */
  usage(): { readonly count: number; readonly bytes: number };
}

/** The hash of a whole file, as it is told. */
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

  /** A place whose content is still to come. */
  async function makePlace(handle: string, callerId: string, origin: ReplyOrigin): Promise<KeptPlace> {
    const seal = sealOf(handle)!;
    const head = await sealHead(seal, { ...origin, ...nothingYet });
    const createdAtMs = now();
    const expiresAtMs = createdAtMs + lifeMs();
    await store.begin({ id: seal.id, callerId, createdAtMs, expiresAtMs, bytes: head.length, head });
    return { handle, expiresAtMs };
  }

  function writing(handle: string, origin: ReplyOrigin): FileInTheMaking {
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
        if (!(await store.finish(seal.id, { head, expiresAtMs }))) throw takenAway();
        await counted(written.bytes);
        return { handle, expiresAtMs, ...written };
      },
    };
  }

  async function begin(callerId: string, origin: ReplyOrigin): Promise<FileInTheMaking> {
    const { handle } = await makePlace(newHandle('reply'), callerId, origin);
    return writing(handle, origin);
  }

  /** A file that, once it is whole, is what stands in a place. */
  function into(place: string, file: FileInTheMaking): FileInTheMaking {
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
        throw new HandrailError('conflict', 'There is a file here already, or its place was taken away.');
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

/** What is read was taken away meanwhile. */
class GoneError extends HandrailError {
  constructor() {
    super('unavailable', 'What was kept is not there any more: its time, or the room for it, was over.');
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
