import type { AuthScheme } from '../domain/auth-scheme.ts';
import type {
  ApiDescription,
  DescribedOperation,
  ImportNote,
  ProposedCredential,
} from '../domain/description.ts';
import { fitToolName } from '../domain/names.ts';
import type { Operation, Parameter } from '../domain/operation.ts';
import { annotationsForMethod } from '../domain/tool.ts';
import { arrayOr, isObject, objectOr, textOr, type PlainObject, wordOf } from '../lib/plain-object.ts';
import { slugFrom } from '../lib/slug.ts';
import { tidyText } from '../lib/tidy-text.ts';
import { operationFrom, type ObservedBody, type ObservedRequest } from './observed-request.ts';
import { takeSecrets } from './take-secrets.ts';

// Postman collections 2.0 and 2.1: https://schema.postman.com/

/** Whether a value is a Postman collection. */
export function isPostman(value: unknown): value is PlainObject {
  if (!isObject(value)) return false;
  const about = objectOr(value['info']);
  return (
    Array.isArray(value['item']) &&
    (wordOf(about['schema'] ?? '').includes('collection') ||
      about['_postman_id'] !== undefined ||
      about['name'] !== undefined)
  );
}

interface Folder {
  readonly tags: readonly string[];
  readonly auth: unknown;
}

interface Found {
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

/** Reads a collection: requests become tools, folders tags, variables that have a value are filled in. */
export function readPostman(collection: PlainObject): ApiDescription {
  const variables = readVariables(collection['variable']);
  const found: Found[] = [];
  const notes: ImportNote[] = [];
  walk(arrayOr(collection['item']), '#/item', { tags: [], auth: collection['auth'] }, variables, found, 0);
  if (hasScripts(collection))
    notes.push({
      code: 'scripts_ignored',
      message:
        'Scripts of the collection are not run; what they set must be given as arguments or credentials.',
      at: '#/event',
    });
  const bases = count(found.map(({ base }) => base).filter((base): base is string => base !== null));
  const base = bases[0];
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
    authChoices: auths.map((text, i) => ({ name: `postman-${i + 1}`, auth: JSON.parse(text) as AuthScheme })),
    operations,
    notes,
    ...(credential && { proposedCredential: credential }),
  };
}

function toDescribed(
  entry: Found,
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
      message: 'The request signs in another way than the API is set to.',
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
      annotations: annotationsForMethod(entry.operation.method),
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
  variables: ReadonlyMap<string, string>,
  found: Found[],
  depth: number,
): void {
  for (const [i, item] of items.entries()) {
    if (!isObject(item) || depth > 50) continue;
    const place = `${at}/${i}`;
    const title = textOr(item['name']) ?? `request ${found.length + 1}`;
    if (Array.isArray(item['item'])) {
      walk(
        item['item'],
        `${place}/item`,
        { tags: [...folder.tags, title], auth: item['auth'] ?? folder.auth },
        variables,
        found,
        depth + 1,
      );
    } else if (item['request'] !== undefined) {
      found.push(readRequest(item, title, place, folder, variables));
    }
  }
}

