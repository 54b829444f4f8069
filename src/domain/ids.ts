// Ids are prefixed by what they identify and sort by creation time (ULID layout:
// 48 bits of milliseconds, 80 bits of randomness, Crockford base 32).

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The prefix of each kind of id. */
export type IdPrefix =
  | 'api'
  | 'tool'
  | 'comp'
  | 'srv'
  | 'cred'
  | 'acct'
  | 'key'
  | 'call'
  | 'person'
  | 'group'
  | 'idp'
  | 'token'
  | 'sess'
  | 'factor'
  | 'audit'
  | 'imp'
  | 'model'
  | 'check'
  | 'run';

// Two characters for each of 1,024 numbers.
const pairs = Array.from({ length: 1024 }, (_, n) => alphabet[n >> 5]! + alphabet[n & 31]!);
const lowRange = 2 ** 20;

let lastMs = 0;
/** The time and the first 60 random bits, which ids of one millisecond share. */
let high = '';
/** The last 20 random bits, incremented within a millisecond. */
let low = 0;

/** Creates an id such as `tool_01JCQ…`; later ids of one process sort after earlier ones. */
export function newId(prefix: IdPrefix, nowMs: number = Date.now()): string {
  low++;
  if (nowMs > lastMs) draw(nowMs);
  // Exhausted: use the next millisecond early, to preserve the order.
  else if (low === lowRange) draw(lastMs + 1);
  return `${prefix}_${high}${pairs[low >> 10]!}${pairs[low & 1023]!}`;
}

function draw(ms: number): void {
  lastMs = ms;
  const [a, b, c] = randomWords();
  low = c! & (lowRange - 1);
  high = `${encode(ms, 10)}${encode(a! & 0x3fffffff, 6)}${encode(b! & 0x3fffffff, 6)}`;
}

let pool = new Uint32Array(0);
let poolAt = 0;

// One call to the system's generator serves many ids, because it is the slow part.
function randomWords(): Uint32Array {
  if (poolAt + 3 > pool.length) {
    pool = crypto.getRandomValues(new Uint32Array(300));
    poolAt = 0;
  }
  poolAt += 3;
  return pool.subarray(poolAt - 3, poolAt);
}

function encode(value: number, length: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < length; i++) {
    text = alphabet[rest % 32]! + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
