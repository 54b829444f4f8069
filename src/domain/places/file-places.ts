import { isObject } from '../../lib/json/plain-object.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { Operation, Parameter } from '../operation.ts';

/** The description of a file argument that models read. */
const fileHelp = 'A file: a handle, an https URL, a data: URL or base64 text.';

// What imports wrote into descriptions before handles were supported.
const formerHelp = 'File content: base64 text, or a data URL such as data:image/png;base64,…';

/** Where files are in an operation's arguments: a whole argument, or fields of the one that is the whole body. */
export type FilePlaces = ReadonlyMap<string, { readonly fields: readonly string[] | null }>;

/** The arguments of an operation that are or contain files. */
export function filePlaces({ body, parameters }: Operation): FilePlaces {
  const places = new Map<string, { readonly fields: readonly string[] | null }>();
  if (body === undefined || body.shape === 'template') return places;
  const inBody = parameters.filter((parameter) => parameter.in === 'body');
  const isWhole = body.shape === 'whole';
  if (isWhole && body.binary) {
    for (const { name } of inBody) places.set(name, { fields: null });
    return places;
  }
  const keys = Object.entries(body.encoding ?? {}).flatMap(([key, { file }]) => (file ? [key] : []));
  if (keys.length === 0 || !/^multipart\//i.test(body.mediaType)) return places;
  for (const { name, key = name } of inBody) {
    if (isWhole) places.set(name, { fields: keys });
    else if (keys.includes(key)) places.set(name, { fields: null });
  }
  return places;
}

/** The schema of a parameter, with the help for files at the start of its description. */
export function withFileHelp(
  schema: JsonSchema,
  { name }: Pick<Parameter, 'name'>,
  places: FilePlaces,
): JsonSchema {
  const place = places.get(name);
  if (place === undefined) return schema;
  if (place.fields === null) return { ...schema, description: helpWith(schema['description']) };
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  const described: Record<string, unknown> = { ...properties };
  for (const field of place.fields) {
    const one = described[field];
    if (isObject(one)) described[field] = { ...one, description: helpWith(one['description']) };
  }
  return { ...schema, properties: described };
}

function helpWith(description: unknown): string {
  const own = typeof description === 'string' ? description.replace(formerHelp, '').trim() : '';
  return own === '' ? fileHelp : `${fileHelp} ${own}`;
}
