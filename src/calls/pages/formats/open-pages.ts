import { mediaKind } from '../../../lib/text/media-type.ts';
import { contentTypeOf, decodeText } from '../../../pipeline/reply/media-type.ts';
import type { Reply } from '../../../pipeline/reply/reply.ts';
import { csvPages, isCsvType } from './csv-pages.ts';
import { jsonPages, valueOf } from './json-pages.ts';
import { linePages, startsWithLines } from './line-pages.ts';
import type { OpenedPages, Reading } from './page-format.ts';
import { xmlPages } from './xml-pages.ts';

/**
 * Reads a reply as the first page of a list: by its media type, and by its content where that says little. Undefined
 * if it has no list.
 */
export function* openPages(reply: Reply, items: string | undefined): Reading<OpenedPages | undefined> {
  const type = contentTypeOf(reply);
  if (!type.text || type.html) return undefined;
  const { name } = type;
  const kind = mediaKind(name);
  if (kind === 'lines') return yield* linePages(decodeText(reply, type), name);
  if (isCsvType(name))
    return yield* csvPages(decodeText(reply, type), name, reply.headers['content-type'] ?? '');
  if (kind === 'xml') return yield* xmlPages(decodeText(reply, type), name, items);
  const value = valueOf(reply);
  yield;
  if (value !== undefined) return jsonPages(value, items);
  const text = decodeText(reply, type);
  if (/^\s{0,100}<\?xml\b/.test(text)) return yield* xmlPages(text, name, items);
  return startsWithLines(text) ? yield* linePages(text, name) : undefined;
}
