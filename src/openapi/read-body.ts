import type { JsonSchema } from '../domain/json-schema.ts';
import type { FieldEncoding, OperationBody, Parameter, XmlForms } from '../domain/operation.ts';
import { arrayOr, isObject, objectOr, textOr, textsIn, type PlainObject } from '../lib/json/plain-object.ts';
import { cutText, tidyText } from '../lib/text/tidy-text.ts';
import { below, type Located, type Place } from './bundle.ts';
import { mediaKind, type MediaKind } from '../lib/text/media-type.ts';
import { chooseMediaType } from './choose-media-type.ts';
import type { ParameterNames } from './names.ts';
import { readStyle } from './read-parameters.ts';
import type { Reading } from './reading.ts';
import { readXml } from './read-xml.ts';
import type { SchemaDef, Scope } from './schemas/schema-scope.ts';

const maxHelp = 3_000;

export interface BodyInputs {
  readonly body: OperationBody;
  readonly parameters: readonly Parameter[];
}

/** Converts a request body into inputs: one for each property of a plain object, else one for the whole body. */
export function readBody(
  reading: Reading,
  requestBody: Located,
  method: string,
  names: ParameterNames,
  scope: Scope,
): BodyInputs | null {
  if (requestBody.value === undefined || requestBody.value === null) return null;
  const { notes } = scope;
  const target = reading.resolver.follow(requestBody);
  if ('unresolved' in target || !isObject(target.value)) {
    notes.add(
      'body_dropped',
      `The request body is left out: ${'unresolved' in target ? `its reference ${target.unresolved}` : 'it is not an object'}.`,
      requestBody.at,
    );
    return null;
  }
  const { value, at } = target;
  const content = objectOr(value['content']);
  const chosen = chooseMediaType(Object.keys(content).filter((type) => type.includes('/')));
  if (!chosen) {
    if (Object.keys(content).length > 0 || value['required'] === true)
      notes.add('body_dropped', 'The request body is left out: it has no media type.', below(at, 'content'));
    return null;
  }
  const mediaAt = below(at, 'content', chosen.type);
  const media = reading.resolver.follow({ value: content[chosen.type], at: mediaAt });
  const mediaObject = 'unresolved' in media ? {} : objectOr(media.value);
  const place = 'unresolved' in media ? mediaAt : media.at;
  const required = value['required'] === true;
  const raw: Located = {
    value:
      mediaObject['schema'] ??
      (mediaObject['itemSchema'] === undefined
        ? undefined
        : { type: 'array', items: mediaObject['itemSchema'] }),
    at: below(place, 'schema'),
  };

  // 213 of Stripe's GET operations have an empty form, which is equivalent to no body.
  if (
    !required &&
    (method === 'GET' || method === 'HEAD' || method === 'DELETE') &&
    isEmptyObject(reading, raw)
  )
    return null;
  if (chosen.others.length > 0) {
    notes.add(
      'media_type_chosen',
      `The body can be sent as ${[chosen.type, ...chosen.others].join(', ')}; ${chosen.type} is used.`,
      below(at, 'content'),
    );
  }
  const description = textOr(value['description']);
  return buildBody(
    reading,
    {
      chosen: chosen.type,
      raw,
      media: { value: mediaObject, at: place },
      required,
      method,
      ...(description && { description }),
    },
    names,
    scope,
  );
}

interface BodyParts {
  readonly chosen: string;
  readonly raw: Located;
  readonly media: Located<PlainObject>;
  readonly required: boolean;
  readonly method: string;
  readonly description?: string;
}

