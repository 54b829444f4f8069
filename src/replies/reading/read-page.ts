import { tokenBound } from '../../lib/text/token-bound.ts';
import { inferShape } from './infer-shape.ts';
import { recordsIn } from './json-records.ts';
import { type Part, type PartRequest, placeNote } from './part-request.ts';
import type { Places } from './places.ts';
import { skimJson } from './skim-json.ts';
import { linesIn } from './text-lines.ts';

/** A stretch of a text that starts with a record or line, and ends before another or with the text. */
export interface PageSource {
  readonly text: string;
  /** The number of the record or line it starts with. */
  readonly first: number;
  readonly places: Pick<Places, 'unit' | 'total'>;
}

// Few tokens are longer.
const lettersPerToken = 20;

/** How many bytes of a text are enough for a page, from its first record or line on. */
export function bytesOfPage(maxTokens: number): number {
  return maxTokens * lettersPerToken * 3;
}

/** Reads a page in at most `maxTokens`: the records of a list, or the lines of anything else. */
export function readPage(source: PageSource, request: PartRequest, maxTokens: number): Part {
  return source.places.unit === 'records'
    ? recordsPage(source, request, maxTokens)
    : linesPage(source, request, maxTokens);
}

function recordsPage({ text, first, places }: PageSource, request: PartRequest, maxTokens: number): Part {
  const { offset } = request;
  const { starts, ends } = recordsIn(text, first === 0 ? 0 : 1);
  const at = (n: number) => text.slice(starts[n - first], ends[n - first]);
  const count = howMany({ end: first + starts.length, at }, request, maxTokens);
  if (count === 0 && offset < places.total) {
    const skim = skimJson(at(offset)) ?? null;
    return {
      text: JSON.stringify(inferShape(skim, Math.floor(maxTokens / 2))),
      note: `[Record ${offset} of ${places.total} is too long to show at once; above is its shape. Read it in parts with select: ${recordPath(request.select, offset)}, or one of its fields. The next record has offset ${offset + 1}.]`,
    };
  }
  const shown = Array.from({ length: count }, (_, n) => at(offset + n));
  return { text: `[${shown.join(',')}]`, note: placeNote('records', offset, count, places.total) };
}

/** An expression for one record of what another expression selects. */
function recordPath(select: string | undefined, record: number): string {
  const isPath = select === undefined || /^(?:\[\d+\])+$/.test(select);
  return isPath ? `${select ?? ''}[${record}]` : `${select} | [${record}]`;
}

function linesPage({ text, first, places }: PageSource, request: PartRequest, maxTokens: number): Part {
  const { offset } = request;
  const starts = linesIn(text);
  const at = (n: number) => text.slice(starts[n - first], starts[n - first + 1]);
  const end = first + starts.length - 1;
  // Every line fits every budget; even if one didn't, the next page would start after it.
  const count = offset < end ? Math.max(1, howMany({ end, at }, request, maxTokens)) : 0;
  return {
    text: count === 0 ? '' : text.slice(starts[offset - first], starts[offset - first + count]),
    note: placeNote('lines', offset, count, places.total),
  };
}

/** A page of search hits. */
export function listPage(items: readonly string[], request: PartRequest, maxTokens: number): Part {
  const { offset } = request;
  const count = howMany({ end: items.length, at: (n) => items[n]! }, request, maxTokens);
  return {
    text: items.slice(offset, offset + count).join('\n'),
    note: placeNote('hits', offset, count, items.length),
  };
}

/** How many items fit, from the offset on. */
function howMany(
  items: { readonly end: number; at(n: number): string },
  { offset, limit = Infinity }: PartRequest,
  maxTokens: number,
): number {
  let count = 0;
  for (let left = maxTokens; count < limit && offset + count < items.end; count++) {
    const item = items.at(offset + count);
    if (item.length > left * lettersPerToken) break;
    left -= tokenBound(item) + 1;
    if (left < 0) break;
  }
  return count;
}
