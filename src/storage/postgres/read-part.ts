import { escapeLiteral, type Pool, Query } from 'pg';
import { asError } from '../../lib/thrown-errors.ts';

// What a socket is read into at once holds such a piece and what stands around it, so that the driver puts nothing together.
const pieceBytes = 60 * 1024;

// A signature with flags, the number of columns, the first column (how long the part is), the length of the second.
const signatureBytes = 19;
const partLengthAt = signatureBytes + 2 + 4;
const pieceLengthAt = partLengthAt + 4;
const headBytes = pieceLengthAt + 4;

/**
 * Makes the function that reads one part of what is kept; null when there is none. The driver makes a text of every value
 * of a row, which is twice as long as bytes are and garbage a moment later; what is copied out it hands over as it came.
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
    // After its last byte comes what ends the copy.
    const content = chunk.subarray(inHead, inHead + this.#missing);
    content.copy(this.whole!, this.#filled);
    this.#filled += content.length;
    this.#missing -= content.length;
  }

  /** A piece has come, or there was none. */
  endPiece(): void {
    if (this.#headFilled < headBytes) this.whole = null;
    this.isOver = this.whole === null || this.#filled === this.whole.length;
    if (!this.isOver && this.#filled === this.#filledBefore)
      throw new Error('A part that is kept is cut off.');
  }
}

/** Brings one piece. */
class CopyQuery extends Query {
  readonly #reading: PartReading;

  constructor(reading: PartReading, done: (error: Error | undefined | null) => void) {
    super(reading.next(), done);
    this.#reading = reading;
  }

  /** What the driver calls with what is copied out. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.#reading.take(chunk);
  }
}
