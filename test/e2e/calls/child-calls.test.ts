import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCallWithChildren } from '../../support/child-calls.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';

interface ShownCall {
  readonly id: string;
  readonly parentId: string | null;
  readonly toolName: string;
}

let at: TestGateway;
let parentId: string;

beforeAll(async () => {
  at = await startGateway({ demo: true });
  parentId = await makeCallWithChildren(at.gateway, ['a', 'b', 'c']);
});
afterAll(() => at.close());

const list = async (query: string) =>
  (await at.request('GET', `/api/v1/calls?${query}`)).json<{ items: ShownCall[]; total: number }>();

it('are found by the call that they were made for, and tell it', async () => {
  const children = await list(`parent=${parentId}`);
  expect(children.total).toBe(3);
  expect(children.items.map((call) => [call.toolName, call.parentId])).toEqual([
    ['search_documents', parentId],
    ['search_documents', parentId],
    ['search_documents', parentId],
  ]);
  const shown = await at.request('GET', `/api/v1/calls/${children.items[0]!.id}`);
  expect(shown.json()).toMatchObject({ parentId });
  expect((await at.request('GET', `/api/v1/calls/${parentId}`)).json()).toMatchObject({ parentId: null });
  expect(await list(`parent=${parentId}&tool=weather_get`)).toMatchObject({ items: [], total: 0 });
  expect(await list('parent=call_of_nobody')).toMatchObject({ items: [], total: 0 });
});

it('stand with their parent in an export', async () => {
  const csv = (await at.request('GET', `/api/v1/calls/export?parent=${parentId}`)).body.trim().split('\r\n');
  expect(csv).toHaveLength(4);
  const fromTheEnd = csv[0]!.split(',').length - csv[0]!.split(',').indexOf('parent_id');
  for (const line of csv.slice(1)) expect(line.split(',').at(-fromTheEnd)).toBe(parentId);
});
