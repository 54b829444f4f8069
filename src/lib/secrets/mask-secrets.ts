import { trimEndOf } from '../text/tidy-text.ts';
import { WeakCache } from '../weak-cache.ts';
import { joinLines, mayDisguise, type Pieces, reveal, type RevealedText } from './disguises.ts';
import type { PiiMasking, Range } from './find-pii.ts';

/** The replacement for a secret. */
export const mask = '[masked]';

const secretWords = new Set([
  'password',
  'passwd',
  'pwd',
  'passphrase',
  'secret',
  'secrets',
  'token',
  'auth',
  'authorization',
  'authentication',
  'credential',
  'credentials',
  'cookie',
  'bearer',
  'jwt',
  'otp',
  'signature',
  'apikey',
  'apitoken',
  'accesstoken',
  'accesskey',
  'privatekey',
  'secretkey',
  'clientsecret',
  'sessionid',
  'sessid',
  'phpsessid',
  'jsessionid',
  'csrf',
  'xsrf',
  'csrftoken',
  'xsrftoken',
  'passcode',
  'ssn',
  'cvv',
  'cvc',
]);

// "Key" alone can mean anything; after one of these words it is a credential.
const keyOwners = new Set([
  'api',
  'access',
  'private',
  'secret',
  'subscription',
  'auth',
  'encryption',
  'signing',
  'license',
  'master',
  'ssh',
]);

// With these words, a name describes a secret without being one.
const harmlessWords = new Set([
  'type',
  'count',
  'limit',
  'url',
  'uri',
  'endpoint',
  'expires',
  'expiry',
  'ttl',
  'method',
  'methods',
  'supported',
  'page',
  'next',
  'previous',
  'continuation',
  'cursor',
  'required',
  'enabled',
  'policy',
  'length',
]);

/**
 * Whether a field with this name contains a secret. Names are read word by word, so `author`, `keyboard`,
 * `max_tokens` and `monkey` keep their values while `X-Api-Key`, `clientSecret` and `refresh_token` are masked.
 */
export function isSecretName(name: string): boolean {
  let known = judged.get(name);
  if (known === undefined) {
    known = judge(name);
    if (judged.size >= maxJudged) judged.clear();
    if (name.length <= 100) judged.set(name, known);
  }
  return known;
}

// The same few names appear in every call.
const judged = new Map<string, boolean>();
const maxJudged = 10_000;

// Senders choose the names; no real field has a longer one.
const maxNameLength = 1_000;

function judge(name: string): boolean {
  const words = name
    .slice(0, maxNameLength)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  if (words.some((word) => harmlessWords.has(word))) return false;
  return words.some(
    (word, i) =>
      secretWords.has(word) ||
      ((word === 'key' || word === 'keys') && i > 0 && keyOwners.has(words[i - 1]!)) ||
      (word === 'id' && words[i - 1] === 'session'),
  );
}

/** How many parts of a value may still be visited. */
export interface PartsLeft {
  left: number;
}

/**
 * Whether a JSON value may have a non-empty field with a secret name, at any depth; false is certain. True if
 * the value has more parts than may be visited.
 */
export function mayHoldNamedSecrets(value: unknown, parts: PartsLeft): boolean {
  if (--parts.left < 0) return true;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => mayHoldNamedSecrets(item, parts));
  for (const name in value) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- not an array, as checked above; indexed here because every call goes through this
    const inner = (value as Record<string, unknown>)[name];
    if (mayHoldNamedSecrets(inner, parts)) return true;
    if (inner !== null && inner !== '' && isSecretName(name)) return true;
  }
  return false;
}

const quote = 0x22;
const backslash = 0x5c;

/**
 * Whether a JSON text may have a field with a secret name; false is certain. Looks only at what precedes
 * colons, which is a fraction of the work of parsing the text.
 */
export function mayNameSecrets(json: string): boolean {
  for (let colon = json.indexOf(':'); colon !== -1; colon = json.indexOf(':', colon + 1)) {
    let end = colon - 1;
    while (end > 0 && json.charCodeAt(end) <= 0x20) end--;
    if (json.charCodeAt(end) !== quote) continue;
    let start = end - 1;
    // An escape hides the name, or even where it starts.
    for (; start >= 0 && json.charCodeAt(start) !== quote; start--)
      if (json.charCodeAt(start) === backslash) return true;
    if (json.charCodeAt(start - 1) === backslash || isSecretName(json.slice(start + 1, end))) return true;
  }
  return false;
}

