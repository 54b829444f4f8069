import { Readable } from 'node:stream';
import { upstreamErrors } from '../domain/error-messages/upstream.ts';
import { type HandrailError, toHandrailError } from '../domain/errors.ts';
import {
  copiesOfReply,
  largeBytes,
  type MemoryBudget,
  type Reservation,
} from '../lib/memory/memory-budget.ts';
import { batchPerTick } from '../lib/timing/batch-per-tick.ts';
import { errorCode } from '../lib/thrown-errors.ts';
import { pipelineErrors } from '../domain/error-messages/pipeline.ts';
import type { ReceivedFile } from '../pipeline/files.ts';
import type { Call, CallFiles, Cancellation } from '../pipeline/call.ts';
import type { Reply } from '../pipeline/reply/reply.ts';
import type { RequestPlan } from '../pipeline/request/request-plan.ts';
import type { ReplyHolder } from '../pipeline/send.ts';
import { maskLeaving } from '../pipeline/pii-log.ts';
import { secretsOf } from '../pipeline/request/secrets-of.ts';
import type { SignedRequest } from '../pipeline/request/signed-request.ts';
import { bodyKind } from '../pipeline/reply/media-type.ts';
import { BodyStream } from '../pipeline/request/body-stream.ts';
import { acceptedEncodings, decodeBody, decodersFor } from './decode-body.ts';
import { type Deadlines, TimedWork } from './deadlines.ts';
import { FileIntake, type Intake, PieceIntake } from './file-intake.ts';
import { sendError } from './send-error.ts';
import type { Dispatcher } from './connections/undici-parts.ts';
import type { SentOptions, UsedConnection } from './connections/used-connection.ts';

/** The reply to one request, complete and decoded. */
export interface Answer extends Reply {
  readonly body: Buffer;
}

/** The limits of one exchange. */
export interface ExchangeBounds {
  readonly firstByteTimeoutMs: number;
  readonly maxReplyBytes: number;
  /** Epoch milliseconds. */
  readonly deadlineMs: number;
  readonly signal: Cancellation;
  /** Whether the request may be sent again after it may have had an effect. */
  readonly mayRepeat: boolean;
  /** Where a body that is a file is stored, and for which call; without it every body is read into memory. */
  readonly files?: Pick<CallFiles, 'receive' | 'maxBytes'> | undefined;
  readonly call?: Call | undefined;
  /** Whose secrets are masked in such a body. */
  readonly request?: SignedRequest;
  /** Keeps the memory reserved for a large reply. */
  readonly holder?: ReplyHolder | undefined;
  /** Whether every successful reply is a file. */
  readonly onlyFiles?: boolean;
  /** Gets the chunks of a successful streaming reply, which is then not kept; throwing ends the exchange. */
  readonly onPiece?: ((piece: Uint8Array) => void) | undefined;
}

/** What sends a request: a pool of connections, or the app that Handrail is mounted in. */
export type Connections = Pick<Dispatcher, 'dispatch'>;

const empty = Buffer.alloc(0);

/** The error while so much is in progress that another large reply could exhaust the process's memory. */
export function tooManyLargeRepliesError(notSent = false): HandrailError {
  return upstreamErrors.tooManyLargeReplies({ retryAfterMs: 1_000, ...(notSent && { notSent }) });
}

/** Sends one request over a pool and collects its answer within the bounds. */
export function exchange(
  pool: Connections,
  plan: RequestPlan,
  bounds: ExchangeBounds,
  deadlines: Deadlines,
  memory: MemoryBudget,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const running = new Exchange(pool, plan, bounds, deadlines, memory, resolve, reject);
    deadlines.add(running);
    running.dispatch();
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
  if (plan.body?.content instanceof BodyStream) list.push('content-length', String(plan.body.content.length));
  if (!encoded) list.push('accept-encoding', acceptedEncodings);
  if (!named) list.push('user-agent', 'handrail');
  return list;
}

const deliver = batchPerTick((done: Exchange) => done.deliver());

