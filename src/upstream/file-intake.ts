import { Duplex, PassThrough, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { asError } from '../lib/thrown-errors.ts';
import type { FileSink, ReceivedFile } from '../pipeline/files.ts';
import { type HandrailError, toHandrailError } from '../domain/errors.ts';
import { upstreamErrors } from '../domain/error-messages/upstream.ts';

/** The source of a file's bytes, which can be paused. */
interface Sender {
  pause(): void;
  resume(): void;
  /** Called with the reason if the file cannot be received. */
  fail(error: Error): void;
}

const startBytes = 16;
// Bytes that may wait for the store, in addition to the part being filled.
const maxWaiting = 256 * 1024;

/** Streams a reply's body into the store, as fast as the store accepts it. */
export class FileIntake {
  readonly #into: Transform;
  readonly #sender: Sender;
  readonly #sink: Promise<FileSink>;
  readonly #done: Promise<void>;
  #start: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #isPaused = false;

  /** `decoders` decompress the body, outermost first. */
  constructor(open: () => Promise<FileSink>, decoders: readonly Transform[], sender: Sender) {
    this.#sender = sender;
    this.#sink = open();
    this.#into = new PassThrough({ highWaterMark: maxWaiting });
    this.#into.on('drain', () => {
      if (!this.#isPaused) return;
      this.#isPaused = false;
      sender.resume();
    });
    const store = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
      for await (const chunk of chunks) await this.#store(chunk);
    };
    this.#done = pipeline([this.#into, ...decoders, Duplex.from(store)]);
    this.#done.catch((error: unknown) => sender.fail(asError(error)));
  }

  /** Takes a chunk; pauses the sender if the store can't keep up. */
  take(chunk: Uint8Array): void {
    if (this.#into.destroyed || this.#into.write(chunk) || this.#isPaused) return;
    this.#isPaused = true;
    this.#sender.pause();
  }

  /** Waits until all of it is written. */
  async end(): Promise<ReceivedFile> {
    this.#into.end();
    await this.#done;
    return { start: this.#start, bytes: this.#bytes, sink: await this.#sink };
  }

  /** Discards what has arrived so far. */
  abandon(why: Error): void {
    this.#into.destroy(why);
    void this.#discard();
  }

  async #discard(): Promise<void> {
    // The sender already knows why it ended; what cannot be removed now is removed when it expires.
    await Promise.allSettled([this.#done]);
    const [sink] = await Promise.allSettled([this.#sink]);
    if (sink.status === 'fulfilled') await Promise.allSettled([sink.value.discard()]);
  }

  async #store(chunk: Buffer): Promise<void> {
    if (this.#start.length < startBytes)
      this.#start = Buffer.concat([this.#start, chunk.subarray(0, startBytes - this.#start.length)]);
    this.#bytes += chunk.length;
    await (await this.#sink).write(chunk);
  }
}

/** Consumes the body of a reply as it arrives, instead of keeping it in memory. */
export interface Intake {
  take(chunk: Uint8Array): void;
  /** Waits until all of it is consumed; null if it is not a file. */
  end(): Promise<ReceivedFile | null>;
  abandon(why: Error): void;
}

/** Passes on a reply chunk by chunk, up to a maximum size. */
export class PieceIntake implements Intake {
  readonly #onChunk: (piece: Uint8Array) => void;
  readonly #maxBytes: number;
  readonly #fail: (error: HandrailError) => void;
  #bytes = 0;
  #isAbandoned = false;

  constructor(onChunk: (piece: Uint8Array) => void, maxBytes: number, fail: (error: HandrailError) => void) {
    this.#onChunk = onChunk;
    this.#maxBytes = maxBytes;
    this.#fail = fail;
  }

  take(chunk: Uint8Array): void {
    if (this.#isAbandoned) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) {
      this.#fail(upstreamErrors.replyTooLarge({ maxBytes: this.#maxBytes }));
      return;
    }
    try {
      this.#onChunk(chunk);
    } catch (error) {
      this.#fail(toHandrailError(error));
    }
  }

  end(): Promise<null> {
    return Promise.resolve(null);
  }

  abandon(): void {
    this.#isAbandoned = true;
  }
}
