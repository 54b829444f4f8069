import { isUtf8 } from 'node:buffer';
import { HandrailError } from '../../domain/errors.ts';
import type { MaskText } from '../../lib/secrets/mask-secrets.ts';
import { cleanText } from './clean-text.ts';
import { shapes, shapeText } from './shape-reply.ts';
import type { CompiledTool, Content, Output, Reply } from '../types.ts';
import { findPhrases, phraseNote, removePhrases, wrapUntrusted } from './untrusted-text.ts';
import { trimEndOf } from '../../lib/text/trim-ends.ts';

/**
 * Turns a reply into the tool's output, or throws what the model should know when the upstream refused. Pure but for
 * the random boundary of untrusted text. `maskSecrets` takes out what an upstream echoes of its credential.
 */
export function transform(tool: CompiledTool, reply: Reply, maskSecrets: MaskText = (text) => text): Output {
  if (reply.status >= 400) throw upstreamRefused(reply, maskSecrets);
  if (reply.status >= 300 && reply.status !== 304) {
    throw new HandrailError(
      'upstream_redirect',
      `The API answered with a redirect (HTTP ${reply.status}), which is not followed. Its base URL may be outdated: the operator should check it.`,
      { upstreamStatus: reply.status },
    );
  }
  const type = mediaTypeOf(reply);
  const binary = binaryContent(type, reply, tool);
  if (binary !== null) return { content: [binary], structuredText: null };
  const text = maskSecrets(decodeText(reply, type));
  const { reply: mapping } = tool.tool;
  if (!shapes(mapping)) return tidy(tool, text, structuredText(tool, type, text));
  const shaped = shapeText(mapping, text);
  const output = tidy(tool, shaped.text, null);
  const notes = shaped.notes.map((note): Content => ({ type: 'text', text: note }));
  return { ...output, content: [...output.content, ...notes] };
}

/** Makes upstream text safe to hand to a model, as far as the tool asks for it; what is done is said. */
function tidy({ tool, api }: CompiledTool, raw: string, structured: string | null): Output {
  let text = cleanText(raw);
  let structuredText = structured;
  const notes: Content[] = [];
  const { phrases = 'off', wrapUntrusted: wrap = false } = tool.reply;
  if (phrases !== 'off') {
    const found = findPhrases(text);
    if (found.length > 0) {
      notes.push({ type: 'text', text: phraseNote(found, phrases === 'redact') });
      if (phrases === 'redact') {
        text = removePhrases(text);
        structuredText = structured && removePhrases(structured);
      }
    }
  }
  if (wrap) text = wrapUntrusted(text, api.slug);
  return { content: [{ type: 'text', text }, ...notes], structuredText };
}

function structuredText(tool: CompiledTool, type: MediaType, text: string): string | null {
  if (tool.outputSchema === null || !type.json) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? text : null;
  } catch {
    return null;
  }
}

function binaryContent({ name: type, text }: MediaType, reply: Reply, tool: CompiledTool): Content | null {
  if (text) return null;
  const data = asBuffer(reply.body).toString('base64');
  if (type.startsWith('image/')) return { type: 'image', data, mimeType: type };
  if (type.startsWith('audio/')) return { type: 'audio', data, mimeType: type };
  return {
    type: 'resource',
    resource: { uri: `handrail://reply/${encodeURIComponent(tool.tool.name)}`, mimeType: type, blob: data },
  };
}

/** What a Content-Type header says. */
interface MediaType {
  readonly name: string;
  readonly text: boolean;
  readonly json: boolean;
  readonly charset: string | null;
}

// An API sends the same few headers with all its replies.
const mediaTypes = new Map<string, MediaType>();
const maxMediaTypes = 1_000;

function mediaTypeOf(reply: Reply): MediaType {
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

function decodeText(reply: Reply, { charset }: MediaType): string {
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

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const maxUpstreamMessage = 500;

function upstreamRefused(reply: Reply, maskSecrets: MaskText): HandrailError {
  const { status } = reply;
  // We end the sentence ourselves.
  const said = trimEndOf(cleanText(maskSecrets(upstreamMessage(reply))), '.');
  const retryAfterMs = retryAfter(reply);
  return new HandrailError(
    'upstream_status',
    `The API answered HTTP ${status}${said === '' ? '' : `: ${said}`}. ${adviceFor(status, retryAfterMs)}`,
    {
      upstreamStatus: status,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  );
}

function adviceFor(status: number, retryAfterMs: number | undefined): string {
  if (status === 401 || status === 403)
    return 'The credential stored for this API was not accepted or is not allowed to do this; its operator must check it. Retrying will not help.';
  if (status === 404) return 'Check the arguments that name what you asked for.';
  if (status === 429)
    return retryAfterMs === undefined
      ? 'Wait a while before you try again.'
      : `Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
  if (status >= 500) return 'The fault is on the API’s side; trying again later may help.';
  return 'Change the arguments before you try again.';
}

/** The upstream's own words about an error, when they are short text a model can use. */
function upstreamMessage(reply: Reply): string {
  const type = mediaTypeOf(reply);
  if (!type.text) return '';
  const text = decodeText(reply, type).trim();
  if (type.json) {
    try {
      const body = JSON.parse(text) as Record<string, unknown>;
      for (const key of ['detail', 'message', 'error_description', 'error', 'title', 'errors']) {
        const value = body[key];
        if (typeof value === 'string') return cut(value);
        if (typeof value === 'object' && value !== null) {
          const inner = (value as Record<string, unknown>)['message'];
          return cut(typeof inner === 'string' ? inner : JSON.stringify(value));
        }
      }
    } catch {
      return '';
    }
  }
  return /^\s*</.test(text) ? '' : cut(text);
}

function cut(text: string): string {
  const oneLine = text.replace(/\s+/g, ' ').trim();
  return oneLine.length <= maxUpstreamMessage ? oneLine : `${oneLine.slice(0, maxUpstreamMessage)}…`;
}

/** Retry-After as milliseconds from now (RFC 9110 section 10.2.3). */
export function retryAfter(reply: Reply): number | undefined {
  const header = reply.headers['retry-after'];
  if (header === undefined) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
