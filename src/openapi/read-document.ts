import type { AuthScheme } from '../domain/auth-scheme.ts';
import type { ApiDescription, DescribedOperation, ImportNote } from '../domain/description.ts';
import { fitToolName } from '../domain/names.ts';
import type { SecurityAlternative } from '../domain/operation.ts';
import { openapiErrors } from '../domain/error-messages/openapi.ts';
import { slugFrom } from '../lib/text/slug.ts';
import { arrayOr, isObject, objectOr, textOr, type PlainObject, wordOf } from '../lib/json/plain-object.ts';
import { tidyText } from '../lib/text/tidy-text.ts';
import { below, type Located, Resolver, type Bundle, type Place } from './bundle.ts';
import { findConstants } from './find-constants.ts';
import { Notes } from './notes.ts';
import { type DocumentVersion, type OperationEntry, type Reading } from './reading.ts';
import { readOperation } from './read-operation.ts';
import { type AuthProposal, proposeDeclared, proposeUnused } from './security/propose-auth.ts';
import { readAlternatives, readSchemes, schemeOf, type SchemeTable } from './security/read-security.ts';
import { takeCredentials } from './security/take-credentials.ts';
import { readHost, readServers, readServerTemplate } from './read-servers.ts';
import type { Dialect } from './schemas/schema-scope.ts';
import { SchemaSet } from './schemas/schema-set.ts';

export interface ReadOptions {
  /** Where the document was fetched from; relative server URLs are resolved against it. */
  readonly documentUrl?: string;
  readonly maxOperations?: number;
  /** Called with the number of operations done and the total. */
  readonly onProgress?: (done: number, total: number) => void;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];
/** The most operations of one document, and of one import. */
export const maxOperations = 50_000;

/** Whether a value looks like an OpenAPI or Swagger document. */
export function isOpenApi(document: unknown): boolean {
  return isObject(document) && (document['openapi'] !== undefined || document['swagger'] !== undefined);
}

