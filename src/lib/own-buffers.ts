/** The memory of those bytes that share it with nothing else: it can be handed to a thread instead of being copied. */
export function ownBuffers(all: readonly Uint8Array[]): ArrayBuffer[] {
  return all.flatMap(({ buffer, byteLength }) =>
    buffer instanceof ArrayBuffer && byteLength === buffer.byteLength ? [buffer] : [],
  );
}