function readRequest(
  item: PlainObject,
  title: string,
  at: string,
  folder: Folder,
  variables: ReadonlyMap<string, string>,
): Found {
  const given = item['request'];
  const request: PlainObject = typeof given === 'string' ? { url: given, method: 'GET' } : objectOr(given);
  const notes: ImportNote[] = [];
  const fill = (text: string): string =>
    text.replace(/\{\{\s*([^{}]+?)\s*\}\}/g, (whole, name: string) => variables.get(name) ?? whole);
  const url = readUrl(request['url'], fill);
  const method = (textOr(request['method']) ?? 'GET').toUpperCase();
  const headers = arrayOr(request['header'])
    .filter(
      (header): header is PlainObject =>
        isObject(header) && header['disabled'] !== true && typeof header['key'] === 'string',
    )
    .map((header): [string, string] => [wordOf(header['key']).trim(), fill(wordOf(header['value'] ?? ''))]);
  const secrets = takeSecrets(
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
  const built = operationFrom(observed, 'examples', at);
  const templated = built.operation && withTemplate(built.operation, request['body'], fill);
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

// A value with a variable in it is no secret yet.
function usable(credential: ProposedCredential | null): ProposedCredential | null {
  return credential && Object.values(credential.fields).some((value) => value.includes('{{') || value === '')
    ? null
    : credential;
}

// JSON with bare variables (`{"id": {{id}}}`) is no JSON, but exactly a body template.
function withTemplate(operation: Operation, body: unknown, fill: (text: string) => string): Operation {
  const raw = fill(textOr(objectOr(body)['raw']) ?? '');
  const names = [...new Set([...raw.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g)].map((match) => match[1]!))];
  if (names.length === 0 || objectOr(body)['mode'] !== 'raw') return operation;
  const others = operation.parameters.filter((parameter) => parameter.in !== 'body');
  if (names.some((name) => others.some((parameter) => parameter.name === name))) return operation;
  const mediaType = operation.body?.mediaType ?? 'application/json';
  const inputs: Parameter[] = names.map((name) => ({ name, in: 'body', schema: {}, required: true }));
  return {
    ...operation,
    parameters: [...others, ...inputs],
    body: {
      mediaType: mediaType === 'text/plain' ? 'application/json' : mediaType,
      shape: 'template',
      template: raw,
    },
  };
}

interface PostmanUrl {
  readonly base: string | null;
  readonly path: string;
  readonly query: { name: string; value: string; description?: string }[];
  readonly variables: Record<string, { value?: string; description?: string }>;
}

function readUrl(given: unknown, fill: (text: string) => string): PostmanUrl {
  const url = objectOr(given);
  const raw = fill(typeof given === 'string' ? given : (textOr(url['raw']) ?? rebuild(url)));
  const [beforeQuery = '', ...rest] = raw.split('#')[0]!.split('?');
  const [, origin, path = ''] = /^((?:[a-z][a-z0-9+.-]*:\/\/)?[^/]*)(\/.*)?$/i.exec(beforeQuery) ?? [];
  const listed = arrayOr(url['query']).filter(
    (entry): entry is PlainObject =>
      isObject(entry) && typeof entry['key'] === 'string' && entry['key'] !== '',
  );
  const query =
    listed.length > 0
      ? listed.map((entry) => ({
          name: fill(String(entry['key'])),
          value: plainValue(fill(wordOf(entry['value'] ?? ''))),
          ...(markdown(entry['description']) && {
            description: tidyText(markdown(entry['description'])!, 500),
          }),
        }))
      : [...new URLSearchParams(rest.join('?'))].map(([name, value]) => ({ name, value: plainValue(value) }));
  const variables: PostmanUrl['variables'] = {};
  for (const entry of arrayOr(url['variable'])) {
    if (!isObject(entry)) continue;
    const name = textOr(entry['key']) ?? textOr(entry['id']);
    if (!name || name === '__proto__') continue;
    const value = fill(wordOf(entry['value'] ?? ''));
    variables[name] = {
      ...(value !== '' && !value.includes('{{') && { value }),
      ...(markdown(entry['description']) && { description: tidyText(markdown(entry['description'])!, 500) }),
    };
  }
  const template = path
    .split('/')
    .map((segment) =>
      segment
        .replace(/^:([A-Za-z_][\w.-]*)/, '{$1}')
        .replace(/\{\{\s*\$?([^{}\s]+)\s*\}\}/g, '{$1}')
        .replace(/ /g, '%20'),
    )
    .join('/');
  return { base: baseOf(origin ?? ''), path: template === '' ? '/' : template, query, variables };
}

function plainValue(value: string): string {
  return value.includes('{{') ? '' : value;
}

function rebuild(url: PlainObject): string {
  const list = (value: unknown, by: string): string =>
    Array.isArray(value) ? value.map(String).join(by) : wordOf(value ?? '');
  const protocol = textOr(url['protocol']);
  const port = url['port'] === undefined || url['port'] === '' ? '' : `:${wordOf(url['port'])}`;
  return `${protocol ? `${protocol}://` : ''}${list(url['host'], '.')}${port}/${list(url['path'], '/')}`;
}

function baseOf(origin: string): string | null {
  if (origin === '' || origin.includes('{{')) return null;
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(origin) ? origin : `https://${origin}`);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.origin : null;
  } catch {
    return null;
  }
}

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