/** A copy of a JSON value with the fields that have secret names masked, at any depth. */
export function maskNamedSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskNamedSecrets);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    const masked = isSecretName(name) && inner !== null && inner !== '' ? mask : maskNamedSecrets(inner);
    Object.defineProperty(copy, name, {
      value: masked,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

/** Masks the values of secret-named parameters in a URL's query. */
export function maskQuery(target: string): string {
  const start = target.indexOf('?');
  if (start === -1) return target;
  const pairs = target.slice(start + 1).split('&');
  return `${target.slice(0, start)}?${pairs
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals > 0 && isSecretName(decodeLoosely(pair.slice(0, equals)))
        ? `${pair.slice(0, equals + 1)}${mask}`
        : pair;
    })
    .join('&')}`;
}

// Shorter values occur by chance in ordinary text, and masking them would reveal where they are.
const minSecretLength = 6;

// On first use, the engine rejects a pattern with a literal of about 32,000 characters.
const maxPatternLength = 4_096;

/** Replaces every occurrence of its secrets in a text, and what PII rules mask. */
export interface MaskText {
  (text: string): string;
  /** From which a thread can create the same function. */
  readonly secrets: readonly string[];
  /** Null if it masks only secrets. */
  readonly pii: PiiMasking | null;
}

/** Masks nothing. */
export const keepText: MaskText = Object.assign((text: string) => text, { secrets: [], pii: null });

/**
 * Makes a function that masks these values wherever they occur: verbatim, JSON-escaped, URL-encoded (both letter
 * cases, `+` for a space), in hexadecimal, inside base64 at any offset (so that `user:password` of Basic
 * authentication doesn't reveal the password), and behind whatever a decoder, HTML-to-text or Unicode cleaning removes
 * (`disguises.ts`).
 */
export function createMaskText(secrets: readonly string[]): MaskText {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < minSecretLength) continue;
    for (const form of formsOf(secret)) if (form.length >= minSecretLength) forms.add(form);
  }
  if (forms.size === 0) return keepText;
  const visible = createFormFinder(forms);
  const revealed = createFormFinder(new Set([...forms].flatMap((form) => [form, ...revealedForms(form)])));
  return Object.assign((text: string) => maskDisguised(visible.mask(text), revealed), { secrets, pii: null });
}

/** Finds the forms of secrets in a text. */
interface FormFinder {
  mask(text: string): string;
  ranges(text: string): Range[];
}

function createFormFinder(forms: ReadonlySet<string>): FormFinder {
  // Longest first: a form that contains another must be masked whole.
  const sorted = [...forms].toSorted((a, b) => b.length - a.length);
  const long = sorted.filter((form) => form.length > maxPatternLength);
  const short = sorted.slice(long.length);
  const pattern = new RegExp(
    short.map((form) => form.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|'),
    'g',
  );
  return {
    mask: (text) => {
      const rest = long.reduce((left, form) => left.replaceAll(form, mask), text);
      return short.length === 0 ? rest : rest.replace(pattern, mask);
    },
    ranges: (text) => [
      ...long.flatMap((form) => rangesOf(text, form)),
      ...(short.length === 0
        ? []
        : Array.from(text.matchAll(pattern), ({ index, 0: { length } }): Range => [index, index + length])),
    ],
  };
}

function rangesOf(text: string, form: string): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length))
    found.push([at, at + form.length]);
  return found;
}

// An echo passes few encoders: a proxy's page in a JSON string in a log line.
export const maxLayers = 4;

/** What a form becomes where its own characters are read as escapes. */
function revealedForms(form: string): string[] {
  if (form.length > maxPatternLength) return [];
  const found: string[] = [];
  let { text } = readAsText(form, false);
  for (let layer = 1; layer < maxLayers && text !== (found.at(-1) ?? form); layer++) {
    found.push(text);
    ({ text } = readAsText(text, false));
  }
  return found.filter((revealedForm) => revealedForm.length >= minSecretLength);
}

/** Masks secrets that only show once the text is decoded. */
function maskDisguised(text: string, finder: FormFinder): string {
  const ranges: Range[] = [];
  const hasMarkup = findDisguised(text, readAsText, finder, ranges);
  if (hasMarkup) findDisguised(text, readMarkup, finder, ranges);
  return ranges.length === 0 ? text : maskRanges(text, ranges);
}

