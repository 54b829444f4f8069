import { Readable } from 'node:stream';
import { isObject, objectOr } from '../lib/json/plain-object.ts';
import type { Dispatcher } from './connections/undici-parts.ts';
import type { Connections } from './exchange.ts';

/** Hands one request to the app that Handrail is mounted in. */
export type FetchInProcess = (request: Request) => Response | Promise<Response>;

/**
 * Sends requests to a function of this process instead of over a network, for `exchange`: its limits, streams and
 * deadlines apply as they do to a connection. There is no socket, and nothing is left when the exchange ends.
 */
export function connectInProcess(origin: string, fetch: FetchInProcess): Connections {
  return {
    dispatch(options, handler) {
      // `exchange` expects to be called back later, as by a socket.
      queueMicrotask(() => void new InProcessExchange(origin, options, handler).run(fetch));
      return true;
    },
  };
}

type Options = Dispatcher.DispatchOptions;
type Handler = Dispatcher.DispatchHandler;

class InProcessExchange implements Dispatcher.DispatchController {
  readonly #origin: string;
  readonly #options: Options;
  readonly #handler: Handler;
  readonly #ending = new AbortController();
  #reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  #resume: (() => void) | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  paused = false;
  rawHeaders = null;
  rawTrailers = null;

  constructor(origin: string, options: Options, handler: Handler) {
    this.#origin = origin;
    this.#options = options;
    this.#handler = handler;
  }

  get aborted(): boolean {
    return this.#ending.signal.aborted;
  }

  get reason(): Error | null {
    const { reason }: { readonly reason: unknown } = this.#ending.signal;
    return reason instanceof Error ? reason : null;
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    clearTimeout(this.#timer);
    this.#ending.abort(reason);
    this.#reader?.cancel(reason).catch(() => {});
    this.resume();
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.#resume?.();
    this.#resume = null;
  }

  async run(fetch: FetchInProcess): Promise<void> {
    try {
      this.#handler.onRequestStart?.(this, {});
      if (this.aborted) return;
      await this.#exchange(fetch);
    } catch (error) {
      this.#handler.onResponseError?.(this, this.reason ?? asError(error));
    } finally {
      clearTimeout(this.#timer);
    }
  }

  async #exchange(fetch: FetchInProcess): Promise<void> {
    const request = this.#request();
    const response = await this.#before(this.#options.headersTimeout, async () => fetch(request));
    if (!isResponse(response)) throw new NotAResponse();
    if (this.aborted) {
      await response.body?.cancel(this.reason).catch(() => {});
      return;
    }
    if (response.status < 200) throw new NotAResponse();
    this.#handler.onResponseStart?.(this, response.status, headersOf(response), response.statusText);
    if (response.body !== null) await this.#read(response.body);
    if (!this.aborted) this.#handler.onResponseEnd?.(this, {});
  }

  #request(): Request {
    const { path, method, body } = this.#options;
    const headers = new Headers();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `exchange` writes names and values in turn
    const given = this.#options.headers as readonly string[];
    for (let at = 0; at + 1 < given.length; at += 2) {
      // Compressing for someone in the same process would be work for nothing.
      if (given[at] !== 'accept-encoding') headers.append(given[at]!, given[at + 1]!);
    }
    const streams = body instanceof Readable;
    const init: RequestInit & { duplex?: 'half' } = {
      method,
      headers,
      signal: this.#ending.signal,
      redirect: 'manual',
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `exchange` sends text, bytes and streams of bytes
      ...(body && { body: (streams ? Readable.toWeb(body) : body) as RequestInit['body'] }),
      ...(streams && { duplex: 'half' }),
    };
    return new Request(this.#origin + path, init);
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = (this.#reader = body.getReader());
    while (!this.aborted) {
      if (this.paused) await new Promise<void>((resolve) => (this.#resume = resolve));
      const { done, value } = await reader.read();
      if (done || this.aborted) return;
      this.#handler.onResponseData?.(this, Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    }
  }

  /** The app's answer, if it begins in time; 0 or nothing means that only the call's own deadline applies. */
  #before(timeoutMs: number | null | undefined, answer: () => Promise<Response>): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#ending.signal.addEventListener('abort', () => reject(this.reason ?? new Error('ended')), {
        once: true,
      });
      if (timeoutMs)
        this.#timer = setTimeout(() => {
          reject(new NoHeadersInTime());
          this.#ending.abort(new NoHeadersInTime());
        }, timeoutMs);
      answer().then((response) => {
        clearTimeout(this.#timer);
        // A late answer is of no use to anyone.
        if (this.aborted && isResponse(response)) response.body?.cancel().catch(() => {});
        return resolve(response);
      }, reject);
    });
  }
}

/** The same codes as undici's, so that `send-error.ts` describes both. */
class NoHeadersInTime extends Error {
  readonly code = 'UND_ERR_HEADERS_TIMEOUT';
}

/** Not by class: undici and polyfills have classes of their own. */
function isResponse(value: unknown): value is Response {
  if (value instanceof Response) return true;
  return (
    isObject(value) && typeof value['status'] === 'number' && 'getSetCookie' in objectOr(value['headers'])
  );
}

class NotAResponse extends TypeError {
  readonly code = 'HPE_INVALID_CONSTANT';
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function headersOf({ headers }: Response): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    const before = found[name];
    // Only `set-cookie` is listed more than once.
    found[name] = before === undefined ? value : [before, value].flat();
  }
  return found;
}
