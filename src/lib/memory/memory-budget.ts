import { getHeapStatistics } from 'node:v8';

/** What is smaller is not counted: there can be no more of it than connections, and counting would cost every call. */
export const largeBytes = 64 * 1024;

/** How often a large reply exists while it is worked on: as received, as text, masked or parsed, and as written or kept. */
export const copiesOfReply = 4;

const mebibyte = 1024 * 1024;
// Each is a connection that is not read from, and 64 KiB.
const maxWaiting = 256;

/** A quarter of the memory this process may have for objects. */
export function defaultMaxBytes(): number {
  const quarter = getHeapStatistics().heap_size_limit / 4;
  return Math.floor(Math.min(1024 * mebibyte, Math.max(64 * mebibyte, quarter)));
}

/** Memory that is set aside for one reply. */
export interface Reservation {
  /** Whether it still waits for its turn. */
  readonly isWaiting: boolean;
  /** Takes what it really needs, without waiting. */
  take(bytes: number): void;
  release(): void;
}

/**
 * What large replies take of a gateway's memory, from the moment they are received until they are written or kept. A reply
 * that does not fit waits, in order; one that is larger than the whole budget gets its turn alone.
 */
export class MemoryBudget {
  readonly maxBytes: number;
  used = 0;
  readonly #waiting = new Set<{ readonly bytes: number; readonly grant: () => void }>();

  constructor(maxBytes = defaultMaxBytes()) {
    this.maxBytes = maxBytes;
  }

  /** Whether so many replies wait that no other may. */
  get isFull(): boolean {
    return this.#waiting.size >= maxWaiting;
  }

  /** Sets memory aside; where there is not enough, `onGranted` is called once there is. */
  reserve(bytes: number, onGranted: () => void): Reservation {
    let held = 0;
    const entry = {
      bytes,
      grant: () => {
        take(bytes);
        onGranted();
      },
    };
    const take = (taken: number): void => {
      this.#waiting.delete(entry);
      this.add(taken - held);
      held = taken;
    };
    if (this.#waiting.size === 0 && this.#fits(bytes)) take(bytes);
    else this.#waiting.add(entry);
    const isWaiting = () => this.#waiting.has(entry);
    return {
      get isWaiting() {
        return isWaiting();
      },
      take,
      release: () => take(0),
    };
  }

  /** Counts what is held besides replies, which does not wait; a negative number when it is gone. */
  add(bytes: number): void {
    this.used += bytes;
    if (bytes >= 0) return;
    for (const entry of this.#waiting) {
      if (!this.#fits(entry.bytes)) break;
      entry.grant();
    }
  }

  #fits(bytes: number): boolean {
    return this.used === 0 || this.used + bytes <= this.maxBytes;
  }
}
