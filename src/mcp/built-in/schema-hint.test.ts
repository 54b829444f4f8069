import { describe, expect, it } from 'vitest';
import { listedTool } from '../../../test/support/mcp-surface.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { JsonSchema } from '../../domain/json-schema.ts';
import { schemaHint } from './schema-hint.ts';

function hint(inputSchema: JsonSchema, ...paths: string[]): string {
  const problems = paths.map((path) => ({ path, message: 'is wrong' }));
  const error = new HandrailError('invalid_arguments', 'wrong', { problems });
  return schemaHint({ kind: 'failed', error }, listedTool('x', inputSchema).compiled);
}

const many = Object.fromEntries(
  Array.from({ length: 100 }, (_, n) => [`field${n}`, { type: 'string', description: `The field ${n}.` }]),
);
const large: JsonSchema = {
  type: 'object',
  properties: { ...many, owner: { $ref: '#/$defs/owner' } },
  required: ['owner', 'field1'],
  $defs: { owner: { type: 'object', properties: { id: { type: 'integer' } } }, unused: { type: 'null' } },
};

describe('the schema after an argument error', () => {
  it('is whole if it is short', () => {
    expect(hint({ type: 'object', properties: { id: { type: 'integer' } } }, '/id')).toBe(
      '\nIts input schema: {"type":"object","properties":{"id":{"type":"integer"}}}',
    );
  });

  it('is the failing part if it is long', () => {
    const text = hint(large, '/owner/id', '/owner');
    expect(text).toMatch(/^\nThe part of its input schema that this is about: \{/);
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({
      properties: { owner: expect.anything() },
      required: ['owner'],
    });
    expect(text).toContain('"id"');
    expect(text).not.toMatch(/field1|unused/);
  });

  it('is left out if the problem is not in it', () => {
    expect(hint(large, '/feild1')).toBe('');
  });
});
