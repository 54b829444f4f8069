import type { MaskText } from '../../lib/secrets/mask-secrets.ts';
import { sizeText } from '../../lib/text/amounts.ts';
import type { PlacedFile, ReceivedFile } from '../files.ts';
import type { CompiledTool } from '../compiled-tool.ts';
import type { Content, Output, Reply } from './reply.ts';
import { nameOf } from './file-content.ts';
import { fileTypeOf } from './media-type.ts';
import { withHeaderNotes } from './transform.ts';

/** Completes a reply that was written into the store, and describes it. */
export async function keepFileReply(
  tool: CompiledTool,
  reply: Reply,
  file: ReceivedFile,
  maskSecrets: MaskText,
): Promise<Output> {
  const mediaType = fileTypeOf(reply.headers['content-type'], file.start);
  const name = nameOf(tool, reply, mediaType, maskSecrets);
  const kept = await file.sink.keep({ name, mediaType });
  return withHeaderNotes(tool, reply, keptFileOutput(kept), maskSecrets);
}

/** How a file is described in place of its content, after `shown`. */
export function keptFileOutput(file: PlacedFile, shown: readonly Content[] = []): Output {
  const { handle, name, mediaType, bytes, sha256, expiresAtMs, link } = file;
  const words = [
    `The API sent a file: ${name} (${mediaType}, ${sizeText(bytes)}). It is kept until ${timeText(expiresAtMs)} as ${handle}: pass this handle to a tool that takes a file.`,
    ...(link === null ? [] : [`Until ${timeText(link.untilMs)} people can download it from ${link.url}`]),
  ];
  return {
    content: [
      ...shown,
      { type: 'text', text: words.join('\n') },
      { type: 'resource_link', uri: keptUri(handle), name, mimeType: mediaType, size: bytes },
    ],
    structuredText: JSON.stringify({
      handle,
      // Some clients show this instead of the text, so it says how to continue as well.
      next: `Pass the handle ${handle} to a tool that takes a file.`,
      ...(link !== null && { download: link.url, downloadUntil: timeText(link.untilMs) }),
      expires: timeText(expiresAtMs),
      type: mediaType,
      bytes,
      records: null,
      shape: null,
      preview: null,
      name,
      sha256,
    }),
    file: () => file,
    whole: () => ({ kind: 'kept', mediaType, name, file }),
  };
}

const uriPrefix = 'handrail://replies/';

/** The resource URI of a kept reply or file. */
export function keptUri(handle: string): string {
  return `${uriPrefix}${handle}`;
}

/** The handle in a resource URI; null for any other URI. */
export function handleInUri(uri: string): string | null {
  return uri.startsWith(uriPrefix) ? uri.slice(uriPrefix.length) : null;
}

/** A time as shown to a model, without fractions of a second. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
