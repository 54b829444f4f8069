import { randomUUID } from 'node:crypto';
import { parseMarked, writeMarked } from '../../../lib/json/numbers/exact-numbers.ts';
import { isObject } from '../../../lib/json/plain-object.ts';
import { contentTypeOf, decodeText } from '../../../pipeline/reply/media-type.ts';
import type { Reply } from '../../../pipeline/reply/reply.ts';
import { findList, hasRecordsElsewhere, recordsAt } from '../find-records.ts';
import { type Path, valueAtPath } from '../page-path.ts';
import type { OpenedPages, Page } from './page-format.ts';

/** The value of a JSON reply; undefined for any other. */
export function valueOf(reply: Reply): unknown {
  const type = contentTypeOf(reply);
  if (!type.text) return undefined;
  try {
    return parseMarked(decodeText(reply, type));
  } catch {
    return undefined;
  }
}

/** Pages that are JSON with a list in it; undefined if there is no list. */
export function jsonPages(value: unknown, items: string | undefined): OpenedPages | undefined {
  const path = findList(value, items);
  if (path === undefined) return undefined;
  return {
    first: pageAt(value, path),
    format: {
      mediaType: 'application/json',
      *read(reply) {
        const further = valueOf(reply);
        yield;
        if (further === undefined) return 'its reply is not JSON';
        const page = pageAt(further, path);
        // Some APIs leave the list out of the last page.
        return page.values.length === 0 && !hasList(further, path) && hasRecordsElsewhere(further)
          ? 'its list is in a different place'
          : page;
      },
      list: (texts) => `[${texts.join(',')}]`,
      whole: (texts) => wholePage(value, path, texts),
    },
  };
}

function hasList(value: unknown, path: Path): boolean {
  return Array.isArray(valueAtPath(value, path));
}

function pageAt(value: unknown, path: Path): Page {
  const values = recordsAt(value, path);
  return {
    values,
    texts: () => values.map((record) => writeMarked(JSON.stringify(record))),
    around: value,
  };
}

/** The first page, with the records of all pages in its list. */
function wholePage(value: unknown, path: Path, texts: readonly string[]): string {
  const place = randomUUID();
  const isUnwrapped = path.at(-1) === 'edges';
  const list = `[${(isUnwrapped ? texts.map(asEdge) : texts).join(',')}]`;
  const [before = '', after = ''] = writeMarked(JSON.stringify(withValueAt(value, path, place))).split(
    `"${place}"`,
  );
  return `${before}${list}${after}`;
}

function asEdge(text: string): string {
  return text.startsWith('{"node":') ? text : `{"node":${text}}`;
}

function withValueAt(value: unknown, path: Path, given: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return given;
  return isObject(value) ? { ...value, [key]: withValueAt(value[key], rest, given) } : value;
}
