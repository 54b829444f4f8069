import { isObject } from '../../lib/json/plain-object.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { Operation, Parameter } from '../operation.ts';

/** What an argument that is a file takes, in the words that a model reads. */
const fileHelp = 'A file: a handle, an https URL, a data: URL or base64 text.';

// What imports wrote into descriptions before handles were taken.
const formerHelp = 'File content: base64 text, or a data URL such as data:image/png;base64,…';

/** Where the files of an operation's arguments are: all of an argument, or fields of the one that is the whole body. */
export type FilePlaces = ReadonlyMap<string, { readonly fields: readonly string[] | null }>;

/** The arguments of an operation that are files, or hold some. */
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

/** The schema of a parameter, with what a file takes said in front of everything else. */
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
  const told: Record<string, unknown> = { ...properties };
  for (const field of place.fields) {
    const one = told[field];
    if (isObject(one)) told[field] = { ...one, description: helpWith(one['description']) };
  }
  return { ...schema, properties: told };
}

function helpWith(description: unknown): string {
  const own = typeof description === 'string' ? description.replace(formerHelp, '').trim() : '';
  return own === '' ? fileHelp : `${fileHelp} ${own}`;
}
