import { HandrailError, toHandrailError } from '../domain/errors.ts';
import { bytesUnderWay, largeBytes } from '../lib/memory/bytes-under-way.ts';
import { eachTurn } from '../lib/timing/each-turn.ts';
import type { Hangup, Reply, RequestPlan } from '../pipeline/types.ts';
import { acceptedEncodings, decodeBody, tooLarge } from './decode-body.ts';
import { type Deadlines, TimedWork } from './deadlines.ts';
import { sendError } from './send-error.ts';
import type { Dispatcher } from './connections/undici-parts.ts';

/** What one request brought, complete and decoded. */
export interface Answer extends Reply {
  readonly body: Buffer;
}

/** The bounds of one exchange. */
export interface ExchangeBounds {
  readonly firstByteTimeoutMs: number;
  readonly maxReplyBytes: number;
  /** Epoch milliseconds. */
  readonly deadlineMs: number;
  readonly signal: Hangup;
}

const empty = Buffer.alloc(0);

/** Refusal while so much is under way that another large reply could end the process. */
export function noRoom(notSent = false): HandrailError {
  return new HandrailError(
    'overloaded',
    'Too many large replies are under way at this moment. Wait a second and call again, or ask for less at once.',
    { retryAfterMs: 1_000, ...(notSent && { notSent }) },
  );
}

/** Sends one request over a pool and collects its answer within the bounds. */
export function exchange(
  pool: Dispatcher,
  plan: RequestPlan,
  bounds: ExchangeBounds,
  deadlines: Deadlines,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const running = new Exchange(plan.origin, bounds, deadlines, resolve, reject);
    deadlines.add(running);
    pool.dispatch(
      {
        path: plan.target,
        method: plan.method,
        headers: wireHeaders(plan),
        body: plan.body === null ? null : plan.body.content,
        headersTimeout: bounds.firstByteTimeoutMs,
        // A slow drip resets this timer with each byte: the deadline is what ends it.
        bodyTimeout: 0,
      },
      running,
    );
  });
}

function wireHeaders(plan: RequestPlan): string[] {
  const list: string[] = [];
  let typed = plan.body === null;
  let encoded = false;
  let named = false;
  for (const name in plan.headers) {
    if (name === 'content-type') typed = true;
    else if (name === 'accept-encoding') encoded = true;
    else if (name === 'user-agent') named = true;
    list.push(name, plan.headers[name]!);
  }
  if (!typed) list.push('content-type', plan.body!.contentType);
  if (!encoded) list.push('accept-encoding', acceptedEncodings);
  if (!named) list.push('user-agent', 'handrail');
  return list;
}

const handOver = eachTurn((done: Exchange) => done.handOver());

class Exchange extends TimedWork implements Dispatcher.DispatchHandler {
  readonly deadlineMs: number;
  readonly signal: Hangup;
  readonly #origin: string;
  readonly #maxBytes: number;
  readonly #deadlines: Deadlines;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: HandrailError) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #sent = false;
  #status = 0;
  readonly #startedAtMs: number;
  #headers: Record<string, string> = {};
  #first: Buffer = empty;
  #more: Buffer[] | null = null;
  #bytes = 0;
  #upstreamMs = 0;
  #cut: 'time' | 'size' | null = null;
  /** How much of it counts as under way. */
  #held = 0;

  constructor(
    origin: string,
    bounds: ExchangeBounds,
    deadlines: Deadlines,
    resolve: (answer: Answer) => void,
    reject: (error: HandrailError) => void,
  ) {
    super();
    this.#origin = origin;
    this.deadlineMs = bounds.deadlineMs;
    this.signal = bounds.signal;
    this.#maxBytes = bounds.maxReplyBytes;
    this.#deadlines = deadlines;
    this.#startedAtMs = deadlines.now();
    this.#resolve = resolve;
    this.#reject = reject;
  }

