// Arguments for an input schema: valid, the same every time, and with characters that tell good encoders from bad ones.
import { textFor } from './sample-pattern.mjs';

/** A value that fits the schema, or undefined when none is easily found. */
export function sample(schema, defs, depth = 0) {
  if (schema === true || schema === undefined) return 'a b/c&d';
  if (typeof schema !== 'object' || depth > 4) return undefined;
  if (schema.$ref) return sample(defs[schema.$ref.slice('#/$defs/'.length)], defs, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum.find((value) => value !== null && value !== '');
  const branch = schema.anyOf ?? schema.oneOf;
  if (branch) {
    for (const one of branch) {
      const value = sample(one, defs, depth + 1);
      if (value !== undefined && value !== null) return value;
    }
    return undefined;
  }
  if (schema.allOf) return sample(schema.allOf[0], defs, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type.find((word) => word !== 'null') : schema.type;
  switch (type) {
    case 'integer':
    case 'number':
      return number(schema);
    case 'boolean':
      return true;
    case 'array': {
      const item = sample(schema.items, defs, depth + 1);
      if (item === undefined || typeof item === 'object') return undefined;
      const other = schema.items?.enum
        ? (schema.items.enum[1] ?? item)
        : typeof item === 'string' && !schema.items?.format && !schema.items?.pattern
          ? 'two'
          : item;
      return schema.maxItems === 1 || (schema.uniqueItems === true && other === item)
        ? [item]
        : [item, other];
    }
    case 'object': {
      const value = {};
      for (const [key, inner] of Object.entries(schema.properties ?? {})) {
        if (Object.keys(value).length >= 3 && !schema.required?.includes(key)) continue;
        const sampled = sample(inner, defs, depth + 1);
        if (sampled === undefined) {
          if (schema.required?.includes(key)) return undefined;
          continue;
        }
        value[key] = sampled;
      }
      if (Object.keys(value).length === 0 && schema.additionalProperties !== false) value.key = 'v 1';
      return Object.keys(value).length > 0 ? value : undefined;
    }
    case 'null':
      return undefined;
    default:
      return text(schema);
  }
}

function number(schema) {
  let value = schema.minimum ?? (schema.exclusiveMinimum !== undefined ? schema.exclusiveMinimum + 1 : 7);
  if (schema.maximum !== undefined && value > schema.maximum) value = schema.maximum;
  if (schema.multipleOf) value = Math.ceil(value / schema.multipleOf) * schema.multipleOf;
  return value;
}

const byFormat = {
  date: '2024-01-02',
  'date-time': '2024-01-02T03:04:05Z',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  email: 'a@example.com',
  uri: 'https://example.com/a?b=c',
  url: 'https://example.com/a?b=c',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  byte: 'YWJj',
};

function text(schema) {
  if (schema.contentEncoding === 'base64') return undefined;
  const candidates = [
    byFormat[schema.format],
    'a b/c&d',
    'abc',
    '1',
    'ABC',
    '2024-01-02',
    'abcdefghijklmnopqrstuvwxyz',
    'a',
    ...(schema.pattern === undefined ? [] : [textFor(schema.pattern)]),
  ];
  return candidates.find((value) => {
    if (value === undefined) return false;
    if (schema.minLength > value.length || schema.maxLength < value.length) return false;
    if (schema.pattern === undefined) return true;
    return new RegExp(schema.pattern, 'u').test(value);
  });
}
