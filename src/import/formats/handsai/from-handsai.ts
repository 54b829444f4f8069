import type { AuthScheme, SecretPlace } from '../../../domain/auth-scheme.ts';
import type {
  ApiDescription,
  DescribedOperation,
  ImportNote,
  ProposedCredential,
} from '../../../domain/description.ts';
import type { JsonSchema, JsonValue } from '../../../domain/json-schema.ts';
import { httpMethods, type Operation, type Parameter } from '../../../domain/operation.ts';
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
import { trimEndOf } from '../../../lib/text/tidy-text.ts';

// HandsAI exports a list of providers, each with its tools. A placeholder or an empty value means a secret that was not
// exported; it must never replace a stored one.

const masked = /^(?:<[\w -]+>|\*+|\[masked\]|)$/;

/** Whether a value is HandsAI's export: a list of providers. */
export function isHandsai(value: unknown): value is readonly PlainObject[] | PlainObject {
  return providersOf(value).length > 0;
}

function providersOf(value: unknown): PlainObject[] {
  const list: unknown[] = Array.isArray(value)
    ? value
    : isObject(value) && Array.isArray(value['providers'])
      ? value['providers']
      : [value];
  return list.every(isProvider) ? list : [];
}

function isProvider(entry: unknown): entry is PlainObject {
  return (
    isObject(entry) &&
    typeof entry['baseUrl'] === 'string' &&
    (Array.isArray(entry['tools']) || entry['authenticationType'] !== undefined)
  );
}

/** Reads every provider as an API; `code` identifies it across imports. */
export function readHandsai(value: unknown): ApiDescription[] {
  return providersOf(value).map((provider, i) => readProvider(provider, `#/${i}`));
}

function readProvider(provider: PlainObject, at: string): ApiDescription {
  const code = textOr(provider['code']) ?? textOr(provider['name']) ?? 'handsai';
  const { auth, credential } = readAuth(provider);
  const taken = new Set<string>();
  const operations = arrayOr(provider['tools'])
    .filter(isObject)
    .map((tool, i) => readTool(tool, `${at}/tools/${i}`, auth, taken));
  const headers: Record<string, string> = {};
  const maskedHeaders: string[] = [];
  for (const [name, text] of Object.entries(objectOr(provider['customHeaders']))) {
    if (typeof text !== 'string' || name.toLowerCase() === 'content-type') continue;
    if (masked.test(text.trim())) maskedHeaders.push(name);
    else headers[name] = text;
  }
  return {
    kind: 'handsai',
    wantedSlug: slugFrom(code),
    name: textOr(provider['name']) ?? code,
    ...(textOr(provider['description']) && { description: textOr(provider['description'])! }),
    baseUrls: [trimEndOf(String(provider['baseUrl']), '/')],
    headers,
    ...(maskedHeaders.length > 0 && { maskedHeaders }),
    auth,
    authChoices: [{ name: 'handsai', auth }],
    operations,
    notes: [],
    ...(credential && { proposedCredential: credential }),
  };
}

const keyPlaces: ReadonlyMap<string, SecretPlace['in']> = new Map([
  ['HEADER', 'header'],
  ['QUERY_PARAMETER', 'query'],
  ['QUERY_PARAM', 'query'],
  ['IN_BODY', 'body'],
  ['BODY', 'body'],
  ['COOKIE', 'cookie'],
]);

