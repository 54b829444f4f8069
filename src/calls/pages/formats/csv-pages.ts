import { contentTypeOf, decodeText } from '../../../pipeline/reply/media-type.ts';
import { maxPartsOfPage, type OpenedPages, type Page, type Reading, tooManyParts } from './page-format.ts';

const stepFields = 2_000;
const stepRows = 1_000;
const quote = 0x22;
const delimiters = [',', ';', '\t', '|'] as const;

interface Row {
  /** As written, without the line ending. */
  readonly text: string;
  readonly fields: readonly string[];
}

/** Whether a media type means rows of fields (RFC 4180 and similar). */
export function isCsvType(name: string): boolean {
  return /^(?:text|application)\/(?:x-)?(?:csv|comma-separated-values|tab-separated-values)$/.test(name);
}

/**
 * Pages of rows whose first row names the columns and is kept once, before all records. Undefined if there are no
 * rows, or more than the limit for a page. Without column names (the media type says so, or the first row starts with
 * a number, as no name does) every row is a record.
 */
export function* csvPages(text: string, mediaType: string, header: string): Reading<OpenedPages | undefined> {
  const delimiter = delimiterOf(text, mediaType);
  const rows = yield* readRows(text, delimiter);
  const top = rows?.[0];
  if (rows === null || top === undefined) return undefined;
  const isNamed = !/;\s?header="?absent/i.test(header) && !/^-?\d{1,20}(?:\.\d{1,20})?$/.test(top.fields[0]!);
  const names = isNamed ? top : null;
  const newline = text.startsWith('\r\n', firstEnd(text, top)) ? '\r\n' : '\n';
  return {
    first: yield* pageOf(names === null ? rows : rows.slice(1), names),
    format: {
      mediaType,
      *read(reply) {
        const type = contentTypeOf(reply);
        if (!type.text || type.name !== mediaType) return `its reply is not ${mediaType}`;
        const further = yield* readRows(decodeText(reply, type), delimiter);
        if (further === null) return tooManyParts;
        const [again] = further;
        if (names === null || again === undefined) return yield* pageOf(further, names);
        if (sameFields(again.fields, names.fields)) return yield* pageOf(further.slice(1), names);
        return sameFields(again.fields.toSorted(), names.fields.toSorted())
          ? 'its columns are in a different order'
          : yield* pageOf(further, names);
      },
      list: (texts) =>
        [...(names === null ? [] : [names.text]), ...texts].map((row) => `${row}${newline}`).join(''),
      whole: null,
    },
  };
}

function firstEnd(text: string, { text: row }: Row): number {
  return text.indexOf(row) + row.length;
}

function* pageOf(rows: readonly Row[], names: Row | null): Reading<Page> {
  const values: unknown[] = [];
  for (const { fields } of rows) {
    values.push(Object.fromEntries(fields.map((field, at) => [names?.fields[at] ?? String(at), field])));
    if (values.length % stepRows === 0) yield;
  }
  return { values, texts: () => rows.map(({ text }) => text), around: undefined };
}

function sameFields(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((field, at) => field === other[at]);
}

/** The field delimiter: the one that occurs most often in the first line. */
function delimiterOf(text: string, mediaType: string): string {
  if (mediaType.includes('tab-')) return '\t';
  const [line = ''] = text.slice(0, maxLineLength).split('\n', 1);
  const counts = delimiters.map((each) => line.split(each).length);
  return delimiters[counts.indexOf(Math.max(...counts))]!;
}

const maxLineLength = 64 * 1024;

/**
 * The rows that are not empty; a quoted field may contain line endings. Runs in linear time. Null if there is more
 * than the limit for a page.
 */
function* readRows(text: string, delimiter: string): Reading<readonly Row[] | null> {
  const rows: Row[] = [];
  let read = 0;
  for (let at = 0; at < text.length;) {
    const from = at;
    const fields: string[] = [];
    let end = -1;
    while (end < 0) {
      if (++read % stepFields === 0) yield;
      if (read > maxPartsOfPage) return null;
      const isQuoted = text[at] === '"';
      const close = isQuoted ? closingQuote(text, at + 1) : at;
      const stop = endOfField(text, close, delimiter);
      fields.push(
        isQuoted
          ? text.slice(at + 1, close).replaceAll('""', '"') + text.slice(close + 1, stop)
          : text.slice(at, stop),
      );
      if (text[stop] === delimiter) at = stop + 1;
      else end = stop;
    }
    const row = text.slice(from, end);
    at = text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1;
    if (row.trim() !== '') rows.push({ text: row, fields });
  }
  return rows;
}

/** The closing quote of a quoted field; the end of the text if there is none. */
function closingQuote(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    if (text.charCodeAt(at) !== quote) continue;
    if (text.charCodeAt(at + 1) !== quote) return at;
    at++;
  }
  return text.length;
}

function endOfField(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at++;
  return at;
}
