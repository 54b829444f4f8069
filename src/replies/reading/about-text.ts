import { inferShape } from './infer-shape.ts';
import { type Places, skimText } from './places.ts';
import { previewJson, previewText } from './preview.ts';
import { type Skim, skimJson, SkimmedList, SkimmedObject } from './skim-json.ts';

const shapeShare = 0.1;
const previewShare = 0.22;
// A line that is longer is none of many records.
const longestRecord = 1_000_000;

/** What a text is, told in few tokens. */
export interface TextAbout {
  readonly isJson: boolean;
  readonly records: number;
  readonly unit: string;
  /** The field of an object that its records are in, where its name can be written without quotes. */
  readonly recordsIn?: string;
  readonly shape?: unknown;
  readonly preview: string;
  readonly note: string;
  /** Where its parts are; null when it took too long to find out. */
  readonly places: Places | null;
}

/** Tells about a text in so many tokens: its records, its shape and a preview. */
export function aboutText(text: string, tokens: number): TextAbout {
  const shapeTokens = Math.floor(tokens * shapeShare);
  const previewTokens = Math.floor(tokens * previewShare);
  const { skim, places } = skimText(text);
  if (skim !== undefined) {
    // Of a number only digits can be shown.
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

/** Of lines that are JSON, the first, as a list of as many as are not told apart. */
function firstRecord(text: string): Skim | undefined {
  const end = text.indexOf('\n') + 1;
  if (end === 0 || end > longestRecord) return undefined;
  const first = skimJson(text.slice(0, end));
  if (!(first instanceof SkimmedList) && !(first instanceof SkimmedObject)) return undefined;
  const list = new SkimmedList();
  list.items.push(first);
  list.length = 1;
  return list;
}

// What an API calls a field is told as part of our own words only where it is plainly a name.
const plainName = /^[A-Za-z_]\w{0,63}$/;

/** How many records a value has: the items of a list, or of the longest list that stands in an object. */
function recordsOf(value: Skim): Pick<TextAbout, 'records' | 'recordsIn'> {
  if (value instanceof SkimmedList) return { records: value.length };
  if (!(value instanceof SkimmedObject)) return { records: 1 };
  let longest = { name: '', length: 0 };
  for (const [name, inner] of value.fields)
    if (inner instanceof SkimmedList && inner.length > longest.length)
      longest = { name, length: inner.length };
  if (longest.length === 0) return { records: 1 };
  return { records: longest.length, ...(plainName.test(longest.name) && { recordsIn: longest.name }) };
}