/** Reads an OpenAPI 3.0, 3.1, 3.2 or Swagger 2.0 document: every operation becomes a tool, or a note that says why not. */
export function readDocument(bundle: Bundle, options: ReadOptions = {}): ApiDescription {
  const document = bundle.files.get(bundle.root);
  if (!isObject(document)) throw openapiErrors.notAnObject();
  const version = versionOf(document);
  const documentUrl = ownAddress(document, options.documentUrl);
  const resolver = new Resolver(bundle, [documentUrl, options.documentUrl]);
  const dialect: Dialect = version === '2.0' ? '2.0' : version === '3.0' ? '3.0' : '3.1';
  const reading: Reading = {
    version,
    root: { value: document, at: { file: bundle.root, pointer: '' } },
    resolver,
    inputs: new SchemaSet(resolver, dialect, 'input'),
    outputs: new SchemaSet(resolver, dialect, 'output'),
    ...(documentUrl !== undefined && { documentUrl }),
  };
  const notes = new Notes(resolver);
  const schemes = readSchemes(reading, notes);
  const baseUrls = readBaseUrls(reading, notes);
  const entries = listOperations(reading, notes);
  const limit = options.maxOperations ?? maxOperations;
  if (entries.length > limit) {
    throw openapiErrors.tooManyOperations({ count: entries.length, max: limit });
  }
  if (entries.length === 0)
    notes.add('no_operations', 'The document has no operations.', below(reading.root.at, 'paths'));
  noteWebhooks(reading, notes);

  const twins = actionTwins(entries);
  const standard = readAlternatives(document['security']);
  const requirements = entries.map((entry) => requirementOf(entry, standard));
  const proposal = proposeAuth(requirements, schemes, document);
  const names = new Set<string>();
  const keys = new Set<string>();
  const operations: DescribedOperation[] = [];
  for (const [i, entry] of entries.entries()) {
    const twin = twins.get(entry);
    if (twin === 'left out') {
      const key = uniqueKey(`${entry.method} ${entry.path}`, keys);
      operations.push(leftOutTwin(entry, key, resolver.show(entry.operation.at)));
      continue;
    }
    const own = twin === undefined ? entry : { ...entry, operation: { ...entry.operation, value: twin } };
    const read = readOperation(reading, own, requirements[i]!, (wanted) => {
      const name = fitToolName(wanted, (candidate) => names.has(candidate));
      names.add(name);
      return name;
    });
    const otherAuth = read.content
      ? noteOtherAuth(requirements[i]!, proposal.names, schemes, resolver.show(entry.operation.at))
      : [];
    operations.push({
      ...withoutOwnServer(read, baseUrls),
      key: uniqueKey(read.key, keys),
      notes: [...read.notes, ...otherAuth],
    });
    if ((i + 1) % 50 === 0) options.onProgress?.(i + 1, entries.length);
  }
  options.onProgress?.(entries.length, entries.length);
  const taken = takeCredentials(operations, proposal.auth, schemes);
  const constants = findConstants(taken.operations, document);
  const template = version === '2.0' ? null : readServerTemplate(reading, serversOf(reading));

  const about = objectOr(document['info']);
  const title = textOr(about['title'])?.trim() ?? 'Imported API';
  const description = textOr(about['description']) ?? textOr(about['summary']);
  return {
    kind: 'openapi',
    wantedSlug: slugFrom(title),
    name: tidyText(title, 120) || 'Imported API',
    ...(description && { description: tidyText(description, 2_000) }),
    ...(about['version'] !== undefined && { version: wordOf(about['version']).slice(0, 100) }),
    baseUrls,
    ...(template && { serverTemplate: template }),
    ...(constants.length > 0 && { constants }),
    headers: {},
    auth: taken.auth,
    authChoices: [...[...schemes].map(([name, auth]) => ({ name, auth })), ...taken.choices],
    operations: taken.operations,
    notes: [...notes.list(), ...taken.notes, ...authNotes(proposal, taken.auth, entries.length)],
  };
}

// In 3.2 a document can specify its own URL: https://spec.openapis.org/oas/v3.2.0#openapi-object
function ownAddress(document: PlainObject, fetchedFrom: string | undefined): string | undefined {
  const self = textOr(document['$self']);
  if (self === undefined) return fetchedFrom;
  try {
    const url = new URL(self, fetchedFrom);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : fetchedFrom;
  } catch {
    return fetchedFrom;
  }
}

function versionOf(document: PlainObject): DocumentVersion {
  const given = wordOf(document['openapi'] ?? document['swagger'] ?? '').trim();
  if (/^3\.0(\D|$)/.test(given)) return '3.0';
  if (/^3\.1(\D|$)/.test(given)) return '3.1';
  if (/^3\.\d/.test(given)) return '3.2';
  if (document['swagger'] !== undefined && /^2(\.0)?(\D|$)/.test(given)) return '2.0';
  throw openapiErrors.versionNotSupported({ version: JSON.stringify(given.slice(0, 40)) });
}

function readBaseUrls(reading: Reading, notes: Notes): string[] {
  const urls =
    reading.version === '2.0' ? readHost(reading, notes) : readServers(reading, serversOf(reading), notes);
  return urls;
}

// https://spec.openapis.org/oas/v3.1.1#fixed-fields: without any, a single one with the URL "/".
function serversOf({ root: { value, at } }: Reading): Located {
  const servers = arrayOr(value['servers']);
  return { value: servers.length > 0 ? servers : [{ url: '/' }], at: below(at, 'servers') };
}

