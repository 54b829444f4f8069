import type { AuthScheme } from '../../../domain/auth-scheme.ts';
import type {
  ApiDescription,
  DescribedOperation,
  ImportNote,
  ProposedCredential,
} from '../../../domain/description.ts';
import type { JsonValue } from '../../../domain/json-schema.ts';
import { fitToolName } from '../../../domain/names.ts';
import type { Operation } from '../../../domain/operation.ts';
import { annotationsByMeaning } from '../../../domain/tool-meaning.ts';
import {
  arrayOr,
  isObject,
  objectOr,
  textOr,
  type PlainObject,
  wordOf,
} from '../../../lib/json/plain-object.ts';
import { slugFrom } from '../../../lib/text/slug.ts';
import { tidyText } from '../../../lib/text/tidy-text.ts';
import { inferSchema, operationFrom, type ObservedRequest } from '../observed/observed-request.ts';
import { readAuth, usable } from './postman-auth.ts';
import { readBody, withTemplate } from './postman-body.ts';
import { markdown, readUrl } from './postman-url.ts';
import { separateSecrets } from '../observed/separate-secrets.ts';

// Postman collections 2.0 and 2.1: https://schema.postman.com/

/** Whether a value is a Postman collection. */
export function isPostman(value: unknown): value is PlainObject {
  if (!isObject(value)) return false;
  // Postman's own API wraps the collection in an envelope.
  if (isObject(value['collection'])) return isPostman(value['collection']);
  const about = objectOr(value['info']);
  return (
    Array.isArray(value['item']) &&
    (wordOf(about['schema'] ?? '').includes('collection') ||
      about['_postman_id'] !== undefined ||
      about['name'] !== undefined ||
      value['item'].some(isPostmanItem))
  );
}

// Excerpts of collections, and generated ones, have no `info`; they are recognized by their requests.
function isPostmanItem(item: unknown): boolean {
  if (!isObject(item)) return false;
  const { request, item: inner } = item as { request?: unknown; item?: unknown };
  return (
    (isObject(request) && request['url'] !== undefined) ||
    (typeof request === 'string' && item['name'] !== undefined) ||
    (Array.isArray(inner) && inner.some(isPostmanItem))
  );
}

interface Folder {
  readonly tags: readonly string[];
  readonly auth: unknown;
  readonly variables: ReadonlyMap<string, string>;
  /** Whether a script runs before each request in it. */
  readonly scripted: boolean;
}

interface CollectionRequest {
  readonly key: string;
  readonly wantedName: string;
  readonly at: string;
  readonly base: string | null;
  readonly operation: Operation | null;
  readonly notes: ImportNote[];
  readonly auth: { auth: AuthScheme; credential: ProposedCredential | null };
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
}

/** Reads a collection: requests become tools, folders become tags, variables with a value are filled in. */
export function readPostman(given: PlainObject): ApiDescription {
  const collection = isObject(given['collection']) ? given['collection'] : given;
  const variables = readVariables(collection['variable']);
  const found: CollectionRequest[] = [];
  const notes: ImportNote[] = [];
  walk(
    arrayOr(collection['item']),
    '#/item',
    { tags: [], auth: collection['auth'], variables, scripted: false },
    found,
    0,
  );
  if (hasScripts(collection))
    notes.push({
      code: 'scripts_ignored',
      message:
        'Scripts in the collection are not run; what they set must be provided as arguments or credentials.',
      at: '#/event',
    });
  const bases = count(found.map(({ base }) => base).filter((base): base is string => base !== null));
  const base = bases[0];
  const schemeOf = new Map(found.map(({ auth }) => [JSON.stringify(auth.auth), auth.auth]));
  const auths = count(
    found.map(({ auth }) => JSON.stringify(auth.auth)).filter((text) => text !== '{"kind":"none"}'),
  );
  const chosen =
    auths[0] === undefined
      ? { auth: { kind: 'none' } as AuthScheme, credential: null }
      : found.find(({ auth }) => JSON.stringify(auth.auth) === auths[0])!.auth;
  const credential =
    found.find(({ auth }) => JSON.stringify(auth.auth) === auths[0] && auth.credential)?.auth.credential ??
    null;
  const taken = new Set<string>();
  const keys = new Map<string, number>();
  const operations = found.map((entry) => toDescribed(entry, base, chosen.auth, taken, keys));
  const about = objectOr(collection['info']);
  const title = textOr(about['name']) ?? 'Postman collection';
  const description = markdown(about['description']);
  return {
    kind: 'postman',
    wantedSlug: slugFrom(title),
    name: tidyText(title, 120),
    ...(description && { description: tidyText(description, 2_000) }),
    baseUrls: bases,
    headers: {},
    auth: chosen.auth,
    authChoices: auths.map((text, i) => ({ name: `postman-${i + 1}`, auth: schemeOf.get(text)! })),
    operations,
    notes,
    ...(credential && { proposedCredential: credential }),
  };
}

