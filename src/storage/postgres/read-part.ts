import { escapeLiteral, type Pool, Query } from 'pg';
import { asError } from '../../lib/thrown-errors.ts';

// One read of a socket holds such a piece and its framing, so that the driver has nothing to join.
const pieceBytes = 60 * 1024;

// A signature with flags, the number of columns, the first column (how long the part is), the length of the second.
const signatureBytes = 19;
const partLengthAt = signatureBytes + 2 + 4;
const pieceLengthAt = partLengthAt + 4;
const headBytes = pieceLengthAt + 4;

/**
 * Returns the function that reads one part of a kept reply; null when it doesn't exist. The driver turns every value of a
 * row into text, which is twice as long as the bytes and garbage a moment later; data from `copy` it passes on unchanged.
 */
export function partReader(pool: Pool): (id: string, part: number) => Promise<Buffer | null> {
  return async (id, part) => {
    const reading = new PartReading(id, part);
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      while (!reading.isOver) {
        await new Promise<void>((resolve, reject) => {
          client.query(new CopyQuery(reading, (error) => (error ? reject(error) : resolve())));
        });
        reading.endPiece();
      }
    } catch (thrown) {
      failure = asError(thrown);
      throw failure;
    } finally {
      client.release(failure);
    }
    return reading.whole;
  };
}

/** A part that is put together from what `copy … (format binary)` sends. */
class PartReading {
  /** Null before its first piece, and when it is not there. */
  whole: Buffer | null = null;
  isOver = false;
  readonly #where: string;
  readonly #head = Buffer.alloc(headBytes);
  #headFilled = 0;
  #filled = 0;
  #filledBefore = 0;
  #missing = 0;

  constructor(id: string, part: number) {
    // A statement that copies takes no parameters.
    this.#where = `id = ${escapeLiteral(id)} and part = ${Math.trunc(part)}`;
  }

  /** The statement for its next piece. */
  next(): string {
    this.#headFilled = 0;
    this.#filledBefore = this.#filled;
    return `copy (select octet_length(content), substring(content from ${this.#filled + 1} for ${pieceBytes}) from kept_reply_parts where ${this.#where}) to stdout (format binary)`;
  }

  take(chunk: Buffer): void {
    const inHead = Math.min(headBytes - this.#headFilled, chunk.length);
    chunk.copy(this.#head, this.#headFilled, 0, inHead);
    this.#headFilled += inHead;
    if (this.#headFilled < headBytes) return;
    if (inHead > 0) {
      this.whole ??= Buffer.allocUnsafeSlow(this.#head.readInt32BE(partLengthAt));
      this.#missing = this.#head.readInt32BE(pieceLengthAt);
    }
    // Its last byte is followed by the end of the copy.
    const content = chunk.subarray(inHead, inHead + this.#missing);
    content.copy(this.whole!, this.#filled);
    this.#filled += content.length;
    this.#missing -= content.length;
  }

  /** Call this when a piece was received, or there was none. */
  endPiece(): void {
    if (this.#headFilled < headBytes) this.whole = null;
    this.isOver = this.whole === null || this.#filled === this.whole.length;
    if (!this.isOver && this.#filled === this.#filledBefore)
      throw new Error('A part that is kept is cut off.');
  }
}

/** Fetches one piece. */
class CopyQuery extends Query {
  readonly #reading: PartReading;

  constructor(reading: PartReading, done: (error: Error | undefined | null) => void) {
    super(reading.next(), done);
    this.#reading = reading;
  }

  /** Called by the driver with each chunk of copied data. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.#reading.take(chunk);
  }
}