function listOperations(reading: Reading, notes: Notes): OperationEntry[] {
  const paths = reading.root.value['paths'];
  const at = below(reading.root.at, 'paths');
  if (!isObject(paths)) {
    if (paths !== undefined && paths !== null)
      notes.add('paths_invalid', '"paths" is not an object; no operation can be read.', at);
    return [];
  }
  const entries: OperationEntry[] = [];
  for (const [path, item] of Object.entries(paths)) {
    if (path.startsWith('x-') || path === '__proto__') continue;
    const place = below(at, path);
    const target = reading.resolver.follow({ value: item, at: place });
    if ('unresolved' in target || !isObject(target.value)) {
      notes.add(
        'path_dropped',
        `The path ${path} is left out: ${'unresolved' in target ? `its reference ${target.unresolved}` : 'it is not an object'}.`,
        place,
      );
      continue;
    }
    // Operations next to a path's `$ref` count as well.
    const siblings = isObject(item) ? item : {};
    const pathItem = {
      value: target.value === siblings ? siblings : { ...target.value, ...siblings },
      at: target.at,
    };
    for (const key of methodKeys(pathItem.value, pathItem.at, notes)) {
      const own = siblings[key] !== undefined && target.value !== siblings;
      entries.push({
        method: key.toUpperCase(),
        path,
        pathItem,
        operation: { value: pathItem.value[key], at: below(own ? place : target.at, key) },
      });
    }
    for (const [method, operation] of Object.entries(objectOr(pathItem.value['additionalOperations']))) {
      entries.push({
        method,
        path,
        pathItem,
        operation: { value: operation, at: below(target.at, 'additionalOperations', method) },
      });
    }
  }
  return entries;
}

const otherKeys = new Set([
  'parameters',
  'servers',
  'summary',
  'description',
  '$ref',
  'additionalOperations',
]);

// Methods are lowercase; some documents use uppercase, and some have methods that the specification does not define.
function methodKeys(pathItem: PlainObject, at: Place, notes: Notes): string[] {
  const given = Object.keys(pathItem).filter((key) => pathItem[key] !== undefined);
  const keys = methods.flatMap((method) => {
    if (given.includes(method)) return [method];
    return given.filter((key) => key.toLowerCase() === method).slice(0, 1);
  });
  for (const key of given) {
    if (keys.includes(key) || otherKeys.has(key) || key.startsWith('x-')) continue;
    if (isObject(pathItem[key]) && pathItem[key]['responses'] !== undefined)
      notes.add(
        'method_unknown',
        `"${key}" is not a valid method for a path (other methods require OpenAPI 3.2 and "additionalOperations"); the operation is left out.`,
        below(at, key),
      );
  }
  return keys;
}

interface DocumentAuth extends AuthProposal {
  /** The document declares it, but no operation requires it. */
  readonly isUnused?: boolean;
  /** The document says that no authentication is needed. */
  readonly isOpen?: boolean;
}

function proposeAuth(
  requirements: readonly (readonly SecurityAlternative[])[],
  schemes: SchemeTable,
  document: PlainObject,
): DocumentAuth {
  const declared = proposeDeclared(requirements, schemes);
  if (declared.auth.kind !== 'none') return declared;
  // Many documents declare schemes but forget to require them.
  if (Array.isArray(document['security']) || requirements.some((alternatives) => alternatives.length > 0))
    return { ...declared, isOpen: true };
  const unused = proposeUnused(schemes);
  return unused.auth.kind === 'none' ? declared : { ...unused, isUnused: true };
}

function authNotes(proposal: DocumentAuth, auth: AuthScheme, operations: number): ImportNote[] {
  if (operations === 0) return [];
  if (proposal.isUnused)
    return [
      {
        code: 'authentication_assumed',
        message: `The document declares authentication (${proposal.names.join(', ')}) but no operation requires it; it is proposed anyway.`,
      },
    ];
  if (auth.kind !== 'none' || proposal.isOpen) return [];
  return [
    {
      code: 'authentication_unknown',
      message:
        'The document does not describe authentication. If the API needs a key or a token, choose how it is sent (--auth on the command line, or edit the API) and store a credential.',
    },
  ];
}