export type Decoder = (text: string, withPieces: boolean) => RevealedText;

export const readAsText: Decoder = (text, withPieces) => reveal(text, 'as-text', withPieces);
const readMarkup: Decoder = (text, withPieces) => reveal(text, 'removed', withPieces);

/** Adds the ranges of a text that decode to a secret, layer by layer; returns whether any layer may have markup. */
function findDisguised(text: string, decode: Decoder, finder: FormFinder, ranges: Range[]): boolean {
  const applied: Decoder[] = [];
  let layerText = text;
  let hasMarkup = false;
  for (;;) {
    hasMarkup ||= layerText.includes('<');
    const joined = joinLines(layerText, false).text;
    if (joined !== layerText)
      ranges.push(...sourceRanges(finder.ranges(joined), text, [...applied, joinLines]));
    if (applied.length === maxLayers || !mayDisguise(layerText)) return hasMarkup;
    const { text: next } = decode(layerText, false);
    if (next === layerText) return hasMarkup;
    applied.push(decode);
    ranges.push(...sourceRanges(finder.ranges(next), text, applied));
    layerText = next;
  }
}

/** Maps ranges of a decoded text to the text itself. */
export function sourceRanges(
  found: readonly Range[],
  text: string,
  decoders: readonly Decoder[],
): readonly Range[] {
  if (found.length === 0) return found;
  const pieces: Pieces[] = [];
  let layerText = text;
  for (const decode of decoders) {
    const revealed = decode(layerText, true);
    if (revealed.pieces !== null) pieces.unshift(revealed.pieces);
    layerText = revealed.text;
  }
  return found.map((range) => pieces.reduce<Range>(([start, end], each) => each.sourceOf(start, end), range));
}

function maskRanges(text: string, ranges: readonly Range[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (end <= at) continue;
    // Ranges that overlap are one secret in two readings.
    if (start >= at) parts.push(text.slice(at, start), mask);
    at = end;
  }
  return parts.join('') + text.slice(at);
}

const made = new WeakCache<readonly string[], MaskText>();

/** The same, cached for each list of secrets. */
export function maskTextFor(secrets: readonly string[]): MaskText {
  if (secrets.length === 0) return keepText;
  return made.of(secrets, createMaskText);
}

function* formsOf(secret: string): Generator<string> {
  yield secret;
  yield JSON.stringify(secret).slice(1, -1);
  // Upstreams echo values with HTML and slash escapes as well.
  yield JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/');
  const encoded = encodeLoosely(secret);
  for (const form of [encoded, strictlyEncoded(encoded), encoded.replaceAll('%20', '+')]) {
    yield form;
    yield form.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  }
  yield encodeLoosely(encoded);
  const bytes = Buffer.from(secret, 'utf8');
  yield bytes.toString('hex');
  yield bytes.toString('hex').toUpperCase();
  if (secret.length <= maxPatternLength) yield* dumpsOf(secret, bytes);
  for (let offset = 0; offset < 3; offset++) {
    // Only the characters that depend on nothing but the secret's own bytes.
    const base64 = trimEndOf(Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64'), '=');
    const from = Math.ceil((offset * 8) / 6);
    const to = Math.floor(((offset + bytes.length) * 8) / 6);
    const core = base64.slice(from, to);
    yield core;
    yield core.replaceAll('+', '-').replaceAll('/', '_');
    yield encodeLoosely(core);
  }
}

/** The forms in which logs and debuggers print a short secret. */
function* dumpsOf(secret: string, bytes: Buffer): Generator<string> {
  for (const separator of [':', ' ']) yield bytes.toString('hex').replace(/..(?=.)/g, `$&${separator}`);
  for (const separator of [',', ', ']) yield bytes.join(separator);
  const twice = Buffer.from(trimEndOf(bytes.toString('base64'), '=')).toString('base64');
  // Its last characters depend on the padding.
  yield twice.slice(0, -4);
  yield trimEndOf(Buffer.from(secret, 'utf16le').toString('base64'), '=').slice(0, -1);
}

// RFC 3986 reserves !'()* although encodeURIComponent leaves them.
function strictlyEncoded(encoded: string): string {
  return encoded.replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function encodeLoosely(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
