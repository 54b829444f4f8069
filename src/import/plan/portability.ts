import { type ImportNote, portabilityCode } from '../../domain/description.ts';
import type { JsonSchema } from '../../domain/json-schema.ts';
import { inputSchemaOf, type ToolContent } from '../../domain/tool.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import { advertisedOutput } from '../../pipeline/reply/output-schema.ts';

type Fault = 'typeList' | 'anyValue' | 'trueOrFalse' | 'elsewhere';

// What MCP's own inspector calls unportable: legal JSON Schema that clients which read only a part of it drop or refuse.
const words: Readonly<Record<Fault, string>> = {
  typeList: '"type" is a list',
  anyValue: 'any value is allowed',
  trueOrFalse: 'true or false stands for a schema',
  elsewhere: 'a reference leads out of the schema',
};

/** Says where a tool's schemas use what some clients cannot read; null when they are plain. */
export function portabilityNote(content: ToolContent, at: string): ImportNote | null {
  const found = new Map<Fault, string[]>();
  const tell = (fault: Fault, path: string): void => {
    const places = found.get(fault);
    if (places === undefined) found.set(fault, [path]);
    else places.push(path);
  };
  walk(inputSchemaOf(content.operation), 'inputSchema', '', tell);
  const output = advertisedOutput(content.operation.replySchema)?.schema ?? null;
  if (output !== null) walk(output, 'outputSchema', '', tell);
  if (found.size === 0) return null;
  const faults = [...found].map(([fault, places]) => {
    const more = places.length > 1 ? ` and ${places.length - 1} more` : '';
    return `${words[fault]} (${places[0]!}${more})`;
  });
  return {
    code: portabilityCode,
    message: `Clients that know only a part of JSON Schema need a dialect here: ${faults.join('; ')}.`,
    at,
  };
}

const inLists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const inMaps = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const alone = ['items', 'contains', 'not', 'propertyNames', 'if', 'then', 'else', 'contentSchema'];
const mayBeBoolean = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'];

// A schema with nothing but these says nothing about a value.
const sayNothing = new Set([
  '$comment',
  '$schema',
  '$id',
  '$anchor',
  '$defs',
  'title',
  'description',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  'examples',
  'example',
  'externalDocs',
  'xml',
  'discriminator',
  'nullable',
]);

function walk(
  schema: unknown,
  path: string,
  keyword: string,
  tell: (fault: Fault, path: string) => void,
): void {
  if (typeof schema === 'boolean') {
    if (!mayBeBoolean.includes(keyword)) tell('trueOrFalse', path);
    return;
  }
  if (!isObject(schema)) return;
  if (Array.isArray(schema['type'])) tell('typeList', path);
  const { $ref } = schema as JsonSchema;
  if (typeof $ref === 'string' && !$ref.startsWith('#')) tell('elsewhere', path);
  const constrains = Object.keys(schema).some((key) => !sayNothing.has(key) && !key.startsWith('x-'));
  if (!constrains && keyword !== 'not') tell('anyValue', path);
  for (const key of inMaps) {
    const map = schema[key];
    if (isObject(map)) for (const name of Object.keys(map)) walk(map[name], `${path}.${name}`, key, tell);
  }
  for (const key of inLists) {
    const list = schema[key];
    if (Array.isArray(list)) list.forEach((inner, i) => walk(inner, `${path}.${key}[${i}]`, key, tell));
  }
  for (const key of [...alone, ...mayBeBoolean])
    if (key in schema) walk(schema[key], `${path}.${key}`, key, tell);
}
