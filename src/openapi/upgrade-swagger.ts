import { arrayOr, isObject, objectOr, type PlainObject } from '../lib/json/plain-object.ts';
import { below, type Located, type Place, refTo } from './bundle.ts';
import type { Notes } from './notes.ts';
import type { Reading } from './reading.ts';

/** A Swagger 2 operation in OpenAPI 3 form: parameters with schemas, a request body, replies with content. */
export interface UpgradedOperation {
  readonly parameters: readonly Located<PlainObject>[];
  readonly requestBody: Located;
  readonly responses: Located;
}

const notSchema = new Set([
  'name',
  'in',
  'required',
  'description',
  'collectionFormat',
  'allowEmptyValue',
  'style',
  'explode',
  'schema',
]);

/** Converts one operation from https://spec.openapis.org/oas/v2.0 to https://spec.openapis.org/oas/v3.0.4. */
export function upgradeSwagger(
  reading: Reading,
  operation: Located<PlainObject>,
  declared: readonly Located<PlainObject>[],
  notes: Notes,
): UpgradedOperation {
  const root = reading.root.value;
  const consumes = mediaTypes(operation.value['consumes'] ?? root['consumes']);
  const produces = mediaTypes(operation.value['produces'] ?? root['produces']);
  const parameters: Located<PlainObject>[] = [];
  const fields: Located<PlainObject>[] = [];
  let body: Located<PlainObject> | null = null;
  for (const parameter of declared) {
    if (parameter.value['in'] === 'body') body = parameter;
    else if (parameter.value['in'] === 'formData') fields.push(parameter);
    else parameters.push({ value: upgradeParameter(parameter, notes), at: parameter.at });
  }
  if (body && fields.length > 0)
    notes.add(
      'body_dropped',
      'The operation declares both a body and form fields; the form fields are left out.',
      operation.at,
    );
  return {
    parameters,
    requestBody: body
      ? upgradeBody(body, consumes, operation)
      : fields.length > 0
        ? upgradeForm(fields, consumes, operation)
        : { value: undefined, at: operation.at },
    responses: {
      value: upgradeResponses(
        reading,
        { value: operation.value['responses'], at: below(operation.at, 'responses') },
        produces,
      ),
      at: below(operation.at, 'responses'),
    },
  };
}

function mediaTypes(value: unknown): string[] {
  return arrayOr(value).filter((type): type is string => typeof type === 'string' && type.includes('/'));
}

function upgradeParameter({ value, at }: Located<PlainObject>, notes: Notes): PlainObject {
  return {
    name: value['name'],
    in: value['in'],
    required: value['required'],
    description: value['description'],
    deprecated: value['deprecated'] === true || value['x-deprecated'] === true,
    schema: inlineSchema(value, at, notes),
    ...collection(value),
  };
}

function inlineSchema(value: PlainObject, at: Located['at'], notes: Notes): PlainObject {
  if (isObject(value['schema'])) return value['schema'];
  const schema: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) if (!notSchema.has(key)) schema[key] = inner;
  if (isObject(value['items']) && value['items']['type'] === 'array') {
    notes.add(
      'nested_array',
      `Arrays inside the array "${String(value['name'])}" are written with commas.`,
      at,
    );
  }
  return schema;
}

function collection(value: PlainObject): PlainObject {
  if (value['type'] !== 'array') return {};
  const inUrl = value['in'] === 'query' || value['in'] === 'formData';
  switch (value['collectionFormat']) {
    case 'multi':
      return inUrl ? { style: 'form', explode: true } : {};
    case 'ssv':
      return { style: 'spaceDelimited', explode: false };
    case 'tsv':
      return { style: 'tabDelimited', explode: false };
    case 'pipes':
      return { style: 'pipeDelimited', explode: false };
    default:
      return inUrl ? { style: 'form', explode: false } : {};
  }
}

function upgradeBody(body: Located<PlainObject>, consumes: readonly string[], operation: Located): Located {
  const types = consumes.length > 0 ? consumes : ['application/json'];
  // A `body` parameter cannot be form data, even if `consumes` lists that in addition to JSON.
  const usable = types.filter((type) => !/form-urlencoded|multipart\//.test(type));
  const content: Record<string, unknown> = {};
  for (const type of usable.length > 0 ? usable : types) content[type] = { schema: body.value['schema'] };
  return {
    value: { required: body.value['required'] === true, description: body.value['description'], content },
    at: body.at.pointer === '' ? operation.at : body.at,
  };
}

function upgradeForm(
  fields: readonly Located<PlainObject>[],
  consumes: readonly string[],
  operation: Located,
): Located {
  const hasFile = fields.some((field) => field.value['type'] === 'file');
  const listed = consumes.filter((type) => /form-urlencoded|multipart\/form-data/.test(type));
  const type = hasFile ? 'multipart/form-data' : (listed[0] ?? 'application/x-www-form-urlencoded');
  const properties: Record<string, unknown> = {};
  const encoding: Record<string, unknown> = {};
  const required: string[] = [];
  for (const { value } of fields) {
    const name = String(value['name']);
    const {
      name: _name,
      in: _in,
      required: isRequired,
      collectionFormat: _collectionFormat,
      allowEmptyValue: _allowEmptyValue,
      ...schema
    } = value;
    properties[name] = schema;
    const style = collection(value);
    if (Object.keys(style).length > 0 && value['type'] === 'array') encoding[name] = style;
    if (isRequired === true) required.push(name);
  }
  const schema = { type: 'object', properties, ...(required.length > 0 && { required }) };
  return {
    value: { required: required.length > 0, content: { [type]: { schema, encoding } } },
    at: below(operation.at, 'parameters'),
  };
}

// A reply in another file is not moved: references in its schema are relative to that file.
function schemaOfReply({ value, at }: Located, from: Place): unknown {
  const schema = objectOr(value)['schema'];
  return schema === undefined || at.file === from.file ? schema : { $ref: refTo(below(at, 'schema')) };
}

function upgradeResponses(reading: Reading, responses: Located, produces: readonly string[]): PlainObject {
  const out: Record<string, unknown> = {};
  for (const [code, response] of Object.entries(objectOr(responses.value))) {
    const target = reading.resolver.follow({ value: response, at: below(responses.at, code) });
    const schema = 'unresolved' in target ? undefined : schemaOfReply(target, responses.at);
    const types = produces.length > 0 ? produces : schema === undefined ? [] : ['application/json'];
    out[code] = {
      content: Object.fromEntries(types.map((type) => [type, schema === undefined ? {} : { schema }])),
    };
  }
  return out;
}
