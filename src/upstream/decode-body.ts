import { promisify } from 'node:util';
import {
  brotliDecompress,
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzip,
  gunzipSync,
  inflate,
  inflateRaw,
  inflateRawSync,
  inflateSync,
} from 'node:zlib';
import type { Transform } from 'node:stream';
import type { InputType, ZlibOptions } from 'node:zlib';
import { upstreamErrors } from '../domain/error-messages/upstream.ts';
import { HandrailError } from '../domain/errors.ts';
import { errorCode } from '../lib/thrown-errors.ts';

type Inflate = (input: InputType, options: ZlibOptions) => Promise<Buffer>;
type InflateNow = (input: InputType, options: ZlibOptions) => Buffer;

const coders: Readonly<Record<string, readonly [Inflate, InflateNow]>> = {
  gzip: [promisify(gunzip), gunzipSync],
  deflate: [promisify(inflate), inflateSync],
  'deflate-raw': [promisify(inflateRaw), inflateRawSync],
  br: [promisify(brotliDecompress), brotliDecompressSync],
};

/** The content encodings we accept, for the Accept-Encoding header. */
export const acceptedEncodings = 'gzip, deflate, br';

// Below this a thread hop costs more than the work, and even a zip bomb of this size cannot stall the event loop.
const smallBytes = 2_048;

/**
 * Undoes a Content-Encoding (RFC 9110 section 8.4). The cap counts decoded bytes and stops the work there, because a
 * few kilobytes can inflate to gigabytes. For a truncated body, the readable part is returned.
 */
export async function decodeBody(
  body: Buffer,
  encoding: string,
  maxBytes: number,
  isCut = false,
): Promise<Buffer> {
  const steps = stepsOf(encoding);
  if (steps.length === 0 || body.length === 0) return body;
  if (steps.length === 1 && body.length <= smallBytes) return decodeNow(body, steps[0]!, maxBytes, isCut);
  return decodeSteps(body, steps, maxBytes, isCut);
}

function decodeNow(body: Buffer, encoding: string, maxBytes: number, isCut: boolean): Buffer {
  try {
    return coderFor(encoding, body)[1](body, optionsFor(encoding, maxBytes, isCut));
  } catch (error) {
    throw decodingError(error, encoding, maxBytes);
  }
}

async function decodeSteps(
  body: Buffer,
  steps: readonly string[],
  maxBytes: number,
  isCut: boolean,
): Promise<Buffer> {
  if (steps.length > 2) throw upstreamErrors.compressedTooOften();
  let decoded = body;
  for (const encoding of steps) {
    try {
      decoded = await coderFor(encoding, decoded)[0](decoded, optionsFor(encoding, maxBytes, isCut));
    } catch (error) {
      throw decodingError(error, encoding, maxBytes);
    }
  }
  return decoded;
}

/** Streaming decoders for a Content-Encoding, outermost first; `start` is the first chunk of the body. */
export function decodersFor(encoding: string | undefined, start: Buffer): Transform[] {
  const steps = stepsOf(encoding ?? '');
  if (steps.length > 2) throw upstreamErrors.compressedTooOften();
  return steps.map((step, at) => {
    const name = step === 'deflate' && at === 0 && !hasZlibHeader(start) ? 'deflate-raw' : step;
    const create = Object.hasOwn(streams, name) ? streams[name] : undefined;
    if (create === undefined) throw unknownEncodingError(step);
    return create();
  });
}

const streams: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  'deflate-raw': createInflateRaw,
  br: createBrotliDecompress,
};

function stepsOf(encoding: string): string[] {
  return encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
    .toReversed();
}

function unknownEncodingError(encoding: string): HandrailError {
  return upstreamErrors.unexpectedEncoding({ encoding });
}

function optionsFor(encoding: string, maxOutputLength: number, isCut: boolean): ZlibOptions {
  if (!isCut) return { maxOutputLength };
  const finishFlush = encoding === 'br' ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH;
  return { maxOutputLength, finishFlush };
}

function coderFor(encoding: string, body: Buffer): readonly [Inflate, InflateNow] {
  const name =
    encoding === 'x-gzip'
      ? 'gzip'
      : encoding === 'deflate' && !hasZlibHeader(body)
        ? 'deflate-raw'
        : encoding;
  const coder = Object.hasOwn(coders, name) ? coders[name] : undefined;
  if (coder === undefined) throw unknownEncodingError(encoding);
  return coder;
}

// "deflate" means the zlib format, but some servers send the bare stream.
function hasZlibHeader(body: Buffer): boolean {
  return body.length >= 2 && (body[0]! & 0x0f) === 8 && ((body[0]! << 8) | body[1]!) % 31 === 0;
}

function decodingError(error: unknown, encoding: string, maxBytes: number): HandrailError {
  if (error instanceof HandrailError) return error;
  if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') return upstreamErrors.replyTooLarge({ maxBytes });
  return upstreamErrors.replyNotDecompressable({ encoding }, {}, { cause: error });
}
