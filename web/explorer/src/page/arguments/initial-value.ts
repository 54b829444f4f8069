import { isObject } from '../../schema/json-values.ts';
import { propertiesOf, requiredOf, shapeOf } from './schema-shape.ts';
import type { Schema } from './schema-shape.ts';

const maxDepth = 6;

/**
 * The initial value of a field: its default, a constant, an example, the first of a list, or a value by type.
 * Optional properties without a default are left out unless `all` is set.
 */
export function initialValue(schema: unknown, root: unknown, all = false, depth = 0): unknown {
  const { schema: flat, type, variants, nullable } = shapeOf(schema, root);
  if ('default' in flat) return flat['default'];
  if ('const' in flat) return flat['const'];
  if (Array.isArray(flat['examples']) && flat['examples'].length > 0) return flat['examples'][0] as unknown;
  if ('example' in flat) return flat['example'];
  if (Array.isArray(flat['enum']) && flat['enum'].length > 0) return flat['enum'][0] as unknown;
  if (variants.length > 0 && depth <= maxDepth)
    return initialValue(combined(flat, shapeOf(variants[0], root).schema), root, all, depth + 1);
  if (depth > maxDepth) return nullable ? null : type === 'array' ? [] : {};
  return byType(flat, type, root, all, depth);
}

function byType(schema: Schema, type: string, root: unknown, all: boolean, depth: number): unknown {
  switch (type) {
    case 'object':
      return initialObject(schema, root, all, depth);
    case 'array':
      return initialArray(schema, root, all, depth);
    case 'integer':
    case 'number':
      return initialNumber(schema);
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'string':
      return all ? sampleText(schema) : '';
    default:
      return depth === 0 ? initialObject(schema, root, all, depth) : null;
  }
}

function initialObject(schema: Schema, root: unknown, all: boolean, depth: number): Record<string, unknown> {
  const required = requiredOf(schema);
  const value: Record<string, unknown> = {};
  for (const [name, property] of propertiesOf(schema)) {
    const { schema: own } = shapeOf(property, root);
    const wanted = required.has(name) || 'default' in own || (all && (depth < 2 || 'const' in own));
    if (wanted)
      Object.defineProperty(value, name, {
        value: initialValue(property, root, all, depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return value;
}

function initialArray(schema: Schema, root: unknown, all: boolean, depth: number): unknown[] {
  const minItems = typeof schema['minItems'] === 'number' ? Math.min(schema['minItems'], 10) : 0;
  if (Array.isArray(schema['prefixItems']))
    return schema['prefixItems'].map((item) => initialValue(item, root, all, depth + 1));
  return Array.from({ length: minItems }, () => initialValue(schema['items'], root, all, depth + 1));
}

function initialNumber(schema: Schema): number {
  const { minimum, exclusiveMinimum, maximum } = schema;
  if (typeof minimum === 'number' && minimum > 0) return minimum;
  if (typeof exclusiveMinimum === 'number' && exclusiveMinimum >= 0) return exclusiveMinimum + 1;
  return typeof maximum === 'number' && maximum < 0 ? maximum : 0;
}

/** An alternative combined with the schema around it. If both describe a property, the alternative wins. */
function combined(schema: Schema, variant: Schema): Schema {
  const { oneOf: _oneOf, anyOf: _anyOf, ...own } = schema;
  const properties = Object.fromEntries([...propertiesOf(own), ...propertiesOf(variant)]);
  return {
    ...own,
    ...variant,
    ...((isObject(own['properties']) || isObject(variant['properties'])) && { properties }),
    required: [...requiredOf(own), ...requiredOf(variant)],
  };
}

const samples: Readonly<Record<string, string>> = {
  time: '12:00:00Z',
  duration: 'P1D',
  uuid: '00000000-0000-4000-8000-000000000000',
  email: 'name@example.com',
  'idn-email': 'name@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  iri: 'https://example.com/',
  'uri-reference': '/path',
  'iri-reference': '/path',
  hostname: 'example.com',
  'idn-hostname': 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};

/** A sample text of a format: today, now, or a reserved example address. */
function sampleText({ format }: Schema): string {
  if (typeof format !== 'string') return '';
  const now = new Date().toISOString();
  if (format === 'date') return now.slice(0, 10);
  if (format === 'date-time') return `${now.slice(0, 19)}Z`;
  return Object.hasOwn(samples, format) ? (samples[format] as string) : '';
}
