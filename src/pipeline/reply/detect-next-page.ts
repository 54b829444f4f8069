// A next-page field comes before or after the list. This check is cheap because every reply pays for it.
const headBytes = 256;
const tailBytes = 512;

/** Whether a reply that is an object contains `next` or `Next` near its start or end. */
export function mayHaveNextPage(body: Uint8Array): boolean {
  const { length } = body;
  if (body[0] !== 0x7b) return false;
  if (length <= headBytes + tailBytes) return hasNext(body, 3, length);
  return hasNext(body, 3, headBytes) || hasNext(body, length - tailBytes, length);
}

// The letter x is rare, and `indexOf` for one byte is native code.
function hasNext(body: Uint8Array, from: number, to: number): boolean {
  for (let at = body.indexOf(0x78, from); at !== -1 && at < to; at = body.indexOf(0x78, at + 1))
    if (body[at - 1] === 0x65 && body[at + 1] === 0x74 && (body[at - 2]! | 0x20) === 0x6e) return true;
  return false;
}
