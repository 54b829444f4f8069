import { type HandrailError, toHandrailError } from '../domain/errors.ts';
import type { ReceivedFile } from '../pipeline/files.ts';
import { tooLarge } from './decode-body.ts';

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
