import { getHeapStatistics } from 'node:v8';

/** What is smaller is not counted: there can be no more of it than connections, and counting would cost every call. */
export const largeBytes = 64 * 1024;

const mebibyte = 1024 * 1024;

/** An eighth of the memory this process may have for objects: a large reply exists as bytes, as text and as an answer. */
export function defaultMostBytes(): number {
  const eighth = getHeapStatistics().heap_size_limit / 8;
  return Math.floor(Math.min(512 * mebibyte, Math.max(32 * mebibyte, eighth)));
}

/**
 * The bytes of large replies that are on their way through the process: being received, or waiting for a client to take
 * them. Memory belongs to the process, and so does this count.
 */
class BytesUnderWay {
  used = 0;
  most = defaultMostBytes();

  /** Whether nothing large may be begun. */
  get isSpent(): boolean {
    return this.used >= this.most;
  }

  add(bytes: number): void {
    this.used += bytes;
  }

  give(bytes: number): void {
    this.used -= bytes;
  }
}

export const bytesUnderWay = new BytesUnderWay();
