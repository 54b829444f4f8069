import { escapeBytesModule } from './escape-bytes-module.ts';

interface Escaping {
  /** See escape-bytes.wat. */
  escape(from: number, end: number, to: number): number;
  /** Its memory, which never grows. */
  readonly memory: Uint8Array;
}

// Fits in a processor's caches, even if every byte has to be escaped.
const sliceBytes = 64 * 1024;
const inputAt = 64;
const readBeyond = 16;
const outputAt = inputAt + sliceBytes + readBeyond;

let started: Escaping | null = null;

function start(): Escaping {
  const { exports } = new WebAssembly.Instance(
    new WebAssembly.Module(Buffer.from(escapeBytesModule, 'base64')),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the module exports is in escape-bytes.wat
  const { escape, memory } = exports as {
    readonly escape: Escaping['escape'];
    readonly memory: WebAssembly.Memory;
  };
  return { escape, memory: new Uint8Array(memory.buffer) };
}

/**
 * Escapes bytes for the inside of a JSON string, in pieces. Null if they are not all UTF-8, or may contain
 * invisible characters that `cleanText` removes. Takes a third of the time of decoding and stringifying (less
 * for non-ASCII text), and creates no garbage.
 */
export function escapeBytes(bytes: Uint8Array): Buffer[] | null {
  const { escape, memory } = (started ??= start());
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const next = sliceEnd(bytes, at);
    memory.set(bytes.subarray(at, next), inputAt);
    const end = escape(inputAt, inputAt + next - at, outputAt);
    if (end === 0) return null;
    const piece = Buffer.allocUnsafeSlow(end - outputAt);
    piece.set(memory.subarray(outputAt, end));
    pieces.push(piece);
    at = next;
  }
  return pieces;
}

/** Where the slice that starts at a position ends: between two characters. */
function sliceEnd(bytes: Uint8Array, at: number): number {
  const end = at + sliceBytes;
  return end >= bytes.length ? bytes.length : characterEnd(bytes, end);
}

/** The last boundary between two characters at or before a position. */
export function characterEnd(bytes: Uint8Array, end: number): number {
  let at = end;
  while (at > end - 4 && (bytes[at]! & 0xc0) === 0x80) at--;
  return at;
}