function buildBody(reading: Reading, parts: BodyParts, names: ParameterNames, scope: Scope): BodyInputs {
  const own = reading.inputs.newScope();
  const schema = reading.inputs.convert(parts.raw, own);
  const shaped = openReference(schema, own.refs);
  const { kind, type } = concreteType(
    parts.chosen,
    mediaKind(parts.chosen),
    shaped.schema,
    scope,
    parts.media.at,
  );
  scope.notes.addAll(own.notes.list());

  if (kind === 'lines' && shaped.schema['type'] !== 'string') {
    for (const ref of own.refs) scope.refs.add(ref);
    return jsonLines(parts, type, schema, shaped.schema, names);
  }
  const isXml = kind === 'xml' && isStructured(shaped.schema);
  if (kind === 'text' || (kind === 'xml' && !isXml) || kind === 'lines' || kind === 'binary')
    return textOrBytes(reading, parts, type, kind === 'binary' ? kind : 'text', shaped.schema, names);
  const encoding =
    kind === 'form' || kind === 'multipart'
      ? readEncoding(reading, parts.media, shaped.schema, kind, scope)
      : undefined;
  const body = {
    mediaType: type,
    ...(parts.required && { required: true }),
    ...(encoding && Object.keys(encoding).length > 0 && { encoding }),
    ...(isXml && { xml: readXmlForms(reading, parts, scope) }),
  };

  if (
    isFlat(shaped.schema) &&
    !(parts.description && Object.keys(objectOr(shaped.schema['properties'])).length === 0)
  ) {
    for (const ref of shaped.refs) scope.refs.add(ref);
    return {
      // If additionalProperties is not specified, an object may have any other fields (JSON Schema).
      body: {
        ...body,
        shape: 'fields',
        ...(shaped.schema['additionalProperties'] !== false && { open: true }),
      },
      parameters: fieldParameters(shaped.schema, parts, encoding ?? {}, names, scope),
    };
  }
  for (const ref of own.refs) scope.refs.add(ref);
  const whole: Parameter = {
    name: names.claim('body', 'body'),
    in: 'body',
    schema: Object.keys(schema).length === 0 && kind !== 'json' ? { type: 'object' } : schema,
    required: parts.required,
    ...(parts.description && { description: tidyText(parts.description, 800) }),
  };
  return { body: { ...body, shape: 'whole' }, parameters: [whole] };
}

// We need the properties of a referenced object, not a reference to it.
function openReference(
  schema: JsonSchema,
  refs: ReadonlySet<SchemaDef>,
): { schema: JsonSchema; refs: ReadonlySet<SchemaDef> } {
  const ref = schema['$ref'];
  if (typeof ref !== 'string') return { schema, refs };
  const def = [...refs].find((candidate) => ref === `#/$defs/${candidate.name}`);
  return def ? { schema: def.schema, refs: def.refs } : { schema, refs };
}

const flatKeywords = new Set([
  'type',
  'properties',
  'required',
  'title',
  'description',
  'examples',
  'default',
  'deprecated',
]);

// More fields than any model can handle. A thousand operations sharing a larger schema would each copy it.
const maxFields = 1_000;

// Whether a schema's properties can become the tool's own without loss: no unions, no counts, no additional properties.
function isFlat(schema: JsonSchema): boolean {
  const { type } = schema;
  const isObjectType =
    type === 'object' ||
    (Array.isArray(type) &&
      type.includes('object') &&
      type.every((word) => word === 'object' || word === 'null'));
  if (!isObjectType || !isObject(schema['properties'])) return false;
  const fields = Object.keys(schema['properties']).length;
  if (fields === 0 || fields > maxFields) return false;
  return Object.keys(schema).every(
    (key) => flatKeywords.has(key) || (key === 'additionalProperties' && schema[key] === false),
  );
}

function fieldParameters(
  schema: JsonSchema,
  parts: BodyParts,
  encoding: Readonly<Record<string, FieldEncoding>>,
  names: ParameterNames,
  scope: Scope,
): Parameter[] {
  const properties = { ...objectOr(schema['properties']) };
  const required = textsIn(schema['required']);
  for (const name of required) if (!Object.hasOwn(properties, name)) properties[name] = {};
  const bodyMayBeLeftOut =
    !parts.required && (parts.method === 'GET' || parts.method === 'HEAD' || parts.method === 'DELETE');
  if (!parts.required && required.length > 0) {
    scope.notes.add(
      'body_optional',
      bodyMayBeLeftOut
        ? `The body is optional, but if sent it requires ${required.slice(0, 5).join(', ')}; here all of them are optional.`
        : `In the document the whole body is optional although it has required properties; here they are required.`,
      parts.media.at,
    );
  }
  return Object.entries(properties).map(([key, value]) => {
    const name = names.claim(key, 'body');
    return {
      name,
      in: 'body' as const,
      ...(name !== key && { key }),
      schema: encoding[key]?.file ? fileSchema(objectOr(value)) : objectOr(value),
      required: required.includes(key) && !bodyMayBeLeftOut,
    };
  });
}

