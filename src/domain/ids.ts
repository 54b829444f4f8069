// Ids are prefixed by what they name and sort by the time they were made (ULID layout:
// 48 bits of milliseconds, 80 bits of randomness, Crockford base 32).

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The prefix of each kind of id. */
export type IdPrefix = 'api' | 'tool' | 'srv' | 'cred' | 'key' | 'call' | 'admin' | 'sess' | 'audit' | 'imp';

let lastMs = 0;
let lastRandom: Uint8Array<ArrayBuffer> = new Uint8Array(10);
let pool = new Uint8Array(0);
let poolAt = 0;

/** Makes a new id such as `tool_01JCQ…`; later ids of one process sort after earlier ones. */
export function newId(prefix: IdPrefix, nowMs: number = Date.now()): string {
  if (nowMs <= lastMs) {
    increment(lastRandom);
  } else {
    lastMs = nowMs;
    lastRandom = randomBytes(10);
  }
  return `${prefix}_${encodeTime(lastMs)}${encodeRandom(lastRandom)}`;
}

// One call of the system's generator serves many ids: it is the slow part.
function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  if (poolAt + count > pool.length) {
    pool = crypto.getRandomValues(new Uint8Array(1000));
    poolAt = 0;
  }
  poolAt += count;
  return pool.slice(poolAt - count, poolAt);
}

function increment(bytes: Uint8Array): void {
  for (let i = bytes.length - 1; i >= 0; i--) {
    const next = (bytes[i]! + 1) & 0xff;
    bytes[i] = next;
    if (next !== 0) return;
  }
}

function encodeTime(ms: number): string {
  let text = '';
  let rest = ms;
  for (let i = 0; i < 10; i++) {
    text = alphabet[rest % 32]! + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function encodeRandom(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(held >> bits) & 31]!;
    }
    held &= (1 << bits) - 1;
  }
  return text;
}
