import { getHeapStatistics } from 'node:v8';

/**
 * Smaller replies are not counted: there are never more of them than connections, and counting would cost every
 * call.
 */
export const largeBytes = 64 * 1024;

/**
 * How many copies of a large reply exist while it is processed: received, decoded, masked or parsed, and
 * written or stored.
 */
export const copiesOfReply = 4;

const mebibyte = 1024 * 1024;
// Each one is a paused connection and 64 KiB.
const maxWaiting = 256;

/** A quarter of the heap this process may use. */
export function defaultMaxBytes(): number {
  const quarter = getHeapStatistics().heap_size_limit / 4;
  return Math.floor(Math.min(1024 * mebibyte, Math.max(64 * mebibyte, quarter)));
}

/** Memory reserved for one reply. */
export interface Reservation {
  /** Whether it is still waiting for memory. */
  readonly isWaiting: boolean;
  /** Changes the reservation to what is really needed, without waiting. */
  take(bytes: number): void;
  release(): void;
}

/**
 * The memory that large replies take in a gateway, from when they are received until they are written or
 * stored. A reply that doesn't fit waits in order; one that is larger than the whole budget runs alone.
 */
export class MemoryBudget {
  readonly maxBytes: number;
  used = 0;
  readonly #waiting = new Set<{ readonly bytes: number; readonly grant: () => void }>();

  constructor(maxBytes = defaultMaxBytes()) {
    this.maxBytes = maxBytes;
  }

  /** Whether the queue is full. */
  get isFull(): boolean {
    return this.#waiting.size >= maxWaiting;
  }

  /** Reserves memory; if there isn't enough, `onGranted` is called once there is. */
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

  /** Counts memory held by something other than a reply, without waiting; a negative number releases it. */
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
