// Formats that are only used for secrets: keys of well-known vendors, signed tokens, private keys. Every scan
// here reads each character a bounded number of times, because callers and APIs choose the text.

// Run one after another: each one is linear by its form; a combined expression could not be shown to be.
const prefixedKeys: readonly RegExp[] = [
  /\b(?:sk|rk|pk)[-_](?:live|test|proj|ant)[-_][A-Za-z0-9_-]{8,}/g,
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\bgh[opsur]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bya29\.[\w-]{16,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bdop_v1_[0-9a-f]{32,}/g,
  /\bhr[ka]_[A-Za-z0-9_-]{20,}/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
];

const schemeAndSecret = /^(?:bearer|basic|digest|token|apikey)\s+\S{6,}$/i;

/** Whether a text is a secret by its format alone, whatever its name. */
export function looksLikeSecret(text: string): boolean {
  if (text.length < 10) return false;
  return (
    prefixedKeys.some((form) => text.search(form) !== -1) ||
    schemeAndSecret.test(text) ||
    !tokensIn(text).next().done ||
    !privateKeysIn(text).next().done
  );
}

// No format is shorter, and most texts are.
const shortestForm = 15;
// How the prefixed keys start. Nearly every text has none of these, and then no format has to be tried.
const anyPrefix =
  /(?:sk|rk|pk)[-_]|gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-|A(?:KIA|SIA|Iza)|ya29\.|npm_|dop_v1_|hr[ka]_|SG\./;

/** The text with everything that is a secret by its format replaced. */
export function replaceSecretForms(text: string, replacement: string): string {
  if (text.length < shortestForm) return text;
  const withoutTokens = cutOut(text, tokensIn(text), replacement);
  let clean = cutOut(withoutTokens, privateKeysIn(withoutTokens), replacement);
  if (anyPrefix.test(clean)) for (const form of prefixedKeys) clean = clean.replace(form, replacement);
  return clean;
}

/** The start and end of a match in a text. */
type Span = readonly [start: number, end: number];

function cutOut(text: string, spans: Iterable<Span>, replacement: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const [start, end] of spans) {
    parts.push(text.slice(at, start), replacement);
    at = end;
  }
  return at === 0 ? text : parts.join('') + text.slice(at);
}

/** JSON Web Tokens: three dot-separated parts of base64url, the first of which starts with `{"`. */
function* tokensIn(text: string): Generator<Span> {
  for (let start = text.indexOf('eyJ'); start !== -1;) {
    const header = runEnd(text, start);
    const payload = text[header] === '.' ? runEnd(text, header + 1) : header;
    const isToken = header - start >= 11 && payload - header >= 5 && text[payload] === '.';
    const end = isToken ? runEnd(text, payload + 1) : header;
    if (isToken) yield [start, end];
    // Anything that starts later in the same run would have ended the same way.
    start = text.indexOf('eyJ', end);
  }
}

function runEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isBase64Url(text.charCodeAt(end))) end++;
  return end;
}

function isBase64Url(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x2d ||
    code === 0x5f
  );
}

const keyHeader = /^-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY-----/;
const keyFooter = /^-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY-----/;
const maxKeyLineLength = 120;

/** Private keys in PEM: from their first line to their last, or only the first line if the last is missing. */
function* privateKeysIn(text: string): Generator<Span> {
  let nextFooter = 0;
  for (let at = text.indexOf('-----BEGIN '); at !== -1; at = text.indexOf('-----BEGIN ', at)) {
    const header = keyHeader.exec(text.slice(at, at + maxKeyLineLength))?.[0];
    if (header === undefined) {
      at += 11;
      continue;
    }
    let end = at + header.length;
    nextFooter = nextFooter < end ? footerFrom(text, end) : nextFooter;
    if (nextFooter < text.length)
      end = nextFooter + keyFooter.exec(text.slice(nextFooter, nextFooter + maxKeyLineLength))![0].length;
    yield [at, end];
    at = end;
  }
}

/** Where the next footer of a private key starts; the end of the text if there is none. */
function footerFrom(text: string, from: number): number {
  for (let at = text.indexOf('-----END ', from); at !== -1; at = text.indexOf('-----END ', at + 9)) {
    if (keyFooter.test(text.slice(at, at + maxKeyLineLength))) return at;
  }
  return text.length;
}

// Numbers, UUIDs, dates and media types mean something to people.
const plainForms = [
  /^\d{1,20}$/,
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  /^\d{4}-\d{2}-\d{2}/,
  /^(?:application|audio|font|image|message|model|multipart|text|video)\//,
];

/** Whether a text means nothing to a reader, as tokens, session IDs and hashes do; it may be a secret. */
export function looksOpaque(text: string): boolean {
  if (looksLikeSecret(text)) return true;
  if (text.length < 16 || /\s/.test(text) || plainForms.some((form) => form.test(text))) return false;
  return /^[A-Za-z0-9_\-+/=.~%]+$/.test(text) && /\d/.test(text) && /[A-Za-z]/.test(text);
}