function readAuth(
  given: unknown,
  fill: (text: string) => string,
  notes: ImportNote[],
  at: string,
): { auth: AuthScheme; credential: ProposedCredential | null } | null {
  const auth = objectOr(given);
  const type = textOr(auth['type']);
  if (!type || type === 'inherit') return null;
  const options = new Map<string, string>();
  const list = auth[type];
  if (Array.isArray(list))
    for (const entry of list.filter(isObject))
      options.set(wordOf(entry['key']), fill(wordOf(entry['value'] ?? '')));
  else for (const [key, value] of Object.entries(objectOr(list))) options.set(key, fill(wordOf(value ?? '')));
  const secret = (fields: Record<string, string | undefined>): ProposedCredential | null =>
    usable({ fields: Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, value ?? ''])) });
  switch (type) {
    case 'noauth':
      return { auth: { kind: 'none' }, credential: null };
    case 'bearer':
      return { auth: { kind: 'bearer' }, credential: secret({ token: options.get('token') }) };
    case 'basic':
      return {
        auth: { kind: 'basic' },
        credential: secret({ username: options.get('username'), password: options.get('password') }),
      };
    case 'apikey':
      return {
        auth: {
          kind: 'api-key',
          in: options.get('in') === 'query' ? 'query' : 'header',
          name: options.get('key') || 'X-API-Key',
        },
        credential: secret({ value: options.get('value') }),
      };
    case 'awsv4':
      return {
        auth: {
          kind: 'aws-sigv4',
          region: options.get('region') || 'us-east-1',
          service: options.get('service') || 'execute-api',
        },
        credential: secret({
          accessKeyId: options.get('accessKey'),
          secretAccessKey: options.get('secretKey'),
        }),
      };
    case 'oauth2': {
      const tokenUrl = options.get('accessTokenUrl');
      if (tokenUrl && !tokenUrl.includes('{{') && options.get('grant_type') === 'client_credentials') {
        return {
          auth: { kind: 'oauth2', grant: 'client_credentials', tokenUrl },
          credential: secret({
            clientId: options.get('clientId'),
            clientSecret: options.get('clientSecret'),
          }),
        };
      }
      return { auth: { kind: 'bearer' }, credential: secret({ token: options.get('accessToken') }) };
    }
    default:
      notes.push({
        code: 'security_scheme_unknown',
        message: `Authentication of the kind "${type}" cannot be taken over; set it on the API by hand.`,
        at,
      });
      return { auth: { kind: 'none' }, credential: null };
  }
}

function readBody(
  given: unknown,
  headers: readonly (readonly [string, string])[],
  fill: (text: string) => string,
): { body?: ObservedBody } {
  const body = objectOr(given);
  const declared = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const fields = (list: unknown) =>
    arrayOr(list)
      .filter(
        (entry): entry is PlainObject =>
          isObject(entry) && typeof entry['key'] === 'string' && entry['key'] !== '',
      )
      .map((entry) => ({
        name: String(entry['key']),
        value: plainValue(fill(wordOf(entry['value'] ?? ''))),
        ...(entry['type'] === 'file' && { file: true }),
        ...(textOr(entry['contentType']) && { contentType: textOr(entry['contentType'])! }),
      }));
  switch (body['mode']) {
    case 'raw': {
      const text = fill(textOr(body['raw']) ?? '');
      const language = textOr(objectOr(objectOr(body['options'])['raw'])['language']);
      const guessed =
        language === 'json' || (!language && /^\s*[[{]/.test(text))
          ? 'application/json'
          : language === 'xml'
            ? 'application/xml'
            : language === 'html'
              ? 'text/html'
              : 'text/plain';
      return text.trim() === ''
        ? {}
        : {
            body: {
              mediaType: declared ?? guessed,
              text: guessed === 'application/json' ? withoutComments(text) : text,
            },
          };
    }
    case 'urlencoded':
      return { body: { mediaType: 'application/x-www-form-urlencoded', fields: fields(body['urlencoded']) } };
    case 'formdata':
      return { body: { mediaType: 'multipart/form-data', fields: fields(body['formdata']) } };
    case 'file':
      return { body: { mediaType: declared ?? 'application/octet-stream', fromFile: true } };
    case 'graphql': {
      const graphql = objectOr(body['graphql']);
      const variables = parseJson(fill(textOr(graphql['variables']) ?? '{}'));
      return {
        body: {
          mediaType: 'application/json',
          text: JSON.stringify({ query: textOr(graphql['query']) ?? '', variables: variables ?? {} }),
        },
      };
    }
    default:
      return {};
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Postman lets comments stand in JSON; whole lines of them are common.
function withoutComments(text: string): string {
  return parseJson(text) === undefined ? text.replace(/^\s*\/\/.*$/gm, '') : text;
}

function markdown(value: unknown): string | undefined {
  return textOr(value) ?? textOr(objectOr(value)['content']);
}

function hasScripts(collection: PlainObject): boolean {
  return arrayOr(collection['event']).some(
    (event) =>
      isObject(event) &&
      arrayOr(objectOr(event['script'])['exec']).some(
        (line) => typeof line === 'string' && line.trim() !== '',
      ),
  );
}

function count(values: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([value]) => value);
}
