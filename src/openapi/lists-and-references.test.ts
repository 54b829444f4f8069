import { expect, it } from 'vitest';
import { inputSchemaOf } from '../domain/tool.ts';
import { compileSchema } from '../lib/json/json-schema.ts';
import { readDocument } from './read-document.ts';

function inputOf(operation: object, schemas: object = {}) {
  const document = {
    openapi: '3.0.3',
    info: { title: 'T', version: '1' },
    servers: [{ url: 'https://api.example' }],
    components: { schemas },
    paths: { '/things': { post: { operationId: 'do_it', responses: {}, ...operation } } },
  };
  const { operations } = readDocument({ root: 'd', files: new Map([['d', document]]) });
  const schema = inputSchemaOf(operations[0]!.content!.operation);
  return { check: compileSchema(schema), names: Object.keys(schema['properties'] as object) };
}

it('takes a list for a parameter that is named as one', () => {
  const { check, names } = inputOf({
    parameters: [
      { name: 'ids[]', in: 'query', schema: { type: 'string' } },
      { name: 'one', in: 'query', schema: { type: 'string' } },
    ],
  });
  const accepts = (args: Record<string, unknown>) => check(args).length === 0;
  const [name] = names;
  expect(accepts({ [name!]: ['a', 'b'] })).toBe(true);
  expect(accepts({ [name!]: 'a' })).toBe(true);
  expect(accepts({ [name!]: [1] })).toBe(false);
  expect(accepts({ one: ['a'] })).toBe(false);
});

it('keeps the ID of a reference, though it is read-only', () => {
  const readOnly = (type: string) => ({ type, readOnly: true });
  const Reference = {
    type: 'object',
    required: ['id', 'type'],
    properties: { id: readOnly('string'), type: { type: 'string' }, summary: readOnly('string') },
  };
  const Thing = {
    type: 'object',
    properties: {
      id: readOnly('string'),
      name: { type: 'string' },
      service: { $ref: '#/components/schemas/Reference' },
    },
  };
  const { check } = inputOf(
    { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } } },
    { Reference, Thing },
  );
  expect(check({ name: 'a', service: { id: 's1', type: 'service' } })).toEqual([]);
  expect(check({ name: 'a', service: { type: 'service' } })).not.toEqual([]);
});
