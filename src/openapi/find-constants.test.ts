import { describe, expect, it } from 'vitest';
import { readDocument } from './read-document.ts';

interface Shape {
  readonly method?: string;
  readonly parameters: readonly Record<string, unknown>[];
}

function constants(operations: readonly Shape[], rest: Record<string, unknown> = {}) {
  const paths = Object.fromEntries(
    operations.map(({ method = 'get', parameters }, i) => [
      `/p${i}${parameters.some((each) => each['in'] === 'path') ? '/{tenantId}' : ''}`,
      { [method]: { parameters: parameters.map((each) => ({ schema: { type: 'string' }, ...each })) } },
    ]),
  );
  const document = { openapi: '3.1.0', info: { title: 'T' }, paths, ...rest };
  return readDocument({ root: 'd', files: new Map([['d', document]]) }).constants ?? [];
}

const query = (name: string, more: Record<string, unknown> = {}) => ({ name, in: 'query', ...more });
const header = (name: string, more: Record<string, unknown> = {}) => ({ name, in: 'header', ...more });
const every = (parameters: readonly Record<string, unknown>[], count = 6): Shape[] =>
  Array.from({ length: count }, (_, i) => ({ method: i % 2 === 0 ? 'get' : 'post', parameters }));
const names = (found: readonly { name: string }[]) => found.map(({ name }) => name);

describe('inputs of a whole API', () => {
  it('are found by how many operations have them', () => {
    const version = query('api-version', {
      required: true,
      schema: { type: 'string', default: '2024-01-01' },
    });
    const found = constants(
      every([version, header('X-Tenant-Id', { required: true }), query('pretty'), query('alt')]),
    );
    expect(names(found)).toEqual(['api-version', 'pretty', 'alt', 'X-Tenant-Id']);
    expect(found[0]).toEqual({
      name: 'api-version',
      in: 'query',
      operations: 6,
      of: 6,
      required: true,
      suggestion: '2024-01-01',
    });
  });

  it('are not what each call chooses anew', () => {
    const perCall = [
      query('limit'),
      query('page'),
      query('filter'),
      query('sort_by'),
      header('Idempotency-Key'),
      header('If-Match'),
      header('X-Request-Id'),
    ];
    expect(constants(every(perCall))).toEqual([]);
  });

  it('are not what only some operations have, unless it is a version', () => {
    const some = [...every([query('lang'), header('X-Version')], 3), ...every([], 5)];
    expect(names(constants(some))).toEqual(['X-Version']);
  });

  it('may stand in the path when they say for whom', () => {
    expect(names(constants(every([{ name: 'tenantId', in: 'path', required: true }])))).toEqual(['tenantId']);
  });

  it('are those that the document names itself', () => {
    const globals = { 'x-speakeasy-globals': { parameters: [{ name: 'workspace', in: 'query' }] } };
    expect(names(constants(every([query('workspace')], 2), globals))).toEqual(['workspace']);
    expect(constants(every([query('workspace')], 2))).toEqual([]);
  });
});
