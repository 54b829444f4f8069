/** A JSON Schema, and the root document its `$ref`s point into. */
export interface Shape {
  readonly schema: unknown;
  readonly root: unknown;
}

/** A property as shown in a list of suggestions. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly about: string;
}

type Plain = Readonly<Record<string, unknown>>;

const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOr = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const maxSteps = 20;

/** The schemas that make up a shape once references are followed: its own and those combined into it. */
function partsOf({ schema, root }: Shape, steps = 0): Plain[] {
  if (!isPlain(schema) || steps > maxSteps) return [];
  const { $ref } = schema;
  if (typeof $ref === 'string') {
    const defs = isPlain(root) ? root['$defs'] : undefined;
    const name = $ref.startsWith('#/$defs/') ? $ref.slice('#/$defs/'.length) : '';
    return isPlain(defs) && Object.hasOwn(defs, name) ? partsOf({ schema: defs[name], root }, steps + 1) : [];
  }
  const joined = ['allOf', 'oneOf', 'anyOf'].flatMap((key) => listOr(schema[key]));
  return [schema, ...joined.flatMap((part) => partsOf({ schema: part, root }, steps + 1))];
}

/** The properties of an object. */
export function fieldsOf(shape: Shape): Field[] {
  const fields = new Map<string, Field>();
  for (const part of partsOf(shape)) {
    const required = listOr(part['required']);
    if (!isPlain(part['properties'])) continue;
    for (const [name, schema] of Object.entries(part['properties'])) {
      if (fields.has(name)) continue;
      const about = isPlain(schema) && typeof schema['description'] === 'string' ? schema['description'] : '';
      fields.set(name, {
        name,
        type: typeOf({ schema, root: shape.root }),
        isRequired: required.includes(name),
        about,
      });
    }
  }
  return [...fields.values()];
}

/** One property of an object; undefined if unknown. */
export function fieldOf(shape: Shape, name: string): Shape | undefined {
  for (const { properties } of partsOf(shape))
    if (isPlain(properties) && Object.hasOwn(properties, name))
      return { schema: properties[name], root: shape.root };
  return undefined;
}

/** The item shape of an array; undefined for anything else. */
export function itemOf(shape: Shape): Shape | undefined {
  const items = partsOf(shape).find(({ items: held }) => isPlain(held))?.['items'];
  return items === undefined ? undefined : { schema: items, root: shape.root };
}

/** The values a property can have, if there are only a few. */
export function valuesOf(shape: Shape): string[] {
  return partsOf(shape)
    .flatMap((part) => ('const' in part ? [part['const']] : listOr(part['enum'])))
    .filter((value) => typeof value === 'string');
}

/** A type in a word or two. */
function typeOf(shape: Shape): string {
  const item = itemOf(shape);
  if (item !== undefined) return `${typeOf(item)}[]`;
  const types = new Set<string>();
  for (const part of partsOf(shape)) {
    for (const type of Array.isArray(part['type']) ? part['type'] : [part['type']])
      if (typeof type === 'string') types.add(type === 'integer' ? 'number' : type);
    if (part['properties'] !== undefined) types.add('object');
  }
  return types.size === 0 ? 'unknown' : [...types].join(' | ');
}
