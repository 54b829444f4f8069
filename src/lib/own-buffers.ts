/** The memory of those bytes that share it with nothing else: it can be handed to a thread instead of being copied. */
export function ownBuffers(all: readonly Uint8Array[]): ArrayBuffer[] {
  return all
    .filter((bytes) => bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength)
    .map((bytes) => bytes.buffer as ArrayBuffer);
}
