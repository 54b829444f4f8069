// How a tokenizer treats a character, by its code below 128.
const lower = 0;
const upper = 1;
const digit = 2;
const space = 3;
const line = 4;
const sign = 5;
const oddSign = 6;

const kinds = new Uint8Array(128).fill(oddSign);
// Symbols that often appear in groups in code and data, two or three to a token.
for (const each of '"\',:{}[]()/<>=_-.') kinds[each.charCodeAt(0)] = sign;
for (let code = 97; code <= 122; code++) kinds[code] = lower;
for (let code = 65; code <= 90; code++) kinds[code] = upper;
for (let code = 48; code <= 57; code++) kinds[code] = digit;
for (const code of [9, 11, 12, 32]) kinds[code] = space;
for (const code of [10, 13]) kinds[code] = line;

const vowels = new Uint8Array(128);
for (const letter of 'aeiouyAEIOUY') vowels[letter.charCodeAt(0)] = 1;

// More than a third of the letters in natural language are vowels, less than a quarter of random letters.
const minVowels = 0.3;
const lettersPerTokenAtRandom = 1.5;
const margin = 1.1;

// A letter of a common alphabet is less than one token; a character of other scripts is often two.
function costOf(code: number): number {
  if (code < 0x700) return 1;
  return code >= 0x900 && code < 0xe80 ? 1.3 : 2.3;
}

/**
 * An upper bound for the tokens of a text, computed without a tokenizer: more than current models count for
 * words, code, JSON, tables, IDs and the world's scripts; a third more for prose, and up to three times as many
 * for others.
 */
export function tokenBound(text: string): number {
  let tokens = 0;
  let letters = 0;
  let vowelCount = 0;
  let words = 0;
  let run = 0;
  let last = -1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 128) {
      tokens += costOf(code);
      last = -1;
      continue;
    }
    const kind = kinds[code]!;
    if (kind <= upper) {
      letters++;
      vowelCount += vowels[code]!;
      // A capital letter starts a new word.
      run = last === lower && kind === lower ? run + 1 : last === upper && run < 4 ? run + 1 : 1;
      if (run === 1 || run % 5 === 1) words++;
    } else {
      run = last === kind ? run + 1 : 1;
      if (kind === digit) {
        if (run % 3 === 1) tokens++;
      } else if (kind === oddSign) {
        tokens++;
      } else if (kind === sign) {
        if (run % 2 === 1) tokens++;
      } else if (run === 2 || (kind === line && run === 1) || run % 16 === 0) tokens++;
    }
    last = kind;
  }
  const plain = vowelCount >= letters * minVowels ? words : letters / lettersPerTokenAtRandom;
  return Math.ceil((tokens + plain) * margin);
}

/**
 * About how many tokens a model needs for a text: one per four bytes, the usual rule of thumb for English and
 * JSON.
 */
export function estimateTokens(text: string): number {
  return tokensOfBytes(Buffer.byteLength(text));
}

/** The same for a text of this many bytes. */
export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / 4);
}
