import { accessErrors } from '../domain/error-messages/access.ts';
import type { Problem } from '../domain/errors.ts';

// OWASP's second choice for Argon2id: 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const minLength = 12;
const maxLength = 200;

// Each check takes memory and a thread; without a limit, anyone at the sign-in page could starve calls.
const maxConcurrent = 2;
const maxWaiting = 50;
let running = 0;
const waiting: (() => void)[] = [];

// A native library, loaded when first needed.
const loadArgon2 = () => import('@node-rs/argon2');

/** The encoded hash of a password (Argon2id). */
export function hashPassword(password: string): Promise<string> {
  return withSlot(async () => (await loadArgon2()).hash(password.normalize('NFC'), cost));
}

let decoyHash: Promise<string> | null = null;

/** Whether a password is correct. Takes equally long if there is no such admin, so that names cannot be probed. */
export async function checkPassword(known: string | undefined, password: string): Promise<boolean> {
  if (password.length > maxLength) return false;
  decoyHash ??= hashPassword('not the password of anyone');
  const against = known ?? (await decoyHash);
  const matches = await withSlot(async () => (await loadArgon2()).verify(against, password.normalize('NFC')));
  return matches && known !== undefined;
}

async function withSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxConcurrent) {
    if (waiting.length >= maxWaiting) {
      throw accessErrors.tooManySignIns({ retryAfterMs: 2_000 });
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  running++;
  try {
    return await work();
  } finally {
    running--;
    waiting.shift()?.();
  }
}

/** Throws if a password is easy to guess, saying how to choose a better one. */
export function requireGoodPassword(password: string, name: string): void {
  const message = weakness(password, name);
  if (message === null) return;
  const problems: Problem[] = [{ path: '/password', message }];
  throw accessErrors.passwordWeak({ weakness: message }, { problems });
}

function weakness(password: string, name: string): string | null {
  const length = [...password].length;
  if (length < minLength) return `needs at least ${minLength} characters; it has ${length}`;
  if (length > maxLength) return `can have at most ${maxLength} characters`;
  const plain = simplify(password);
  for (const [word, what] of [
    [simplify(name), 'your name'],
    ['handrail', 'the name of this program'],
  ] as const) {
    if (word.length >= 3 && plain.replaceAll(word, '').length < minLength - 4 && plain.includes(word)) {
      return `is little more than ${what}`;
    }
  }
  if (new Set(plain).size < 5) return 'repeats the same few characters';
  if (isRun(plain)) return 'is a sequence of adjacent keys, letters or digits';
  const rest = stripCommon(plain);
  if (rest.length < 4) return 'consists of commonly used passwords';
  return null;
}

// Undoes the substitutions people use to make a weak password look strong.
const swaps: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

function simplify(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[013457@$!]/g, (character) => swaps[character]!)
    .replace(/[^\p{L}\p{N}]/gu, '');
}

const common = [
  'password',
  'passwort',
  'contrasena',
  'contraseña',
  'letmein',
  'welcome',
  'willkommen',
  'bienvenido',
  'admin',
  'administrator',
  'qwerty',
  'qwertz',
  'asdfgh',
  'zxcvbn',
  'iloveyou',
  'monkey',
  'dragon',
  'sunshine',
  'princess',
  'football',
  'baseball',
  'superman',
  'batman',
  'trustno',
  'master',
  'login',
  'secret',
  'changeme',
  'changeit',
  'default',
  'guest',
  'hello',
  'shadow',
  'summer',
  'winter',
  'spring',
  'autumn',
  'test',
  'root',
  'user',
  'temp',
  'abc',
  'correcthorsebatterystaple',
].map(simplify);

function stripCommon(plain: string): string {
  let rest = plain;
  for (const word of common) rest = rest.replaceAll(word, '');
  // Years and other digits at the end are the first thing added to a common word; swapped digits are letters by now.
  return rest.replace(/[\p{N}oieast]{0,6}$/u, '');
}

const runs = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
].map(simplify);

function isRun(plain: string): boolean {
  const backwards = [...plain].toReversed().join('');
  return runs.some((run) => {
    const twice = run + run;
    return twice.includes(plain) || twice.includes(backwards);
  });
}
