import { type XmlValue, xmlValue } from '../../../lib/markup/xml-value.ts';
import { isObject } from '../../../lib/json/plain-object.ts';
import { mediaKind } from '../../../lib/text/media-type.ts';
import { contentTypeOf, decodeText } from '../../../pipeline/reply/media-type.ts';
import { type ClosedElement, elementsOf } from './xml-elements.ts';
import { maxPartsOfPage, type OpenedPages, type Page, type Reading, tooManyParts } from './page-format.ts';
import { lettersOf } from '../../../domain/pages/guess-pagination.ts';

const stepRecords = 500;

/**
 * Pages that are XML with elements of one name under one parent; undefined if there are none, or more than the limit
 * for a page.
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
    if (++elements > maxPartsOfPage) return undefined;
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
          return 'its reply is not XML';
        const further = decodeText(reply, type);
        const others = yield* recordsAt(further, path);
        if (others === null) return tooManyParts;
        return others.root === path.split('/', 1)[0]
          ? yield* pageOf(further, others.found)
          : 'its reply is a different kind of XML';
      },
      list: (texts) =>
        [...tags.map(({ open }) => open), ...texts, ...tags.toReversed().map(({ name }) => `</${name}>`)]
          .map((line) => `${line}\n`)
          .join(''),
      whole: null,
    },
  };
}

/** The elements at a path, and the name of the root element. */
interface Records {
  readonly root: string | undefined;
  readonly found: readonly ClosedElement[];
}

/** Null if there is more than the limit for a page. */
function* recordsAt(text: string, path: string): Reading<Records | null> {
  const found: ClosedElement[] = [];
  let root: string | undefined;
  let elements = 0;
  for (const element of elementsOf(text)) {
    if (++elements > maxPartsOfPage) return null;
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

/** The contents of the root element. */
function onlyField(value: XmlValue | null): unknown {
  return isObject(value) ? Object.values(value)[0] : undefined;
}

// A single element counts as a record only if it is named like one.
const recordNames = new Set(
  'entry,item,record,row,result,element,contents,document,doc,member,node,hit,object,resource,value,feature,data'.split(
    ',',
  ),
);
// Elements that accompany the list.
const sideNames = new Set(
  'link,links,error,errors,warning,warnings,message,messages,facet,facets,category,author,contributor,namespace,query,meta,metadata,paging,pagination,sort,column,field,commonprefixes'.split(
    ',',
  ),
);
const maxPaths = 2_000;
const maxPathLength = 500;

/** Counts over the elements at one path. */
interface Kind {
  readonly path: readonly string[];
  count: number;
  rich: number;
}

/** The elements of an XML document by path; one of the paths is its list. */
class ElementKinds {
  readonly #kinds = new Map<string, Kind>();

  add({ path, isRich }: ClosedElement): void {
    let kind = this.#kinds.get(path);
    if (kind === undefined) {
      if (this.#kinds.size >= maxPaths) return;
      this.#kinds.set(path, (kind = { path: path.split('/'), count: 0, rich: 0 }));
    }
    kind.count++;
    if (isRich) kind.rich++;
  }

  /**
   * The path of the elements that the document lists: as its operation declares, else those that repeat under one
   * parent or are named like records. Undefined if there are none.
   */
  list(declared: string | undefined): string | undefined {
    const isSingle = (path: string): boolean => this.#kinds.get(path)?.count === 1;
    const candidates = [...this.#kinds.values()].filter(
      ({ path }) =>
        path.length > 1 && path.every((_, at) => at === 0 || isSingle(path.slice(0, at).join('/'))),
    );
    const [best] = (declaredAmong(candidates, declared) ?? candidates.filter(isLikely)).toSorted(
      (one, other) => likelihood(other) - likelihood(one) || other.count - one.count,
    );
    return best?.path.join('/');
  }
}

/** The candidates that a dotted path refers to: with or without the root element, or as the parent of the records. */
function declaredAmong(
  candidates: readonly Kind[],
  declared: string | undefined,
): readonly Kind[] | undefined {
  const wanted = declared
    ?.slice(0, maxPathLength)
    .replace(/^\$\.?/, '')
    .replaceAll(/\[[^[\]]*\]/g, '')
    .split('.')
    .join('/');
  if (wanted === undefined || wanted === '') return undefined;
  const isWanted = (path: readonly string[]): boolean =>
    path.join('/') === wanted || path.slice(1).join('/') === wanted;
  const inside = candidates.filter(({ path }) => isWanted(path.slice(0, -1)) && path.length > 2);
  const own = candidates.filter(({ path }) => isWanted(path));
  // Schemas refer to the list; in XML it may be an element of its own around the records.
  const isWrapped = inside.length > 0 && own.every(({ count }) => count === 1) && inside.some(isLikely);
  const found = isWrapped ? inside : own;
  return found.length === 0 ? undefined : found;
}

function isLikely({ path, count, rich }: Kind): boolean {
  if (isSideElement(path)) return false;
  return count > 1 || (rich > 0 && isNamed(path));
}

function isSideElement(path: readonly string[]): boolean {
  return path.some((name) => sideNames.has(lettersOf(name)));
}

/** Whether it is named like a record, or its parent's name is the plural of its own. */
function isNamed(path: readonly string[]): boolean {
  const [parent = '', name = ''] = path.slice(-2).map(lettersOf);
  return (
    recordNames.has(name) ||
    (name.length > 2 && parent.length > name.length && parent.startsWith(name.slice(0, -1)))
  );
}

function likelihood({ path, count, rich }: Kind): number {
  return (isNamed(path) ? 5 : 0) + (rich > 0 ? 4 : 0) + (count > 1 ? 3 : 0) - path.length;
}
