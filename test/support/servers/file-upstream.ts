import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { serveHttp, type TestServer } from './http-server.ts';

/** What an API was sent. */
export interface Sent {
  readonly method: string;
  readonly contentType: string;
  readonly contentLength: string;
  readonly transferEncoding: string | undefined;
  readonly bytes: number;
  readonly sha256: string;
  /** The first bytes, where the head of a part is. */
  readonly start: string;
}

/** Bytes that no compression makes smaller, the same each time, made as they are read. */
export function* noise(bytes: number): Generator<Buffer, void> {
  const block = 64 * 1024;
  for (let at = 0; at < bytes; at += block) {
    const some = Buffer.alloc(Math.min(block, bytes - at));
    let state = (at / block + 1) * 2_654_435_761;
    for (let i = 0; i < some.length; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      some[i] = state >>> 24;
    }
    yield some;
  }
}

/** The hash of `noise`. */
export function hashOfNoise(bytes: number): string {
  const hash = createHash('sha256');
  for (const chunk of noise(bytes)) hash.update(chunk);
  return hash.digest('hex');
}

/** The hash of some bytes, as it is told everywhere. */
export function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** An API of files: `GET /files/{bytes}` sends noise, whatever is posted to it is hashed and remembered. */
export async function serveFiles(): Promise<TestServer & { readonly sent: readonly Sent[] }> {
  const sent: Sent[] = [];
  const server = await serveHttp((request, response) => {
    void (request.method === 'GET' ? send(request, response) : take(request, response, sent));
  });
  return Object.assign(server, { sent });
}

async function send(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url!, 'http://files.test');
  const bytes = Number(url.pathname.split('/')[2]);
  const type = url.searchParams.get('type');
  const name = url.searchParams.get('name');
  if (type !== null) response.setHeader('content-type', type);
  if (name !== null) response.setHeader('content-disposition', `attachment; filename="${name}"`);
  const text = url.searchParams.get('text');
  if (url.searchParams.has('gzip')) {
    response.setHeader('content-encoding', 'gzip');
    response.end(gzipSync(text === null ? Buffer.concat([...noise(bytes)]) : Buffer.alloc(bytes, text)));
    return;
  }
  if (url.searchParams.has('length')) response.setHeader('content-length', bytes);
  const chunks = text === null ? noise(bytes) : [Buffer.alloc(bytes, text)];
  // Whoever asks may hang up: then there is nobody to tell.
  await Promise.allSettled([pipeline(Readable.from(chunks, { objectMode: false }), response)]);
}

async function take(request: IncomingMessage, response: ServerResponse, sent: Sent[]): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  let start = Buffer.alloc(0);
  for await (const chunk of request as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    if (start.length < 2_000) start = Buffer.concat([start, chunk]).subarray(0, 2_000);
  }
  const { headers } = request;
  sent.push({
    method: request.method!,
    contentType: headers['content-type'] ?? '',
    contentLength: headers['content-length'] ?? '',
    transferEncoding: headers['transfer-encoding'],
    bytes,
    sha256: hash.digest('hex'),
    start: start.toString('latin1'),
  });
  response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ bytes }));
}

/** What a multipart body of one file must be, byte by byte. */
export function expectedForm(one: Sent, content: Uint8Array): string {
  const boundary = /boundary=(\S+)/.exec(one.contentType)![1]!;
  const head = one.start.slice(0, one.start.indexOf('\r\n\r\n') + 4);
  return sha256(
    Buffer.concat([Buffer.from(head, 'latin1'), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  );
}
