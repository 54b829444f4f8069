import { compiledPattern, patternSteps } from '../json/patterns.ts';
import type { WorkBudget } from '../work-budget.ts';

/** What to look for in a text. */
export interface PiiPattern {
  readonly name: string;
  readonly find: 'card' | 'iban' | 'email' | 'phone' | 'pattern';
  /** An RE2 expression; only for `pattern`. */
  readonly pattern?: string | undefined;
}

/** How many times each rule found something, by its name. */
export type PiiCounts = ReadonlyMap<string, number>;

/** The part of a masking function that handles personal data, from which a thread can create the same. */
export interface PiiMasking {
  readonly patterns: readonly PiiPattern[];
  /** Receives what was found in one text. */
  readonly onFound: (counts: PiiCounts) => void;
}

export type Range = readonly [start: number, end: number];

/** A larger expression is refused when it is saved. */
export const maxPiiPatternSteps = 1_000;

/** Where personal data is in a text, in order. Takes time linear in its length, charged before it is spent. */
export function findPii({ find, pattern = '' }: PiiPattern, text: string, budget: WorkBudget): Range[] {
  switch (find) {
    case 'card':
      budget.spend(text.length);
      return findCards(text, budget);
    case 'iban':
      budget.spend(text.length);
      return findIbans(text, budget);
    case 'email':
      budget.spend(text.length);
      return findEmails(text);
    case 'phone':
      budget.spend(text.length);
      return findPhones(text, budget);
    case 'pattern':
      return findPattern(pattern, text, budget);
  }
}

/** Characters that people type in place of ASCII digits, spaces and hyphens, one for one. */
export function withPlainDigits(text: string): string {
  // oxlint-disable-next-line no-control-regex -- asks only whether the text is ASCII
  if (!/[^\x00-\x7f]/.test(text)) return text;
  return text
    .replace(/[٠-٩۰-۹०-९০-৯๐-๙０-９]/g, (digit) => String(digitValue(digit.charCodeAt(0))))
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
    .replace(/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g, '-')
    .replace(/\uff20/g, '@')
    .replace(/[\uff0e\u3002]/g, '.')
    .replace(/\uff0b/g, '+');
}

function digitValue(code: number): number {
  const zero = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10].find(
    (first) => code >= first && code < first + 10,
  )!;
  return code - zero;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isAlphanumeric(code: number): boolean {
  return isDigit(code) || isLetter(code);
}

const space = 0x20;
const hyphen = 0x2d;
const dot = 0x2e;

const minCardDigits = 13;
const maxCardDigits = 19;
const maxSeparators = 3;

const stepsPerGroup = 100;
const stepsPerIban = 400;
const stepsPerPhone = 50;

/** Digits in one piece. */
interface Group {
  readonly start: number;
  readonly end: number;
}

/** Groups with separators between them. */
interface DigitRun {
  readonly groups: readonly Group[];
  readonly digits: string;
  /** Where each group begins in the digits. */
  readonly offsets: readonly number[];
}

function digitRun(text: string, groups: readonly Group[]): DigitRun {
  const offsets: number[] = [];
  let digits = '';
  for (const { start, end } of groups) {
    offsets.push(digits.length);
    digits += text.slice(start, end);
  }
  return { groups, digits, offsets };
}

function findCards(text: string, budget: WorkBudget): Range[] {
  const found: Range[] = [];
  let groups: Group[] = [];
  let at = 0;
  // Groups with separators between them are looked at together, once the last one is known.
  const finish = (): void => {
    const run = digitRun(text, groups);
    const count = run.digits.length < minCardDigits ? 0 : groups.length;
    // Each group may begin a number of each length.
    budget.spend(stepsPerGroup * count);
    for (let first = 0; first < count;) {
      const last = lastOfCard(text, run, first);
      if (last !== null) found.push([groups[first]!.start, groups[last]!.end]);
      first = last === null ? first + 1 : last + 1;
    }
    groups = [];
  };
  while (at < text.length) {
    if (!isDigit(text.charCodeAt(at))) {
      at++;
      continue;
    }
    let end = at + 1;
    while (end < text.length && isDigit(text.charCodeAt(end))) end++;
    const before = groups.at(-1);
    if (before !== undefined && !isSeparator(text, before.end, at)) finish();
    // A longer run of digits is something else.
    if (end - at > maxCardDigits) finish();
    else groups.push({ start: at, end });
    if (groups.length > maxGroups) finish();
    at = end;
  }
  finish();
  return found;
}

// Two cards digit by digit; what is beyond is looked at on its own.
const maxGroups = 4_096;

