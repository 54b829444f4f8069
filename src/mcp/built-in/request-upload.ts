import type { CallToolResult } from '@modelcontextprotocol/server';
import { type Caller, mayCall } from '../../domain/call.ts';
import { fileValuesOf } from '../../pipeline/request/serialise-body.ts';
import { timeText } from '../../pipeline/reply/kept-file.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { Replies } from '../../replies/open-replies.ts';
import { refusal } from './refusal.ts';

const toolsWithFiles = new WeakMap<ServerView, readonly string[]>();

/** Whether a server has a tool that takes a file and that this caller may call. */
export function takesFiles(view: ServerView, caller: Caller): boolean {
  let ids = toolsWithFiles.get(view);
  if (ids === undefined) {
    ids = view.tools
      .filter(({ compiled }) => fileValuesOf(compiled.tool.operation) !== null)
      .map(({ compiled }) => compiled.tool.id);
    toolsWithFiles.set(view, ids);
  }
  return ids.some((id) => mayCall(caller, id));
}

/** The answer of `request_upload`: an address where a person puts a file, and the handle that it will have. */
export async function requestUpload(
  { kept, links }: Replies,
  view: ServerView,
  caller: Caller,
): Promise<CallToolResult> {
  if (!takesFiles(view, caller)) return refusal('No tool here takes a file.');
  const place = await kept.makeUploadPlace(caller.id, view.server.id);
  const link = links.make('upload', place.handle, place.expiresAtMs);
  if (link === null)
    return refusal('Nobody could reach an address of this gateway: give the file as a data: URL.');
  const text = `Ask the user to open ${link.url} by ${timeText(link.untilMs)} and to put the file there. Once they say it is done, give ${place.handle} to the tool as its file.`;
  return { content: [{ type: 'text', text }] };
}
