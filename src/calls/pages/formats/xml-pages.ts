import { type XmlValue, xmlValue } from '../../../lib/markup/xml-value.ts';
import { isObject } from '../../../lib/json/plain-object.ts';
import { mediaKind } from '../../../lib/text/media-type.ts';
import { contentTypeOf, decodeText } from '../../../pipeline/reply/media-type.ts';
import { type ClosedElement, elementsOf } from './xml-elements.ts';
import { ElementKinds } from './xml-list.ts';
import { mostPartsOfPage, type OpenedPages, type Page, type Reading, tooManyParts } from './page-format.ts';

const stepRecords = 500;

/**
 * Pages that are XML with elements of one name under one parent; undefined when there are none, or more than is read of a
 * page.
 */
export function* xmlPages(
  text: string,
  mediaType: string,
  items: string | undefined,
): Reading<OpenedPages | undefined> {
  const kinds = new ElementKinds();
  let elements = 0;
  for (const element of elementsOf(text)) {
    if (element === undefined) yield;
    else kinds.add(element);
    if (++elements > mostPartsOfPage) return undefined;
  }
  const path = kinds.list(items);
  if (path === undefined) return undefined;
  const records = yield* recordsAt(text, path);
  if (records === null) return undefined;
  const { found } = records;
  const tags = found[0]!.around;
  return {
    first: yield* pageOf(text, found),
    format: {
      mediaType,
      *read(reply) {
        const type = contentTypeOf(reply);
        if (!type.text || type.html || mediaKind(type.name || mediaType) !== mediaKind(mediaType))
          return 'its reply is no XML';
        const further = decodeText(reply, type);
        const others = yield* recordsAt(further, path);
        if (others === null) return tooManyParts;
        return others.root === path.split('/', 1)[0]
          ? yield* pageOf(further, others.found)
          : 'its reply is another kind of XML';
      },
      list: (texts) =>
        [...tags.map(({ open }) => open), ...texts, ...tags.toReversed().map(({ name }) => `</${name}>`)]
          .map((line) => `${line}\n`)
          .join(''),
      whole: null,
    },
  };
}

/** The elements of a path, and what the outermost is called. */
interface Records {
  readonly root: string | undefined;
  readonly found: readonly ClosedElement[];
}

/** Null when there is more than is read of a page. */
function* recordsAt(text: string, path: string): Reading<Records | null> {
  const found: ClosedElement[] = [];
  let root: string | undefined;
  let elements = 0;
  for (const element of elementsOf(text)) {
    if (++elements > mostPartsOfPage) return null;
    if (element === undefined) yield;
    else if (element.path === path) found.push(element);
    else if (element.around.length === 0) root = element.path;
  }
  return { root, found };
}

function* pageOf(text: string, records: readonly ClosedElement[]): Reading<Page> {
  const texts: string[] = [];
  const values: unknown[] = [];
  const rest: string[] = [];
  let at = 0;
  for (const { from, to } of records) {
    const source = text.slice(from, to);
    texts.push(source);
    values.push(onlyField(xmlValue(source)));
    rest.push(text.slice(at, from));
    at = to;
    if (texts.length % stepRecords === 0) yield;
  }
  rest.push(text.slice(at));
  return { values, texts: () => texts, around: onlyField(xmlValue(rest.join(''))) };
}

/** What the outermost element holds. */
function onlyField(value: XmlValue | null): unknown {
  return isObject(value) ? Object.values(value)[0] : undefined;
}
