import { type Caller, mayUseTool } from '../../domain/call.ts';
import type { Server } from '../../domain/server.ts';
import type { MaskText } from '../../lib/secrets/mask-secrets.ts';
import { handleInUri } from '../../pipeline/reply/kept-file.ts';
import { maskedSink } from '../../pipeline/reply/mask-bytes.ts';
import { fileNameOf } from '../../pipeline/reply/reply-headers.ts';
import type { FetchedFile, FileSink, PlacedFile, ReadableFile, ReceivedFile } from '../../pipeline/files.ts';
import type { Call, CallFiles } from '../../pipeline/call.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import { type PendingFile, type KeptReplies, type KeptReply, sha256Of, toolIdsOf } from '../kept-replies.ts';
import { mayBeHandle } from '../seal-parts.ts';
import type { FileLinks } from './file-links.ts';

/**
 * Whether a caller may read something that is kept: its owner may, and on an open server anyone with the
 * handle, and only while they may call the tool it came from. `serves` says whether the server still has that
 * tool.
 */
export function mayRead(
  { head, callerId }: KeptReply,
  server: Server,
  caller: Caller,
  serves: (toolId: string) => boolean,
): boolean {
  if (head.serverId !== server.id) return false;
  if (server.policy.kind !== 'open' && callerId !== caller.id) return false;
  return toolIdsOf(head).every((toolId) => mayUseTool(caller, toolId) && serves(toolId));
}

/** Where the reply of a call came from. */
function originOf({ id, tool, server }: Call) {
  return { serverId: server.id, toolId: tool.tool.id, callId: id, apiSlug: tool.api.slug };
}

/** Reads the file at a URL into a sink. */
type FetchFile = (
  call: Call,
  url: string,
  into: Pick<CallFiles, 'receive' | 'maxBytes'>,
  deadlineMs: number,
) => Promise<{ readonly file: ReceivedFile; readonly headers: Reply['headers']; readonly url: string }>;

/** How calls store files and find them again. */
export function createCallFiles(options: {
  readonly kept: KeptReplies;
  readonly links: FileLinks;
  readonly maxBytes: number;
  readonly fetchFile: FetchFile;
  /** Whether a server currently has a tool. */
  readonly serves: (server: Server, toolId: string) => boolean;
}): CallFiles {
  const { kept, links, maxBytes, fetchFile, serves } = options;

  const sinkOf = (file: PendingFile): FileSink => ({
    write: (chunk) => file.write(chunk),
    discard: () => file.discard(),
    async keep(about): Promise<PlacedFile> {
      const place = await file.finish(about);
      return { ...about, ...place, link: links.make('download', place.handle, place.expiresAtMs) };
    },
  });

  const receive = async (call: Call, maskText: MaskText): Promise<FileSink> =>
    maskedSink(sinkOf(await kept.begin(call.caller.id, originOf(call))), maskText);

  async function open(call: Call, handle: string): Promise<ReadableFile | null> {
    const reply = await kept.open(handle);
    const { server, caller } = call;
    // Operators may call tools that no server shows.
    const isOperator = caller.kind === 'admin' || caller.kind === 'local';
    if (reply === null || !mayRead(reply, server, caller, (id) => isOperator || serves(server, id)))
      return null;
    return readable(reply);
  }

  return {
    maxBytes,
    receive,
    open,
    // Also text that looks like a handle but can't be one: it is rejected like any handle that opens nothing.
    handleIn: (text) => (mayBeHandle(text) ? text : handleInUri(text)),

    async fetch(call, url, deadlineMs): Promise<FetchedFile> {
      const found = await fetchFile(call, url, { receive, maxBytes }, deadlineMs);
      const { sink } = found.file;
      const type = found.headers['content-type']?.split(';', 1)[0]!.trim().toLowerCase();
      const about = {
        name: fileNameOf(found.headers) ?? lastSegment(found.url),
        mediaType: type || 'application/octet-stream',
      };
      const { handle } = await sink.keep(about);
      const reply = await kept.open(handle);
      if (reply === null) throw new Error('The stored content was removed immediately.');
      return { ...(await readable(reply)), discard: () => sink.discard() };
    },
  };
}

async function readable(reply: KeptReply): Promise<ReadableFile> {
  const { name, mediaType, bytes } = reply.head;
  const sha256 = reply.head.sha256 ?? sha256Of((await reply.content()) ?? Buffer.alloc(0));
  return { name, mediaType, bytes, sha256, chunks: () => reply.chunks() };
}

function lastSegment(url: string): string {
  const segment = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment) || 'file';
  } catch {
    return segment || 'file';
  }
}
