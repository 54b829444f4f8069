import { createHash } from 'node:crypto';
import type { ReadableFile } from '../files.ts';

/** A piece of a body: bytes in memory, or a file that is read while it is sent. */
export type BodyPiece = Uint8Array | ReadableFile;

/** A body that contains files: it is read in chunks each time it is sent, and never loaded as a whole. */
export class BodyStream {
  /** In bytes. */
  readonly length: number;
  readonly #pieces: readonly BodyPiece[];
  #sha256: string | null;

  constructor(pieces: readonly BodyPiece[]) {
    this.#pieces = pieces;
    this.length = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);
    const [only] = pieces;
    this.#sha256 = pieces.length === 1 && only !== undefined && !isBytes(only) ? only.sha256 : null;
  }

  async *chunks(): AsyncGenerator<Uint8Array, void> {
    for (const piece of this.#pieces) {
      if (isBytes(piece)) yield piece;
      else yield* piece.chunks();
    }
  }

  /** Reads it once to compute the hash that gets signed. */
  async hash(): Promise<void> {
    if (this.#sha256 !== null) return;
    const hash = createHash('sha256');
    for await (const chunk of this.chunks()) hash.update(chunk);
    this.#sha256 = hash.digest('hex');
  }

  /** Its hash in hexadecimal; null until `hash` has run. */
  get sha256(): string | null {
    return this.#sha256;
  }
}

function isBytes(piece: BodyPiece): piece is Uint8Array {
  return piece instanceof Uint8Array;
}

function lengthOf(piece: BodyPiece): number {
  return isBytes(piece) ? piece.length : piece.bytes;
}
