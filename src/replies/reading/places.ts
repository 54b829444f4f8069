import { type Skim, skimJson } from './skim-json.ts';
import { walkLines } from './text-lines.ts';

/**
 * Where the records or lines of a text start: not each one, but one every so many bytes, so that any part of a
 * long text can be found by reading a short stretch of it.
 */
export interface Places {
  readonly unit: 'records' | 'lines';
  readonly total: number;
  /** Pairs: the number of a record or line, and the byte where it starts. The first pair is 0, 0. */
  readonly marks: readonly number[];
}

const markEvery = 64 * 1024;

/** Records where items start, one every so many characters. */
class Marks {
  readonly #marks: [item: number, at: number][] = [[0, 0]];
  total = 0;
  #last = 0;

  add(at: number): void {
    if (at - this.#last >= markEvery) {
      this.#marks.push([this.total, at]);
      this.#last = at;
    }
    this.total++;
  }

  /** The same in bytes of the text. */
  inBytesOf(text: string): number[] {
    let byte = 0;
    let before = 0;
    return this.#marks.flatMap(([item, at]) => {
      byte += Buffer.byteLength(text.slice(before, at));
      before = at;
      return [item, byte];
    });
  }
}

/** A skimmed text: JSON as far as needed to summarize it, and where its parts are. */
export interface SkimmedText {
  /** Undefined if the text isn't JSON. */
  readonly skim: Skim | undefined;
  readonly places: Places;
}

/** Reads through a text once: the parts of a JSON list are its records, those of anything else its lines. */
export function skimText(text: string): SkimmedText {
  const records = new Marks();
  const skim = skimJson(text, (at) => records.add(at));
  if (skim !== undefined && /^\s*\[/.test(text))
    return { skim, places: { unit: 'records', total: records.total, marks: records.inBytesOf(text) } };
  return { skim, places: linePlaces(text) };
}

/** Where the lines of a text are. */
export function linePlaces(text: string): Places {
  const lines = new Marks();
  walkLines(text, 0, (at) => {
    lines.add(at);
    return true;
  });
  return { unit: 'lines', total: lines.total, marks: lines.inBytesOf(text) };
}

/** A stretch of a text, and the record or line it starts with. */
export interface Stretch {
  readonly first: number;
  readonly fromByte: number;
  readonly toByte: number;
}

/**
 * The stretch that contains an item and at least so many bytes from its start; it ends where another item
 * starts, or with the text.
 */
export function stretchFrom({ marks }: Places, item: number, bytes: number, totalBytes: number): Stretch {
  let at = 0;
  for (let low = 0, high = marks.length / 2; low < high;) {
    const middle = (low + high) >> 1;
    if (marks[middle * 2]! <= item) {
      at = middle;
      low = middle + 1;
    } else high = middle;
  }
  const fromByte = marks[at * 2 + 1]!;
  // The item is before the next mark.
  const next = marks[at * 2 + 3] ?? totalBytes;
  let end = at + 1;
  while (end * 2 < marks.length && marks[end * 2 + 1]! < next + bytes) end++;
  return { first: marks[at * 2]!, fromByte, toByte: marks[end * 2 + 1] ?? totalBytes };
}
