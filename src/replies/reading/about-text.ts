import { inferShape } from './infer-shape.ts';
import { previewJson, previewText } from './preview.ts';
import { parseJson } from './read-part.ts';
import { linesIn } from './text-lines.ts';

const shapeShare = 0.1;
const previewShare = 0.22;

/** What a text is, told in few tokens. */
export interface TextAbout {
  readonly isJson: boolean;
  readonly records: number;
  readonly unit: string;
  readonly shape?: unknown;
  readonly preview: string;
  readonly note: string;
}

/** Tells about a text in so many tokens: its records, its shape and a preview. */
export function aboutText(text: string, tokens: number): TextAbout {
  const shapeTokens = Math.floor(tokens * shapeShare);
  const previewTokens = Math.floor(tokens * previewShare);
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null) {
    const { text: preview, note } = previewJson(text, value, previewTokens);
    const records = recordsOf(value);
    return { isJson: true, records, unit: 'records', shape: inferShape(value, shapeTokens), preview, note };
  }
  const { text: preview, note } = previewText(text, previewTokens);
  const lines = linesIn(text).length - 1;
  const first = parseJson(text.slice(0, text.indexOf('\n') + 1));
  const isLines = typeof first === 'object' && first !== null;
  const shape = isLines ? { shape: inferShape([first], shapeTokens) } : {};
  return { isJson: false, records: lines, unit: 'lines', ...shape, preview, note };
}

/** How many records a value has: the items of a list, or of the longest list that stands in an object. */
function recordsOf(value: object): number {
  if (Array.isArray(value)) return value.length;
  let longest = 0;
  for (const inner of Object.values(value))
    if (Array.isArray(inner)) longest = Math.max(longest, inner.length);
  return longest || 1;
}
