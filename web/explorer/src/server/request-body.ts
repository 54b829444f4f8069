import { nestsDeeperThan } from '../schema/json-values.ts';

/** The body: JSON text or a parsed value, nothing, or more than allowed. */
export type RequestBody =
  | { kind: 'absent' }
  | { kind: 'text'; text: string }
  | { kind: 'parsed'; value: unknown }
  | { kind: 'too-large' };

/** A body that is read once, after the checks before it have passed. */
export interface BodySource {
  read(): Promise<RequestBody>;
  /** Called with the parsed body, so that hooks and handlers find it in `request.body`. */
  onParsed?(value: unknown): void;
}

/** The JSON in the body, or why it wasn't read. */
export type BodyJson =
  | { ok: true; value: unknown }
  | { ok: false; why: 'not-json' | 'too-deep'; detail: string };

/** The maximum nesting of arguments. Parsing and walking deeper ones costs seconds and overflows the stack. */
export const maxBodyDepth = 128;

const tooDeep: BodyJson = {
  ok: false,
  why: 'too-deep',
  detail: `must NOT be nested deeper than ${maxBodyDepth} levels`,
};

/** Parses a body; a missing body is the empty object. */
export function parseBody(body: Exclude<RequestBody, { kind: 'too-large' }>): BodyJson {
  if (body.kind === 'absent') return { ok: true, value: {} };
  if (body.kind === 'parsed')
    return nestsDeeperThan(body.value, maxBodyDepth) ? tooDeep : { ok: true, value: body.value };
  if (textNestsDeeperThan(body.text, maxBodyDepth)) return tooDeep;
  try {
    return { ok: true, value: JSON.parse(body.text) as unknown };
  } catch (error) {
    return { ok: false, why: 'not-json', detail: error instanceof Error ? error.message : 'not JSON' };
  }
}

/** Counts brackets outside strings, without building anything. */
function textNestsDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++)
          if (text.charCodeAt(at) === 0x5c) at++;
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > maxDepth) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
    }
  }
  return false;
}

/** Collects chunks up to the limit, and stops reading as soon as it is exceeded. */
export async function readChunks(
  chunks: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
): Promise<RequestBody> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
    size += bytes.byteLength;
    if (size > maxBytes) return { kind: 'too-large' };
    parts.push(bytes);
  }
  if (size === 0) return { kind: 'absent' };
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return { kind: 'text', text: decode(whole) };
}

/** Reads a web stream, also in runtimes whose streams aren't async iterables. */
export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** Reads what a framework left in `request.body`: nothing, text, bytes, a stream or a parsed value. */
export async function readGivenBody(body: unknown, maxBytes: number): Promise<RequestBody> {
  if (body === undefined || body === null) return { kind: 'absent' };
  if (typeof body === 'string') return textWithin(body, maxBytes);
  if (body instanceof Uint8Array) return bytesWithin(body, maxBytes);
  if (body instanceof ArrayBuffer) return bytesWithin(new Uint8Array(body), maxBytes);
  if (typeof (body as ReadableStream).getReader === 'function') {
    return readChunks(chunksOf(body as ReadableStream<Uint8Array>), maxBytes);
  }
  if (typeof body === 'object' && Symbol.asyncIterator in body) {
    return readChunks(body as AsyncIterable<Uint8Array>, maxBytes);
  }
  return { kind: 'parsed', value: body };
}

function textWithin(text: string, maxBytes: number): RequestBody {
  if (text === '') return { kind: 'absent' };
  if (text.length > maxBytes || new TextEncoder().encode(text).byteLength > maxBytes)
    return { kind: 'too-large' };
  return { kind: 'text', text };
}

function bytesWithin(bytes: Uint8Array, maxBytes: number): RequestBody {
  if (bytes.byteLength === 0) return { kind: 'absent' };
  return bytes.byteLength > maxBytes ? { kind: 'too-large' } : { kind: 'text', text: decode(bytes) };
}

/** Invalid UTF-8 is not JSON (RFC 8259 § 8.1): the replacement keeps the text unparsable or harmless. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
