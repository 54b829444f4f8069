import { expect, test } from 'vitest';
import { fieldsOf, initialArguments, missingArguments } from './fields.ts';

const schema = {
  type: 'object',
  properties: {
    limit: { type: ['integer', 'null'], default: 10 },
    location: { type: 'string', description: 'A city', examples: ['Berlin'] },
    unit: { type: 'string', enum: ['metric', 'imperial'] },
    filter: { type: 'object' },
    exact: { type: 'boolean' },
  },
  required: ['location', 'unit'],
};

test('shows required fields first, each in its own kind', () => {
  expect(fieldsOf(schema).map((field) => [field.name, field.kind])).toEqual([
    ['location', 'text'],
    ['unit', 'choice'],
    ['limit', 'number'],
    ['filter', 'json'],
    ['exact', 'boolean'],
  ]);
});

test('starts with the schema’s defaults, for required fields only', () => {
  expect(initialArguments(schema)).toEqual({ location: 'Berlin', unit: 'metric' });
});

test('fills in what can only have one value', () => {
  const only = { properties: { kind: { const: 'pet' } }, required: ['kind'] };
  expect(initialArguments(only)).toEqual({ kind: 'pet' });
});

test('names the required fields that are still empty', () => {
  expect(missingArguments(schema, { unit: 'metric', location: '' })).toEqual(['location']);
  expect(missingArguments(schema, { unit: 'metric', location: 'Berlin' })).toEqual([]);
});

test('survives a schema that is not one', () => {
  expect(fieldsOf({ properties: { a: true, b: null } })).toHaveLength(2);
  expect(fieldsOf({})).toEqual([]);
});
