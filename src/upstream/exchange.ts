import { Readable } from 'node:stream';
import { HandrailError, toHandrailError } from '../domain/errors.ts';
import {
  copiesOfReply,
  largeBytes,
  type MemoryBudget,
  type Reservation,
} from '../lib/memory/memory-budget.ts';
import { eachTurn } from '../lib/timing/each-turn.ts';
import { errorCode } from '../lib/thrown-errors.ts';
import { pipelineErrors } from '../domain/error-messages/pipeline.ts';
import type { ReceivedFile } from '../pipeline/files.ts';
import type { Call, CallFiles, Cancellation } from '../pipeline/call.ts';
import type { Reply } from '../pipeline/reply/reply.ts';
import type { RequestPlan } from '../pipeline/request/request-plan.ts';
import type { ReplyHolder } from '../pipeline/send.ts';
import { bodyKind } from '../pipeline/reply/media-type.ts';
import { BodyStream } from '../pipeline/request/body-stream.ts';
import { acceptedEncodings, decodeBody, decodersFor, tooLarge } from './decode-body.ts';
import { type Deadlines, TimedWork } from './deadlines.ts';
import { FileIntake, type Intake, PieceIntake } from './file-intake.ts';
import { sendError } from './send-error.ts';
import type { Dispatcher } from './connections/undici-parts.ts';
import type { SentOptions, UsedConnection } from './connections/used-connection.ts';

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
  readonly signal: Cancellation;
  /** Whether the request may be sent again after it may have had an effect. */
  readonly mayRepeat: boolean;
  /** Where a body goes that is a file, and for which call; without it every body is read. */
  readonly files?: Pick<CallFiles, 'receive' | 'maxBytes'> | undefined;
  readonly call?: Call | undefined;
  /** Keeps what is set aside for a large reply. */
  readonly holder?: ReplyHolder | undefined;
  /** Whether every good reply is a file. */
  readonly onlyFiles?: boolean;
  /** Is given a good reply that is a stream while it comes, instead of keeping it; what it throws ends the exchange. */
  readonly onPiece?: ((piece: Uint8Array) => void) | undefined;
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

const handOver = eachTurn((done: Exchange) => done.handOver());

class Exchange extends TimedWork implements Dispatcher.DispatchHandler {
  readonly deadlineMs: number;
  readonly signal: Cancellation;
  readonly #pool: Dispatcher;
  readonly #options: SentOptions;
  /** Whether its body is at hand, and not a stream that is read once. */
  readonly #isWhole: boolean;
  readonly #mayRepeat: boolean;
  connection: UsedConnection | null = null;
  /** Whether it was sent by a connection that had been used before. */
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
  /** What is set aside for a large reply. */
  #reserved: Reservation | null = null;
  #hasWaited = false;
  #intake: Intake | null = null;
  #file: ReceivedFile | null = null;

