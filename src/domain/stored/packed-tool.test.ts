import { expect, it } from 'vitest';
import type { Tool } from '../tool.ts';
import { isPacked, packTool } from './packed-tool.ts';

const tool: Tool = {
  id: 'tool_1',
  revision: 1,
  createdAtMs: 0,
  updatedAtMs: 0,
  apiId: 'api_1',
  name: 'get_order',
  description: 'Returns an order.',
  tags: [],
  annotations: {},
  operation: {
    method: 'GET',
    path: '/orders/{id}',
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
  },
  reply: {},
  limits: {},
  enabled: true,
};
const packed = (each: Tool): Tool => {
  const text = JSON.stringify(each);
  return packTool(JSON.parse(text), text);
};

it('reads the operation of a packed tool from its text', () => {
  const one = packed(tool);
  expect(isPacked(one)).toBe(true);
  expect(one.operation).toEqual(tool.operation);
  expect(JSON.parse(JSON.stringify(one))).toEqual(tool);
});

it('copies a packed tool with its operation', () => {
  const copy = { ...packed(tool), name: 'other' };
  expect(isPacked(copy)).toBe(false);
  expect(copy).toEqual({ ...tool, name: 'other' });
});

it('gives packed tools one shape, which takes the least memory', () => {
  expect(Object.getOwnPropertyDescriptor(packed(tool), 'operation')?.get).toBe(
    Object.getOwnPropertyDescriptor(packed({ ...tool, name: 'other' }), 'operation')?.get,
  );
  expect(Object.keys(packed(tool)).at(-1)).toBe('operation');
});

it('leaves a tool with fixed values as it is, because they may be sealed', () => {
  const parameters = [{ ...tool.operation.parameters[0]!, fixed: 'x' }];
  const fixed = packed({ ...tool, operation: { ...tool.operation, parameters } });
  expect(isPacked(fixed)).toBe(false);
  expect(fixed.operation.parameters[0]?.fixed).toBe('x');
});

it('reads the operations of more tools than it remembers', () => {
  const many = Array.from({ length: 3_000 }, (_, n) =>
    packed({ ...tool, operation: { ...tool.operation, path: `/orders/${n}` } }),
  );
  for (let round = 0; round < 2; round++)
    for (const [n, each] of many.entries()) expect(each.operation.path).toBe(`/orders/${n}`);
});
