/** Bytes as either driver gives them. */
export function bytesOf(value: Uint8Array | ArrayBuffer): Buffer {
  return value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : Buffer.from(value);
}
