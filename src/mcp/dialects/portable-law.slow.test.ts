import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../lib/json/json-schema.ts';
import type { DialectName } from '../../domain/server.ts';
import { dialects } from './dialects.ts';
import { toPortableSchema } from './portable-schema.ts';
import fc from '../../../test/support/property.ts';
import { inputs, roots, type Schema } from '../../../test/support/schemas.ts';

// The law of every dialect that rewrites schemas: what the true schema allows, the rewritten one allows too, but for
// null, which a caller leaves out instead. It may allow more, because calls are judged by the true schema.

const refused = new Set(['$ref', '$defs', 'definitions', 'oneOf', 'allOf', 'const', 'not', 'if', 'nullable']);

/** Keywords in the place of keywords that a portable reader does not know. */
function refusedIn(schema: unknown): string[] {
  if (typeof schema === 'boolean') return [];
  const node = schema as Schema;
  const found = Object.keys(node).filter((keyword) => refused.has(keyword));
  if (Array.isArray(node['type'])) found.push('list of types');
  if (node['type'] === 'null') found.push('null');
  if ((node['enum'] as unknown[] | undefined)?.includes(null)) found.push('null in enum');
  if ((node['anyOf'] as unknown[] | undefined)?.length === 0) found.push('empty anyOf');
  const inner = [
    ...Object.values((node['properties'] ?? {}) as Schema),
    ...((node['anyOf'] ?? []) as unknown[]),
    ...['items', 'additionalProperties'].map((keyword) => node[keyword]).filter((one) => one !== undefined),
  ];
  return [...found, ...inner.flatMap(refusedIn)];
}

describe.each(['portable', 'cursor', 'gemini'] satisfies DialectName[])('a schema written for %s', (name) => {
  const rewrite = (schema: Schema) => toPortableSchema(schema, dialects[name].rules!).schema;

  it('allows whatever the true schema allows, but for null', () => {
    fc.assert(
      fc.property(roots, inputs, (schema, examples) => {
        const strict = compileSchema(schema);
        const valid = examples.filter((example) => strict(example).length === 0);
        if (valid.length === 0) return;
        const free = compileSchema(rewrite(schema));
        expect(valid.flatMap((example) => free(example).map((why) => ({ example, why })))).toEqual([]);
      }),
      { numRuns: Number(process.env['HANDRAIL_DIALECT_RUNS'] ?? 100) },
    );
  });

  it('holds nothing such a reader refuses', () => {
    fc.assert(
      fc.property(roots, (schema) => {
        const written = rewrite(schema);
        expect(refusedIn(written)).toEqual([]);
        expect(written['type']).toBe('object');
      }),
      { numRuns: 100 },
    );
  });
});
