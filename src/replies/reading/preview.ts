import { isObject } from '../../lib/json/plain-object.ts';
import { tokenBound } from '../../lib/text/token-bound.ts';
import { linesIn } from './text-lines.ts';
import { recordsIn } from './json-records.ts';

/** The beginning of a reply, and a sentence about how it was made. */
export interface Preview {
  readonly text: string;
  readonly note: string;
}

// Each is tried until what is left is short enough: items of a list, characters of a text, levels.
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

/** A JSON reply in at most `maxTokens`, as JSON: whole records of a list, else everything shortened. */
export function previewJson(text: string, value: unknown, maxTokens: number): Preview {
  if (Array.isArray(value)) {
    const { starts, ends } = recordsIn(text);
    let count = 0;
    for (let left = maxTokens - 2; count < starts.length; count++) {
      left -= tokenBound(text.slice(starts[count], ends[count])) + 1;
      if (left < 0) break;
    }
    if (count > 0) {
      const shown = starts.slice(0, count).map((start, n) => text.slice(start, ends[n]));
      return { text: `[${shown.join(',')}]`, note: `the first ${count} of ${starts.length} records` };
    }
  }
  for (const [items, characters, levels] of limits) {
    const shorter = JSON.stringify(shorten(value, items, characters, levels));
    if (tokenBound(shorter) <= maxTokens)
      return { text: shorter, note: 'shortened lists, texts and levels: … marks where' };
  }
  return {
    text: Array.isArray(value) ? '[]' : '{}',
    note: 'nothing of it, because its fields are very many',
  };
}

function shorten(value: unknown, items: number, characters: number, levels: number): unknown {
  if (typeof value === 'string')
    return value.length <= characters ? value : `${value.slice(0, characters).toWellFormed()}…`;
  if (levels === 0 && typeof value === 'object' && value !== null) return '…';
  if (Array.isArray(value)) {
    const some = value.slice(0, items).map((item) => shorten(item, items, characters, levels - 1));
    return value.length <= items ? some : [...some, `… ${value.length - items} more`];
  }
  if (!isObject(value)) return value;
  const mostKeys = 10 + items * 5;
  const keys = Object.keys(value);
  const shorter: [string, unknown][] = keys
    .slice(0, mostKeys)
    .map((key) => [key.slice(0, 200), shorten(value[key], items, characters, levels - 1)]);
  if (keys.length > mostKeys) shorter.push(['…', `${keys.length - mostKeys} more fields`]);
  return Object.fromEntries(shorter);
}

/** A text in at most `maxTokens`: its first lines, and its last. */
export function previewText(text: string, maxTokens: number): Preview {
  const starts = linesIn(text);
  const lines = starts.length - 1;
  const costOf = (line: number) => tokenBound(text.slice(starts[line], starts[line + 1]));
  let left = maxTokens - 20;
  let head = 0;
  for (let room = left * 0.7; head < lines; head++) {
    const cost = costOf(head);
    if (cost > room) break;
    room -= cost;
    left -= cost;
  }
  let tail = lines;
  while (tail > head) {
    const cost = costOf(tail - 1);
    if (cost > left) break;
    left -= cost;
    tail--;
  }
  const parts = [
    text.slice(0, starts[head]),
    `[… lines ${head} to ${tail - 1} are left out here …]\n`,
    text.slice(starts[tail]),
  ];
  return {
    text: parts.join(head > 0 && text[starts[head]! - 1] !== '\n' ? '\n' : ''),
    note: `the first ${head} and the last ${lines - tail} of ${lines} lines`,
  };
}