function fileSchema(schema: JsonSchema): JsonSchema {
  const { description } = schema;
  const about = typeof description === 'string' ? { description } : {};
  if (schema['type'] === 'array')
    return {
      ...schema,
      items: { type: 'string', contentEncoding: 'base64' },
      ...about,
    };
  return {
    type: 'string',
    ...(typeof schema['title'] === 'string' && { title: schema['title'] }),
    contentEncoding: 'base64',
    ...about,
  };
}

function readXmlForms(reading: Reading, parts: BodyParts, scope: Scope): XmlForms {
  const { forms, isNamed } = readXml(reading, parts.raw);
  if (!isNamed)
    scope.notes.add(
      'xml_root_unnamed',
      'The document does not name the root element of the XML body; it is sent as <root>.',
      parts.media.at,
    );
  return forms;
}

function isStructured(schema: JsonSchema): boolean {
  return (
    schema['type'] === 'object' ||
    schema['type'] === 'array' ||
    schema['properties'] !== undefined ||
    schema['allOf'] !== undefined ||
    schema['oneOf'] !== undefined
  );
}

// A document describes either the list of lines or a single line.
function jsonLines(
  parts: BodyParts,
  mediaType: string,
  schema: JsonSchema,
  shaped: JsonSchema,
  names: ParameterNames,
): BodyInputs {
  const about = parts.description ? `${tidyText(parts.description, 800)} ` : '';
  return {
    body: { mediaType, shape: 'whole', ...(parts.required && { required: true }) },
    parameters: [
      {
        name: names.claim('body', 'body'),
        in: 'body',
        schema: shaped['type'] === 'array' ? schema : { type: 'array', items: schema },
        required: parts.required,
        description: `${about}Each item is sent as one line of JSON.`,
      },
    ],
  };
}

function textOrBytes(
  reading: Reading,
  parts: BodyParts,
  mediaType: string,
  kind: 'text' | 'binary',
  schema: JsonSchema,
  names: ParameterNames,
): BodyInputs {
  const structured = isStructured(schema);
  const about = parts.description ? `${tidyText(parts.description, 800)} ` : '';
  const help = mediaType.startsWith('message/')
    ? 'The message as it is sent: its header lines, an empty line, its text.'
    : structured
      ? `${mediaType} text. Its shape, as JSON Schema: ${cutText(JSON.stringify(reading.inputs.convert(parts.raw, reading.inputs.newScope())), maxHelp)}`
      : '';
  const parameter: Parameter =
    kind === 'binary'
      ? {
          name: names.claim('body', 'body'),
          in: 'body',
          schema: { type: 'string', contentEncoding: 'base64' },
          required: parts.required,
          ...(about !== '' && { description: about.trim() }),
        }
      : {
          name: names.claim('body', 'body'),
          in: 'body',
          schema: structured ? { type: 'string' } : { ...schema, type: 'string' },
          required: parts.required,
          ...((about || help) && { description: `${about}${help}`.trim() }),
        };
  return {
    body: {
      mediaType,
      shape: 'whole',
      ...(parts.required && { required: true }),
      ...(kind === 'binary' && { binary: true }),
    },
    parameters: [parameter],
  };
}

// `*/*` and unknown types cannot be sent: the schema decides what they mean.
function concreteType(
  type: string,
  kind: MediaKind,
  schema: JsonSchema,
  scope: Scope,
  at: Place,
): { kind: Exclude<MediaKind, 'unknown'>; type: string } {
  if (kind === 'binary' && isStructured(schema)) {
    scope.notes.add(
      'media_type_guessed',
      `The body is described by its fields but its media type is ${type}, which is binary; JSON is sent with that media type.`,
      at,
    );
    return { kind: 'json', type };
  }
  if (kind !== 'unknown') {
    if (kind === 'text' && schema['contentEncoding'] === 'base64') return { kind: 'binary', type };
    return { kind, type };
  }
  const wildcard = type.includes('*');
  if (schema['contentEncoding'] === 'base64' || (!wildcard && Object.keys(schema).length === 0)) {
    return { kind: 'binary', type: wildcard ? 'application/octet-stream' : type };
  }
  if (schema['type'] === 'string' && !wildcard) return { kind: 'text', type };
  const sent = wildcard ? 'application/json' : type;
  scope.notes.add(
    'media_type_guessed',
    `The body's media type ${type} does not define a format; JSON is sent${wildcard ? ' as application/json' : ''}.`,
    at,
  );
  return { kind: 'json', type: sent };
}