function requirementOf(
  entry: OperationEntry,
  standard: readonly SecurityAlternative[],
): readonly SecurityAlternative[] {
  const own = objectOr(entry.operation.value)['security'];
  return Array.isArray(own) ? readAlternatives(own) : standard;
}

function noteOtherAuth(
  requirement: readonly SecurityAlternative[],
  chosen: readonly string[],
  schemes: SchemeTable,
  at: string,
): ImportNote[] {
  if (requirement.length === 0 || schemes.size === 0) return [];
  const fits = requirement.some((alternative) => {
    const names = Object.keys(alternative);
    return (
      names.length === 0 || (names.length === chosen.length && names.every((name) => chosen.includes(name)))
    );
  });
  if (fits) return [];
  const usable = requirement.filter((alternative) => schemeOf(alternative, schemes) !== null);
  const wanted = (usable.length > 0 ? usable : requirement)
    .map((alternative) => Object.keys(alternative).join(' + '))
    .join(' or ');
  return [
    {
      code: 'other_authentication',
      message: `The operation requires ${wanted}, but the API is set to ${chosen.join(' + ') || 'no authentication'}.`,
      at,
    },
  ];
}

function noteWebhooks(reading: Reading, notes: Notes): void {
  const webhooks = Object.keys(objectOr(reading.root.value['webhooks'] ?? reading.root.value['x-webhooks']));
  if (webhooks.length > 0) {
    notes.add(
      'webhooks_ignored',
      `Webhooks are calls that the API makes, not calls to it: ${webhooks.slice(0, 10).join(', ')}${webhooks.length > 10 ? ` and ${webhooks.length - 10} more` : ''}.`,
      below(reading.root.at, 'webhooks'),
    );
  }
}

/** An operation that repeats the document's own server has none of its own: it follows the API's base URL. */
function withoutOwnServer(read: DescribedOperation, [own]: readonly string[]): DescribedOperation {
  const { content } = read;
  if (content?.operation.baseUrl === undefined || content.operation.baseUrl !== own) return read;
  const { baseUrl: _baseUrl, ...operation } = content.operation;
  return { ...read, content: { ...content, operation } };
}

const methodPrefix = /^(?:GET|POST)_/;

/**
 * Documents of AWS Query APIs have each action twice, `GET_DeleteCluster` and `POST_DeleteCluster`, under a path such as
 * `/#Action=DeleteCluster`. Both are one action: the POST is kept, under the name of the action.
 */
function actionTwins(entries: readonly OperationEntry[]): Map<OperationEntry, PlainObject | 'left out'> {
  const twins = new Map<OperationEntry, PlainObject | 'left out'>();
  const gets = new Map<string, OperationEntry>();
  for (const entry of entries) if (entry.method === 'GET') gets.set(entry.path, entry);
  for (const entry of entries) {
    const get = gets.get(entry.path);
    if (entry.method !== 'POST' || get === undefined || !/[#?&]Action=/i.test(entry.path)) continue;
    const [ofGet, ofPost] = [get, entry].map(({ operation }) =>
      textOr(objectOr(operation.value)['operationId']),
    );
    const action = ofPost?.replace(methodPrefix, '');
    if (action === undefined || action === ofPost || ofGet?.replace(methodPrefix, '') !== action) continue;
    twins.set(get, 'left out');
    twins.set(entry, { ...objectOr(entry.operation.value), operationId: action });
  }
  return twins;
}

function leftOutTwin({ operation }: OperationEntry, key: string, at: string): DescribedOperation {
  const wantedName = textOr(objectOr(operation.value)['operationId']) ?? key;
  const message = 'Not imported: the document has the same action as POST, which is imported.';
  return { key, wantedName, at, notes: [{ code: 'same_action', message, at }], content: null };
}

// Two operations with the same key would become one tool at the next import.
function uniqueKey(key: string, keys: Set<string>): string {
  let unique = key;
  for (let n = 2; keys.has(unique); n++) unique = `${key} (${n})`;
  keys.add(unique);
  return unique;
}