function isSeparator(text: string, from: number, to: number): boolean {
  if (to - from > maxSeparators) return false;
  if (to - from === 1 && text.charCodeAt(from) === dot) return true;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code !== space && code !== hyphen) return false;
  }
  return true;
}

/** The last group of the card number that begins with this one; null if none does. */
function lastOfCard(text: string, run: DigitRun, first: number): number | null {
  const { groups, digits, offsets } = run;
  const start = offsets[first]!;
  let last: number | null = null;
  for (let at = first; at < groups.length; at++) {
    const { start: from, end } = groups[at]!;
    const length = offsets[at]! + end - from - start;
    if (length > maxCardDigits) break;
    if (length < minCardDigits || !isCardNetwork(digits, start, length)) continue;
    if (!passesLuhn(digits, start, length) || !areCardGroups(groups, first, at)) continue;
    if (!isFraction(text, groups[first]!.start, end)) last = at;
  }
  return last;
}

/** Card numbers are written in equal groups, or as 4-6-5 and 4-6-4; a list of numbers is not a card number. */
function areCardGroups(groups: readonly Group[], first: number, last: number): boolean {
  const lengthOf = (at: number): number => groups[at]!.end - groups[at]!.start;
  const length = lengthOf(first);
  if (last - first === 2 && length === 4 && lengthOf(first + 1) === 6) return lengthOf(last) <= 5;
  for (let at = first + 1; at < last; at++) if (lengthOf(at) !== length) return false;
  return last === first || lengthOf(last) <= length;
}

/** Whether digits are part of a number with a decimal point. */
function isFraction(text: string, start: number, end: number): boolean {
  return (
    (text.charCodeAt(start - 1) === dot && isDigit(text.charCodeAt(start - 2))) ||
    (text.charCodeAt(end) === dot && isDigit(text.charCodeAt(end + 1)))
  );
}

/** Whether a network issues numbers that start like this, at this length. */
function isCardNetwork(digits: string, start: number, length: number): boolean {
  const digit = (at: number): number => digits.charCodeAt(start + at) - 0x30;
  const two = 10 * digit(0) + digit(1);
  const four = 100 * two + 10 * digit(2) + digit(3);
  switch (digit(0)) {
    case 2:
      return ((four >= 2221 && four <= 2720) || (four >= 2200 && four <= 2204)) && length >= 16;
    case 3:
      return two === 34 || two === 37 ? length === 15 : length >= 14;
    case 4:
      return length === 13 || length === 16 || length === 19;
    case 5:
      return two >= 51 && two <= 55 ? length === 16 : true;
    case 6:
      return true;
    case 8:
      return two < 83 && length === 16;
    default:
      return false;
  }
}

function passesLuhn(digits: string, start: number, length: number): boolean {
  let sum = 0;
  for (let at = start + length - 1, isDoubled = false; at >= start; at--, isDoubled = !isDoubled) {
    const digit = digits.charCodeAt(at) - 0x30;
    const twice = 2 * digit;
    sum += isDoubled ? (twice > 9 ? twice - 9 : twice) : digit;
  }
  return sum % 10 === 0;
}

