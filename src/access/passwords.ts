import { HandrailError, type Problem } from '../domain/errors.ts';

// OWASP's second choice for Argon2id: 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const shortest = 12;
const longest = 200;

// Each check takes memory and a thread; more at once would let strangers at the sign-in page starve calls.
const maxAtOnce = 2;
const maxWaiting = 50;
let running = 0;
const waiting: (() => void)[] = [];

// A native library, loaded with the first password.
const loadArgon2 = () => import('@node-rs/argon2');

/** The hash of a password in its own text form (Argon2id). */
export function hashPassword(password: string): Promise<string> {
  return inTurn(async () => (await loadArgon2()).hash(password.normalize('NFC'), cost));
}

let nobody: Promise<string> | null = null;

/** Whether a password is right. Takes as long when there is no such admin, so that names cannot be probed. */
export async function checkPassword(known: string | undefined, password: string): Promise<boolean> {
  if (password.length > longest) return false;
  nobody ??= hashPassword('nobody has this password');
  const against = known ?? (await nobody);
  const right = await inTurn(async () => (await loadArgon2()).verify(against, password.normalize('NFC')));
  return right && known !== undefined;
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxAtOnce) {
    if (waiting.length >= maxWaiting) {
      throw new HandrailError('overloaded', 'Too many people sign in at once; try again in a moment.', {
        retryAfterMs: 2_000,
      });
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

/** Refuses a password that others would guess soon, and says how to choose a better one. */
export function requireGoodPassword(password: string, name: string): void {
  const message = weakness(password, name);
  if (message === null) return;
  const problems: Problem[] = [{ path: '/password', message }];
  throw new HandrailError(
    'invalid_input',
    `The password ${message}. Several unrelated words make one that is strong and easy to keep in mind.`,
    { problems },
  );
}

function weakness(password: string, name: string): string | null {
  const length = [...password].length;
  if (length < shortest) return `needs at least ${shortest} characters; it has ${length}`;
  if (length > longest) return `can have at most ${longest} characters`;
  const plain = simplify(password);
  for (const [word, what] of [
    [simplify(name), 'your name'],
    ['handrail', 'the name of this program'],
  ] as const) {
    if (word.length >= 3 && plain.replaceAll(word, '').length < shortest - 4 && plain.includes(word)) {
      return `is little more than ${what}`;
    }
  }
  if (new Set(plain).size < 5) return 'repeats the same few characters';
  if (isRun(plain)) return 'is a run of neighbouring keys, letters or digits';
  const rest = stripCommon(plain);
  if (rest.length < 4) return 'is made of what everybody tries first';
  return null;
}

// What people swap to make a weak password look strong, undone.
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
