import { writeMarked } from '../../lib/json/numbers/exact-numbers.ts';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCResultResponse,
} from '@modelcontextprotocol/server';
import type {
  JSONRPCMessage,
  MessageExtraInfo,
  RequestId,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { HttpResponse } from '../../lib/http-exchange.ts';
import { sendJson } from '../answer.ts';
import { openEventStream } from '../sessions/event-stream.ts';
import type { EventStream } from '../sessions/event-stream.ts';
import { addStream, emit, eventId } from '../sessions/live-sessions.ts';
import type { LiveSession, ResumableStream, RunningExchange } from '../sessions/live-sessions.ts';

export interface LegacyExchangeOptions {
  readonly res: HttpResponse;
  /** The requests this exchange answers. */
  readonly requestIds: readonly RequestId[];
  readonly batch: boolean;
  readonly acceptsJson: boolean;
  readonly acceptsStream: boolean;
  readonly revision: string;
  readonly live: LiveSession | null;
  readonly now: () => number;
  /** Headers of the answer, read when it starts; receives the responses so far. */
  readonly headers: (responses: readonly JSONRPCMessage[]) => Record<string, string>;
  readonly newStreamId: () => string;
  readonly onDone: () => void;
}

/**
 * The transport of one POST of a legacy revision: answers with one JSON document, and turns into an event stream if
 * the protocol object sends something before its response and the client accepts a stream. It serves one request and
 * one caller; a session only lends it the place where replies to our own requests arrive.
 */
export class LegacyExchange implements Transport, RunningExchange {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  readonly sessionId: string | undefined;
  /** Our requests, from their ID on the wire to the ID given by the protocol object. */
  readonly #asked = new Map<string, RequestId>();
  readonly #responses: JSONRPCMessage[] = [];
  readonly #waiting: Set<RequestId>;
  readonly #options: LegacyExchangeOptions;
  /** Responses to these IDs stay inside: they answer our own requests to the protocol object. */
  readonly #internal = new Map<RequestId, (response: JSONRPCMessage) => void>();
  #stream: ResumableStream | null = null;
  #plainSink: EventStream | null = null;
  #closed = false;

  constructor(options: LegacyExchangeOptions) {
    this.#options = options;
    this.#waiting = new Set(options.requestIds);
    this.sessionId = options.live?.session.id;
    for (const id of options.requestIds) options.live?.running.set(id, this);
    if (!options.acceptsJson) this.#openStream();
    else options.res.once('close', () => this.#goneBeforeAnswer());
  }

  async start(): Promise<void> {}

  /** Sends the protocol object a request on our own behalf. */
  ask(message: JSONRPCMessage & { id: RequestId }): Promise<JSONRPCMessage> {
    return new Promise((resolve) => {
      this.#internal.set(message.id, resolve);
      this.onmessage?.(message);
    });
  }

  deliver(message: unknown): void {
    if (isJSONRPCNotification(message)) this.onmessage?.(message);
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return;
    const id = String(message.id);
    const original = this.#asked.get(id);
    if (original === undefined) return;
    this.#asked.delete(id);
    this.#options.live?.asked.delete(id);
    this.onmessage?.({ ...message, id: original });
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#closed) return;
    if (!('method' in message)) {
      this.#respond(message);
      return;
    }
    const unrelated = options?.relatedRequestId === undefined;
    if ('id' in message) {
      const { live } = this.#options;
      if (!live || !this.#openStream())
        throw new Error('This client cannot receive requests: it has no session or no stream');
      // Exchanges of one session number their requests independently; the stream's ID makes them unique.
      const id = `${this.#stream!.id}:${message.id}`;
      this.#asked.set(id, message.id);
      live.asked.set(id, this);
      this.#emit({ ...message, id });
      return;
    }
    if (unrelated && !this.#stream && !this.#plainSink) return;
    if (this.#openStream()) this.#emit(message);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { live, requestIds } = this.#options;
    for (const id of requestIds) if (live?.running.get(id) === this) live.running.delete(id);
    for (const id of this.#asked.keys()) live?.asked.delete(id);
    // Nothing more will be sent, so a client that resumes this stream must not be left waiting.
    if (this.#stream) {
      this.#stream.done = true;
      this.#stream.sink?.end();
    }
    this.onclose?.();
    this.#options.onDone();
  }

  /** Ends the current connection of a resumable stream, leaving the request running. */
  dropConnection(): void {
    this.#openStream();
    const sink = this.#stream?.sink;
    if (!sink) return;
    this.#stream!.sink = null;
    sink.end();
  }

  /**
   * Whether the client's revision allows a stream to start with an event ID alone, and the server to close it
   * temporarily.
   */
  get polls(): boolean {
    return this.#options.live !== null && this.#options.revision >= '2025-11-25';
  }

  #respond(message: JSONRPCMessage): void {
    const id = 'id' in message ? message.id : undefined;
    if (id === undefined) return;
    const internal = this.#internal.get(id);
    if (internal) {
      this.#internal.delete(id);
      internal(message);
      return;
    }
    if (!this.#waiting.delete(id)) return;
    this.#responses.push(message);
    if (this.#stream || this.#plainSink) this.#emit(message);
    if (this.#waiting.size === 0) this.#finish();
  }

  #finish(): void {
    const { res, batch } = this.#options;
    if (this.#stream || this.#plainSink) {
      this.#plainSink?.end();
    } else {
      const text = writeMarked(JSON.stringify(batch ? this.#responses : this.#responses[0]));
      sendJson(res, 200, text, this.#options.headers(this.#responses));
    }
    void this.close();
  }

  // Ends requests that will never be answered, such as canceled ones, if the client is still waiting for a body.
  abandon(): void {
    if (this.#closed || this.#waiting.size === 0) return;
    for (const id of this.#waiting) {
      this.#respond({
        jsonrpc: '2.0',
        id,
        error: { code: -32_603, message: 'The request was canceled' },
      });
    }
  }

  #openStream(): boolean {
    if (this.#stream || this.#plainSink) return true;
    const { res, live, acceptsStream, now } = this.#options;
    if (!acceptsStream || res.headersSent || res.destroyed) return false;
    const headers = this.#options.headers(this.#responses);
    if (!live) {
      this.#plainSink = openEventStream(res, headers, () => void this.close());
      return true;
    }
    const stream = addStream(live, this.#options.newStreamId(), now());
    this.#stream = stream;
    // A client may resume a lost stream, so a lost connection is not a cancellation.
    stream.sink = openEventStream(res, headers, () => {
      stream.sink = null;
    });
    if (this.polls) stream.sink.prime(eventId(stream, 0));
    return true;
  }

  #emit(message: JSONRPCMessage): void {
    const text = writeMarked(JSON.stringify(message));
    if (this.#stream) emit(this.#options.live!, this.#stream, text, this.#options.now());
    else this.#plainSink?.write(text);
  }

  #goneBeforeAnswer(): void {
    if (!this.#stream && !this.#options.res.writableFinished) void this.close();
  }
}
