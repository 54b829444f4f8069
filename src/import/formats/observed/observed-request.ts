import type { ImportNote } from '../../../domain/description.ts';
import type { JsonValue, JsonSchema } from '../../../domain/json-schema.ts';
import {
  httpMethods,
  type FieldEncoding,
  type Operation,
  type OperationBody,
  type Parameter,
  type ParameterPlace,
} from '../../../domain/operation.ts';
import { isSecretName } from '../../../lib/secrets/mask-secrets.ts';
import { isObject } from '../../../lib/json/plain-object.ts';
import { looksLikeSecret, looksOpaque } from '../../../lib/secrets/secret-patterns.ts';
import { mediaKind } from '../../../lib/text/media-type.ts';
import { ParameterNames } from '../../../openapi/names.ts';
import { sameJson } from '../../../lib/json/same-json.ts';

/** One form field as sent. */
export interface ObservedField {
  readonly name: string;
  readonly value: string;
  readonly file?: boolean;
  /** The value is unknown and must be an argument of each call. */
  readonly asked?: boolean;
  readonly contentType?: string;
}

/** A body as sent. */
export interface ObservedBody {
  readonly mediaType: string;
  readonly text?: string;
  readonly fields?: readonly ObservedField[];
  /** The content was in a file that is not available. */
  readonly fromFile?: boolean;
}

/** A request as someone sent it, with its secrets already removed. */
export interface ObservedRequest {
  readonly method: string;
  /** Path template below the base URL, with variables such as `{name}`. */
  readonly path: string;
  readonly pathValues?: Readonly<Record<string, { readonly value?: string; readonly description?: string }>>;
  readonly query: readonly { readonly name: string; readonly value: string; readonly description?: string }[];
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: ObservedBody;
  readonly accept?: string;
}

/**
 * What a request's values are: defaults for its inputs, only examples, or recordings of someone's session, of which
 * nothing that may be a secret is kept.
 */
export type ValueMeaning = 'defaults' | 'examples' | 'recordings';

const secretIn = (values: ValueMeaning): ((text: string) => boolean) =>
  values === 'recordings' ? looksOpaque : looksLikeSecret;

// Headers of the connection or of the client, or written by Handrail itself.
const ownHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'content-type',
  'accept',
  'accept-encoding',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'proxy-connection',
  'postman-token',
]);
const browserHeaders =
  /^(?:sec-|:|user-agent$|origin$|referer$|accept-language$|cache-control$|pragma$|priority$|dnt$|upgrade-insecure-requests$|authority$|if-none-match$|if-modified-since$)/i;

/** Converts an observed request into an operation with inputs in place of its values. */
export function operationFrom(
  request: ObservedRequest,
  values: ValueMeaning,
  at: string,
): { operation: Operation | null; notes: ImportNote[] } {
  const notes: ImportNote[] = [];
  const method = request.method.toUpperCase();
  if (!httpMethods.some((known) => known === method)) {
    return {
      operation: null,
      notes: [
        { code: 'method_unsupported', message: `Not imported: the method ${method} cannot be sent.`, at },
      ],
    };
  }
  const names = new ParameterNames();
  const parameters: Parameter[] = [];
  for (const [, slot] of request.path.matchAll(/\{([^{}/]+)\}/g)) {
    const seen = request.pathValues?.[slot!];
    const name = names.claim(slot!, 'path');
    if (parameters.some((parameter) => (parameter.key ?? parameter.name) === slot)) continue;
    parameters.push({
      name,
      in: 'path',
      ...(name !== slot && { key: slot! }),
      schema: {
        type: 'string',
        ...(seen?.value &&
          !isSecretName(slot!) &&
          !secretIn(values)(seen.value) && { examples: [seen.value] }),
      },
      required: true,
      ...(seen?.description && { description: seen.description }),
    });
  }
  for (const group of grouped(request.query))
    parameters.push(input(names, 'query', group.name, group.value, values, notes, at, group.description));
  for (const [name, value] of joinedHeaders(request.headers)) {
    if (secretIn(values)(value)) {
      notes.push({
        code: 'secret_dropped',
        message: `The header "${name}" looks like a secret and is left out.`,
        at,
      });
      continue;
    }
    const claimed = names.claim(name, 'header');
    parameters.push({
      name: claimed,
      in: 'header',
      ...(claimed !== name && { key: name }),
      schema: { type: 'string' },
      required: false,
      fixed: value,
    });
  }
  const body = request.body && buildBody(request.body, names, values, notes, at);
  if (body) parameters.push(...body.parameters);
  return {
    operation: {
      method,
      path: request.path,
      parameters,
      ...(body && { body: body.body }),
      ...(request.accept && request.accept !== '*/*' && { accept: request.accept }),
    },
    notes,
  };
}

