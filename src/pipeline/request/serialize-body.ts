import { createHash } from 'node:crypto';
import { filePlaces } from '../../domain/places/file-places.ts';
import { isJsonObject, type JsonValue } from '../../domain/json-schema.ts';
import type { FieldEncoding, Operation, OperationBody, Parameter } from '../../domain/operation.ts';
import {
  carryNumber,
  carryWritten,
  hasLongNumbers,
  jsonText,
  withDigits,
  writtenAs,
} from '../../lib/json/numbers/exact-numbers.ts';
import { isJsonSequence, mediaKind } from '../../lib/text/media-type.ts';
import { fillBodyTemplate, parseBodyTemplate } from './body-template.ts';
import { readFileArgument } from '../arguments/file-argument.ts';
import { openFieldName } from '../arguments/unknown-arguments.ts';
import { unsafeValueError } from './percent-encode.ts';
import { xmlText } from './write-xml.ts';
import { pairsWriter, scalarText } from './serialize-parameter.ts';
import type { OpenedFiles } from '../files.ts';
import type { Arguments } from '../arguments/checked-arguments.ts';
import type { FileValues, WriteBody, WritePairs } from '../compiled-tool.ts';
import type { RequestBody } from './request-plan.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import { type BodyPiece, BodyStream } from './body-stream.ts';
import { refuseHeldFields, refuseHeldPairs } from './held-names.ts';
import type { IsHeld } from '../../domain/places/operator-places.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

type Fields = Readonly<Record<string, JsonValue>>;
type WriteValue<Value> = (value: Value, files?: OpenedFiles | null) => RequestBody;

/** Finds the argument texts that refer to files; null for an operation that takes none. */
export function fileValuesOf(operation: Operation): FileValues | null {
  const places = [...filePlaces(operation)];
  if (places.length === 0) return null;
  return (args) =>
    places.flatMap(([name, { fields }]) => {
      const value = args[name];
      if (fields === null) return textsIn(name, value);
      return isObject(value) ? fields.flatMap((field) => textsIn(field, value[field])) : [];
    });
}

function textsIn(name: string, value: unknown): { readonly name: string; readonly value: string }[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.filter((item) => typeof item === 'string').map((item) => ({ name, value: item }));
}

/** Compiles an operation's body, so that a call only fills it. `isHeld` marks fields that arguments must not set. */
export function bodyWriter(operation: Operation, isHeld: IsHeld): WriteBody {
  const inBody = operation.parameters.filter((parameter) => parameter.in === 'body');
  const body: OperationBody | null =
    operation.body ?? (inBody.length > 0 ? { mediaType: 'application/json', shape: 'fields' } : null);
  if (body === null) return () => null;
  if (body.shape === 'template') {
    const template = parseBodyTemplate(body.template ?? '');
    return (args) => ({ contentType: body.mediaType, content: fillBodyTemplate(template, args) });
  }
  if (body.shape === 'whole') {
    const [parameter] = inBody;
    if (parameter === undefined) return () => null;
    const write = wholeWriter(body, parameter, parameter.fixed === undefined ? isHeld : null);
    return (args, files) => {
      const value = args[parameter.name];
      if (value === undefined) return null;
      const digits = writtenAs(args, parameter.name);
      return digits === undefined ? write(value, files) : { contentType: body.mediaType, content: digits };
    };
  }
  const write = fieldsWriter(body);
  const checks = formFieldChecks(body, inBody, isHeld);
  const declared = new Set(operation.parameters.map((parameter) => parameter.name));
  const elsewhere = new Set(
    operation.parameters.filter((parameter) => parameter.in !== 'body').map((parameter) => parameter.name),
  );
  return (args, files) => {
    const fields: Record<string, JsonValue> = {};
    const long = hasLongNumbers(args);
    for (const parameter of inBody) {
      const value = args[parameter.name];
      if (value === undefined) continue;
      setField(fields, parameter.key ?? parameter.name, value);
      if (long) carryNumber(args, parameter.name, fields, parameter.key ?? parameter.name);
    }
    if (body.open)
      for (const name in args) {
        if (declared.has(name)) continue;
        const field = openFieldName(name, (other) => elsewhere.has(other));
        setField(fields, field, args[name]!);
        if (long) carryNumber(args, name, fields, field);
      }
    if (Object.keys(fields).length === 0 && !body.required) return null;
    for (const check of checks) check(args);
    return write(fields, files);
  };
}

