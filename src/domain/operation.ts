import {
  choice,
  described,
  flag,
  type Infer,
  jsonSchema,
  jsonValue,
  list,
  object,
  optional,
  record,
  type Rule,
  text,
  withRule,
} from '../lib/schema/schema.ts';
import { baseUrlText } from './fields/addresses.ts';
import { headerValue, isSettableHeader } from './fields/header-names.ts';
import type { JsonSchema, JsonValue } from './json-schema.ts';
import { maxDescription } from './fields/row-fields.ts';

/** The methods that Handrail can send. */
export const httpMethods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'QUERY',
  // WebDAV (RFC 4918, 3253, 5323) and others that real collections use.
  'PROPFIND',
  'PROPPATCH',
  'MKCOL',
  'COPY',
  'MOVE',
  'LOCK',
  'UNLOCK',
  'SEARCH',
  'REPORT',
  'LINK',
  'UNLINK',
  'PURGE',
  'VIEW',
] as const;

/** A stored JSON Schema. */
export const schemaText = described(jsonSchema<JsonSchema>(), 'JSON Schema 2020-12.');

/** How a value is serialized; the names are OpenAPI's (https://spec.openapis.org/oas/v3.1.1#style-values). */
const parameterStyle = choice(
  'simple',
  'label',
  'matrix',
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
  'cookie',
  // The value is the whole query (OpenAPI 3.2's `in: querystring`).
  'querystring',
  // Swagger 2's `tsv`.
  'tabDelimited',
);

export type ParameterStyle = Infer<typeof parameterStyle>;

const parameterPlace = choice('path', 'query', 'header', 'cookie', 'body');

export type ParameterPlace = Infer<typeof parameterPlace>;

/** The fields of one input of an operation. */
export const parameterFields = {
  /** The property the model sees in the tool's input schema; unique within the operation. */
  name: text({ min: 1, max: 1_000 }),
  in: parameterPlace,
  /** Not used for a whole body (`Operation.body.shape`). */
  key: optional(described(text({ max: 10_000 }), 'The name on the wire, if it is not `name`.')),
  schema: schemaText,
  required: flag(),
  description: optional(text({ max: maxDescription })),
  /** Sent if the caller leaves the argument out. */
  default: optional(jsonValue<JsonValue>()),
  /** It cannot be overridden. */
  fixed: optional(described(jsonValue<JsonValue>(), 'Always sent, never shown to the model.')),
  /** Not shown to the model; without `fixed` or `default` it is not sent at all. */
  hidden: optional(flag()),
  style: optional(parameterStyle),
  explode: optional(flag()),
  allowReserved: optional(flag()),
  /** A path argument that spans several segments: its slashes are not escaped. `.` and `..` are still rejected. */
  keepSlashes: optional(flag()),
  /** Serialize the value with this media type instead of a style (OpenAPI's `content`); in practice only JSON is used. */
  contentType: optional(headerValue),
};

const parameter = object(parameterFields);

/** One input of an operation. */
export type Parameter = Infer<typeof parameter>;

const fieldEncoding = object({
  contentType: optional(headerValue),
  style: optional(parameterStyle),
  explode: optional(flag()),
  allowReserved: optional(flag()),
  headers: optional(record(text({ min: 1, max: 200 }), headerValue, { max: 100 })),
  /** The argument is a file: base64 text or a data URL, sent as bytes. */
  file: optional(flag()),
});

/** How one field of a form or multipart body is serialized (OpenAPI's encoding object). */
export type FieldEncoding = Infer<typeof fieldEncoding>;

const xmlForm = object({
  /** The name of the element or attribute, if it differs from the property's. */
  name: optional(text({ min: 1, max: 1_000 })),
  prefix: optional(text({ min: 1, max: 200 })),
  namespace: optional(text({ min: 1, max: 4_000 })),
  attribute: optional(flag()),
  /** The value is the text of its parent element. */
  text: optional(flag()),
  /** A list has an element around its items. */
  wrapped: optional(flag()),
  /** The forms of an object's values, by property. */
  properties: optional(record(text({ max: 10_000 }), text({ max: 20 }), { max: 10_000 })),
  /** The form of a list's items. */
  items: optional(text({ max: 20 })),
});