// A repeated header means the same as one with both values (RFC 9110 section 5.3).
function joinedHeaders(headers: ObservedRequest['headers']): Iterable<readonly [string, string]> {
  const joined = new Map<string, readonly [string, string]>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (ownHeaders.has(lower) || browserHeaders.test(lower) || /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(name))
      continue;
    const known = joined.get(lower);
    joined.set(lower, known ? [known[0], `${known[1]}, ${value}`] : [name, value]);
  }
  return joined.values();
}

// The same name twice is one input with a list.
function grouped(
  pairs: ObservedRequest['query'],
): { name: string; value: JsonValue; description?: string }[] {
  const groups = new Map<string, { name: string; values: string[]; description?: string }>();
  for (const { name, value, description } of pairs) {
    const group = groups.get(name);
    if (group) group.values.push(value);
    else groups.set(name, { name, values: [value], ...(description && { description }) });
  }
  return [...groups.values()].map(({ name, values, description }) => ({
    name,
    value: values.length === 1 ? values[0]! : values,
    ...(description && { description }),
  }));
}

function input(
  names: ParameterNames,
  place: ParameterPlace,
  key: string,
  value: JsonValue,
  values: ValueMeaning,
  notes: ImportNote[],
  at: string,
  description?: string,
): Parameter {
  const name = names.claim(key, place);
  const secret = isSecretName(key) || holdsSecret(value, secretIn(values));
  if (secret)
    notes.push({
      code: 'secret_dropped',
      message: `The value of "${key}" looks like a secret and was not kept; it is an argument of each call.`,
      at,
    });
  const asDefault = values === 'defaults' && !secret;
  const example = values !== 'defaults' && !secret && JSON.stringify(value).length <= 200;
  return {
    name,
    in: place,
    ...(name !== key && { key }),
    schema: { ...inferSchema(value), ...(example && { examples: [value] }) },
    required: secret && values === 'defaults',
    ...(description && { description }),
    ...(asDefault && { default: value }),
  };
}

function holdsRounded(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsRounded);
}

function holdsSecret(value: JsonValue, looksSecret: (text: string) => boolean): boolean {
  if (typeof value === 'string') return looksSecret(value);
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).some((item) => holdsSecret(item, looksSecret));
  return (
    isObject(value) &&
    Object.entries(value).some(([key, inner]) => isSecretName(key) || holdsSecret(inner, looksSecret))
  );
}

function buildBody(
  body: ObservedBody,
  names: ParameterNames,
  values: ValueMeaning,
  notes: ImportNote[],
  at: string,
): { body: OperationBody; parameters: Parameter[] } | null {
  const kind = mediaKind(body.mediaType);
  if (body.fromFile) {
    const binary = kind === 'binary' || kind === 'unknown';
    const schema = kind === 'json' ? {} : { type: 'string', ...(binary && { contentEncoding: 'base64' }) };
    return {
      body: { mediaType: body.mediaType, shape: 'whole', ...(binary && { binary }) },
      parameters: [{ name: names.claim('body', 'body'), in: 'body', schema, required: true }],
    };
  }
  const text = body.text ?? '';
  const fields = body.fields ?? (kind === 'multipart' ? readMultipart(text, body.mediaType) : null);
  if (fields) return formBody(body.mediaType, fields, names, values, notes, at);
  if (text === '') return null;
  if (kind === 'form') {
    const pairs = readForm(text);
    if (pairs) return formBody(body.mediaType, pairs, names, values, notes, at);
  }
  if (kind === 'json') {
    const value = readJson(text);
    if (value !== undefined && holdsRounded(value))
      notes.push({
        code: 'number_rounded',
        message: 'A number in the body has more digits than JSON parsers keep; it is rounded.',
        at,
      });
    if (isObject(value) && Object.keys(value).length > 0 && !Object.hasOwn(value, '__proto__')) {
      const parameters = Object.entries(value).map(([key, inner]) =>
        input(names, 'body', key, inner, values, notes, at),
      );
      return { body: { mediaType: body.mediaType, shape: 'fields' }, parameters };
    }
    if (value !== undefined)
      return {
        body: { mediaType: body.mediaType, shape: 'whole' },
        parameters: [input(names, 'body', 'body', value, values, notes, at)],
      };
    notes.push({
      code: 'body_not_json',
      message: 'The body is not valid JSON; it is sent unchanged.',
      at,
    });
  }
  const mediaType = kind === 'json' ? 'text/plain' : body.mediaType;
  return {
    body: { mediaType, shape: 'whole' },
    parameters: [{ ...input(names, 'body', 'body', text, values, notes, at), schema: { type: 'string' } }],
  };
}