function readEncoding(
  reading: Reading,
  media: Located<PlainObject>,
  schema: JsonSchema,
  kind: 'form' | 'multipart',
  scope: Scope,
): Record<string, FieldEncoding> {
  const out: Record<string, FieldEncoding> = {};
  const declared = objectOr(media.value['encoding']);
  const properties = objectOr(schema['properties']);
  for (const key of new Set([...Object.keys(properties), ...Object.keys(declared)])) {
    if (key === '__proto__') continue;
    const given = objectOr(declared[key]);
    const contentType = textOr(given['contentType'])?.split(',')[0]?.trim();
    const style = readStyle(given['style'], 'body', below(media.at, 'encoding', key), scope.notes);
    const headers =
      kind === 'multipart' ? readPartHeaders(reading, given, below(media.at, 'encoding', key), scope) : {};
    const property = objectOr(properties[key]);
    const file =
      kind === 'multipart' && Object.hasOwn(properties, key) && isFile(reading, property, contentType);
    const field: FieldEncoding = {
      ...(contentType && !contentType.includes('*') && { contentType }),
      ...(style && { style }),
      ...(typeof given['explode'] === 'boolean' && { explode: given['explode'] }),
      ...(given['allowReserved'] === true && { allowReserved: true }),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(file && { file: true }),
    };
    if (Object.keys(field).length > 0) out[key] = field;
  }
  return out;
}

function isFile(reading: Reading, schema: PlainObject, contentType: string | undefined): boolean {
  if (schema['type'] === 'array') return isFile(reading, objectOr(schema['items']), contentType);
  if (schema['contentEncoding'] === 'base64') return true;
  if (reading.version === '3.0' || reading.version === '2.0') return false;
  // 3.1 describes bytes by the absence of a type: https://spec.openapis.org/oas/v3.1.1#binary-data
  const untyped =
    schema['type'] === undefined &&
    schema['$ref'] === undefined &&
    schema['oneOf'] === undefined &&
    schema['anyOf'] === undefined &&
    schema['allOf'] === undefined &&
    schema['enum'] === undefined;
  const mediaType = contentType ?? textOr(schema['contentMediaType']);
  if (untyped)
    return mediaType === undefined
      ? schema['contentMediaType'] !== undefined
      : mediaKind(mediaType) === 'binary';
  return (
    schema['type'] === 'string' &&
    schema['contentEncoding'] === undefined &&
    mediaType !== undefined &&
    mediaKind(mediaType) === 'binary'
  );
}

function readPartHeaders(
  reading: Reading,
  encoding: PlainObject,
  at: Place,
  scope: Scope,
): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, header] of Object.entries(objectOr(encoding['headers']))) {
    if (name.toLowerCase() === 'content-type') continue;
    const place = below(at, 'headers', name);
    const target = reading.resolver.follow({ value: header, at: place });
    const object = 'unresolved' in target ? {} : objectOr(target.value);
    const schema = objectOr(object['schema']);
    const value = schema['const'] ?? schema['default'] ?? arrayOr(schema['enum'])[0];
    if (typeof value === 'string' || typeof value === 'number') out[name] = String(value);
    else
      scope.notes.add(
        'part_header_dropped',
        `The header "${name}" of one part of the body is not sent: the document specifies no fixed value for it.`,
        place,
      );
  }
  return out;
}

function isEmptyObject(reading: Reading, raw: Located): boolean {
  if (raw.value === undefined) return true;
  const target = reading.resolver.follow(raw);
  if ('unresolved' in target || !isObject(target.value)) return false;
  const { type, properties, additionalProperties, ...rest } = target.value;
  if (
    Object.keys(rest).some((key) => key === 'allOf' || key === 'oneOf' || key === 'anyOf' || key === '$ref')
  )
    return false;
  return (
    (type === 'object' || type === undefined) &&
    Object.keys(objectOr(properties)).length === 0 &&
    !isObject(additionalProperties) &&
    additionalProperties !== true
  );
}
