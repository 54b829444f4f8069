import { isUtf8 } from 'node:buffer';
import type { Reply } from '../types.ts';

/** What a Content-Type header says. */
export interface MediaType {
  readonly name: string;
  readonly text: boolean;
  readonly json: boolean;
  /** Null for UTF-8. */
  readonly charset: string | null;
}

// An API sends the same few headers with all its replies.
const mediaTypes = new Map<string, MediaType>();
const maxMediaTypes = 1_000;

/** The type of a reply as its header names it; without one, text or bytes by what they are. */
export function mediaTypeOf(reply: Reply): MediaType {
  const header = reply.headers['content-type'];
  if (header === undefined) return isUtf8(reply.body) ? untypedText : untypedBytes;
  let known = mediaTypes.get(header);
  if (known === undefined) {
    known = parseMediaType(header);
    if (mediaTypes.size >= maxMediaTypes) mediaTypes.clear();
    mediaTypes.set(header, known);
  }
  return known;
}

const textTypes =
  /^(?:text\/|application\/(?:.*\+)?(?:json|xml|yaml|x-yaml|javascript|ecmascript|graphql|x-ndjson|jsonl|json-seq|x-www-form-urlencoded|toml|sql|x-sh)$|image\/svg\+xml$|message\/|multipart\/)/;

function parseMediaType(header: string): MediaType {
  const name = header.split(';', 1)[0]!.trim().toLowerCase();
  const charset = /;\s*charset="?([^";\s]+)/i.exec(header)?.[1]?.toLowerCase() ?? 'utf-8';
  return {
    name,
    text: name === '' || textTypes.test(name),
    json: name === 'application/json' || name.endsWith('+json') || name === 'text/json',
    charset: charset === 'utf-8' || charset === 'utf8' ? null : charset,
  };
}

const untypedText = parseMediaType('text/plain');
const untypedBytes = parseMediaType('application/octet-stream');

/** The text of a reply, read as its type says. */
export function decodeText(reply: Reply, { charset }: MediaType): string {
  if (charset !== null) {
    try {
      return new TextDecoder(charset).decode(reply.body);
    } catch {
      // A charset that nobody knows: most likely it is UTF-8 all the same.
    }
  }
  const text = asBuffer(reply.body).toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** The bytes as a buffer, not copied. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
