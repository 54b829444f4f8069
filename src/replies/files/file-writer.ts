import { createHash } from 'node:crypto';
import { repliesErrors } from '../../domain/error-messages/replies.ts';
import type { MemoryBudget } from '../../lib/memory/memory-budget.ts';
import { pipelineErrors } from '../../domain/error-messages/pipeline.ts';
import type { KeptReplyStore } from '../../storage/ports.ts';
import { partBytes, type Seal } from '../seal-parts.ts';

/** The properties of a file once it is complete. */
export interface WrittenFile {
  readonly bytes: number;
  readonly sha256: string;
}

/** The memory used by one file while it is written: a part, and the same part sealed. */
export const heldWhileWriting = 2 * partBytes;

// If a part compresses to more than this share of its size, the rest isn't worth compressing either.
const worthPacking = 0.9;

/** Writes a file in parts as its bytes arrive, so that never more than one part is in memory. */
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

  /** Takes the next bytes; await it before passing more. Rejects if the file is too large or was removed. */
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

  /** Removes what was written. */
  async discard(): Promise<void> {
    this.#end();
    await this.#store.remove(this.#seal.id);
  }

  async #closePart(): Promise<void> {
    const content = this.#room === null ? Buffer.alloc(0) : this.#room.subarray(0, this.#filled);
    const sealed = await this.#seal.close(String(this.#parts), content, this.#packs);
    if (sealed.length > content.length * worthPacking) this.#packs = false;
    if (!(await this.#store.addPart(this.#seal.id, this.#parts, sealed))) throw repliesErrors.fileRemoved();
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
