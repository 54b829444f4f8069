import { tokenBound } from '../../lib/text/token-bound.ts';
import { recordsIn } from './json-records.ts';
import { type Skim, SkimmedList, SkimmedObject } from './skim-json.ts';
import { linesIn, walkLines } from './text-lines.ts';

/** The start of a reply, and a phrase that says how it was shortened. */
export interface Preview {
  readonly text: string;
  readonly note: string;
}

// Tried in order until the rest is short enough: items of a list, characters of a text, levels.
const limits: readonly (readonly [items: number, characters: number, levels: number])[] = [
  [100, 1_000, 12],
  [30, 500, 12],
  [10, 300, 10],
  [5, 200, 8],
  [3, 100, 8],
  [2, 60, 6],
  [1, 40, 5],
  [1, 20, 3],
  [1, 10, 2],
  [0, 10, 1],
];

// A record costs at least this much, whatever it contains.
const minTokens = 2;

/**
 * A JSON reply in at most `maxTokens`, as JSON: complete records of a list if possible, otherwise everything
 * shortened.
 */
export function previewJson(text: string, value: Skim, maxTokens: number): Preview {
  if (value instanceof SkimmedList) {
    const { starts, ends } = recordsIn(text, 0, (found) => found * minTokens <= maxTokens);
    let count = 0;
    for (let left = maxTokens - 2; count < starts.length; count++) {
      left -= tokenBound(text.slice(starts[count], ends[count])) + 1;
      if (left < 0) break;
    }
    if (count > 0) {
      const shown = starts.slice(0, count).map((start, n) => text.slice(start, ends[n]));
      return { text: `[${shown.join(',')}]`, note: `the first ${count} of ${value.length} records` };
    }
  }
  for (const [items, characters, levels] of limits) {
    const shorter = JSON.stringify(shorten(value, items, characters, levels));
    if (tokenBound(shorter) <= maxTokens)
      return { text: shorter, note: 'lists, texts and levels are shortened where … appears' };
  }
  return {
    text: value instanceof SkimmedList ? '[]' : '{}',
    note: 'empty, because it has too many fields',
  };
}

function shorten(value: Skim, items: number, characters: number, levels: number): unknown {
  if (typeof value === 'string')
    return value.length <= characters ? value : `${value.slice(0, characters).toWellFormed()}…`;
  if (!(value instanceof SkimmedList) && !(value instanceof SkimmedObject)) return value;
  if (levels === 0) return '…';
  if (value instanceof SkimmedList) {
    const some: unknown[] = value.items
      .slice(0, items)
      .map((item) => shorten(item, items, characters, levels - 1));
    const left = value.length - some.length;
    return left === 0 ? some : [...some, `… ${left} more`];
  }
  const maxKeys = 10 + items * 5;
  const shorter: [string, unknown][] = [...value.fields]
    .slice(0, maxKeys)
    .map(([key, inner]) => [key.slice(0, 200), shorten(inner, items, characters, levels - 1)]);
  const left = value.size - shorter.length;
  if (left > 0) shorter.push(['…', `${left} more fields`]);
  return Object.fromEntries(shorter);
}

// No token covers more letters than this.
const lettersPerToken = 128;

/** A text in at most `maxTokens`: its first and last lines. */
export function previewText(text: string, lines: number, maxTokens: number): Preview {
  let left = maxTokens - 20;
  let head = 0;
  let headEnd = 0;
  let before = 0;
  let room = left * 0.7;
  const take = (end: number): boolean => {
    const cost = tokenBound(text.slice(before, end));
    if (cost > room) return false;
    room -= cost;
    left -= cost;
    head++;
    headEnd = before = end;
    return true;
  };
  let isFirst = true;
  walkLines(text, 0, (at) => {
    if (isFirst) {
      isFirst = false;
      return true;
    }
    return take(at);
  });
  if (head === lines - 1) take(text.length);
  const { start, count } = lastLines(text, headEnd, left);
  const parts = [
    text.slice(0, headEnd),
    `[… lines ${head} to ${lines - count - 1} are left out here …]\n`,
    text.slice(start),
  ];
  return {
    text: parts.join(head > 0 && text[headEnd - 1] !== '\n' ? '\n' : ''),
    note: `the first ${head} and the last ${count} of ${lines} lines`,
  };
}

/** Where the last lines that cost at most this much start, and how many there are. */
function lastLines(text: string, notBefore: number, maxTokens: number): { start: number; count: number } {
  // Lines start at line breaks, whatever precedes them; only a very long line is split from its start.
  const from = Math.max(notBefore, text.lastIndexOf('\n', text.length - maxTokens * lettersPerToken) + 1);
  const tail = text.slice(from);
  const starts = linesIn(tail);
  let left = maxTokens;
  let count = 0;
  for (let line = starts.length - 2; line >= 0; line--) {
    const cost = tokenBound(tail.slice(starts[line], starts[line + 1]));
    if (cost > left) break;
    left -= cost;
    count++;
  }
  return { start: from + starts.at(-1 - count)!, count };
}
