import type { MaskText } from '../../lib/secrets/mask-secrets.ts';
import { sizeText } from '../../lib/text/amounts.ts';
import type { PlacedFile, ReceivedFile } from '../files.ts';
import type { CompiledTool } from '../compiled-tool.ts';
import type { Content, Output, Reply } from './reply.ts';
import { nameOf } from './file-content.ts';
import { fileTypeOf } from './media-type.ts';
import { withTelling } from './transform.ts';

/** Ends the keeping of a reply that went into the store, and tells what it is. */
export async function keepFileReply(
  tool: CompiledTool,
  reply: Reply,
  file: ReceivedFile,
  maskSecrets: MaskText,
): Promise<Output> {
  const mediaType = fileTypeOf(reply.headers['content-type'], file.start);
  const name = nameOf(tool, reply, mediaType, maskSecrets);
  const kept = await file.sink.keep({ name, mediaType });
  return withTelling(tool, reply, keptFileOutput(kept), maskSecrets);
}

/** What is told of a file instead of its content; `shown` stands before it. */
export function keptFileOutput(file: PlacedFile, shown: readonly Content[] = []): Output {
  const { handle, name, mediaType, bytes, sha256, expiresAtMs, link } = file;
  const words = [
    `The API sent a file: ${name} (${mediaType}, ${sizeText(bytes)}). It is kept until ${timeText(expiresAtMs)} as ${handle}: give this handle to a tool that takes a file.`,
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

/** The address of something kept among a server's resources. */
export function keptUri(handle: string): string {
  return `${uriPrefix}${handle}`;
}

/** The handle that an address stands for; null for any other. */
export function handleInUri(uri: string): string | null {
  return uri.startsWith(uriPrefix) ? uri.slice(uriPrefix.length) : null;
}

/** A moment as a model reads it, without what nobody needs. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
