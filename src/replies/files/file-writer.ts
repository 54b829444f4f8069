import { createHash } from 'node:crypto';
import { HandrailError } from '../../domain/errors.ts';
import type { MemoryBudget } from '../../lib/memory/memory-budget.ts';
import { pipelineErrors } from '../../domain/error-messages/pipeline.ts';
import type { KeptReplyStore } from '../../storage/ports.ts';
import { partBytes, type Seal } from '../seal-parts.ts';

/** What a file turned out to be once all of it was there. */
export interface WrittenFile {
  readonly bytes: number;
  readonly sha256: string;
}

/** What one file that is being written holds in memory: a part, and the same part sealed. */
export const heldWhileWriting = 2 * partBytes;

// A part that is packed to more than this share of itself says that the rest is not worth packing either.
const worthPacking = 0.9;

/** Writes the parts of one file as its bytes come, so that no more than a part of it is ever in memory. */
export class FileWriter {
  readonly #store: Pick<KeptReplyStore, 'addPart' | 'remove'>;
  readonly #seal: Seal;
  readonly #maxBytes: number;
  readonly #memory: Pick<MemoryBudget, 'add'>;
  readonly #hash = createHash('sha256');
  #room: Buffer | null = null;
  #filled = 0;
  #parts = 0;
  #bytes = 0;
  #packs = true;
  #isOver = false;

  constructor(
    store: Pick<KeptReplyStore, 'addPart' | 'remove'>,
    seal: Seal,
    maxBytes: number,
    memory: Pick<MemoryBudget, 'add'>,
  ) {
    this.#store = store;
    this.#seal = seal;
    this.#maxBytes = maxBytes;
    this.#memory = memory;
    memory.add(heldWhileWriting);
  }

  /** Takes what comes next; to be awaited before more is given. Rejects when the file is too large, or was taken away. */
  async write(chunk: Uint8Array): Promise<void> {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) throw pipelineErrors.fileTooLarge({ maxBytes: this.#maxBytes });
    this.#hash.update(chunk);
    for (let at = 0; at < chunk.length;) {
      this.#room ??= Buffer.allocUnsafeSlow(partBytes);
      const some = chunk.subarray(at, at + partBytes - this.#filled);
      this.#room.set(some, this.#filled);
      this.#filled += some.length;
      at += some.length;
      if (this.#filled === partBytes) await this.#closePart();
    }
  }

  /** Writes what is left. */
  async finish(): Promise<WrittenFile> {
    if (this.#filled > 0 || this.#parts === 0) await this.#closePart();
    this.#end();
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  /** Takes away what was written. */
  async discard(): Promise<void> {
    this.#end();
    await this.#store.remove(this.#seal.id);
  }

  async #closePart(): Promise<void> {
    const content = this.#room === null ? Buffer.alloc(0) : this.#room.subarray(0, this.#filled);
    const sealed = await this.#seal.close(String(this.#parts), content, this.#packs);
    if (sealed.length > content.length * worthPacking) this.#packs = false;
    if (!(await this.#store.addPart(this.#seal.id, this.#parts, sealed))) throw takenAway();
    this.#parts++;
    this.#filled = 0;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#room = null;
    this.#memory.add(-heldWhileWriting);
  }
}

/** What happens to a file whose time, or whose owner's access, ended while it came in. */
export function takenAway(): HandrailError {
  return new HandrailError(
    'unavailable',
    'The file was taken away while it was being written: there is no more room for it, or its owner lost access.',
  );
}