/** How one value is serialized as XML (OpenAPI's XML object). */
export type XmlForm = Infer<typeof xmlForm>;

const xmlForms = record(text({ max: 20 }), xmlForm, { max: 10_000 });

/** The forms of an XML body, which refer to each other by number; "0" is the body's own. */
export type XmlForms = Infer<typeof xmlForms>;

const operationBody = object({
  mediaType: withRule(headerValue, (value, report) => {
    if (value === '') report('', 'must not be empty');
  }),
  /**
   * `fields`: each body parameter is one property of an object (or one form field).
   * `whole`: the single body parameter is the body.
   * `template`: `template` with `{{name}}` replaced by the body parameters' values.
   */
  shape: choice('fields', 'whole', 'template'),
  template: optional(text({ max: 1_000_000 })),
  /** By wire key, for form and multipart bodies. */
  encoding: optional(record(text({ max: 10_000 }), fieldEncoding, { max: 10_000 })),
  /** Send an empty object (or form) even if no body argument was given. */
  required: optional(flag()),
  open: optional(
    described(
      flag(),
      'The document allows fields that it does not name: arguments without a parameter become such fields.',
    ),
  ),
  xml: optional(
    described(
      xmlForms,
      'How the arguments are serialized as XML, by number; "0" is the body itself. Without it the argument is the XML text.',
    ),
  ),
  /** The whole body is bytes: the argument is base64 or a data URL. */
  binary: optional(flag()),
});

/** The request body. Absent if the operation has none. */
export type OperationBody = Infer<typeof operationBody>;

const securityAlternative = record(text({ max: 1_000 }), list(text({ max: 10_000 }), { max: 10_000 }), {
  max: 100,
});

/** One alternative of an operation's security requirement; all of its schemes are needed together. */
export type SecurityAlternative = Infer<typeof securityAlternative>;

/** The kinds of pagination. */
export const paginationKinds = ['page', 'offset', 'cursor', 'link', 'url', 'graphql'] as const;

const pagination = object({
  /**
   * What leads to the next page: an argument (a page, an offset, a cursor, also of a GraphQL connection), or the reply (a
   * `Link` header, a URL).
   */
  kind: choice(...paginationKinds),
  /** The pagination argument, or a field of one: `page.number`, for GraphQL `variables.after`. */
  parameter: optional(text({ min: 1, max: 1_000 })),
  /** The argument for the page size. */
  size: optional(text({ min: 1, max: 1_000 })),
  /** Paths in the reply to the list and to what leads to the next page: names separated by dots. */
  items: optional(text({ min: 1, max: 500 })),
  next: optional(text({ min: 1, max: 500 })),
});

/** How an operation paginates, according to its document. */
export type Pagination = Infer<typeof pagination>;

const operationLink = object({
  name: text({ min: 1, max: 200 }),
  /** The `operationId` or the reference of the target operation. */
  to: text({ min: 1, max: 4_000 }),
  /** The document's expressions for parameter values, such as `$response.body#/id`. */
  parameters: record(text({ max: 1_000 }), text({ max: 4_000 }), { max: 100 }),
});

/** A link from a reply to another operation (OpenAPI's link object). */
export type OperationLink = Infer<typeof operationLink>;

/** The fields of the HTTP shape of one REST operation. */
export const operationFields = {
  method: choice(...(httpMethods as readonly string[])),
  /** Path template below the base URL: `/users/{id}`. May contain a fixed query (`/x?beta=true`). */
  path: text({ max: 20_000 }),
  /** Replaces the API's base URL for this operation only. */
  baseUrl: optional(baseUrlText),
  parameters: list(parameter, { max: 10_000 }),
  body: optional(operationBody),
  /** The value of the Accept header. */
  accept: optional(headerValue),
  /** Schema of a successful reply, if known. Self-contained: its references are in its own `$defs`. */
  replySchema: optional(schemaText),
  /** Schemas that parameters refer to as `#/$defs/NAME`; only what this operation uses. */
  defs: optional(record(text({ max: 10_000 }), schemaText, { max: 10_000 })),
  /** The document's own security requirement for this operation: alternatives of scheme names; empty means none needed. */
  security: optional(list(securityAlternative, { max: 1_000 })),
  pagination: optional(described(pagination, 'How the operation paginates, according to the document.')),
  links: optional(described(list(operationLink, { max: 100 }), 'Operations that a reply links to.')),
  longRunning: optional(
    described(
      flag(),
      'The API may accept a job without finishing it, and say where its progress is reported (HTTP 202).',
    ),
  ),
};

