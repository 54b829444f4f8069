// What leads on stands in front of a list or behind it, and a call whose reply has none must not pay for the question.
const headBytes = 256;
const tailBytes = 512;

/** Whether the beginning or the end of a reply that is an object has `next` or `Next` in it. */
export function mayNameNext(body: Uint8Array): boolean {
  const { length } = body;
  if (body[0] !== 0x7b) return false;
  if (length <= headBytes + tailBytes) return hasNext(body, 3, length);
  return hasNext(body, 3, headBytes) || hasNext(body, length - tailBytes, length);
}

// Few letters are as rare as an x, and finding one is the machine's own work.
function hasNext(body: Uint8Array, from: number, to: number): boolean {
  for (let at = body.indexOf(0x78, from); at !== -1 && at < to; at = body.indexOf(0x78, at + 1))
    if (body[at - 1] === 0x65 && body[at + 1] === 0x74 && (body[at - 2]! | 0x20) === 0x6e) return true;
  return false;
}