  constructor(
    pool: Dispatcher,
    plan: RequestPlan,
    bounds: ExchangeBounds,
    deadlines: Deadlines,
    memory: MemoryBudget,
    resolve: (answer: Answer) => void,
    reject: (error: HandrailError) => void,
  ) {
    super();
    const content = plan.body === null ? null : plan.body.content;
    const isStream = content instanceof BodyStream;
    this.#pool = pool;
    this.#isWhole = !isStream;
    this.#mayRepeat = bounds.mayRepeat && !isStream;
    this.#options = {
      path: plan.target,
      method: plan.method,
      headers: wireHeaders(plan),
      body: isStream ? Readable.from(content.chunks(), { objectMode: false }) : content,
      // Counted from the first byte that is sent, not from the last: a file may take longer than that.
      headersTimeout: isStream ? 0 : bounds.firstByteTimeoutMs,
      // A slow drip resets this timer with each byte: the deadline is what ends it.
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
      this.#fail(noRoom());
      return;
    }
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
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- joined above, and undici sets none to undefined
    this.#headers = headers as Record<string, string>;
    const length = Number(this.#headers['content-length']);
    const { onPiece, onlyFiles } = this.#bounds;
    if ((length > this.#maxBytes || onlyFiles) && !this.#headers['content-encoding']) {
      const longest = this.#filesEndAt();
      if (longest > 0 && length > longest) this.#fail(pipelineErrors.fileTooLarge({ maxBytes: longest }));
      else if (longest === 0 && length > this.#maxBytes) this.#fail(tooLarge(this.#maxBytes));
    }
    if (onPiece !== undefined && status < 300 && isStream(this.#headers) && !headers['content-encoding'])
      this.#intake = new PieceIntake(onPiece, this.#maxBytes, (error) => this.#fail(error));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#intake !== null) this.#intake.take(chunk);
    else if (this.#bytes > this.#smallBytes && this.#tookLarge(chunk)) return;
    else if (this.#first === empty) this.#first = chunk;
    else (this.#more ??= [this.#first]).push(chunk);
  }

  /** What happens to more than most replies have: true when it went elsewhere, or nowhere. */
  #tookLarge(chunk: Buffer): boolean {
    if (this.#settled) return true;
    if (this.#bytes > this.#fileFrom(chunk)) {
      this.#beginFile();
      this.#intake?.take(chunk);
      return true;
    }
    if (this.#bytes > this.#maxBytes) {
      this.#bytes -= chunk.length;
      if (!this.#keptPart('size')) this.#fail(tooLarge(this.#maxBytes));
      return true;
    }
    if (this.#reserved !== null || this.#reserve()) return false;
    this.#fail(noRoom());
    return true;
  }

  /** The largest file that this reply may be; 0 when it can be none. */
  #filesEndAt(): number {
    const { files, call } = this.#bounds;
    if (files === undefined || call === undefined || this.#status < 200 || this.#status > 299) return 0;
    return bodyKind(this.#headers['content-type'], empty) === 'text' && !this.#bounds.onlyFiles
      ? 0
      : files.maxBytes;
  }

  /** From how many bytes on the reply is a file; what may be a text after all stays one as long as it can. */
  #fileFrom(chunk: Buffer): number {
    if (this.#filesEndAt() === 0) return Infinity;
    if (this.#bounds.onlyFiles) return 0;
    // What is packed tells nothing by its first bytes.
    const start = this.#headers['content-encoding'] === undefined ? this.#startOr(chunk) : empty;
    const kind = bodyKind(this.#headers['content-type'], start);
    if (kind === 'text') return Infinity;
    return kind === 'bytes' ? Math.min(fileFromBytes, this.#maxBytes) : this.#maxBytes;
  }

  #startOr(chunk: Buffer): Buffer {
    return this.#first === empty ? chunk : this.#first;
  }

  /** From now on what comes goes into the store, after what has come. */
  #beginFile(): void {
    const { files, call } = this.#bounds;
    const pieces = this.#more ?? [this.#first];
    try {
      const decoders = decodersFor(this.#headers['content-encoding'], this.#first);
      this.#intake = new FileIntake(() => files!.receive(call!), decoders, {
        pause: () => this.#controller?.pause(),
        resume: () => this.#controller?.resume(),
        fail: (error) => this.#fail(intakeError(error)),
      });
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

  onResponseEnd(): void {
    if (this.#settled) return;
    if (this.#intake === null && this.#bounds.onlyFiles && this.#filesEndAt() > 0) this.#beginFile();
    if (this.#intake !== null) {
      void this.#succeedWithFile();
      return;
    }
    const body = this.#more === null ? this.#first : Buffer.concat(this.#more, this.#bytes);
    const encoding = this.#headers['content-encoding'];
    if (encoding === undefined) this.#succeed(body);
    else void this.#succeedDecoded(body, encoding);
  }

  async #succeedDecoded(body: Buffer, encoding: string): Promise<void> {
    try {
      this.#succeed(await decodeBody(body, encoding, this.#maxBytes, this.#cut !== null));
    } catch (error) {
      const refused = toHandrailError(error);
      // A few packed bytes can be a large file, if that is what they are called.
      const isFile = this.#filesEndAt() > 0 && bodyKind(this.#headers['content-type'], empty) === 'bytes';
      if (refused.code !== 'reply_too_large' || !isFile) this.#fail(refused);
      else {
        this.#more = [body];
        this.#beginFile();
        await this.#succeedWithFile();
      }
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    // What we cut off ourselves ends so too, while its part may still be decoded.
    if (this.#cut !== null) return;
    if (this.#metAClosedConnection(error)) {
      this.#tries++;
      this.#sent = false;
      this.#controller = null;
      // Not while the connection that went is still being cleared away, and not for a caller who has left meanwhile.
      queueMicrotask(() => {
        if (!this.#settled) this.dispatch();
      });
    } else this.#fail(sendError(error, this.#origin, this.#sent));
  }

  /**
   * Whether the other side closed a kept connection just as this was sent by it, and nothing came back: nobody's failure, and
   * what may be repeated is (RFC 9112 section 9.3.1). What has not left yet may be anything: a connection is looked at for
   * one turn before it is used again, and a reset in that turn fails who waits for it. Others that were kept as long may be
   * closed too.
   */
  #metAClosedConnection(error: Error): boolean {
    const wasSafe = this.#sent
      ? this.#mayRepeat && this.#isReused
      : this.#isWhole && this.#waitedForAKeptOne();
    return (
      wasSafe &&
      this.#status === 0 &&
      !this.#settled &&
      this.#tries < maxTries &&
      closedCodes.has(errorCode(error) ?? '')
    );
  }

  #waitedForAKeptOne(): boolean {
    return this.connection !== null && this.connection.uses > 0;
  }

  /** Answers with what has come of a stream that may never end, and lets go of it; false for any other reply. */
  #keptPart(cut: 'time' | 'size'): boolean {
    if (this.#bounds.onPiece !== undefined) return false;
    if (this.#settled || this.#bytes === 0 || this.#status > 299 || !isStream(this.#headers)) return false;
    this.#cut = cut;
    this.onResponseEnd();
    if (this.#controller !== null && !this.#controller.aborted)
      this.#controller.abort(new Error('as much of the stream as was wanted has come'));
    return true;
  }

  /** Sets memory aside for all of the reply, and reads on once there is some; false when too many wait for that. */
  #reserve(): boolean {
    if (this.#memory.isFull) return false;
    const length = Number(this.#headers['content-length']);
    // What is packed, or does not say how long it is, may become as long as a reply can be.
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
    handOver(this);
  }

  /** Gives the answer to whoever waits for it. */
  handOver(): void {
    const { holder } = this.#bounds;
    if (this.#reserved !== null && holder !== undefined && this.#file === null) {
      this.#reserved.take(copiesOfReply * this.#first.length);
      // The call works on the reply from here; a further attempt of the call replaces this one.
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

// Smaller ones are held in memory: pictures that a model can look at are among them.
const fileFromBytes = 1024 * 1024;

function intakeError(error: unknown): HandrailError {
  return error instanceof Error && 'errno' in error && errorCode(error)?.startsWith('Z_') === true
    ? new HandrailError('reply_invalid', 'The reply cannot be decompressed.', {}, { cause: error })
    : toHandrailError(error);
}

const streams =
  /^(?:text\/(?!html)|multipart\/x-mixed-replace|application\/(?:[a-z.-]{0,40}ndjson|jsonl|json-seq|[a-z.-]{0,40}stream\+json))/i;

/** Whether a reply is a stream of pieces that each mean something, whose length nobody has said. */
function isStream(headers: Readonly<Record<string, string>>): boolean {
  return headers['content-length'] === undefined && streams.test(headers['content-type'] ?? '');
}
