import { isAscii, isUtf8 } from 'node:buffer';
import type { Reply } from './reply.ts';

/** What a Content-Type header says. */
export interface MediaType {
  readonly name: string;
  readonly text: boolean;
  readonly json: boolean;
  readonly html: boolean;
  /** Null for UTF-8. */
  readonly charset: string | null;
}

// An API sends the same few Content-Type headers with all its replies.
const mediaTypes = new Map<string, MediaType>();
const maxMediaTypes = 1_000;

/** The type of a reply by its header; without one, text or bytes by its content. */
export function mediaTypeOf(reply: Reply): MediaType {
  const header = reply.headers['content-type'];
  if (header === undefined) return isUtf8(reply.body) ? untypedText : untypedBytes;
  return readMediaType(header);
}

function readMediaType(header: string): MediaType {
  let known = mediaTypes.get(header);
  if (known === undefined) {
    known = parseMediaType(header);
    if (mediaTypes.size >= maxMediaTypes) mediaTypes.clear();
    mediaTypes.set(header, known);
  }
  return known;
}

const textTypes =
  /^(?:text\/|application\/(?:.*\+)?(?:json|xml|yaml|x-yaml|javascript|ecmascript|graphql|(?:x-)?ndjson|(?:x-)?jsonl|(?:x-)?jsonlines|json-seq|(?:x-)?csv|x-www-form-urlencoded|toml|sql|x-sh)$|image\/svg\+xml$|message\/|multipart\/)/;

function parseMediaType(header: string): MediaType {
  const name = header.split(';', 1)[0]!.trim().toLowerCase();
  const charset = /;\s*charset="?([^";\s]+)/i.exec(header)?.[1]?.toLowerCase() ?? 'utf-8';
  return {
    name,
    text: name === '' || textTypes.test(name),
    html: name === 'text/html' || name === 'application/xhtml+xml',
    json: name === 'application/json' || name.endsWith('+json') || name === 'text/json',
    charset: charset === 'utf-8' || charset === 'utf8' ? null : charset,
  };
}

const untypedText = parseMediaType('text/plain');
const untypedJson = parseMediaType('application/json');
const untypedBytes = parseMediaType('application/octet-stream');

// Types that servers send when they don't know the type.
const saysNothing = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-download',
  'application/download',
  'application/force-download',
  'application/unknown',
]);

/** The type of a reply's content: from its header, or from the content if the header is uninformative. */
export function contentTypeOf(reply: Reply): MediaType {
  const type = mediaTypeOf(reply);
  if (type.json) return type;
  if (type.text && type !== untypedText && type.name !== 'text/plain') return type;
  if (type.text || saysNothing.has(type.name)) {
    const found = magicType(asBuffer(reply.body));
    if (found !== null) return parseMediaType(found);
    if (!type.text && isPlainText(reply.body)) return looksLikeJson(reply.body) ? untypedJson : untypedText;
  }
  return type;
}

/** What kind a body is by its header and first bytes; `unclear` means labeled as bytes but readable as text. */
export function bodyKind(header: string | undefined, start: Buffer): 'text' | 'bytes' | 'unclear' {
  const type = header === undefined ? null : readMediaType(header);
  const saysLittle = type === null || saysNothing.has(type.name) || type.name === 'text/plain';
  if (saysLittle && magicType(start) !== null) return 'bytes';
  if (type !== null && type.name !== '' && !saysNothing.has(type.name)) return type.text ? 'text' : 'bytes';
  return startsAsText(start) ? 'unclear' : 'bytes';
}

/** The type of a file by its header and first bytes. */
export function fileTypeOf(header: string | undefined, start: Buffer): string {
  const name = header === undefined ? '' : parseMediaType(header).name;
  const said = saysNothing.has(name) || name === 'text/plain' ? magicType(start) : null;
  return said ?? (name || 'application/octet-stream');
}

// The cut may fall inside a character.
function startsAsText(start: Buffer): boolean {
  if (start.includes(0)) return false;
  for (let cut = 0; cut < Math.min(4, start.length); cut++)
    if (isUtf8(start.subarray(0, start.length - cut))) return true;
  return start.length === 0;
}

const magics: readonly (readonly [number, string, string])[] = [
  [0, '%PDF-', 'application/pdf'],
  [0, 'PK\u0003\u0004', 'application/zip'],
  [0, '\u001f\u008b', 'application/gzip'],
  [0, '\u0089PNG\r\n', 'image/png'],
  [0, '\u00ff\u00d8\u00ff', 'image/jpeg'],
  [0, 'GIF8', 'image/gif'],
  [8, 'WEBP', 'image/webp'],
  [8, 'WAVE', 'audio/wav'],
  [0, 'ID3', 'audio/mpeg'],
  [0, 'OggS', 'audio/ogg'],
  [4, 'ftyp', 'video/mp4'],
];

function magicType(bytes: Buffer): string | null {
  const head = bytes.subarray(0, 16).toString('latin1');
  return magics.find(([at, mark]) => head.startsWith(mark, at))?.[2] ?? null;
}

function isPlainText(bytes: Uint8Array): boolean {
  return bytes.length > 0 && isUtf8(bytes) && !bytes.includes(0);
}

function looksLikeJson(bytes: Uint8Array): boolean {
  const text = asBuffer(bytes).toString('utf8').trim();
  if (text[0] !== '{' && text[0] !== '[') return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The text of a reply, decoded by its charset. */
export function decodeText(reply: Reply, { charset }: MediaType): string {
  if (charset !== null) {
    try {
      return new TextDecoder(charset).decode(reply.body);
    } catch {
      // An unknown charset: most likely it is UTF-8 anyway.
    }
  }
  const body = asBuffer(reply.body);
  // Most replies are ASCII: no ambiguity and no byte-order mark.
  if (isAscii(body)) return body.toString('latin1');
  const text = body.toString('utf8');
  if (charset === null && text.includes(replaced) && isWestern(text))
    return new TextDecoder('windows-1252').decode(reply.body);
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

const replaced = '\ufffd';

/** Whether most non-ASCII characters failed to decode: old servers send Windows-1252 without declaring it. */
function isWestern(text: string): boolean {
  let wrong = 0;
  let right = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) wrong++;
    else if (code >= 0x80) right++;
  }
  return wrong > right;
}

/** The bytes as a buffer, not copied. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
