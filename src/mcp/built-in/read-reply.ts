import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/server';
import { type Caller, mayCall } from '../../domain/call.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { KeptReply } from '../../replies/kept-replies.ts';
import type { Replies } from '../../replies/open-replies.ts';
import { readKeptPart } from '../../replies/read-kept.ts';
import { type Part, PartError, placeNote, readPartRequest } from '../../replies/reading/part-request.ts';
import { handleIn } from '../../replies/reply-words.ts';
import { wrapUntrusted } from '../../pipeline/reply/untrusted-text.ts';
import { refusal } from './refusal.ts';

// The words around a part.
const wordsAround = 200;
const bytesPerToken = 0.85;

// Alike for all of them: nobody learns whether a handle that is not theirs is one.
const noReply =
  'There is no reply under this handle: its time is over, or it is not yours. Make the call again that gave it.';

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

/** A part of a kept reply, unmarked, in at most `tokens` or what its server allows; a text says why there is none. */
export async function readReplyPart(
  replies: Replies,
  view: ServerView,
  caller: Caller,
  args: Readonly<Record<string, unknown>>,
  tokens?: number,
): Promise<string | (Part & { readonly head: KeptReply['head'] })> {
  const { handle } = args;
  if (typeof handle !== 'string') return 'handle must be the handle that a long reply came with.';
  try {
    const request = readPartRequest(args);
    const reply = await openFor(replies, view, caller, handle);
    if (!reply) return noReply;
    const { head } = reply;
    const room = (tokens ?? roomFor(replies, view, reply)) - wordsAround;
    if (head.kind === 'bytes') {
      if (request.select !== undefined || request.search !== undefined)
        return `This reply is a file (${head.mediaType}): read its bytes with offset and limit.`;
      const count = Math.min(request.limit ?? Infinity, Math.max(1, Math.floor(room * bytesPerToken)));
      const some = await reply.slice(request.offset, request.offset + count);
      if (!some) return noReply;
      const note = placeNote('bytes', request.offset, some.length, head.bytes);
      return { head, text: some.toString('base64'), note: `${note} In base64.` };
    }
    const part = await readKeptPart(reply, request, room, replies.recent);
    return part ? { head, ...part } : noReply;
  } catch (error) {
    if (error instanceof PartError) return error.message;
    throw error;
  }
}

function textResult(...texts: readonly string[]): CallToolResult {
  return { content: texts.map((text) => ({ type: 'text', text })) };
}

/** A kept reply as a resource, whole; undefined when the address stands for none of this caller's. */
export async function readReplyResource(
  replies: Replies,
  view: ServerView,
  caller: Caller,
  uri: string,
): Promise<ReadResourceResult | undefined> {
  const handle = handleIn(uri);
  const reply = handle === null ? null : await openFor(replies, view, caller, handle);
  const content = await reply?.content();
  if (!reply || !content) return undefined;
  const { kind, mediaType: mimeType } = reply.head;
  return {
    contents: [
      kind === 'text'
        ? { uri, mimeType, text: content.toString('utf8') }
        : { uri, mimeType, blob: content.toString('base64') },
    ],
  };
}

/**
 * The reply of a handle, for whoever may read it: its caller, on an open server whoever has the handle, and only while
 * they may call the tool that it came from.
 */
async function openFor(
  { kept }: Replies,
  view: ServerView,
  caller: Caller,
  handle: string,
): Promise<KeptReply | null> {
  const reply = await kept.open(handle);
  if (reply === null || reply.head.serverId !== view.server.id) return null;
  if (view.server.policy.kind !== 'open' && reply.callerId !== caller.id) return null;
  const isAllowed = toolIdsOf(reply).every(
    (toolId) => mayCall(caller, toolId) && toolOf(view, toolId) !== undefined,
  );
  return isAllowed ? reply : null;
}

/** What a script returned may come from many tools, or from none. */
function toolIdsOf({ head }: KeptReply): readonly string[] {
  return head.toolId === '' ? [] : head.toolId.split(' ');
}

function toolOf(view: ServerView, toolId: string) {
  return view.tools.find(({ compiled }) => compiled.tool.id === toolId)?.compiled;
}

function roomFor({ budget }: Replies, view: ServerView, reply: KeptReply): number {
  const { server } = view;
  const [toolId, ...others] = toolIdsOf(reply);
  const tool = toolId === undefined || others.length > 0 ? undefined : toolOf(view, toolId);
  const tokens = tool === undefined ? budget.tokensOn(server) : budget.tokensFor({ server, tool });
  return tokens === 0 ? Infinity : tokens;
}
