import { lettersOf } from '../../domain/pages/guess-pagination.ts';
import { isObject, objectOr, type PlainObject } from '../../lib/json/plain-object.ts';
import { type Path, pathIn, valueAtPath } from './page-path.ts';

const listNames = new Set(
  'data,items,results,result,records,value,values,entries,rows,list,hits,objects,content,elements,collection,resources,members,member,docs,documents,nodes,edges,features,embedded,response,page'.split(
    ',',
  ),
);
// Lists that accompany the one that was requested.
const sideNames = new Set(
  'errors,warnings,messages,notices,facets,filters,aggregations,links,included,tags,sort,columns,fields,meta,metadata,pagination,paging'.split(
    ',',
  ),
);
const maxDepth = 6;
const maxObjects = 2_000;

/** A GraphQL connection: a list with its page info. */
export interface Connection {
  readonly path: Path;
  readonly pageInfo: PlainObject;
}

/** The first connection in a reply that has more pages, else the first one. */
export function findConnection(value: unknown): Connection | undefined {
  const found: Connection[] = [];
  walkObjects(value, (object, path) => {
    const { pageInfo } = object;
    if (isObject(pageInfo) && (Array.isArray(object['nodes']) || Array.isArray(object['edges'])))
      found.push({ path, pageInfo });
  });
  return found.find(({ pageInfo }) => pageInfo['hasNextPage'] === true) ?? found[0];
}

/**
 * Where the list of a reply is: as the operation declares, as a connection shows, or as names and shapes suggest.
 * Undefined if there is none.
 */
export function findList(value: unknown, declared: string | undefined): Path | undefined {
  if (declared !== undefined) {
    const path = pathIn(value, declared);
    if (Array.isArray(valueAtPath(value, path))) return path;
  }
  if (Array.isArray(value)) return [];
  const connection = findConnection(value);
  if (connection !== undefined) {
    const { path } = connection;
    return [...path, Array.isArray(valueAtPath(value, [...path, 'nodes'])) ? 'nodes' : 'edges'];
  }
  const [best] = listsIn(value).toSorted(
    (one, other) => likelihood(other) - likelihood(one) || other.list.length - one.list.length,
  );
  return best?.path;
}

interface List {
  readonly path: Path;
  readonly list: readonly unknown[];
}

function listsIn(value: unknown): readonly List[] {
  const lists: List[] = [];
  walkObjects(value, (object, path) => {
    for (const [key, inner] of Object.entries(object))
      if (Array.isArray(inner)) lists.push({ path: [...path, key], list: inner });
  });
  return lists;
}

/** Whether a reply without a list in the expected place has records elsewhere. */
export function hasRecordsElsewhere(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return listsIn(value).some((one) => one.list.some(isObject) && likelihood(one) > 0);
}

/** How likely it is that a reply is about this list: by its name, its items and its depth. */
function likelihood({ path, list }: List): number {
  const isNamed = path.every((key) => listNames.has(lettersOf(key)));
  const isSideList = path.some((key) => sideNames.has(lettersOf(key)));
  return (isNamed ? 5 : 0) + (list.some(isObject) ? 4 : 0) - (isSideList ? 20 : 0) - path.length;
}

/** The records of a page; edges of a connection are unwrapped if they contain nothing but the node. */
export function recordsAt(value: unknown, path: Path): readonly unknown[] {
  const list = valueAtPath(value, path);
  // Some APIs write a list of one as the item itself.
  if (!Array.isArray(list)) return isObject(list) && path.length > 0 ? [list] : [];
  const isEdges = path.at(-1) === 'edges' && list.every(isPlainEdge);
  return isEdges ? list.map((edge) => objectOr(edge)['node']) : (list as readonly unknown[]);
}

const edgeKeys = new Set(['node', 'cursor', '__typename']);

function isPlainEdge(edge: unknown): boolean {
  return isObject(edge) && 'node' in edge && Object.keys(edge).every((key) => edgeKeys.has(key));
}

/** Visits the objects of a reply, outermost first, without entering lists. */
function walkObjects(value: unknown, look: (object: PlainObject, path: Path) => void): void {
  const waiting: { readonly value: unknown; readonly path: Path }[] = [{ value, path: [] }];
  for (let at = 0; at < waiting.length && at < maxObjects; at++) {
    const { value: inner, path } = waiting[at]!;
    if (!isObject(inner)) continue;
    look(inner, path);
    if (path.length >= maxDepth) continue;
    for (const [key, next] of Object.entries(inner))
      if (isObject(next) && waiting.length < maxObjects) waiting.push({ value: next, path: [...path, key] });
  }
}