function formBody(
  mediaType: string,
  fields: readonly ObservedField[],
  names: ParameterNames,
  values: ValueMeaning,
  notes: ImportNote[],
  at: string,
): { body: OperationBody; parameters: Parameter[] } {
  const encoding: Record<string, FieldEncoding> = {};
  const parameters: Parameter[] = [];
  for (const { name, value } of grouped(fields)) {
    const field = fields.find((candidate) => candidate.name === name)!;
    if (field.file) {
      encoding[name] = { file: true, ...(field.contentType && { contentType: field.contentType }) };
      const claimed = names.claim(name, 'body');
      parameters.push({
        name: claimed,
        in: 'body',
        ...(claimed !== name && { key: name }),
        schema: { type: 'string', contentEncoding: 'base64' },
        required: true,
      });
      continue;
    }
    if (field.contentType) encoding[name] = { contentType: field.contentType };
    if (field.asked) {
      const claimed = names.claim(name, 'body');
      const key = claimed === name ? {} : { key: name };
      parameters.push({ name: claimed, in: 'body', ...key, schema: { type: 'string' }, required: true });
      continue;
    }
    // A JSON part is described by its value, not its text.
    const isJson = typeof value === 'string' && mediaKind(field.contentType ?? '') === 'json';
    const read = isJson ? (readJson(value) ?? value) : value;
    parameters.push(input(names, 'body', name, read, values, notes, at));
  }
  const plain = mediaType.split(';')[0]!.trim();
  return {
    body: {
      mediaType: mediaKind(mediaType) === 'multipart' ? plain : mediaType,
      shape: 'fields',
      ...(Object.keys(encoding).length > 0 && { encoding }),
    },
    parameters,
  };
}

function readForm(text: string): ObservedField[] | null {
  if (!/^[^=&{}[\]"<>\s]+(?:\[[^\]]*\])*=/.test(text)) return null;
  return [...new URLSearchParams(text)].map(([name, value]) => ({ name, value }));
}

// RFC 7578, as recorded by browsers: the boundary is in the media type, or starts the text.
function readMultipart(text: string, mediaType: string): ObservedField[] | null {
  const boundary =
    /boundary="?([^";]+)"?/i.exec(mediaType)?.[1]?.trim() ?? /^--([^\r\n]+)\r?\n/.exec(text)?.[1];
  if (boundary === undefined || !text.includes(`--${boundary}`)) return null;
  const fields: ObservedField[] = [];
  for (const part of text.split(`--${boundary}`).slice(1)) {
    if (part.startsWith('--')) break;
    const [, head = '', content = ''] = /^\r?\n([^]*?)\r?\n\r?\n([^]*?)\r?\n?$/.exec(part) ?? [];
    const name = /\bname="([^"]*)"/i.exec(head)?.[1];
    if (!name) return null;
    const contentType = /^content-type:\s*(\S+)/im.exec(head)?.[1];
    const file = /\bfilename\*?=/i.test(head);
    fields.push({
      name,
      value: file ? '' : content,
      ...(file && { file }),
      ...(contentType && { contentType }),
    });
  }
  return fields.length > 0 ? fields : null;
}

function readJson(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

const maxDepth = 6;

/** Infers a schema from a single value: its types, but nothing about what is optional. */
export function inferSchema(value: JsonValue, depth = 0): JsonSchema {
  if (value === null || depth >= maxDepth) return {};
  if (Array.isArray(value)) {
    const items = (value as readonly JsonValue[]).slice(0, 20).map((item) => inferSchema(item, depth + 1));
    const [first] = items;
    return first !== undefined && items.every((item) => sameJson(item, first))
      ? { type: 'array', items: first }
      : { type: 'array' };
  }
  if (typeof value === 'object') {
    const properties: Record<string, JsonSchema> = {};
    for (const [key, inner] of Object.entries(value))
      if (key !== '__proto__') properties[key] = inferSchema(inner, depth + 1);
    return { type: 'object', properties };
  }
  return { type: typeof value === 'number' ? 'number' : typeof value };
}