function readAuth(provider: PlainObject): { auth: AuthScheme; credential: ProposedCredential | null } {
  const kind = wordOf(provider['authenticationType'] ?? 'NONE').toUpperCase();
  const place = keyPlaces.get(wordOf(provider['apiKeyLocation'] ?? 'HEADER').toUpperCase()) ?? 'header';
  const name = textOr(provider['apiKeyName']) ?? 'X-API-Key';
  const secret = textOr(provider['apiKeyValue'])?.trim() ?? '';
  const known = masked.test(secret.trim()) ? null : secret;
  if (provider['isDynamicAuth'] === true && textOr(provider['dynamicAuthUrl']))
    return readLogin(provider, place, name, kind);
  switch (kind) {
    case 'API_KEY':
      return {
        auth: { kind: 'api-key', in: place, name },
        credential: known === null ? null : { fields: { value: known } },
      };
    case 'BEARER_TOKEN':
      return {
        auth: { kind: 'bearer' },
        credential: known === null ? null : { fields: { token: known.replace(/^Bearer\s+/i, '') } },
      };
    case 'BASIC_AUTH': {
      const pair = known === null ? null : decodeBasic(known);
      return { auth: { kind: 'basic' }, credential: pair && { fields: pair } };
    }
    default:
      return { auth: { kind: 'none' }, credential: null };
  }
}

