import { inferShape } from './infer-shape.ts';
import { type Places, skimText } from './places.ts';
import { previewJson, previewText } from './preview.ts';
import { type Skim, skimJson, SkimmedList, SkimmedObject } from './skim-json.ts';

const shapeShare = 0.1;
const previewShare = 0.22;
// A longer line isn't one of many records.
const maxRecordLength = 1_000_000;

/** A summary of a text in few tokens. */
export interface TextSummary {
  readonly isJson: boolean;
  readonly records: number;
  readonly unit: string;
  /** The field of an object that contains its records, if its name can be written without quotes. */
  readonly recordsIn?: string;
  readonly shape?: unknown;
  readonly preview: string;
  readonly note: string;
  /** Where its parts are; null if finding out took too long. */
  readonly places: Places | null;
}

/** Summarizes a text in a number of tokens: its records, its shape and a preview. */
export function summarizeText(text: string, tokens: number): TextSummary {
  const shapeTokens = Math.floor(tokens * shapeShare);
  const previewTokens = Math.floor(tokens * previewShare);
  const { skim, places } = skimText(text);
  if (skim !== undefined) {
    // A number can only be previewed by its digits.
    const shown = typeof skim === 'number' ? text.trim() : skim;
    const { text: preview, note } = previewJson(text, shown, previewTokens);
    const shape = inferShape(skim, shapeTokens);
    return { isJson: true, ...recordsOf(skim), unit: 'records', shape, preview, note, places };
  }
  const { total } = places;
  const { text: preview, note } = previewText(text, total, previewTokens);
  const first = firstRecord(text);
  const shape = first === undefined ? {} : { shape: inferShape(first, shapeTokens) };
  return { isJson: false, records: total, unit: 'lines', ...shape, preview, note, places };
}

/** The first of several JSON lines, as a list whose items look alike. */
function firstRecord(text: string): Skim | undefined {
  const end = text.indexOf('\n') + 1;
  if (end === 0 || end > maxRecordLength) return undefined;
  const first = skimJson(text.slice(0, end));
  if (!(first instanceof SkimmedList) && !(first instanceof SkimmedObject)) return undefined;
  const list = new SkimmedList();
  list.items.push(first);
  list.length = 1;
  return list;
}

// An API's field name becomes part of our own sentence only if it is plainly a name.
const plainName = /^[A-Za-z_]\w{0,63}$/;

/** How many records a value has: the items of a list, or of the longest list in an object. */
function recordsOf(value: Skim): Pick<TextSummary, 'records' | 'recordsIn'> {
  if (value instanceof SkimmedList) return { records: value.length };
  if (!(value instanceof SkimmedObject)) return { records: 1 };
  let longest = { name: '', length: 0 };
  for (const [name, inner] of value.fields)
    if (inner instanceof SkimmedList && inner.length > longest.length)
      longest = { name, length: inner.length };
  if (longest.length === 0) return { records: 1 };
  return { records: longest.length, ...(plainName.test(longest.name) && { recordsIn: longest.name }) };
}
