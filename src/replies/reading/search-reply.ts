import { parseMarked, writeMarkedText } from '../../lib/json/numbers/exact-numbers.ts';
import { linesIn } from './text-lines.ts';

const maxHits = 10_000;
const around = 80;

/** Where a text occurs in another: in JSON by path, otherwise by line. */
export function searchText(text: string, wanted: string): readonly string[] {
  const value = parse(text);
  return value === undefined ? searchLines(text, wanted) : searchJson(value, wanted);
}

/** Null and standalone scalars are searched as lines. */
function parse(text: string): object | undefined {
  try {
    const value = parseMarked(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Where a text occurs among the keys and values of a JSON value, ignoring case: `items[3].name: …`. */
function searchJson(value: unknown, wanted: string): readonly string[] {
  const needle = wanted.toLowerCase();
  const hits: string[] = [];
  const waiting: [path: string, value: unknown][] = [['', value]];
  while (waiting.length > 0 && hits.length < maxHits) {
    const [path, each] = waiting.pop()!;
    if (Array.isArray(each)) {
      for (let at = each.length - 1; at >= 0; at--) waiting.push([`${path}[${at}]`, each[at]]);
    } else if (typeof each === 'object' && each !== null) {
      const entries = Object.entries(each);
      for (let at = entries.length - 1; at >= 0; at--) {
        const [key, inner] = entries[at]!;
        waiting.push([path === '' ? keyText(key) : `${path}.${keyText(key)}`, inner]);
      }
      for (const [key] of entries)
        if (key.toLowerCase().includes(needle))
          hits.push(`${path === '' ? '' : `${path}.`}${keyText(key)}: (a field)`);
    } else {
      const text = writeMarkedText(String(each));
      const at = text.toLowerCase().indexOf(needle);
      if (at >= 0) hits.push(`${path === '' ? '@' : path}: ${excerpt(text, at, needle.length)}`);
    }
  }
  return hits;
}

/** The lines of a text that contain another, each with its number. */
function searchLines(text: string, wanted: string): readonly string[] {
  const needle = wanted.toLowerCase();
  const starts = linesIn(text);
  const hits: string[] = [];
  for (let line = 0; line < starts.length - 1 && hits.length < maxHits; line++) {
    const each = text.slice(starts[line], starts[line + 1]);
    const at = each.toLowerCase().indexOf(needle);
    if (at >= 0) hits.push(`${line}: ${excerpt(each, at, needle.length)}`);
  }
  return hits;
}

function excerpt(text: string, at: number, length: number): string {
  const from = Math.max(0, at - around);
  const to = Math.min(text.length, at + length + around);
  const shown = text.slice(from, to).toWellFormed().replaceAll('\n', ' ').trim();
  return `${from > 0 ? '…' : ''}${shown}${to < text.length ? '…' : ''}`;
}

/** A key in JMESPath syntax. */
function keyText(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
}
