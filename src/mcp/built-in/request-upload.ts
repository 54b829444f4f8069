import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/call.ts';
import { timeText } from '../../pipeline/reply/kept-file.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { Replies } from '../../replies/open-replies.ts';
import { takesFiles } from './definitions.ts';
import { refusal } from './refusal.ts';

/** The answer of `request_upload`: a URL where a person uploads a file, and the handle it will have. */
export async function requestUpload(
  { kept, links }: Replies,
  view: ServerView,
  caller: Caller,
): Promise<CallToolResult> {
  if (!takesFiles(view, caller)) return refusal('No tool here takes a file.');
  const place = await kept.makeUploadPlace(caller.id, view.server.id);
  const link = links.make('upload', place.handle, place.expiresAtMs);
  if (link === null)
    return refusal('This gateway has no URL that users can reach: pass the file as a data: URL.');
  const text = `Ask the user to open ${link.url} by ${timeText(link.untilMs)} and upload the file there. Once they say it is done, pass ${place.handle} to the tool as its file.`;
  return { content: [{ type: 'text', text }] };
}