function toDescribed(
  entry: CollectionRequest,
  base: string | undefined,
  auth: AuthScheme,
  taken: Set<string>,
  keys: Map<string, number>,
): DescribedOperation {
  const times = (keys.get(entry.key) ?? 0) + 1;
  keys.set(entry.key, times);
  const notes = [...entry.notes];
  if (entry.auth.auth.kind !== 'none' && JSON.stringify(entry.auth.auth) !== JSON.stringify(auth)) {
    notes.push({
      code: 'other_authentication',
      message: 'The request authenticates differently from what the API is set to.',
      at: entry.at,
    });
  }
  const common = {
    key: times === 1 ? entry.key : `${entry.key} (${times})`,
    wantedName: entry.wantedName,
    at: entry.at,
    notes,
  };
  if (!entry.operation) return { ...common, content: null };
  const name = fitToolName(entry.wantedName, (candidate) => taken.has(candidate));
  taken.add(name);
  return {
    ...common,
    content: {
      name,
      title: tidyText(entry.title, 100),
      description: entry.description,
      tags: entry.tags,
      annotations: annotationsByMeaning({
        method: entry.operation.method,
        path: entry.operation.path,
        name: entry.title,
        summary: entry.description,
      }).annotations,
      operation: {
        ...entry.operation,
        ...(entry.base !== null && entry.base !== base && { baseUrl: entry.base }),
      },
    },
  };
}

function walk(
  items: readonly unknown[],
  at: string,
  folder: Folder,
  found: CollectionRequest[],
  depth: number,
): void {
  for (const [i, item] of items.entries()) {
    if (!isObject(item) || depth > 50) continue;
    const place = `${at}/${i}`;
    const title = textOr(item['name']) ?? `request ${found.length + 1}`;
    const own: Folder = {
      ...folder,
      variables: new Map([...folder.variables, ...readVariables(item['variable'])]),
      scripted: folder.scripted || hasScripts(item, 'prerequest'),
    };
    if (Array.isArray(item['item'])) {
      const inner = { ...own, tags: [...folder.tags, title], auth: item['auth'] ?? folder.auth };
      walk(item['item'], `${place}/item`, inner, found, depth + 1);
    } else if (item['request'] !== undefined) {
      found.push(readRequest(item, title, place, own));
    }
  }
}

