import { Duplex, PassThrough, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { asError } from '../lib/thrown-errors.ts';
import type { FileSink, ReceivedFile } from '../pipeline/files.ts';
import { type HandrailError, toHandrailError } from '../domain/errors.ts';
import { tooLarge } from './decode-body.ts';

/** Who sends the bytes of a file, and can be asked to wait. */
interface Sender {
  pause(): void;
  resume(): void;
  /** Hears why it cannot be taken in. */
  fail(error: Error): void;
}

const startBytes = 16;
// What waits for the store, beside the part that is being filled.
const maxWaiting = 256 * 1024;

/** Brings a reply's body into the store while it comes, as fast as the store takes it. */
export class FileIntake {
  readonly #into: Transform;
  readonly #sender: Sender;
  readonly #sink: Promise<FileSink>;
  readonly #done: Promise<void>;
  #start: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #isPaused = false;

  /** `decoders` undo what the body is packed in, outermost first. */
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

  /** Takes what has come; whoever sends is asked to wait when that is more than can be written at once. */
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

  /** Lets go of what has come so far. */
  abandon(why: Error): void {
    this.#into.destroy(why);
    void this.#discard();
  }

  async #discard(): Promise<void> {
    // How it ended was told to the sender; what cannot be taken away now goes when its time is over.
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

/** Where the body of a reply goes while it comes, instead of being kept. */
export interface Intake {
  take(chunk: Uint8Array): void;
  /** Waits until all of it was taken; null when no file came of it. */
  end(): Promise<ReceivedFile | null>;
  abandon(why: Error): void;
}

/** Hands a reply on piece by piece, up to a size. */
export class PieceIntake implements Intake {
  readonly #hand: (piece: Uint8Array) => void;
  readonly #maxBytes: number;
  readonly #fail: (error: HandrailError) => void;
  #bytes = 0;
  #isOver = false;

  constructor(hand: (piece: Uint8Array) => void, maxBytes: number, fail: (error: HandrailError) => void) {
    this.#hand = hand;
    this.#maxBytes = maxBytes;
    this.#fail = fail;
  }

  take(chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) {
      this.#fail(tooLarge(this.#maxBytes));
      return;
    }
    try {
      this.#hand(chunk);
    } catch (error) {
      this.#fail(toHandrailError(error));
    }
  }

  end(): Promise<null> {
    return Promise.resolve(null);
  }

  abandon(): void {
    this.#isOver = true;
  }
}
