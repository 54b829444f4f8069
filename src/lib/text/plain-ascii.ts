/**
 * Whether bytes are all printable ASCII, tabs and line ends. Checks four at a time, which takes a fraction of
 * the time of a regular expression.
 */
export function isPlainAscii(bytes: Uint8Array): boolean {
  const { buffer, byteOffset, length } = bytes;
  const head = Math.min(length, -byteOffset & 3);
  const words = (length - head) >> 2;
  if (words === 0) return arePlain(bytes, 0, length);
  if (!arePlain(bytes, 0, head) || !arePlain(bytes, head + words * 4, length)) return false;
  const four = new Uint32Array(buffer, byteOffset + head, words);
  for (let at = 0; at < words; at++) {
    const word = four[at]!;
    // A byte of 0x80 or more, or 0x7f, which becomes 0x80 when one is added.
    if (((word | (word + 0x01010101)) & 0x80808080) !== 0) return false;
    // A byte below 0x20 borrows from its highest bit.
    if (((word - 0x20202020) & ~word & 0x80808080) !== 0) {
      const from = head + at * 4;
      if (!arePlain(bytes, from, from + 4)) return false;
    }
  }
  return true;
}

function arePlain(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if (byte >= 0x20 ? byte >= 0x7f : byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
  }
  return true;
}
