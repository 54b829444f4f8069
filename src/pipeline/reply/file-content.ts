import type { MaskText } from '../../lib/secrets/mask-secrets.ts';
import type { CompiledTool } from '../compiled-tool.ts';
import type { Content, Reply } from './reply.ts';
import { cleanText } from './clean-text.ts';
import { asBuffer, type MediaType } from './media-type.ts';
import { fileNameOf } from './reply-headers.ts';

// Types that models and their clients show as pictures; everything else is a file to them.
const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const endings: Readonly<Record<string, string>> = {
  'text/plain': 'txt',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'application/x-tar': 'tar',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/x-protobuf': 'pb',
  'application/msgpack': 'msgpack',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/ogg': 'ogg',
  'image/jpeg': 'jpg',
  'image/tiff': 'tiff',
  'image/x-icon': 'ico',
  'video/mp4': 'mp4',
};

/** The file name of a reply: the one the API gives, else one from its tool and type. */
export function nameOf(tool: CompiledTool, reply: Reply, mimeType: string, maskSecrets: MaskText): string {
  return cleanText(maskSecrets(fileNameOf(reply.headers) ?? `${tool.tool.name}.${endingOf(mimeType)}`));
}

/** A binary reply as content: the data itself, and a line of text that describes it. */
export function fileContent(
  tool: CompiledTool,
  reply: Reply,
  { name: mimeType }: MediaType,
  maskSecrets: MaskText,
): readonly Content[] {
  const name = nameOf(tool, reply, mimeType, maskSecrets);
  const data = asBuffer(reply.body).toString('base64');
  const [kind, content] = contentOf(tool, name, mimeType, data);
  const text = `The API sent ${kind}: ${name} (${mimeType}, ${reply.body.byteLength} bytes).`;
  return [content, { type: 'text', text }];
}

function contentOf(tool: CompiledTool, name: string, mimeType: string, data: string): [string, Content] {
  if (pictures.has(mimeType)) return ['a picture', { type: 'image', data, mimeType }];
  if (mimeType.startsWith('audio/')) return ['a recording', { type: 'audio', data, mimeType }];
  const uri = `handrail://reply/${encodeURIComponent(tool.tool.name)}/${encodeURIComponent(name)}`;
  return ['a file', { type: 'resource', resource: { uri, mimeType, blob: data } }];
}

function endingOf(mimeType: string): string {
  const known = endings[mimeType];
  if (known !== undefined) return known;
  const subtype = /^[a-z]+\/(?:x-)?([a-z0-9]{2,6})$/.exec(mimeType)?.[1];
  return subtype ?? 'bin';
}