  stop(why: 'deadline' | 'cancelled'): void {
    if (why === 'deadline' && this.#keptPart('time')) return;
    this.#fail(
      why === 'cancelled'
        ? new HandrailError(
            'cancelled',
            'The caller went away before the upstream answered.',
            this.#details(),
          )
        : new HandrailError(
            'upstream_timeout',
            this.#status === 0
              ? `${this.#origin} did not answer in time.`
              : `${this.#origin} began to answer, but its answer was not complete in time.`,
            this.#details(),
          ),
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Its end came while it waited for a connection: it must not leave any more.
    if (this.#settled) controller.abort(new Error('ended before it was sent'));
    else this.#sent = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    // Several lines of one name may be joined by a comma (RFC 9110 section 5.3).
    for (const name in headers) {
      const value = headers[name];
      if (typeof value === 'object') headers[name] = value.join(', ');
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- joined above, and undici sets none to undefined
    this.#headers = headers as Record<string, string>;
    if (Number(this.#headers['content-length']) > this.#maxBytes && !this.#headers['content-encoding']) {
      this.#fail(tooLarge(this.#maxBytes));
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) {
      this.#bytes -= chunk.length;
      if (!this.#keptPart('size')) this.#fail(tooLarge(this.#maxBytes));
    } else if (this.#bytes > largeBytes && !this.#hold()) this.#fail(noRoom());
    else if (this.#first === empty) this.#first = chunk;
    else (this.#more ??= [this.#first]).push(chunk);
  }

  onResponseEnd(): void {
    if (this.#settled) return;
    const body = this.#more === null ? this.#first : Buffer.concat(this.#more, this.#bytes);
    const encoding = this.#headers['content-encoding'];
    if (encoding === undefined) this.#succeed(body);
    else void this.#succeedDecoded(body, encoding);
  }

  async #succeedDecoded(body: Buffer, encoding: string): Promise<void> {
    try {
      this.#succeed(await decodeBody(body, encoding, this.#maxBytes, this.#cut !== null));
    } catch (error) {
      this.#fail(toHandrailError(error));
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    // What we cut off ourselves ends so too, while its part may still be decoded.
    if (this.#cut === null) this.#fail(sendError(error, this.#origin, this.#sent));
  }

  /** Answers with what has come of a stream that may never end, and lets go of it; false for any other reply. */
  #keptPart(cut: 'time' | 'size'): boolean {
    if (this.#settled || this.#bytes === 0 || this.#status > 299 || !isStream(this.#headers)) return false;
    this.#cut = cut;
    this.onResponseEnd();
    if (this.#controller !== null && !this.#controller.aborted)
      this.#controller.abort(new Error('as much of the stream as was wanted has come'));
    return true;
  }

  /** Counts what has come in; false when there is no room for more of it. */
  #hold(): boolean {
    bytesUnderWay.add(this.#bytes - this.#held);
    this.#held = this.#bytes;
    return bytesUnderWay.used <= bytesUnderWay.most;
  }

  #release(): void {
    if (this.#held === 0) return;
    bytesUnderWay.give(this.#held);
    this.#held = 0;
  }

  #details(): { notSent?: true } {
    return this.#sent ? {} : { notSent: true };
  }

  #succeed(body: Buffer): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#deadlines.delete(this);
    if (this.#headers['content-encoding'] !== undefined) {
      delete this.#headers['content-encoding'];
      delete this.#headers['content-length'];
    }
    this.#upstreamMs = this.#deadlines.now() - this.#startedAtMs;
    this.#first = body;
    handOver(this);
  }

  /** Gives the answer to whoever waits for it. */
  handOver(): void {
    this.#release();
    const answer = {
      status: this.#status,
      headers: this.#headers,
      body: this.#first,
      tries: 1,
      cached: false,
      upstreamMs: this.#upstreamMs,
    };
    this.#resolve(this.#cut === null ? answer : { ...answer, cut: this.#cut });
  }

  #fail(error: HandrailError): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#deadlines.delete(this);
    this.#release();
    this.#reject(error);
    this.#more = null;
    if (this.#controller !== null && !this.#controller.aborted) this.#controller.abort(error);
  }
}

const streams =
  /^(?:text\/(?!html)|multipart\/x-mixed-replace|application\/(?:[a-z.-]{0,40}ndjson|jsonl|json-seq|[a-z.-]{0,40}stream\+json))/i;

/** Whether a reply is a stream of pieces that each mean something, whose length nobody has said. */
function isStream(headers: Readonly<Record<string, string>>): boolean {
  return headers['content-length'] === undefined && streams.test(headers['content-type'] ?? '');
}
