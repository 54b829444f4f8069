/**
 * The buffers of those byte arrays that own them completely, so they can be transferred to a thread instead of
 * copied.
 */
export function ownBuffers(all: readonly Uint8Array[]): ArrayBuffer[] {
  return all.flatMap(({ buffer, byteLength }) =>
    buffer instanceof ArrayBuffer && byteLength === buffer.byteLength ? [buffer] : [],
  );
}