// A form field with its own style becomes pairs whose names come from its value.
function formFieldChecks(
  body: OperationBody,
  inBody: readonly Parameter[],
  isHeld: IsHeld,
): ((args: Arguments) => void)[] {
  const encoding = body.encoding;
  if (encoding === undefined || mediaKind(body.mediaType) !== 'form') return [];
  return inBody.flatMap(({ name, key = name, fixed }) => {
    const field = Object.hasOwn(encoding, key) ? encoding[key]! : null;
    if (fixed !== undefined || field === null || !hasStyle(field)) return [];
    const write = formFieldWriter(key, field);
    return [
      (args: Arguments) => {
        const value = args[name];
        if (typeof value === 'object' && value !== null) refuseHeldPairs(write(value), name, isHeld);
      },
    ];
  });
}

/** `isHeld` is null if the operator set the whole body. */
function wholeWriter(
  body: OperationBody,
  parameter: Parameter,
  isHeld: IsHeld | null,
): WriteValue<JsonValue> {
  const write = uncheckedWholeWriter(body, parameter);
  const kind = mediaKind(body.mediaType);
  if (isHeld === null || body.binary || (kind !== 'json' && kind !== 'form' && kind !== 'multipart'))
    return write;
  return (value, files) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      refuseHeldFields(value, parameter.name, isHeld);
    const written = write(value, files);
    if (kind === 'form' && typeof written.content === 'string')
      refuseHeldPairs([written.content], parameter.name, isHeld);
    return written;
  };
}

function uncheckedWholeWriter(body: OperationBody, parameter: Parameter): WriteValue<JsonValue> {
  const kind = mediaKind(body.mediaType);
  if (body.binary) {
    return (value, files) => {
      const { content, mediaType } = readFileArgument(value, parameter.name, files);
      return {
        contentType: concreteType(body.mediaType, mediaType),
        content: content instanceof Uint8Array ? content : new BodyStream([content]),
      };
    };
  }
  const { xml } = body;
  if (xml !== undefined) return (value) => ({ contentType: body.mediaType, content: xmlText(value, xml) });
  if (kind === 'json') return (value) => ({ contentType: body.mediaType, content: jsonText(value) });
  if (kind === 'lines')
    return (value) => ({ contentType: body.mediaType, content: jsonLines(value, body.mediaType) });
  // Text is sent verbatim, anything else as JSON.
  if (kind !== 'form' && kind !== 'multipart')
    return (value) => ({ contentType: body.mediaType, content: scalarText(value) });
  const write = fieldsWriter(body);
  return (value, files) => {
    if (isJsonObject(value)) return write(value, files);
    return { contentType: body.mediaType, content: scalarText(value) };
  };
}

function fieldsWriter(body: OperationBody): WriteValue<Fields> {
  const { xml } = body;
  if (xml !== undefined) {
    const write = (fields: Fields): RequestBody => ({
      contentType: body.mediaType,
      content: xmlText(fields, xml),
      extend: (name, value) => write({ ...fields, [name]: value }),
    });
    return write;
  }
  switch (mediaKind(body.mediaType)) {
    case 'form':
      return (fields) => ({
        contentType: body.mediaType,
        content: formText(fields, body.encoding ?? {}),
        fields,
      });
    case 'multipart':
      return (fields, files) => multipart(body.mediaType, fields, body.encoding ?? {}, files);
    default:
      return (fields) => ({ contentType: body.mediaType, content: jsonText(fields), fields });
  }
}

// RFC 7464 begins each value with a record separator; elsewhere a line is a value.
function jsonLines(value: JsonValue, mediaType: string): string {
  if (typeof value === 'string') return value;
  const before = isJsonSequence(mediaType) ? '\u001e' : '';
  const items: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  return items.map((item) => `${before}${jsonText(item)}\n`).join('');
}

// Compiled once for each field of each encoding; whole bodies may have undeclared fields.
const formWriters = new WeakCache<Readonly<Record<string, FieldEncoding>>, Map<string, WritePairs>>();

// https://spec.openapis.org/oas/v3.1.1#encoding-object: objects are JSON unless the encoding names a style.
function formText(fields: Fields, encoding: Readonly<Record<string, FieldEncoding>>): string {
  let writers = formWriters.get(encoding);
  if (!writers) formWriters.set(encoding, (writers = new Map()));
  const pairs: string[] = [];
  for (const [key, value] of Object.entries(withDigits(fields))) {
    let write = writers.get(key);
    if (!write) {
      write = formFieldWriter(key, Object.hasOwn(encoding, key) ? encoding[key]! : {});
      if (writers.size < 1_000) writers.set(key, write);
    }
    pairs.push(...write(value));
  }
  return pairs.join('&');
}

