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
    const { res, began, fail } = outgoing(req);
    const leave = () => {
      socket.destroy();
      req.destroy();
      res.destroy();
    };
    request.signal.addEventListener('abort', leave, { once: true });
    res.once('close', () => request.signal.removeEventListener('abort', leave));
    // A handler that fails after its promise was returned must not end the process.
    Promise.resolve()
      .then(() => listener(req, res))
      .catch(fail);
    return began;
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
interface InProcessResponse {
  readonly res: ServerResponse;
  /** Resolves when the head is written; rejects if the app fails before that. */
  readonly began: Promise<Response>;
  fail(error: unknown): void;
}

/**
 * Makes one. What it does differently are properties of its own, because Express replaces the prototype of a response, and
 * middleware replaces its methods.
 */
function outgoing(req: IncomingMessage): InProcessResponse {
  const res = new ServerResponse(req);
  const { promise: began, resolve: begin, reject: refuse } = deferred<Response>();
  let body: ReadableStreamDefaultController<Uint8Array> | null = null;
  let hasBegun = false;
  let isFull = false;
  let isOver = false;

  function start(): void {
    if (!res.headersSent) res.writeHead(res.statusCode);
    if (hasBegun) return;
    hasBegun = true;
    const headers = new Headers();
    for (const [name, value] of Object.entries(res.getHeaders()))
      for (const one of [value].flat()) if (one !== undefined) headers.append(name, String(one));
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (body = controller),
        pull() {
          if (!isFull) return;
          isFull = false;
          res.emit('drain');
        },
        cancel: () => void res.destroy(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 }),
    );
    const { statusCode: status, statusMessage } = res;
    begin(new Response(hasNoBody(status) ? null : stream, { status, headers, statusText: statusMessage }));
  }

  function add(chunk: unknown, encoding: unknown): void {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
      throw new TypeError('A response is written as text or bytes.');
    if (req.method === 'HEAD' || chunk.length === 0) return;
    const known = typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8';
    body?.enqueue(typeof chunk === 'string' ? Buffer.from(chunk, known) : chunk);
  }

  function finish(error: Error | null): void {
    if (isOver) return;
    isOver = true;
    if (!hasBegun) refuse(error);
    try {
      if (error === null) body?.close();
      else body?.error(error);
    } catch {
      // Its reader canceled it.
    }
  }

  const writeHead: (status: number, text?: string) => unknown = res.writeHead;
  const own = {
    // Node keeps headers that only appear here in the text that it would send, where nothing else can read them.
    writeHead(status: number, ...rest: unknown[]) {
      for (const [name, value] of headerPairs(rest.at(-1))) res.setHeader(name, value);
      writeHead.call(res, status, ...(typeof rest[0] === 'string' ? [rest[0]] : []));
      return res;
    },
    flushHeaders: start,
    write(chunk: unknown, ...rest: unknown[]) {
      if (isOver) return false;
      start();
      add(chunk, rest[0]);
      const done = rest.at(-1);
      if (typeof done === 'function') process.nextTick(done);
      isFull = (body?.desiredSize ?? 1) <= 0;
      return !isFull;
    },
    end(...given: unknown[]) {
      if (isOver) return res;
      const [chunk, encoding] = given;
      start();
      if (chunk !== undefined && chunk !== null && typeof chunk !== 'function') add(chunk, encoding);
      finish(null);
      res.finished = true;
      const done = given.find((one) => typeof one === 'function');
      process.nextTick(() => {
        res.emit('prefinish');
        res.emit('finish');
        done?.();
        res.destroy();
      });
      return res;
    },
  };
  Object.assign(res, own);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts of a socket that a response uses
  res.assignSocket(new NoSocket() as never);
  res.once('close', () => finish(new Error('The app closed the response before its end.')));
  return {
    res,
    began,
    fail(error) {
      finish(error instanceof Error ? error : new Error(String(error)));
      res.destroy();
    },
  };
}

function headerPairs(headers: unknown): [string, string | string[]][] {
  if (Array.isArray(headers))
    return headers.some(Array.isArray)
      ? headers
      : headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : []));
  if (typeof headers !== 'object' || headers === null) return [];
  return Object.entries(headers).filter(([, value]) => value !== undefined);
}

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((...both) => {
    [resolve, reject] = both;
  });
  // Awaiting it reports a failure; an app may also fail when no one awaits it any more.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
