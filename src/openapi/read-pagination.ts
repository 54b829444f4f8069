import { argumentNames, guessPagination, lettersOf, takesGraphql } from '../domain/pages/guess-pagination.ts';
import type { Operation, OperationLink, Pagination } from '../domain/operation.ts';
import { arrayOr, isObject, objectOr, type PlainObject, textOr } from '../lib/json/plain-object.ts';
import { below, type Located } from './bundle.ts';
import type { Reading } from './reading.ts';

type PaginationKind = Pagination['kind'];

const maxLinks = 20;

/**
 * How an operation paginates: as an extension says (Speakeasy's, Azure's, Fern's, `x-pagination`), else by a `Link` header
 * in its reply, else guessed from unambiguous names. Undefined if it does not return pages.
 */
export function readPagination(
  operation: PlainObject,
  built: Pick<Operation, 'method' | 'parameters' | 'replySchema'>,
  replyHeaders: ReadonlySet<string>,
): Pagination | undefined {
  const inputs = built.parameters.filter(({ in: place }) => place === 'query' || place === 'body');
  const named = (wire: string | undefined) => inputs.find(({ name, key }) => (key ?? name) === wire)?.name;
  // Also a field of a parameter: `pagination.cursor`.
  const argument = (wire: string | undefined): string | undefined => {
    const dot = wire?.indexOf('.') ?? -1;
    const outer = dot > 0 ? named(wire!.slice(0, dot)) : undefined;
    return named(wire) ?? (outer && `${outer}${wire!.slice(dot)}`);
  };
  const declared = fromExtension(operation, argument);
  const guessed = guessPagination(built);
  if (declared) return { ...(guessed?.kind === declared.kind && guessed), ...declared };
  if (takesGraphql(built)) return { kind: 'graphql' };
  if (built.method !== 'GET') return isQuery(guessed) ? guessed : undefined;
  if (replyHeaders.has('link'))
    return { kind: 'link', ...(guessed?.size !== undefined && { size: guessed.size }) };
  return guessed;
}

/** Whether a non-GET operation can only be a query: it takes a cursor, and its reply has a list and the next cursor. */
function isQuery(guessed: Pagination | undefined): boolean {
  return guessed?.kind === 'cursor' && guessed.items !== undefined && guessed.next !== undefined;
}

function fromExtension(
  operation: PlainObject,
  argument: (wire: string | undefined) => string | undefined,
): Pagination | undefined {
  const speakeasy = operation['x-speakeasy-pagination'];
  if (isObject(speakeasy)) {
    const inputs = arrayOr(speakeasy['inputs']).filter(isObject);
    const wireOf = (...types: string[]) =>
      textOr(inputs.find((input) => types.includes(String(input['type'])))?.['name']);
    const outputs = objectOr(speakeasy['outputs']);
    const type = textOr(speakeasy['type']);
    const kind = type === 'url' ? 'url' : type === 'cursor' ? 'cursor' : wireOf('page') ? 'page' : 'offset';
    return described(kind, argument(wireOf('cursor', 'page', 'offset')), argument(wireOf('limit')), {
      items: pathOf(outputs['results']),
      next: pathOf(outputs['nextCursor'] ?? outputs['nextUrl']),
    });
  }
  const azure = operation['x-ms-pageable'];
  if (isObject(azure))
    return described('url', undefined, undefined, {
      items: textOr(azure['itemName']) ?? 'value',
      next: textOr(azure['nextLinkName']) ?? 'nextLink',
    });
  const fern = operation['x-fern-pagination'];
  if (isObject(fern)) {
    const cursor = textOr(fern['cursor']);
    const place = (cursor ?? textOr(fern['offset']))?.replace(/^\$request\./, '');
    // Fern's offset counts pages, unless it has a step or its name refers to records.
    const counts = argumentNames.offset.has(lettersOf(place ?? '')) || fern['step'] !== undefined;
    return described(cursor ? 'cursor' : counts ? 'offset' : 'page', argument(place), undefined, {
      items: pathOf(fern['results']),
      next: pathOf(fern['next_cursor']),
    });
  }
  const plain = operation['x-pagination'];
  if (!isObject(plain)) return undefined;
  const text = (...keys: string[]) =>
    keys.map((key) => textOr(plain[key])).find((found) => found !== undefined);
  const said = text('type', 'kind', 'style', 'strategy')?.toLowerCase() ?? '';
  const kind = kinds.find((each) => said.includes(each));
  if (kind === undefined) return undefined;
  return described(
    kind,
    argument(text('parameter', 'param', 'cursorParam', 'pageParam', 'offsetParam', 'tokenParam')),
    argument(text('limit', 'size', 'limitParam', 'sizeParam', 'pageSizeParam')),
    {
      items: pathOf(text('items', 'results', 'itemsPath')),
      next: pathOf(text('next', 'nextCursor', 'nextPath')),
    },
  );
}

const kinds: readonly PaginationKind[] = ['cursor', 'offset', 'page', 'link', 'url', 'graphql'];

function described(
  kind: PaginationKind,
  parameter: string | undefined,
  size: string | undefined,
  { items, next }: { items?: string | undefined; next?: string | undefined },
): Pagination {
  return {
    kind,
    ...(parameter !== undefined && { parameter }),
    ...(size !== undefined && { size }),
    ...(items !== undefined && { items }),
    ...(next !== undefined && { next }),
  };
}

// `$.data.items`, `$response.data.items` and `data.items` are the same place.
function pathOf(value: unknown): string | undefined {
  const path = textOr(value)?.replace(/^\$(?:response|request)?\.?/, '');
  return path === undefined || path === '' || path.length > 500 ? undefined : path;
}

/** The operations that a successful reply's `links` point to, with the values they take from it. */
export function readLinks(reading: Reading, responses: Located): OperationLink[] {
  const found: OperationLink[] = [];
  for (const [code, response] of Object.entries(objectOr(responses.value))) {
    if (!code.startsWith('2')) continue;
    const target = reading.resolver.follow({ value: response, at: below(responses.at, code) });
    if ('unresolved' in target) continue;
    for (const [name, given] of Object.entries(objectOr(objectOr(target.value)['links']))) {
      const link = reading.resolver.follow({ value: given, at: below(target.at, 'links', name) });
      if ('unresolved' in link || found.length >= maxLinks) continue;
      const { operationId, operationRef, parameters } = objectOr(link.value);
      const to = textOr(operationId) ?? textOr(operationRef);
      if (to === undefined || to.length > 4_000) continue;
      const taken = Object.entries(objectOr(parameters)).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].length <= 4_000,
      );
      found.push({ name: name.slice(0, 200), to, parameters: Object.fromEntries(taken) });
    }
  }
  return found;
}

/** Whether an operation may only start a job: it says so, or has a reply with HTTP 202. */
export function readLongRunning(operation: PlainObject, responses: Located): boolean {
  return operation['x-ms-long-running-operation'] === true || '202' in objectOr(responses.value);
}

/** The names of the headers that a successful reply has, in lower case. */
export function replyHeaderNames(reading: Reading, responses: Located): Set<string> {
  const names = new Set<string>();
  for (const [code, response] of Object.entries(objectOr(responses.value))) {
    const target = reading.resolver.follow({ value: response, at: below(responses.at, code) });
    if (!code.startsWith('2') || 'unresolved' in target) continue;
    for (const name of Object.keys(objectOr(objectOr(target.value)['headers'])))
      names.add(name.toLowerCase());
  }
  return names;
}
