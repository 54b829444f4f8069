import type { JsonValue } from '../../domain/json-schema.ts';
import type { Parameter, ParameterStyle } from '../../domain/operation.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import { jsonText, withDigits } from '../../lib/json/numbers/exact-numbers.ts';
import type { WriteHeader, WritePairs, WritePath } from '../compiled-tool.ts';
import { percentEncode, percentEncodeReserved, unsafeValueError } from './percent-encode.ts';

// How a value becomes text in a path, query, header or cookie: the styles of
// https://spec.openapis.org/oas/v3.1.1#style-values, which are RFC 6570's expansions. `null` and an empty array or
// object are "undefined" there (RFC 6570 section 2.3): they produce nothing.

type Encode = (text: string) => string;

/** How the pieces of a style are joined. */
interface Joint {
  readonly before: string;
  readonly between: string;
}

// Characters that an argument with `allowReserved` may send unencoded without leaving its own component.
const reservedInQuery = /[:/?@!$'()*,;=[\]+]/;
const reservedInPath = /[:@!$&'()*+,;=]/;
const reservedInSegments = /[:@!$&'()*+,;=/]/;

/** The text of a scalar; nested arrays and objects are written as JSON, since the styles don't define them. */
export function scalarText(value: JsonValue): string {
  return typeof value === 'string' ? value : jsonText(value);
}

function encoderFor(parameter: Parameter, reserved: RegExp): Encode {
  return parameter.allowReserved
    ? (text) => percentEncodeReserved(text, parameter.name, reserved)
    : (text) => percentEncode(text, parameter.name);
}

/** Compiles a path parameter. It takes a list or an object only if the operation says how to write one. */
export function pathWriter(parameter: Parameter): WritePath {
  const write = anyPathWriter(parameter);
  const { name, style, explode, contentType, schema } = parameter;
  if ((style ?? explode ?? contentType) !== undefined || describesMany(schema)) return write;
  return (value) => {
    if (typeof value === 'object' && value !== null)
      throw unsafeValueError(
        name,
        'must be a single value, not a list or an object: it fills a part of the path',
      );
    return write(value);
  };
}

const manyKeywords = ['items', 'prefixItems', 'properties', 'additionalProperties', '$ref', '$dynamicRef'];

/** Whether a schema describes lists or objects, or refers to what may. */
function describesMany(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const types = [schema['type'] ?? []].flat();
  return (
    types.some((type) => type === 'array' || type === 'object') ||
    manyKeywords.some((keyword) => Object.hasOwn(schema, keyword)) ||
    ['anyOf', 'oneOf', 'allOf'].some((keyword) => {
      const parts = schema[keyword];
      return parts !== undefined && [parts].flat().some(describesMany);
    })
  );
}

function anyPathWriter(parameter: Parameter): WritePath {
  const encode = parameter.keepSlashes
    ? segmentsEncoder(parameter.name)
    : encoderFor(parameter, reservedInPath);
  const content = contentWriter(parameter);
  if (content) return (value) => encode(content(value));
  const explode = parameter.explode ?? false;
  const key = encode(parameter.key ?? parameter.name);
  switch (parameter.style) {
    case 'label': {
      const joint: Joint = { before: '.', between: explode ? '.' : ',' };
      return (value) => joined(value, explode, joint, encode);
    }
    case 'matrix':
      return (value) => matrix(value, explode, key, encode);
    default: {
      const joint: Joint = { before: '', between: delimiter(parameter.style) };
      return (value) => joined(value, explode, joint, encode);
    }
  }
}

// RFC 6570's `{+name}`. The filled path is checked for `.` and `..` as a whole.
function segmentsEncoder(name: string): Encode {
  return (text) => {
    if (text.startsWith('/') || text.includes('//') || text.includes('\\'))
      throw unsafeValueError(
        name,
        'must be path segments separated by single slashes, without a leading slash',
      );
    return percentEncodeReserved(text, name, reservedInSegments);
  };
}

function delimiter(style: ParameterStyle | undefined): string {
  switch (style) {
    case 'spaceDelimited':
      return '%20';
    case 'pipeDelimited':
      return '%7C';
    case 'tabDelimited':
      return '%09';
    default:
      return ',';
  }
}

function joined(value: JsonValue, explode: boolean, joint: Joint, encode: Encode): string {
  const pieces = piecesOf(value, explode, encode);
  return pieces.length === 0 ? '' : joint.before + pieces.join(joint.between);
}

// Scalars are one piece; an object is `k,v` pairs of pieces, or `k=v` pieces when exploded.
function piecesOf(value: JsonValue, explode: boolean, encode: Encode): string[] {
  if (value === null) return [];
  if (isList(value)) return present(value).map((item) => encode(scalarText(item)));
  if (typeof value === 'object') {
    return presentEntries(value).flatMap(([name, inner]) => {
      const text = encode(scalarText(inner));
      return explode ? [`${encode(name)}=${text}`] : [encode(name), text];
    });
  }
  return [encode(scalarText(value))];
}

function matrix(value: JsonValue, explode: boolean, key: string, encode: Encode): string {
  const pair = (name: string, text: string): string => (text === '' ? `;${name}` : `;${name}=${text}`);
  if (value === null) return '';
  if (isList(value)) {
    const items = present(value).map((item) => encode(scalarText(item)));
    if (items.length === 0) return '';
    return explode ? items.map((item) => pair(key, item)).join('') : pair(key, items.join(','));
  }
  if (typeof value === 'object') {
    const entries = presentEntries(value).map(
      ([name, inner]) => [encode(name), encode(scalarText(inner))] as const,
    );
    if (entries.length === 0) return '';
    return explode
      ? entries.map(([name, text]) => pair(name, text)).join('')
      : pair(key, entries.flat().join(','));
  }
  return pair(key, encode(scalarText(value)));
}

/** Compiles a query parameter or a form field: both are written the same way. */
export function pairsWriter(parameter: Parameter): WritePairs {
  const encode = encoderFor(parameter, reservedInQuery);
  const encodeKey: Encode = (text) => percentEncode(text, parameter.name);
  const name = parameter.key ?? parameter.name;
  const key = encodeKey(name);
  const content = contentWriter(parameter);
  if (parameter.style === 'querystring') return wholeQueryWriter(parameter, content ?? scalarText, encode);
  if (content) return (value) => [`${key}=${encode(content(value))}`];
  const style = parameter.style ?? 'form';
  const explode = parameter.explode ?? (style === 'form' || style === 'cookie' || style === 'deepObject');
  if (style === 'deepObject') return (value) => deepPairs(name, value, encodeKey, encode);
  if (explode) return (value) => explodedPairs(key, value, encodeKey, encode);
  const between = delimiter(style);
  return (value) => {
    const pieces = piecesOf(value, false, encode);
    return pieces.length === 0 ? [] : [`${key}=${pieces.join(between)}`];
  };
}

// https://spec.openapis.org/oas/v3.2.0#parameter-locations: no name is sent, the value is the query. A form is pairs.
function wholeQueryWriter(
  { contentType, name }: Parameter,
  text: (value: JsonValue) => string,
  encode: Encode,
): WritePairs {
  const encodePart: Encode = (part) => percentEncode(part, name);
  return (value) =>
    contentType === 'application/x-www-form-urlencoded' && typeof value === 'object'
      ? explodedPairs('', value, encodePart, encodePart)
      : [encode(text(value))];
}

function explodedPairs(key: string, value: JsonValue, encodeKey: Encode, encode: Encode): string[] {
  if (value === null) return [];
  if (isList(value)) return present(value).map((item) => `${key}=${encode(scalarText(item))}`);
  if (typeof value === 'object') {
    return presentEntries(value).map(([name, inner]) => `${encodeKey(name)}=${encode(scalarText(inner))}`);
  }
  return [`${key}=${encode(scalarText(value))}`];
}

// The specification defines one level only; deeper ones follow the common form (`a[b][c]`, `a[b][0]`).
function deepPairs(name: string, value: JsonValue, encodeKey: Encode, encode: Encode): string[] {
  if (value === null) return [];
  if (isList(value)) {
    return withDigits(value).flatMap((item, i) => deepPairs(`${name}[${i}]`, item, encodeKey, encode));
  }
  if (typeof value === 'object') {
    return Object.entries(withDigits(value)).flatMap(([inner, item]) =>
      deepPairs(`${name}[${inner}]`, item, encodeKey, encode),
    );
  }
  return [`${encodeKey(name)}=${encode(scalarText(value))}`];
}

/** Compiles a header parameter. Header values are not percent-encoded. */
export function headerWriter(parameter: Parameter): WriteHeader {
  const asIs: Encode = (text) => text;
  const content = contentWriter(parameter);
  const explode = parameter.explode ?? false;
  const between =
    parameter.style === undefined || parameter.style === 'simple'
      ? ','
      : decodeURIComponent(delimiter(parameter.style));
  return (value) => {
    const pieces = content ? [content(value)] : piecesOf(value, explode, asIs);
    if (pieces.length === 0) return null;
    const text = pieces.join(between);
    // Field values are visible characters, spaces and tabs (RFC 9110 section 5.5).
    if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) {
      throw unsafeValueError(
        parameter.name,
        'contains a line break or another character that a header cannot carry',
      );
    }
    return text;
  };
}

/** Compiles a cookie parameter into `name=value` pairs. */
export function cookieWriter(parameter: Parameter): WritePairs {
  if (parameter.style !== 'cookie') return pairsWriter(parameter);
  // 3.2's style writes values unencoded (https://spec.openapis.org/oas/v3.2.0#style-values).
  const key = parameter.key ?? parameter.name;
  const safe: Encode = (text) => {
    if (/[^\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]/.test(text))
      throw unsafeValueError(parameter.name, 'contains a character that a cookie cannot carry');
    return text;
  };
  const explode = parameter.explode ?? true;
  return (value) => {
    if (explode) return explodedPairs(key, value, safe, safe);
    const pieces = piecesOf(value, false, safe);
    return pieces.length === 0 ? [] : [`${key}=${pieces.join(',')}`];
  };
}

// OpenAPI's `content`: the value in its own media type, in practice JSON.
function contentWriter(parameter: Parameter): ((value: JsonValue) => string) | null {
  const type = parameter.contentType;
  if (type === undefined) return null;
  return type.includes('json') ? jsonText : scalarText;
}

function present(items: readonly JsonValue[]): JsonValue[] {
  return withDigits(items).filter((item) => item !== null);
}

function presentEntries(value: { readonly [key: string]: JsonValue }): [string, JsonValue][] {
  return Object.entries(withDigits(value)).filter(([, inner]) => inner !== null);
}

// `Array.isArray` does not narrow a readonly array.
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