class Exchange extends TimedWork implements Dispatcher.DispatchHandler {
  readonly deadlineMs: number;
  readonly signal: Cancellation;
  readonly #pool: Connections;
  readonly #options: SentOptions;
  /** Whether its body is in memory, and not a stream that can only be read once. */
  readonly #isWhole: boolean;
  readonly #mayRepeat: boolean;
  connection: UsedConnection | null = null;
  /** Whether it was sent on a connection that had been used before. */
  #isReused = false;
  #tries = 1;
  readonly #origin: string;
  readonly #maxBytes: number;
  readonly #smallBytes: number;
  readonly #bounds: ExchangeBounds;
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
  readonly #memory: MemoryBudget;
  /** Memory reserved for a large reply. */
  #reserved: Reservation | null = null;
  #hasWaited = false;
  #intake: Intake | null = null;
  #file: ReceivedFile | null = null;

  constructor(
    pool: Connections,
    plan: RequestPlan,
    bounds: ExchangeBounds,
    deadlines: Deadlines,
    memory: MemoryBudget,
    resolve: (answer: Answer) => void,
    reject: (error: HandrailError) => void,
  ) {
    super();
    const content = plan.body === null ? null : plan.body.content;
    const streams = content instanceof BodyStream;
    this.#pool = pool;
    this.#isWhole = !streams;
    this.#mayRepeat = bounds.mayRepeat && !streams;
    this.#options = {
      path: plan.target,
      method: plan.method,
      headers: wireHeaders(plan),
      body: streams ? Readable.from(content.chunks(), { objectMode: false }) : content,
      // Counted from the first byte sent, not the last: sending a file may take longer.
      headersTimeout: streams ? 0 : bounds.firstByteTimeoutMs,
      // A slow drip would reset this timer with every byte; the deadline ends it instead.
      bodyTimeout: 0,
      sentBy: this,
    };
    this.#origin = plan.origin;
    this.deadlineMs = bounds.deadlineMs;
    this.signal = bounds.signal;
    this.#maxBytes = bounds.maxReplyBytes;
    this.#smallBytes = Math.min(largeBytes, bounds.maxReplyBytes);
    this.#bounds = bounds;
    this.#deadlines = deadlines;
    this.#memory = memory;
    this.#startedAtMs = deadlines.now();
    this.#resolve = resolve;
    this.#reject = reject;
  }

  dispatch(): void {
    this.#pool.dispatch(this.#options, this);
  }

  stop(why: 'deadline' | 'cancelled'): void {
    if (why === 'deadline' && this.#hasWaited) {
      this.#fail(tooManyLargeRepliesError());
      return;
    }
    if (why === 'deadline' && this.#keepsPart('time')) return;
    this.#fail(
      why === 'cancelled'
        ? upstreamErrors.callerLeftBeforeReply(this.#details())
        : this.#status === 0
          ? upstreamErrors.noReplyInTime({ origin: this.#origin }, this.#details())
          : upstreamErrors.replyIncompleteInTime({ origin: this.#origin }, this.#details()),
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It ended while waiting for a connection, so it must not be sent anymore.
    if (this.#settled) {
      controller.abort(new Error('ended before it was sent'));
      return;
    }
    this.#sent = true;
    if (this.connection !== null) this.#isReused = this.connection.uses++ > 0;
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
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- joined above, and undici never sets undefined
    this.#headers = headers as Record<string, string>;
    const length = Number(this.#headers['content-length']);
    const { onPiece, onlyFiles } = this.#bounds;
    if ((length > this.#maxBytes || onlyFiles) && !this.#headers['content-encoding']) {
      const maxFileBytes = this.#maxFileBytes();
      if (maxFileBytes > 0 && length > maxFileBytes)
        this.#fail(pipelineErrors.fileTooLarge({ maxBytes: maxFileBytes }));
      else if (maxFileBytes === 0 && length > this.#maxBytes)
        this.#fail(upstreamErrors.replyTooLarge({ maxBytes: this.#maxBytes }));
    }
    if (onPiece !== undefined && status < 300 && isStream(this.#headers) && !headers['content-encoding'])
      this.#intake = new PieceIntake(onPiece, this.#maxBytes, (error) => this.#fail(error));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#intake !== null) this.#intake.take(chunk);
    else if (this.#bytes > this.#smallBytes && this.#takesLarge(chunk)) return;
    else if (this.#first === empty) this.#first = chunk;
    else (this.#more ??= [this.#first]).push(chunk);
  }

  /** Handles a chunk beyond the size of most replies; true if it must not be kept in memory. */
  #takesLarge(chunk: Buffer): boolean {
    if (this.#settled) return true;
    if (this.#bytes > this.#fileThreshold(chunk)) {
      this.#beginFile();
      this.#intake?.take(chunk);
      return true;
    }
    if (this.#bytes > this.#maxBytes) {
      this.#bytes -= chunk.length;
      if (!this.#keepsPart('size')) this.#fail(upstreamErrors.replyTooLarge({ maxBytes: this.#maxBytes }));
      return true;
    }
    if (this.#reserved !== null || this.#reserve()) return false;
    this.#fail(tooManyLargeRepliesError());
    return true;
  }

  /** The maximum size if this reply is a file; 0 if it cannot be a file. */
  #maxFileBytes(): number {
    const { files, call } = this.#bounds;
    if (files === undefined || call === undefined || this.#status < 200 || this.#status > 299) return 0;
    return bodyKind(this.#headers['content-type'], empty) === 'text' && !this.#bounds.onlyFiles
      ? 0
      : files.maxBytes;
  }

  /** The size from which the reply is treated as a file; what may be text stays text as long as possible. */
  #fileThreshold(chunk: Buffer): number {
    if (this.#maxFileBytes() === 0) return Infinity;
    if (this.#bounds.onlyFiles) return 0;
    // The first bytes of compressed data reveal nothing.
    const start = this.#headers['content-encoding'] === undefined ? this.#startOr(chunk) : empty;
    const kind = bodyKind(this.#headers['content-type'], start);
    if (kind === 'text') return Infinity;
    return kind === 'bytes' ? Math.min(fileFromBytes, this.#maxBytes) : this.#maxBytes;
  }

  #startOr(chunk: Buffer): Buffer {
    return this.#first === empty ? chunk : this.#first;
  }

  /** From now on the body goes into the store, starting with what has already arrived. */
  #beginFile(): void {
    const { files, call, request, holder } = this.#bounds;
    const pieces = this.#more ?? [this.#first];
    try {
      const decoders = decodersFor(this.#headers['content-encoding'], this.#first);
      this.#intake = new FileIntake(
        () => files!.receive(call!, maskLeaving(secretsOf(call!.tool, request ?? null), holder?.pii ?? null)),
        decoders,
        {
          pause: () => this.#controller?.pause(),
          resume: () => this.#controller?.resume(),
          fail: (error) => this.#fail(intakeError(error)),
        },
      );
    } catch (error) {
      this.#fail(toHandrailError(error));
      return;
    }
    for (const piece of pieces) this.#intake.take(piece);
    this.#more = null;
    this.#first = empty;
    this.#release();
  }

  async #succeedWithFile(): Promise<void> {
    try {
      this.#file = await this.#intake!.end();
      this.#succeed(empty);
    } catch (error) {
      this.#fail(intakeError(error));
    }
  }

  onResponseEnd(
    _controller?: Dispatcher.DispatchController,
    trailers?: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#settled) return;
    if (trailers !== undefined) this.#takeTrailers(trailers);
    if (this.#intake === null && this.#bounds.onlyFiles && this.#maxFileBytes() > 0) this.#beginFile();
    if (this.#intake !== null) {
      void this.#succeedWithFile();
      return;
    }
    const body = this.#more === null ? this.#first : Buffer.concat(this.#more, this.#bytes);
    const encoding = this.#headers['content-encoding'];
    if (encoding === undefined) this.#succeed(body);
    else void this.#succeedDecoded(body, encoding);
  }

  /** gRPC sends its status after the body; other trailers say nothing that a reply needs. */
  #takeTrailers(trailers: Record<string, string | string[] | undefined>): void {
    for (const name of ['grpc-status', 'grpc-message']) {
      const value = trailers[name];
      if (typeof value === 'string') this.#headers = { ...this.#headers, [name]: value };
    }
  }

  async #succeedDecoded(body: Buffer, encoding: string): Promise<void> {
    try {
      this.#succeed(await decodeBody(body, encoding, this.#maxBytes, this.#cut !== null));
    } catch (error) {
      const refused = toHandrailError(error);
      // A few compressed bytes can be a large file, if the content type says so.
      const isFile = this.#maxFileBytes() > 0 && bodyKind(this.#headers['content-type'], empty) === 'bytes';
      if (refused.code !== 'reply_too_large' || !isFile) this.#fail(refused);
      else {
        this.#more = [body];
        this.#beginFile();
        await this.#succeedWithFile();
      }
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    // A reply we truncated ourselves also ends here, while its part may still be decoded.
    if (this.#cut !== null) return;
    if (this.#hitClosedConnection(error)) {
      this.#tries++;
      this.#sent = false;
      this.#controller = null;
      // Wait until the lost connection is cleaned up, and don't send for a caller who left in the meantime.
      queueMicrotask(() => {
        if (!this.#settled) this.dispatch();
      });
    } else this.#fail(sendError(error, this.#origin, this.#sent));
  }

  /**
   * Whether the server closed a kept-alive connection just as this was sent on it, and nothing came back. That is not a
   * failure, and a repeatable request is repeated (RFC 9112 section 9.3.1). A request that was not sent yet may always be
   * repeated: undici checks a connection for one tick before reusing it, and a reset in that tick fails the waiting request.
   * Other connections of the same age may be closed too.
   */
  #hitClosedConnection(error: Error): boolean {
    const wasSafe = this.#sent
      ? this.#mayRepeat && this.#isReused
      : this.#isWhole && this.#waitedForReusedConnection();
    return (
      wasSafe &&
      this.#status === 0 &&
      !this.#settled &&
      this.#tries < maxTries &&
      closedCodes.has(errorCode(error) ?? '')
    );
  }

  #waitedForReusedConnection(): boolean {
    return this.connection !== null && this.connection.uses > 0;
  }

  /** Completes with what has arrived of a stream that may never end, and aborts it; false for any other reply. */
  #keepsPart(cut: 'time' | 'size'): boolean {
    if (this.#bounds.onPiece !== undefined) return false;
    if (this.#settled || this.#bytes === 0 || this.#status > 299 || !isStream(this.#headers)) return false;
    this.#cut = cut;
    this.onResponseEnd();
    if (this.#controller !== null && !this.#controller.aborted)
      this.#controller.abort(new Error('enough of the stream has arrived'));
    return true;
  }

  /** Reserves memory for the whole reply, and pauses reading until it is granted; false if too many are waiting. */
  #reserve(): boolean {
    if (this.#memory.isFull) return false;
    const length = Number(this.#headers['content-length']);
    // Without a known decoded length, assume the maximum.
    const isKnown = this.#headers['content-encoding'] === undefined && length <= this.#maxBytes;
    this.#reserved = this.#memory.reserve(copiesOfReply * (isKnown ? length : this.#maxBytes), () =>
      this.#controller?.resume(),
    );
    this.#hasWaited = this.#reserved.isWaiting;
    if (this.#hasWaited) this.#controller?.pause();
    return true;
  }

  #release(): void {
    this.#reserved?.release();
    this.#reserved = null;
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
    deliver(this);
  }

  /** Resolves with the answer. */
  deliver(): void {
    const { holder } = this.#bounds;
    if (this.#reserved !== null && holder !== undefined && this.#file === null) {
      this.#reserved.take(copiesOfReply * this.#first.length);
      // The call owns the reservation from here; another attempt of the same call replaces it.
      holder.held?.release();
      holder.held = this.#reserved;
    } else this.#release();
    const answer = {
      status: this.#status,
      headers: this.#headers,
      body: this.#first,
      tries: this.#tries,
      cached: false,
      upstreamMs: this.#upstreamMs,
    };
    if (this.#file !== null) this.#resolve({ ...answer, file: this.#file });
    else this.#resolve(this.#cut === null ? answer : { ...answer, cut: this.#cut });
  }

  #fail(error: HandrailError): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#deadlines.delete(this);
    this.#release();
    this.#reject(error);
    this.#more = null;
    if (this.#controller !== null && !this.#controller.aborted) this.#controller.abort(error);
    this.#intake?.abandon(error);
  }
}

const closedCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_INFO']);
const maxTries = 5;

// Smaller replies stay in memory; they include pictures that a model can look at.
const fileFromBytes = 1024 * 1024;

function intakeError(error: unknown): HandrailError {
  return error instanceof Error && 'errno' in error && errorCode(error)?.startsWith('Z_') === true
    ? upstreamErrors.fileNotDecompressable({}, { cause: error })
    : toHandrailError(error);
}

const streams =
  /^(?:text\/(?!html)|multipart\/x-mixed-replace|application\/(?:[a-z.-]{0,40}ndjson|jsonl|json-seq|[a-z.-]{0,40}stream\+json))/i;

/** Whether a reply is a stream of self-contained records of unknown length. */
function isStream(headers: Readonly<Record<string, string>>): boolean {
  return headers['content-length'] === undefined && streams.test(headers['content-type'] ?? '');
}
