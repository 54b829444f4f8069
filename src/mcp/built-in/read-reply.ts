import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/call.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import { type KeptReply, toolIdsOf } from '../../replies/kept-replies.ts';
import type { Replies } from '../../replies/open-replies.ts';
import { handleInUri, timeText } from '../../pipeline/reply/kept-file.ts';
import { mayRead } from '../../replies/files/call-files.ts';
import { readKeptPart } from '../../replies/read-kept.ts';
import { type Part, PartError, placeNote, readPartRequest } from '../../replies/reading/part-request.ts';
import { wrapUntrusted } from '../../pipeline/reply/untrusted-text.ts';
import { refusal } from './refusal.ts';

// Reserved for the words around a part and for the link to a file.
const reservedTokens = 250;
// The maximum size of a part where there is no budget, and of a resource.
const maxBytes = 16 * 1024 * 1024;
const maxResourceBytes = 64 * 1024 * 1024;
// Three bytes are four characters of base64, and repetitive bytes can take a token per character.
const bytesPerToken = 0.75;

// The same for every reason, so that a caller can't learn whether someone else's handle exists.
const noReply =
  'There is no reply under this handle: it has expired, or it is not yours. Repeat the call that returned it.';

/** The answer of `read_reply`: a part of a kept reply. */
export async function readReply(
  replies: Replies,
  view: ServerView,
  caller: Caller,
  args: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const part = await readReplyPart(replies, view, caller, args);
  if (typeof part === 'string') return refusal(part);
  const { head, text, note } = part;
  return textResult(head.wrapped ? wrapUntrusted(text, head.apiSlug) : text, note);
}

/**
 * A part of a kept reply, unmarked, within `tokens` or the server's budget; a string is the reason that there is
 * none.
 */
export async function readReplyPart(
  replies: Replies,
  view: ServerView,
  caller: Caller,
  args: Readonly<Record<string, unknown>>,
  tokens?: number,
): Promise<string | (Part & { readonly head: KeptReply['head'] })> {
  const { handle } = args;
  if (typeof handle !== 'string') return 'handle must be the handle that was returned with a long reply.';
  try {
    const request = readPartRequest(args);
    const reply = await openFor(replies, view, caller, handle);
    if (!reply) return noReply;
    const { head } = reply;
    const room = (tokens ?? roomFor(replies, view, reply)) - reservedTokens;
    if (head.kind === 'bytes') {
      if (request.select !== undefined || request.search !== undefined)
        return `This reply is a file (${head.mediaType}): read its bytes with offset and limit.`;
      return await readBytes(replies, reply, request, room);
    }
    const part = await readKeptPart(reply, request, room, replies.recent);
    return part ? { head, ...part } : noReply;
  } catch (error) {
    if (error instanceof PartError) return error.message;
    throw error;
  }
}

/** Some bytes of a file, and a link to all of it. */
async function readBytes(
  { links }: Replies,
  reply: KeptReply,
  request: ReturnType<typeof readPartRequest>,
  room: number,
): Promise<Part & { readonly head: KeptReply['head'] }> {
  const { head } = reply;
  const maxLength = Math.min(
    request.limit ?? Infinity,
    Math.max(1, Math.floor(room * bytesPerToken)),
    maxBytes,
  );
  const some: Buffer[] = [];
  for await (const chunk of reply.chunks(request.offset, request.offset + maxLength)) some.push(chunk);
  const read = Buffer.concat(some);
  const note = placeNote('bytes', request.offset, read.length, head.bytes);
  const link = links.make('download', reply.handle, reply.expiresAtMs);
  const download = link === null ? '' : ` The whole file, until ${timeText(link.untilMs)}: ${link.url}`;
  return { head, text: read.toString('base64'), note: `${note} In base64.${download}` };
}

function textResult(...texts: readonly string[]): CallToolResult {
  return { content: texts.map((text) => ({ type: 'text', text })) };
}

/** A whole kept reply as a resource; undefined if the URI is not one of this caller's. */
export async function readReplyResource(
  replies: Replies,
  view: ServerView,
  caller: Caller,
  uri: string,
): Promise<ReadResourceResult | undefined> {
  const handle = handleInUri(uri);
  const reply = handle === null ? null : await openFor(replies, view, caller, handle);
  if (!reply) return undefined;
  const { kind, mediaType: mimeType, bytes } = reply.head;
  if (kind === 'bytes' && bytes > maxResourceBytes)
    return { contents: [tooLargeToRead(replies, reply, uri)] };
  const content = await reply.content();
  if (content === null) return undefined;
  return {
    contents: [
      kind === 'text'
        ? { uri, mimeType, text: content.toString('utf8') }
        : { uri, mimeType, blob: content.toString('base64') },
    ],
  };
}

/** For a file that no client should hold in memory as text: where to download it. */
function tooLargeToRead({ links }: Replies, { handle, expiresAtMs, head }: KeptReply, uri: string) {
  const link = links.make('download', handle, expiresAtMs);
  const where = link === null ? 'read_reply reads parts of it' : `download it from ${link.url}`;
  const text = `${head.name} has ${head.bytes} bytes, too many for a resource: ${where}.`;
  return { uri, mimeType: 'text/plain', text };
}

/**
 * The reply of a handle, if the caller may read it: its own caller, or on an open server anyone with the handle, and
 * only while they may call the tool it came from.
 */
async function openFor(
  { kept }: Replies,
  view: ServerView,
  caller: Caller,
  handle: string,
): Promise<KeptReply | null> {
  const reply = await kept.open(handle);
  if (reply === null) return null;
  return mayRead(reply, view.server, caller, (id) => toolOf(view, id) !== undefined) ? reply : null;
}

function toolOf(view: ServerView, toolId: string) {
  return view.tools.find(({ compiled }) => compiled.tool.id === toolId)?.compiled;
}

function roomFor({ budget }: Replies, view: ServerView, reply: KeptReply): number {
  const { server } = view;
  const [toolId, ...others] = toolIdsOf(reply.head);
  const tool = toolId === undefined || others.length > 0 ? undefined : toolOf(view, toolId);
  const tokens = tool === undefined ? budget.tokensOn(server) : budget.tokensFor({ server, tool });
  return tokens === 0 ? Infinity : tokens;
}