function hasStyle({ style, explode, allowReserved }: FieldEncoding): boolean {
  return style !== undefined || explode !== undefined || allowReserved !== undefined;
}

function formFieldWriter(key: string, field: FieldEncoding): WritePairs {
  const styled = hasStyle(field);
  const { style, explode, allowReserved, contentType } = field;
  const base: Parameter = { name: key, in: 'query', schema: {}, required: false };
  const asContent = pairsWriter({ ...base, contentType: contentType ?? 'application/json' });
  if (!styled && contentType !== undefined)
    return (value) =>
      Array.isArray(value) && !contentType.includes('json')
        ? value.flatMap((item) => asContent(item))
        : asContent(value);
  const asStyle = pairsWriter({
    ...base,
    ...(style && { style }),
    ...(explode !== undefined && { explode }),
    ...(allowReserved && { allowReserved }),
  });
  if (styled) return asStyle;
  return (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? asContent(value) : asStyle(value);
}

interface MultipartField {
  readonly head: string;
  readonly content: BodyPiece;
}

// RFC 7578. The boundary is a hash of the content: the same arguments give the same request, and no argument can
// predict it.
function multipart(
  mediaType: string,
  fields: Fields,
  encoding: Readonly<Record<string, FieldEncoding>>,
  files: OpenedFiles | null | undefined,
): RequestBody {
  const parts: MultipartField[] = [];
  for (const [key, value] of Object.entries(withDigits(fields))) {
    if (value === null) continue;
    const field = Object.hasOwn(encoding, key) ? encoding[key]! : {};
    for (const item of Array.isArray(value) ? withDigits(value as readonly JsonValue[]) : [value])
      parts.push(makePart(key, item, field, files));
  }
  const hash = createHash('sha256');
  for (const { head, content } of parts)
    hash.update(head).update(content instanceof Uint8Array ? content : content.sha256);
  const boundary = `handrail-${hash.digest('hex').slice(0, 40)}`;
  const chunks: BodyPiece[] = [];
  for (const { head, content } of parts) {
    chunks.push(Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), content, Buffer.from('\r\n'));
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`));
  return {
    contentType: `${mediaType.split(';')[0]!.trim()}; boundary=${boundary}`,
    content: chunks.every((chunk) => chunk instanceof Uint8Array)
      ? Buffer.concat(chunks)
      : new BodyStream(chunks),
    extend: (name, value) => {
      const more = { ...fields, [name]: value };
      carryWritten(fields, more);
      return multipart(mediaType, more, encoding, files);
    },
  };
}

function makePart(
  key: string,
  value: JsonValue,
  field: FieldEncoding,
  files: OpenedFiles | null | undefined,
): MultipartField {
  const file = field.file ? readFileArgument(value, key, files) : null;
  const disposition = `Content-Disposition: form-data; name="${quotedName(key)}"`;
  const lines = [file ? `${disposition}; filename="${quotedName(file.fileName ?? key)}"` : disposition];
  if (file)
    lines.push(
      `Content-Type: ${concreteType(field.contentType ?? 'application/octet-stream', file.mediaType)}`,
    );
  else if (field.contentType) lines.push(`Content-Type: ${field.contentType}`);
  else if (typeof value === 'object') lines.push('Content-Type: application/json');
  for (const [name, text] of Object.entries(field.headers ?? {})) {
    if (/[\r\n\0]/.test(name + text)) throw unsafeValueError(key, 'has a part header that cannot be sent');
    // Already written above; a second one could rename the part.
    if (/^content-(?:disposition|type)$/i.test(name)) continue;
    lines.push(`${name}: ${text}`);
  }
  const json = typeof value === 'object' || (field.contentType?.includes('json') ?? false);
  return {
    head: lines.join('\r\n'),
    content: file ? file.content : Buffer.from(json ? jsonText(value) : scalarText(value)),
  };
}

// How browsers write names that contain quotes or line breaks (https://html.spec.whatwg.org/#multipart-form-data).
function quotedName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('\0', '%00');
}

// A data URL has its own type; the document's type is used if it is specific, or if the argument has none.
function concreteType(declared: string, given: string | null): string {
  if (given === null) return declared.includes('*') ? 'application/octet-stream' : declared;
  return declared.includes('*') || declared === 'application/octet-stream' ? given : declared;
}

// `__proto__` as a field name must stay a field.
function setField(fields: Record<string, JsonValue>, key: string, value: JsonValue): void {
  Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
}
