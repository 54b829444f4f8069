import { parseMarked, writeMarked } from '../../../lib/json/numbers/exact-numbers.ts';
import { isJsonSequence } from '../../../lib/text/media-type.ts';
import { contentTypeOf, decodeText } from '../../../pipeline/reply/media-type.ts';
import { maxPartsOfPage, type OpenedPages, type Page, type Reading, tooManyParts } from './page-format.ts';

const stepLines = 500;
const sequenceMark = '\u001e';

/** Pages that are JSON values, one per line; undefined if there are none, or more than the limit for a page. */
export function* linePages(text: string, mediaType: string): Reading<OpenedPages | undefined> {
  const first = yield* readLines(text, mediaType);
  if (first === null || first.values.length === 0) return undefined;
  return {
    first,
    format: {
      mediaType: isJsonSequence(mediaType) ? 'application/x-ndjson' : mediaType,
      *read(reply) {
        const type = contentTypeOf(reply);
        if (!type.text || type.name !== mediaType) return `its reply is not ${mediaType}`;
        return (yield* readLines(decodeText(reply, type), mediaType)) ?? tooManyParts;
      },
      list: (texts) => texts.map((line) => `${line}\n`).join(''),
      whole: null,
    },
  };
}

/** Whether each of the first lines of a text is JSON, although the text as a whole isn't, whatever its media type. */
export function startsWithLines(text: string): boolean {
  const [first, second] = text.slice(0, maxFirstLines).split('\n', 3);
  return second !== undefined && isRecord(first!) && isRecord(second);
}

// Longer texts aren't examined, because nothing declares them to be lines.
const maxFirstLines = 256 * 1024;

function isRecord(line: string): boolean {
  const value = parsed(line);
  return typeof value === 'object' && value !== null;
}

function* readLines(text: string, mediaType: string): Reading<Page | null> {
  const isSequence = isJsonSequence(mediaType);
  const values: unknown[] = [];
  const texts: string[] = [];
  const end = isSequence ? sequenceMark : '\n';
  let read = 0;
  for (let at = 0; at < text.length;) {
    if (++read % stepLines === 0) yield;
    if (read > maxPartsOfPage) return null;
    const found = text.indexOf(end, at);
    const stop = found < 0 ? text.length : found;
    const line = text.slice(at, stop).trim();
    at = stop + 1;
    if (line === '') continue;
    // A line that can't be parsed still counts as a record, so nothing is lost.
    const value = parsed(line) ?? line;
    values.push(value);
    texts.push(isSequence && line.includes('\n') ? writeMarked(JSON.stringify(value)) : line);
  }
  return { values, texts: () => texts, around: undefined };
}

function parsed(line: string): unknown {
  try {
    return parseMarked(line);
  } catch {
    return undefined;
  }
}
