import { contentTypeOf, decodeText } from '../../../pipeline/reply/media-type.ts';
import { maxPartsOfPage, type OpenedPages, type Page, type Reading, tooManyParts } from './page-format.ts';

const stepFields = 2_000;
const stepRows = 1_000;
const quote = 0x22;
const delimiters = [',', ';', '\t', '|'] as const;

interface Row {
  /** As it is written, without the end of its line. */
  readonly text: string;
  readonly fields: readonly string[];
}

/** Whether a media type means rows of fields (RFC 4180 and what is written like it). */
export function isCsvType(name: string): boolean {
  return /^(?:text|application)\/(?:x-)?(?:csv|comma-separated-values|tab-separated-values)$/.test(name);
}

/**
 * Pages of rows whose first one names the columns: it stays once, in front of all records. Undefined when there is no row,
 * or more than is read of a page.
 * Without names (the type says so, or the first row begins with a number, as no name does) every row is a record.
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
        if (!type.text || type.name !== mediaType) return `its reply is no ${mediaType}`;
        const further = yield* readRows(decodeText(reply, type), delimiter);
        if (further === null) return tooManyParts;
        const [again] = further;
        if (names === null || again === undefined) return yield* pageOf(further, names);
        if (sameFields(again.fields, names.fields)) return yield* pageOf(further.slice(1), names);
        return sameFields(again.fields.toSorted(), names.fields.toSorted())
          ? 'its columns stand in another order'
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

/** What stands between fields: the one that the first line has most of. */
function delimiterOf(text: string, mediaType: string): string {
  if (mediaType.includes('tab-')) return '\t';
  const [line = ''] = text.slice(0, longestLine).split('\n', 1);
  const counts = delimiters.map((each) => line.split(each).length);
  return delimiters[counts.indexOf(Math.max(...counts))]!;
}

const longestLine = 64 * 1024;

/**
 * Rows that are not empty; a field in quotes may hold ends of lines. Each character is looked at a bounded number of times.
 * Null when there is more than is read of a page.
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

/** Where a field in quotes is closed; the end of the text where it is not. */
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