function decodeBasic(value: string): { username: string; password: string } | null {
  const text = value.includes(':')
    ? value
    : Buffer.from(value.replace(/^Basic\s+/i, ''), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function readLogin(
  provider: PlainObject,
  place: 'header' | 'query' | 'body' | 'cookie',
  name: string,
  kind: string,
): { auth: AuthScheme; credential: ProposedCredential | null } {
  const payload = readPayload(provider['dynamicAuthPayload']);
  const location = wordOf(provider['dynamicAuthPayloadLocation'] ?? 'BODY').toUpperCase();
  const form = wordOf(provider['dynamicAuthPayloadType'] ?? 'JSON')
    .toUpperCase()
    .includes('FORM');
  const tokenPath = textOr(provider['dynamicAuthTokenExtractionPath']);
  const keywords = (textOr(provider['dynamicAuthInvalidationKeywords']) ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const bearer = kind === 'BEARER_TOKEN' || kind === 'NONE';
  const auth: AuthScheme = {
    kind: 'login',
    method: wordOf(provider['dynamicAuthMethod'] ?? 'POST').toUpperCase(),
    url: textOr(provider['dynamicAuthUrl'])!,
    payloadIn: location.startsWith('QUERY')
      ? 'query'
      : location.startsWith('HEADER')
        ? 'headers'
        : form
          ? 'form'
          : 'json',
    payloadFields: Object.keys(payload),
    ...(tokenPath && { tokenPath }),
    place: bearer ? { in: 'header', name: 'Authorization', prefix: 'Bearer ' } : { in: place, name },
    ...(keywords.length > 0 && { invalidationKeywords: keywords }),
  };
  const complete = Object.values(payload).every((value) => !masked.test(value.trim()));
  return { auth, credential: complete && Object.keys(payload).length > 0 ? { fields: payload } : null };
}

function readPayload(value: unknown): Record<string, string> {
  let payload: unknown = value;
  if (typeof value === 'string') {
    try {
      payload = JSON.parse(value);
    } catch {
      payload = {};
    }
  }
  return Object.fromEntries(
    Object.entries(objectOr(payload))
      .filter(([key]) => key !== '__proto__')
      .map(([key, inner]) => [key, typeof inner === 'string' ? inner : JSON.stringify(inner)]),
  );
}

const types: Readonly<Record<string, JsonSchema>> = {
  STRING: { type: 'string' },
  NUMBER: { type: 'number' },
  INTEGER: { type: 'integer' },
  BOOLEAN: { type: 'boolean' },
  ARRAY: { type: 'array' },
  OBJECT: { type: 'object' },
};

function readTool(tool: PlainObject, at: string, auth: AuthScheme, taken: Set<string>): DescribedOperation {
  const method = wordOf(tool['httpMethod'] ?? 'GET').toUpperCase();
  const given = textOr(tool['endpointPath']) ?? '/';
  const path = given.startsWith('/') ? given : `/${given}`;
  const code = textOr(tool['code']) ?? textOr(tool['name']) ?? `${method} ${path}`;
  const notes: ImportNote[] = [];
  const base = { key: `${method} ${path} [${code}]`, wantedName: code, at };
  if (!httpMethods.some((known) => known === method)) {
    return {
      ...base,
      notes: [
        { code: 'method_unsupported', message: `Not imported: the method ${method} cannot be sent.`, at },
      ],
      content: null,
    };
  }
  const template = textOr(tool['bodyPayloadTemplate']);
  const bodyless = method === 'GET' || method === 'DELETE' || method === 'HEAD';
  const slots = [...path.matchAll(/\{([^{}/]+)\}/g)].map((match) => match[1]!);
  const parameters: Parameter[] = [];
  for (const entry of arrayOr(tool['parameters']).filter(isObject)) {
    const name = textOr(entry['name']);
    if (!name) continue;
    if (auth.kind === 'api-key' && auth.in === 'body' && auth.name === name) {
      notes.push({
        code: 'parameter_dropped',
        message: `The parameter "${name}" is the API's key and is set from its credential.`,
        at,
      });
      continue;
    }
    const type = types[wordOf(entry['type'] ?? 'STRING').toUpperCase()] ?? {};
    const value = readDefault(entry['defaultValue'], type);
    const schema = type['type'] === 'array' ? { ...type, items: elementType(entry['items'], value) } : type;
    parameters.push({
      name,
      in: slots.includes(name) ? 'path' : bodyless ? 'query' : 'body',
      schema,
      required: slots.includes(name) || entry['required'] === true,
      ...(textOr(entry['description']) && { description: textOr(entry['description'])! }),
      ...(value !== undefined && { default: value }),
    });
  }
  for (const slot of slots) {
    if (!parameters.some((parameter) => parameter.in === 'path' && parameter.name === slot)) {
      notes.push({
        code: 'path_parameter_undeclared',
        message: `{${slot}} is in the path but not declared; it is treated as a required string.`,
        at,
      });
      parameters.push({ name: slot, in: 'path', schema: { type: 'string' }, required: true });
    }
  }
  const operation: Operation = {
    method,
    path,
    parameters,
    ...(!bodyless && {
      body: template
        ? { mediaType: 'application/json', shape: 'template' as const, template }
        : { mediaType: 'application/json', shape: 'fields' as const },
    }),
  };
  const title = textOr(tool['name']);
  let name = code.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 64) || 'tool';
  for (let n = 2; taken.has(name); n++) name = `${code.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 60)}_${n}`;
  taken.add(name);
  return {
    ...base,
    notes,
    content: {
      name,
      ...(title && { title }),
      description: textOr(tool['description']) ?? title ?? code,
      tags: [],
      annotations: annotationsByMeaning({ method, path: operation.path, name: code, summary: title })
        .annotations,
      operation,
    },
  };
}

/**
 * The element type of an array: as declared, else from its default, else text, as in HandsAI. The format has no field
 * for this; our own export uses `items`.
 */
function elementType(declared: unknown, preset: JsonValue | undefined): JsonSchema {
  const { type, ...others } = objectOr(declared);
  // A whole schema is ours or handwritten; a bare type may be in HandsAI's capitals.
  if (typeof type === 'string') {
    const known = types[type.toUpperCase()];
    if (known !== undefined) return { ...others, ...known };
  }
  const found = new Set((Array.isArray(preset) ? preset : []).map(jsonTypeOf));
  if (found.has('number')) found.delete('integer');
  return found.size === 1 ? { type: [...found][0]! } : found.size === 0 ? { type: 'string' } : {};
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function readDefault(given: unknown, schema: JsonSchema): JsonValue | undefined {
  if (given === undefined || given === null || given === '') return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- from a JSON document
  const value = given as JsonValue;
  if (typeof value !== 'string' || schema['type'] === 'string' || schema['type'] === undefined) return value;
  try {
    const parsed: JsonValue = JSON.parse(value);
    return parsed;
  } catch {
    return value;
  }
}
