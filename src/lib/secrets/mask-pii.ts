import { OverBudget, WorkBudget, type WorkLimits } from '../work-budget.ts';
import { mayDisguise } from './disguises.ts';
import {
  findPii,
  type PiiCounts,
  type PiiMasking,
  type PiiPattern,
  type Range,
  withPlainDigits,
} from './find-pii.ts';
import { type Decoder, type MaskText, maxLayers, readAsText, sourceRanges } from './mask-secrets.ts';

/** The work for one text on the main thread, where every call waits for it: about 10 ms, 30 at worst. */
export const inlinePiiLimits: WorkLimits = { steps: 3_000_000, bytes: 0 };

/** The work for one text that can't go to a thread: 150 ms at worst. */
export const largestPiiLimits: WorkLimits = { steps: 20_000_000, bytes: 0 };

/** The work for a text in a thread, which is ended after some seconds. */
export function threadPiiLimits(characters: number): WorkLimits {
  return { steps: 200_000_000 + 400 * characters, bytes: 0 };
}

/**
 * A function that masks secrets first, then personal data: verbatim and behind entities, escapes, URL encoding and
 * invisible characters. Throws `OverBudget` for a text that takes more work than `limits` allow.
 */
export function withPii(maskSecrets: MaskText, pii: PiiMasking, limits: WorkLimits): MaskText {
  if (pii.patterns.length === 0) return maskSecrets;
  const maskBoth = (text: string): string => {
    const masked = maskSecrets(text);
    const matches = piiIn(masked, pii.patterns, new WorkBudget(limits));
    if (matches.length === 0) return masked;
    pii.onFound(countsOf(matches));
    return maskMatches(masked, matches);
  };
  return Object.assign(maskBoth, { secrets: maskSecrets.secrets, pii });
}

/** What a text becomes that takes too much work to be checked: nothing of it leaves. */
const withheld = '[masked: too long to be checked for personal data]';

/** The same function for texts that can't go to a thread: it withholds what takes too much work. */
export function withholding(maskText: MaskText): MaskText {
  if (maskText.pii === null) return maskText;
  const maskOrWithhold = (text: string): string => {
    try {
      return maskText(text);
    } catch (error) {
      if (error instanceof OverBudget) return withheld;
      throw error;
    }
  };
  return Object.assign(maskOrWithhold, { secrets: maskText.secrets, pii: maskText.pii });
}

/** Something in a text that a pattern found. */
export interface PiiMatch {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** What the patterns find in a text, in order and without overlaps. */
export function piiIn(text: string, patterns: readonly PiiPattern[], budget: WorkBudget): PiiMatch[] {
  const found: PiiMatch[] = [];
  const applied: Decoder[] = [];
  for (let layer = text; ;) {
    const plain = withPlainDigits(layer);
    for (const pattern of patterns) {
      const ranges = findPii(pattern, plain, budget);
      for (const [start, end] of applied.length === 0 ? ranges : sourceRanges(ranges, text, applied))
        found.push({ name: pattern.name, start, end });
    }
    if (applied.length === maxLayers || !mayDisguise(layer)) break;
    budget.spend(layer.length);
    const { text: next } = readAsText(layer, false);
    if (next === layer) break;
    applied.push(readAsText);
    layer = next;
  }
  return withoutOverlaps(found);
}

/** Matches that overlap become one, under the name of the one that starts first, or is longer. */
function withoutOverlaps(found: readonly PiiMatch[]): PiiMatch[] {
  const kept: PiiMatch[] = [];
  for (const match of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const before = kept.at(-1);
    if (before === undefined || match.start >= before.end) kept.push(match);
    else if (match.end > before.end) kept[kept.length - 1] = { ...before, end: match.end };
  }
  return kept;
}

function countsOf(matches: readonly PiiMatch[]): PiiCounts {
  const counts = new Map<string, number>();
  for (const { name } of matches) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The text with each match replaced by the name of its rule. */
export function maskMatches(text: string, matches: readonly PiiMatch[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { name, start, end } of matches) {
    const masked = `[masked: ${name}]`;
    parts.push(text.slice(at, start), isJsonNumber(text, [start, end]) ? `"${masked}"` : masked);
    at = end;
  }
  return parts.join('') + text.slice(at);
}

const number = /^-?\d+(?:\.\d+)?$/;
const maxSpaces = 100;

/** Whether a match is a whole number in JSON, which has to stay JSON. */
function isJsonNumber(text: string, [start, end]: Range): boolean {
  if (end - start > 40 || !number.test(text.slice(start, end))) return false;
  const before = text
    .slice(Math.max(0, start - maxSpaces), start)
    .trimEnd()
    .at(-1);
  const after = text.slice(end, end + maxSpaces).trimStart()[0];
  return before !== undefined && after !== undefined && ':[,'.includes(before) && ',]}'.includes(after);
}