const operationForm = object(operationFields);

/** The HTTP shape of one REST operation. */
export type Operation = Infer<typeof operationForm>;

/** The names of the variables in a path template. */
function slotsOf(path: string): Set<string> {
  return new Set([...path.matchAll(/\{([^{}/]+)\}/g)].map((match) => match[1]!));
}

/** `.` and `..`, also percent-encoded: servers and proxies resolve them as path segments. */
export function isDotSegment(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}

const pathCanBeSent: Rule<Operation> = ({ path }, report) => {
  if (!path.isWellFormed()) report('/path', 'contains a character that cannot be sent');
  const [place = ''] = path.split('?', 1);
  if (place.split('/').some(isDotSegment)) report('/path', 'must not contain "." or ".." segments');
};

const parametersHaveTheirPlaces: Rule<Operation> = ({ path, parameters }, report) => {
  const names = new Set<string>();
  const places = new Set<string>();
  const slots = slotsOf(path);
  parameters.forEach((each, index) => {
    const at = `/parameters/${index}`;
    const key = each.key ?? each.name;
    if (names.has(each.name)) report(`${at}/name`, `two parameters are named ${shown(each.name)}`);
    names.add(each.name);
    const place = `${each.in} ${each.in === 'header' ? key.toLowerCase() : key}`;
    if (places.has(place)) report(`${at}/key`, `two parameters fill ${each.in} ${shown(key)}`);
    places.add(place);
    if (each.in === 'path' && !slots.has(key))
      report(`${at}/key`, `the path has no {${key}} for this parameter`);
    if (each.in === 'header' && (!isSettableHeader(key) || key.toLowerCase() === 'content-type'))
      report(`${at}/key`, `the header ${shown(key)} cannot be set by a parameter`);
  });
  for (const slot of slots) {
    if (!places.has(`path ${slot}`)) report('/path', `no path parameter fills {${slot}}`);
  }
};

const bodyHasItsParameters: Rule<Operation> = ({ body, parameters }, report) => {
  if (body?.shape === 'whole' && parameters.filter((each) => each.in === 'body').length !== 1)
    report('/body', 'a whole body needs exactly one body parameter');
  if (body?.shape !== 'template') return;
  const known = new Set(parameters.map((each) => each.name));
  const unknown = bodyPlaceholders(body.template ?? '').filter((name) => !known.has(name));
  if (unknown.length > 0)
    report(
      '/body/template',
      `the template uses ${unknown.map((name) => `{{${name}}}`).join(', ')}, which no parameter defines`,
    );
};

/** Checks that pagination refers to existing arguments; only for what people enter, not for imports. */
export const pagesHaveTheirArguments: Rule<{
  readonly pagination?: Pagination;
  readonly parameters?: readonly Pick<Parameter, 'name'>[];
}> = ({ pagination: pages, parameters = [] }, report) => {
  for (const field of ['parameter', 'size'] as const) {
    const given = pages?.[field];
    if (given === undefined) continue;
    // Also a field of an argument that is an object.
    if (!parameters.some(({ name }) => name === given || given.startsWith(`${name}.`)))
      report(`/pagination/${field}`, `there is no argument ${shown(given)}`);
  }
};

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

/** The schema of an operation that a request can be built from. */
export const operation = [pathCanBeSent, parametersHaveTheirPlaces, bodyHasItsParameters].reduce(
  (form, rule) => withRule(form, rule),
  operationForm,
);

/** A placeholder of a body template: `{{name}}`, as in HandsAI. */
export const bodyPlaceholder = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/** The names of the placeholders in a body template, in order. */
function bodyPlaceholders(template: string): string[] {
  return [...template.matchAll(bodyPlaceholder)].map((match) => match[1]!);
}