// The length of an IBAN by country (ISO 13616).
const ibanLengths: Readonly<Record<string, number>> = Object.fromEntries(
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

function findIbans(text: string, budget: WorkBudget): Range[] {
  const found: Range[] = [];
  for (let at = 0; at + 14 < text.length; at++) {
    if (!isLetter(text.charCodeAt(at)) || !isLetter(text.charCodeAt(at + 1))) continue;
    if (
      !isDigit(text.charCodeAt(nextOf(text, at + 1))) ||
      (at > 0 && isAlphanumeric(text.charCodeAt(at - 1)))
    )
      continue;
    const length = ibanLengths[text.slice(at, at + 2).toUpperCase()];
    if (length === undefined) continue;
    budget.spend(stepsPerIban);
    const end = endOfIban(text, at, length);
    if (end === null) continue;
    found.push([at, end]);
    at = end - 1;
  }
  return found;
}

function endOfIban(text: string, start: number, length: number): number | null {
  let compact = '';
  for (let at = start; ; at = nextOf(text, at)) {
    if (!isAlphanumeric(text.charCodeAt(at))) return null;
    compact += text[at]!;
    if (compact.length < length) continue;
    return passesMod97(compact.toUpperCase()) && !isAlphanumeric(text.charCodeAt(at + 1)) ? at + 1 : null;
  }
}

/** The next character, behind a single separator at most. */
function nextOf(text: string, at: number): number {
  const code = text.charCodeAt(at + 1);
  return code === space || code === hyphen ? at + 2 : at + 1;
}

function passesMod97(iban: string): boolean {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

const maxLocalPart = 64;
const maxDomain = 253;

function findEmails(text: string): Range[] {
  const found: Range[] = [];
  for (let sign = text.indexOf('@'); sign !== -1; sign = text.indexOf('@', sign + 1)) {
    const lowest = Math.max(found.at(-1)?.[1] ?? 0, sign - maxLocalPart);
    let start = sign;
    while (start > lowest && isOfLocalPart(text.charCodeAt(start - 1))) start--;
    while (start < sign && !isWordOrForeign(text.charCodeAt(start))) start++;
    const end = endOfDomain(text, sign + 1);
    if (start < sign && end !== null) found.push([start, end]);
  }
  return found;
}

function isWordOrForeign(code: number): boolean {
  return isAlphanumeric(code) || code === 0x5f || code >= 0x80;
}

function isOfLocalPart(code: number): boolean {
  return isWordOrForeign(code) || ".+-'%!#$&*/=?^`{|}~".includes(String.fromCharCode(code));
}

/** The end of a host name with a top-level domain of letters; null if there is none. */
function endOfDomain(text: string, start: number): number | null {
  const highest = Math.min(text.length, start + maxDomain);
  let end: number | null = null;
  let label = start;
  for (let at = start; at <= highest; at++) {
    const code = at < highest ? text.charCodeAt(at) : 0;
    if (isAlphanumeric(code) || code >= 0x80 || (code === hyphen && at > label)) continue;
    // The last label that can be a top-level domain ends the name.
    if (label > start && at - label >= 2 && !isDigit(text.charCodeAt(label))) end = at;
    if (code !== dot || at === label) break;
    label = at + 1;
  }
  return end;
}

// With a country code, as written in North America, and with a trunk zero; every repetition is bounded.
const international = /(?:\+|00)[1-9](?:[ ()./-]{0,3}\d){7,14}(?!\d)/y;
const northAmerican = /(?:1[ .-])?(?:\([2-9]\d\d\)[ .-]?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4}(?!\d)/y;
const national = /\(?0[1-9](?:[ ()/-]{0,3}\d){7,10}(?!\d)/y;
const date = /^\d\d[ /-]\d\d[ /-]\d{4}/;

function findPhones(text: string, budget: WorkBudget): Range[] {
  const found: Range[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const mayStart = isDigit(code) || code === 0x2b || code === 0x28;
    if (!mayStart || (at > 0 && isOfNumber(text.charCodeAt(at - 1)))) continue;
    budget.spend(stepsPerPhone);
    const end = endOfPhone(text, at);
    if (end === null) continue;
    found.push([at, end]);
    at = end - 1;
  }
  return found;
}

function isOfNumber(code: number): boolean {
  return isAlphanumeric(code) || code === dot || code === 0x2b;
}

function endOfPhone(text: string, at: number): number | null {
  for (const form of [international, northAmerican, national]) {
    form.lastIndex = at;
    const written = form.exec(text)?.[0];
    if (written === undefined) continue;
    // A number without separators may be anything, and a date has them too.
    if (form === national && (!/[ ()/-]/.test(written) || date.test(written))) continue;
    return at + written.length;
  }
  return null;
}

/** The longest text that an operator's pattern finds, and how much of a text it sees at once. */
export const maxPatternMatch = 2_048;
const windowLength = 2 * maxPatternMatch;

/** What each character costs beyond one step of the others: RE2 visits every state of its expression. */
function stepsPerCharacter(pattern: string): number {
  return 4 + Math.ceil(patternSteps(pattern) / 8);
}

/**
 * Runs an expression on overlapping windows: to find all matches in one text, RE2 may take quadratic time. A match that
 * touches the edge of a window is left to the next one, which has it whole.
 */
function findPattern(pattern: string, text: string, budget: WorkBudget): Range[] {
  const perCharacter = stepsPerCharacter(pattern);
  budget.spend(perCharacter * text.length);
  const compiled = compiledPattern(pattern);
  if (compiled === null) return [];
  const found: Range[] = [];
  for (let from = 0; from === 0 || from + maxPatternMatch < text.length; from += maxPatternMatch) {
    const slice = text.slice(from, from + windowLength);
    const isLast = from + windowLength >= text.length;
    const matcher = compiled.matcher(slice);
    while (matcher.find()) {
      const [start, end] = [matcher.start(), matcher.end()];
      budget.spend(perCharacter * (slice.length - start));
      const isWhole = (from === 0 || start > 0) && (isLast || end < slice.length);
      const before = found.at(-1);
      if (end > start && isWhole && (before === undefined || from + start >= before[1]))
        found.push([from + start, from + end]);
    }
  }
  return found;
}