function readRequest(item: PlainObject, title: string, at: string, folder: Folder): CollectionRequest {
  const given = item['request'];
  const request: PlainObject = typeof given === 'string' ? { url: given, method: 'GET' } : objectOr(given);
  const notes: ImportNote[] = [];
  const fill = (text: string): string => fillVariables(text, folder.variables);
  const url = readUrl(request['url'], fill);
  const method = (textOr(request['method']) ?? 'GET').toUpperCase();
  const headers = readHeaders(request['header'], fill);
  const secrets = separateSecrets(
    headers,
    url.query.map(({ name, value }): [string, string] => [name, value]),
  );
  const declared = readAuth(request['auth'] ?? folder.auth, fill, notes, at);
  const auth = declared ?? { auth: secrets.auth, credential: usable(secrets.credential) };
  const keptQuery = new Set(secrets.query.map(([name]) => name));
  const observed: ObservedRequest = {
    method,
    path: url.path,
    pathValues: url.variables,
    query: url.query
      .filter(({ name }) => keptQuery.has(name))
      .map((pair) => ({ ...pair, value: pair.value })),
    headers: secrets.headers.filter(([, value]) => !value.includes('{{')),
    ...readBody(request['body'], headers, fill),
  };
  for (const [name] of secrets.headers.filter(([, value]) => value.includes('{{'))) {
    notes.push({
      code: 'header_dropped',
      message: `The header "${name}" has a variable without a value and is left out.`,
      at,
    });
  }
  if (folder.scripted)
    notes.push({
      code: 'scripts_ignored',
      message: 'The pre-request script is not run; what it sets must be provided as arguments.',
      at,
    });
  const built = operationFrom(observed, 'examples', at);
  const templated = built.operation && {
    ...withTemplate(built.operation, request['body'], fill),
    ...replyOf(item['response']),
  };
  const long = markdown(request['description']) ?? markdown(item['description']);
  return {
    key: `${method} ${url.path}`,
    wantedName: title,
    at,
    base: url.base,
    operation: templated,
    notes: [...notes, ...built.notes],
    auth,
    title,
    description: long ? tidyText(`${title}\n\n${long}`, 2_000) : title,
    tags: folder.tags,
  };
}

// 2.0 and 2.1 both allow headers as one text, with one per line.
function readHeaders(given: unknown, fill: (text: string) => string): [string, string][] {
  if (typeof given === 'string')
    return given.split(/\r?\n/).flatMap((line): [string, string][] => {
      const colon = line.indexOf(':');
      const name = line.slice(0, Math.max(0, colon)).trim();
      return name === '' || line.startsWith('//') ? [] : [[name, fill(line.slice(colon + 1).trim())]];
    });
  return arrayOr(given)
    .filter(
      (header): header is PlainObject =>
        isObject(header) && header['disabled'] !== true && typeof header['key'] === 'string',
    )
    .map((header): [string, string] => [wordOf(header['key']).trim(), fill(wordOf(header['value'] ?? ''))]);
}

// A saved example shows the shape of a reply; its content is never kept.
function replyOf(responses: unknown): Pick<Operation, 'accept' | 'replySchema'> {
  for (const response of arrayOr(responses).filter(isObject)) {
    const code = Number(response['code']);
    const text = textOr(response['body']);
    if (!text || (code !== 0 && (code < 200 || code > 299))) continue;
    try {
      const value: JsonValue = JSON.parse(text);
      if (typeof value !== 'object' || value === null) continue;
      return { accept: 'application/json', replySchema: inferSchema(value) };
    } catch {
      continue;
    }
  }
  return {};
}

// A variable's value may contain variables.
function fillVariables(text: string, variables: ReadonlyMap<string, string>): string {
  let filled = text;
  for (let round = 0; round < 5 && filled.includes('{{'); round++) {
    const next = filled.replace(
      /\{\{([^{}]+)\}\}/g,
      (whole, name: string) => variables.get(name.trim()) ?? whole,
    );
    if (next === filled || next.length > 1_000_000) break;
    filled = next;
  }
  return filled;
}

// A value that contains a variable is not a secret yet.
function readVariables(given: unknown): Map<string, string> {
  const variables = new Map<string, string>();
  for (const entry of arrayOr(given)) {
    if (!isObject(entry) || entry['disabled'] === true) continue;
    const name = textOr(entry['key']) ?? textOr(entry['id']);
    const value = entry['value'];
    if (
      name &&
      (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') &&
      value !== ''
    )
      variables.set(name, String(value));
  }
  return variables;
}

function hasScripts(item: PlainObject, kind?: string): boolean {
  return arrayOr(item['event']).some((event) => {
    if (!isObject(event) || (kind !== undefined && event['listen'] !== kind)) return false;
    const lines = objectOr(event['script'])['exec'];
    return (Array.isArray(lines) ? lines : [lines]).some(
      (line) => typeof line === 'string' && line.trim() !== '' && !line.trim().startsWith('//'),
    );
  });
}

function count(values: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([value]) => value);
}
