import type { Socket } from 'node:net';

const chunkBytes = 4_096;
const maxInterimBytes = 32 * 1024;
const interimStart = Buffer.from('HTTP/1.1 100');
const statusAt = 'HTTP/1.1 '.length;
const headEnd = '\r\n\r\n';

/**
 * Changes what undici reads from a socket. It reads from the socket itself, so this is the only place for it.
 *
 * Past its header size limit, undici creates an error with a stack for every further header in the current chunk.
 * 60,000 empty headers block the event loop for 60 ms with chunks of this size and for 680 ms with Node's default.
 *
 * And undici gives up on `100 Continue`, which it never asks for, but a client must accept any number of interim responses
 * before the final one (RFC 9110 section 15.2). So they are skipped: at the start of what a request gets in response.
 */
export function adaptSocket(socket: Socket): void {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  let awaitsResponse = false;
  /** The start of a response that may yet be an interim one. */
  let held: Buffer | null = null;

  // Named parameters: gathering them costs every call.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- overloaded; each call is passed on unchanged
  socket.write = ((chunk: string, encoding?: BufferEncoding, done?: () => void) => {
    awaitsResponse = true;
    return write(chunk, encoding, done);
  }) as typeof socket.write;

  socket.read = (size?: number): unknown => {
    for (;;) {
      if (socket.destroyed) return null;
      const chunk: unknown = read(size ?? (socket.readableLength > chunkBytes ? chunkBytes : undefined));
      if (!awaitsResponse || !(chunk instanceof Buffer)) return chunk;
      if (held === null && isFinalStart(chunk)) {
        awaitsResponse = false;
        return chunk;
      }
      const received = skipInterim(held === null ? chunk : Buffer.concat([held, chunk]));
      held = null;
      if (mayBeInterim(received) && received.length <= maxInterimBytes) {
        held = received;
        continue;
      }
      awaitsResponse = false;
      return received;
    }
  };
}

/** Whether the status that these bytes start with is not an interim one: nearly always, and cheap to know. */
function isFinalStart(bytes: Buffer): boolean {
  return bytes.length >= interimStart.length && bytes[statusAt] !== interimStart[statusAt];
}

/** The bytes after the complete interim responses that they start with. */
function skipInterim(bytes: Buffer): Buffer {
  let rest = bytes;
  while (rest.length > interimStart.length && mayBeInterim(rest)) {
    const end = rest.indexOf(headEnd);
    if (end === -1) break;
    rest = rest.subarray(end + headEnd.length);
  }
  return rest;
}

/** Whether these bytes are the start of a `100 Continue`, as far as they go. */
function mayBeInterim(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, interimStart.length);
  return bytes.compare(interimStart, 0, length, 0, length) === 0;
}
