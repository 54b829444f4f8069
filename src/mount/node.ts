import { IncomingMessage, ServerResponse } from 'node:http';
import { Duplex, Readable } from 'node:stream';
import type { HostFetch } from './open-pipeline.ts';

/** An app as a function of Node's request and response: Express, NestJS on Express, Koa's callback, `node:http`. */
// oxlint-disable-next-line typescript/no-explicit-any -- fits the types of every framework
export type NodeListener = (req: any, res: any) => unknown;

/**
 * Calls an app that takes Node's request and response, without a server or a socket: `fetch: fetchFromListener(app)`.
 */
export function fetchFromListener(listener: NodeListener): HostFetch {
  return async (request) => {
    const socket = new NoSocket();
    const req = incoming(request, socket);
    const res = new InProcessResponse(req);
    const leave = () => {
      socket.destroy();
      req.destroy(new Error('The caller left.'));
      res.destroy();
    };
    request.signal.addEventListener('abort', leave, { once: true });
    res.once('close', () => request.signal.removeEventListener('abort', leave));
    try {
      // A handler that fails after its promise was returned must not end the process.
      await Promise.race([res.began, Promise.resolve(listener(req, res)).then(() => res.began)]);
    } catch (error) {
      res.fail(error);
    }
    return res.began;
  };
}

/** The part of a Fastify app that its calls go through. */
export interface InjectsRequests {
  // oxlint-disable-next-line typescript/no-explicit-any -- light-my-request's options differ between versions of Fastify
  inject(options: any): any;
}

interface Injected {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, number | string | readonly string[] | undefined>>;
  stream(): Readable;
}

/** Calls a Fastify app by `inject`: `fetch: fetchFromInject(app)`. Its hooks run as for any request. */
export function fetchFromInject(app: InjectsRequests): HostFetch {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const injected: Injected = await app.inject({
      method: request.method,
      url: pathname + search,
      headers: { host: new URL(request.url).host, ...Object.fromEntries(request.headers) },
      ...(request.body !== null && { payload: readableOf(request.body) }),
      signal: request.signal,
      payloadAsStream: true,
    });
    const headers = new Headers();
    for (const [name, value] of Object.entries(injected.headers))
      for (const one of [value].flat()) if (one !== undefined) headers.append(name, String(one));
    const { statusCode: status } = injected;
    return new Response(hasNoBody(status) ? null : bodyOf(injected.stream()), { status, headers });
  };
}

function readableOf(body: ReadableStream<Uint8Array>): Readable {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's own type of the same stream
  return Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
}

function hasNoBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/** A stream as a body; canceling the body ends the stream. */
function bodyOf(stream: Readable): ReadableStream<Uint8Array> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's own type of the same stream
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}

