import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern, post } from '../../support/mcp-surface.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';
import {
  answerLists,
  documentOf,
  misbehaving,
  type PagedList,
  styles,
} from '../../support/servers/paged-api.ts';

const lists = [...styles, ...misbehaving];
const api = answerLists(lists);
let upstream: TestServer;
let running: RunningGateway;

beforeAll(async () => {
  upstream = await serveHttp((request, response) => void api.listener(request, response));
  running = await startGateway({ egressAllow: ['127.0.0.1'], allMaxPages: 12 });
  const text = JSON.stringify(documentOf(lists, upstream.origin));
  const imported = await running.admin('POST', '/imports', { text, api: 'paged' });
  expect(imported.body.imports[0].added).toHaveLength(lists.length);
});
afterAll(async () => {
  await running.stop();
  await upstream.close();
});

async function call(name: string, args: object, server = 'default') {
  const { body, headers } = modern('tools/call', { name, arguments: args });
  return (await post(`${running.url}/mcp/${server}`, body, headers)).json.result;
}

async function gather({ name, args = {}, maxItems, method = 'get' }: PagedList, more: object = {}) {
  const door = method === 'get' ? 'call_read' : 'call_write';
  return call(door, {
    name,
    arguments: args,
    all: true,
    ...(maxItems !== undefined && { max_items: maxItems }),
    ...more,
  });
}

function idsIn(result: { content: { text: string }[] }): unknown[] {
  return (JSON.parse(result.content[0]!.text) as { id: unknown }[]).map(({ id }) => id);
}

describe.each([
  ['a style of paging', styles],
  ['an API that misbehaves', misbehaving],
] as const)('all pages of %s', (_, table) => {
  it.each(table.map((list) => [list.name, list] as const))('%s', async (name, list) => {
    api.counts.delete(name);
    const result = await gather(list);
    expect(result.isError, JSON.stringify(result.content).slice(0, 500)).toBeUndefined();
    expect(idsIn(result)).toEqual(list.ids);
    expect(result.content.at(-1).text).toMatch(list.told);
    expect(api.counts.get(name)).toBeLessThanOrEqual(list.requests);
  });
});
