import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import type { HttpRequest, HttpResponse } from '../lib/http-exchange.ts';

/** A web-standard request as the MCP surface reads it. */
export function readWebRequest(request: Request): HttpRequest {
  const headers: Record<string, string> = {};
  const rawHeaders: string[] = [];
  for (const [name, value] of request.headers) {
    headers[name] = value;
    rawHeaders.push(name, value);
  }
  const { url } = request;
  const path = url.indexOf('/', url.indexOf('//') + 2);
  return { method: request.method, url: path === -1 ? '/' : url.slice(path), headers, rawHeaders };
}

type Event = 'close' | 'drain';

const queuedBytes = 64 * 1024;
const encoder = new TextEncoder();

/**
 * The response to a web-standard request, written the way Node's are. What is written in one go becomes a body of
 * known length; one whose head is flushed first, or that is still being written later, becomes a stream.
 */
export class WebResponse implements HttpResponse {
  /** Resolves with the response as soon as it is known whether it is a stream. */
  readonly response: Promise<Response>;
  readonly socket = null;
  destroyed = false;
  headersSent = false;
  writableFinished = false;
  #resolve!: (response: Response) => void;
  #status = 200;
  #headers = new Headers();
  #pieces: Uint8Array[] = [];
  #stream: ReadableStreamDefaultController<Uint8Array> | null = null;
  #isSettled = false;
  readonly #listeners: Record<Event, (() => void)[]> = { close: [], drain: [] };

  constructor(request: Request) {
    this.response = new Promise((resolve) => (this.#resolve = resolve));
    const { signal } = request;
    if (signal.aborted) this.destroyed = true;
    else signal.addEventListener('abort', () => this.#cut(null), { once: true });
  }

  get writableLength(): number {
    return this.#stream === null ? 0 : Math.max(0, queuedBytes - (this.#stream.desiredSize ?? 0));
  }

  writeHead(status: number, headers: OutgoingHttpHeaders | OutgoingHttpHeader[] = {}): this {
    this.#status = status;
    this.headersSent = true;
    const pairs = Array.isArray(headers) ? inPairs(headers) : Object.entries(headers);
    for (const [name, value] of pairs)
      if (value !== undefined) for (const one of [value].flat()) this.#headers.append(name, String(one));
    return this;
  }

  flushHeaders(): void {
    if (this.#isSettled) return;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#stream = controller),
        pull: () => this.#tell('drain'),
        cancel: () => this.#cut(null),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: queuedBytes }),
    );
    for (const piece of this.#pieces) this.#stream!.enqueue(piece);
    this.#settle(body);
  }

  // A web response is sent as a whole or as a stream of pieces; there is nothing to hold back.
  cork(): void {}
  uncork(): void {}

  write(chunk: string | Uint8Array): boolean {
    if (this.destroyed) return false;
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
    if (this.#stream === null) {
      this.#pieces.push(bytes);
      return true;
    }
    this.#stream.enqueue(bytes);
    return (this.#stream.desiredSize ?? 0) > 0;
  }

  end(chunk?: string | Uint8Array): void {
    if (chunk !== undefined) this.write(chunk);
    if (this.destroyed || this.writableFinished) return;
    this.writableFinished = true;
    if (this.#stream === null) this.#settle(this.#whole());
    else this.#stream.close();
    // As with a socket, listeners run after the work that ended the response.
    queueMicrotask(() => this.#tell('close'));
  }

  destroy(): void {
    this.#cut(new Error('The response was cut off.'));
  }

  /** Ends it early: with an error, or without one for a client that left and reads nothing more. */
  #cut(error: Error | null): void {
    if (this.destroyed || this.writableFinished) return;
    this.destroyed = true;
    try {
      if (error === null) this.#stream?.close();
      else this.#stream?.error(error);
    } catch {
      // Its reader canceled it.
    }
    this.#settle(null, 499);
    this.#tell('close');
  }

  once(event: Event, listener: () => void): this {
    this.#listeners[event].push(listener);
    return this;
  }

  #whole(): Uint8Array<ArrayBuffer> | null {
    const length = this.#pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (length === 0) return null;
    const whole = new Uint8Array(length);
    let at = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }

  #settle(body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null, status = this.#status): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    // Some servers count the bytes of a body with a declared length themselves.
    if (body === null) this.#headers.delete('content-length');
    this.#resolve(new Response(body, { status, headers: this.#headers }));
  }

  #tell(event: Event): void {
    for (const listener of this.#listeners[event].splice(0)) listener();
  }
}

function* inPairs(list: readonly OutgoingHttpHeader[]): Iterable<[string, OutgoingHttpHeader]> {
  for (let at = 0; at + 1 < list.length; at += 2) yield [String(list[at]), list[at + 1]!];
}

/** The body of a request, as long as it isn't too large; null if it has none. */
export async function readBody(
  body: AsyncIterable<Uint8Array | string> | ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | null | 'too large'> {
  if (body === null) return null;
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of chunksOf(body)) {
    length += piece.length;
    if (length > maxBytes) return 'too large';
    pieces.push(typeof piece === 'string' ? encoder.encode(piece) : piece);
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

async function* chunksOf(
  body: AsyncIterable<Uint8Array | string> | ReadableStream<Uint8Array>,
): AsyncIterable<Uint8Array | string> {
  if (!(body instanceof ReadableStream)) {
    yield* body;
    return;
  }
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // A body that is too large isn't read any further.
    await reader.cancel().catch(() => {});
  }
}