/** Stands where frameworks expect a connection: what is written to it goes nowhere. */
class NoSocket extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  readonly remotePort = 0;
  readonly encrypted = false;

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    done();
  }

  setTimeout(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

function incoming(request: Request, socket: NoSocket): IncomingMessage {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts of a socket that a request uses
  const req = new IncomingMessage(socket as never);
  const { pathname, search, host } = new URL(request.url);
  req.method = request.method;
  req.url = pathname + search;
  req.httpVersion = '1.1';
  req.httpVersionMajor = 1;
  req.httpVersionMinor = 1;
  const given: [string, string][] = [['host', host], ...request.headers];
  req.headers = Object.fromEntries(given);
  req.rawHeaders = given.flat();
  if (request.body === null) {
    req.complete = true;
    req.push(null);
    return req;
  }
  // Parsers take a body without a length or an encoding for none.
  if (req.headers['content-length'] === undefined) req.headers['transfer-encoding'] = 'chunked';
  const body = readableOf(request.body);
  req._read = () => body.resume();
  body.on('data', (chunk: Buffer) => {
    if (!req.push(chunk)) body.pause();
  });
  body.on('end', () => {
    req.complete = true;
    req.push(null);
  });
  body.on('error', (error) => req.destroy(error));
  body.pause();
  return req;
}

/** A response whose body becomes that of a web response as it is written. */
class InProcessResponse extends ServerResponse {
  /** Resolves when the head is written; rejects if the app fails before that. */
  readonly began: Promise<Response>;
  #begin!: (response: Response) => void;
  #refuse!: (error: unknown) => void;
  #body: ReadableStreamDefaultController<Uint8Array> | null = null;
  #hasBegun = false;
  #isOver = false;

  constructor(req: IncomingMessage) {
    super(req);
    this.began = new Promise((resolve, reject) => {
      this.#begin = resolve;
      this.#refuse = reject;
    });
    // Awaiting it reports a failure; an app may also fail when no one awaits it any more.
    this.began.catch(() => {});
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts of a socket that a response uses
    this.assignSocket(new NoSocket() as never);
    this.once('close', () => this.#end(new Error('The app closed the response before its end.')));
  }

  fail(error: unknown): void {
    if (this.#hasBegun) this.destroy(error instanceof Error ? error : new Error(String(error)));
    else this.#refuse(error);
  }

  // Node keeps headers that only appear here in the text that it would send, where nothing else can read them.
  override writeHead(status: number, ...rest: unknown[]): this {
    const headers = rest.at(-1);
    const pairs = Array.isArray(headers)
      ? headers.some(Array.isArray)
        ? headers
        : headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : []))
      : Object.entries(typeof headers === 'object' && headers !== null ? headers : {});
    for (const [name, value] of pairs) if (value !== undefined) this.setHeader(name, value);
    return typeof rest[0] === 'string' ? super.writeHead(status, rest[0]) : super.writeHead(status);
  }

  override flushHeaders(): void {
    if (!this.headersSent) this.writeHead(this.statusCode);
    this.#start();
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    if (this.#isOver) return false;
    if (!this.headersSent) this.writeHead(this.statusCode);
    this.#start();
    const [encoding] = rest;
    this.#add(chunk, typeof encoding === 'string' ? encoding : 'utf8');
    const done = rest.at(-1);
    if (typeof done === 'function') process.nextTick(done);
    if ((this.#body?.desiredSize ?? 1) > 0) return true;
    this.#isFull = true;
    return false;
  }

  override end(...given: unknown[]): this {
    if (this.#isOver) return this;
    const done = given.find((one) => typeof one === 'function');
    const [chunk, encoding] = given;
    if (!this.headersSent) this.writeHead(this.statusCode);
    this.#start();
    if (chunk !== undefined && chunk !== null && typeof chunk !== 'function')
      this.#add(chunk, typeof encoding === 'string' ? encoding : 'utf8');
    this.#end(null);
    this.finished = true;
    process.nextTick(() => {
      this.emit('prefinish');
      this.emit('finish');
      done?.();
      this.destroy();
    });
    return this;
  }

  #isFull = false;

  #start(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.getHeaders()))
      for (const one of [value].flat()) if (one !== undefined) headers.append(name, String(one));
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#body = controller),
        pull: () => {
          if (!this.#isFull) return;
          this.#isFull = false;
          this.emit('drain');
        },
        cancel: () => void this.destroy(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 }),
    );
    const status = this.statusCode;
    const init = { status, headers, statusText: this.statusMessage ?? '' };
    this.#begin(new Response(hasNoBody(status) ? null : body, init));
  }

  #add(chunk: unknown, encoding: string): void {
    if (this.req.method === 'HEAD') return;
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
      throw new TypeError('A response is written as text or bytes.');
    const known = Buffer.isEncoding(encoding) ? encoding : 'utf8';
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, known) : chunk;
    if (bytes.length > 0) this.#body?.enqueue(bytes);
  }

  #end(error: Error | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#hasBegun) this.#refuse(error);
    try {
      if (error === null) this.#body?.close();
      else this.#body?.error(error);
    } catch {
      // Its reader canceled it.
    }
  }
}
