import { findSchema } from '../../schema/find-schema.ts';
import { isObject } from '../../schema/json-values.ts';
import { t } from '../texts.ts';

export type Schema = Record<string, unknown>;

const maxReferences = 20;

/** A schema prepared for a form: references resolved, `allOf` merged, and null separated. */
export interface Shape {
  schema: Schema;
  /** One type, or '' if there are several or any is allowed. */
  type: string;
  nullable: boolean;
  /** The alternatives of `oneOf` or `anyOf` except null; empty if there is no choice. */
  variants: unknown[];
}

/** Determines what to render for a schema. Never throws: whatever can't be resolved is rendered as free JSON. */
export function shapeOf(schema: unknown, root: unknown): Shape {
  const flat = flatten(schema, root, 0);
  const alternatives = listOf(flat['oneOf'] ?? flat['anyOf']);
  const others = alternatives.filter((option) => !isNullSchema(option));
  const nullableByUnion = others.length < alternatives.length;
  if (others.length === 1) {
    const { oneOf: _oneOf, anyOf: _anyOf, ...own } = flat;
    const inner = shapeOf({ ...own, ...flatten(others[0], root, 0), ...describing(own) }, root);
    return { ...inner, nullable: inner.nullable || nullableByUnion };
  }
  const types = Array.isArray(flat['type'])
    ? flat['type'].map(String)
    : typeof flat['type'] === 'string'
      ? [flat['type']]
      : [];
  const named = types.filter((type) => type !== 'null');
  const nullable = nullableByUnion || named.length < types.length || flat['nullable'] === true;
  if (others.length === 0 && named.length > 1) {
    return {
      schema: flat,
      type: '',
      nullable,
      variants: named.map((type) => ({ ...flat, type, title: type })),
    };
  }
  return { schema: flat, type: named[0] ?? impliedType(flat), nullable, variants: others };
}

function flatten(schema: unknown, root: unknown, depth: number): Schema {
  if (!isObject(schema) || depth > maxReferences) return {};
  let flat: Schema = schema;
  if (typeof schema['$ref'] === 'string') {
    const { $ref, ...own } = schema;
    flat = { ...flatten(resolve(root, $ref as string), root, depth + 1), ...own };
  }
  if (!Array.isArray(flat['allOf'])) return flat;
  const { allOf, ...own } = flat;
  return (allOf as unknown[]).map((part) => flatten(part, root, depth + 1)).reduce(merge, own);
}

function resolve(root: unknown, reference: string): unknown {
  try {
    return findSchema(root, reference);
  } catch {
    return {};
  }
}

function merge(left: Schema, right: Schema): Schema {
  const merged = { ...right, ...left };
  if (isObject(left['properties']) && isObject(right['properties'])) {
    merged['properties'] = { ...left['properties'], ...right['properties'] };
  }
  if (Array.isArray(left['required']) && Array.isArray(right['required'])) {
    merged['required'] = [...new Set([...left['required'], ...right['required']])];
  }
  return merged;
}

function describing(schema: Schema): Schema {
  return Object.fromEntries(
    ['title', 'description', 'default', 'deprecated']
      .filter((key) => key in schema)
      .map((key) => [key, schema[key]]),
  );
}

function isNullSchema(schema: unknown): boolean {
  return isObject(schema) && (schema['type'] === 'null' || ('const' in schema && schema['const'] === null));
}

function impliedType(schema: Schema): string {
  if (isObject(schema['properties'])) return 'object';
  if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return 'array';
  return '';
}

/** The properties of an object schema, in their order. */
export function propertiesOf(schema: Schema): [string, unknown][] {
  return isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
}

/** The required properties of an object schema. */
export function requiredOf(schema: Schema): Set<string> {
  return new Set(listOf(schema['required']).map(String));
}

/** The name of a variant: its title, its distinguishing constant, or its type. */
export function variantName(variant: unknown, root: unknown, index: number): string {
  const { schema, type } = shapeOf(variant, root);
  if (typeof schema['title'] === 'string') return schema['title'];
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  for (const [, property] of propertiesOf(schema)) {
    if (isObject(property) && typeof property['const'] === 'string') return property['const'];
  }
  return type === '' || type === 'object' ? t('variantNumber', { number: index + 1 }) : type;
}

/** A type in a few words: `string · date`, `array of integer`. */
export function typeLabel(shape: Shape, root: unknown): string {
  const { schema, type, nullable, variants } = shape;
  const orNull = nullable ? ' | null' : '';
  if (variants.length > 0)
    return (
      variants
        .map((variant, index) => variantName(variant, root, index))
        .slice(0, 4)
        .join(' | ') + orNull
    );
  if (type === 'array') {
    const items = isObject(schema['items']) ? typeLabel(shapeOf(schema['items'], root), root) : t('anyValue');
    return `array<${items}>${orNull}`;
  }
  const format = typeof schema['format'] === 'string' ? ` · ${schema['format']}` : '';
  const base = type || (Array.isArray(schema['enum']) ? 'enum' : t('anyValue'));
  return `${base}${format}${orNull}`;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
