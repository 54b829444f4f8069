import { searchResult } from '../../src/http/contract/search.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern, post } from '../support/mcp-surface.ts';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';

describe('searching the tools of a gateway', () => {
  let running: RunningGateway;
  beforeAll(async () => {
    running = await startGateway({ demo: true });
  });
  afterAll(() => running.stop());

  async function call(name: string, args: object, server = 'default') {
    const { body, headers } = modern('tools/call', { name, arguments: args });
    return (await post(`${running.url}/mcp/${server}`, body, headers)).json.result;
  }

  it('finds a tool and calls it, and records that tool once', async () => {
    const found = await call('search_tools', { query: 'what is the weather somewhere' });
    expect(found.content[0].text).toMatch(/^weather_get\(.*\[read\]/);
    const answer = await call('call_read', { name: 'weather_get', arguments: { location: 'Berlin' } });
    expect(answer.isError).toBeUndefined();
    expect(JSON.stringify(answer.content)).toContain('temperature');
    await running.gateway.context.recorder.flush();
    const { items } = (await running.admin('GET', '/calls')).body;
    expect(items.map((record: { toolName: string }) => record.toolName)).toEqual(['weather_get']);
  });

  it('answers wrong arguments with the schema of the tool', async () => {
    const answer = await call('call_read', { name: 'weather_get', arguments: {} });
    expect(answer.isError).toBe(true);
    expect(answer.content[0].text).toContain('Its input schema: {"type":"object"');
  });

  it('finds through the admin API what clients find', async () => {
    const { body } = await running.admin('GET', '/search?query=weather&limit=1');
    expect(body.results).toHaveLength(1);
    expect(body.results[0].signature).toMatch(/^weather_get\(location: string/);
    expect(searchResult.strict().safeParse(body.results[0]).error).toBeUndefined();
    expect((await running.admin('GET', '/search?query=weather&server=none')).status).toBe(404);
    expect((await running.admin('GET', '/search')).status).toBe(422);
  });

  it('tells what a server costs in each mode', async () => {
    const { body } = await running.admin('GET', '/servers/default/cost');
    expect(body).toMatchObject({ mode: 'auto', servedAs: 'direct', budget: 10_000 });
    expect(body.search).toBeLessThanOrEqual(1_200);
    expect(body.direct).toBe(
      body.tools.reduce((sum: number, tool: { tokens: number }) => sum + tool.tokens, 0),
    );
    expect(body.apis).toEqual([{ name: 'demo', tools: body.tools.length, tokens: body.direct }]);
  });

  it('tells what tools will cost in the plan of an import, and what servers cost in a line', async () => {
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
    const operation = (operationId: string, tags: string[]) => ({
      operationId,
      tags,
      parameters,
      responses: {
        200: {
          description: 'ok',
          content: {
            'application/json': { schema: { type: 'object', properties: { total: { type: 'integer' } } } },
          },
        },
      },
    });
    const document = {
      openapi: '3.0.0',
      info: { title: 'Priced', version: '1' },
      servers: [{ url: 'https://priced.test' }],
      paths: {
        '/orders/{id}': {
          get: operation('getOrder', ['orders']),
          delete: operation('dropOrder', ['orders']),
        },
        '/users/{id}': { get: operation('getUser', ['users']) },
      },
    };
    const run = async (dryRun: boolean) =>
      (await running.admin('POST', '/imports', { text: JSON.stringify(document), dryRun })).body.imports[0];
    const planned = await run(true);
    const { cost, report } = planned;
    const tokens = report.map((line: { tokens: number }) => line.tokens);
    const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0);
    expect(cost).toMatchObject({ tools: 3, direct: sum(tokens), servedAs: 'direct', budget: 10_000 });
    expect(cost.tags).toEqual([
      { name: 'orders', tools: 2, tokens: sum(tokens.slice(0, 2)) },
      { name: 'users', tools: 1, tokens: tokens[2] },
    ]);
    expect((await run(false)).cost).toEqual(cost);
    expect((await run(true)).cost).toEqual(cost);
    const { items } = (await running.admin('GET', '/server-costs?api=priced')).body;
    const ofServer = items.find(({ server }: { server: string }) => server === 'default');
    expect(ofServer).toMatchObject({ mode: 'auto', servedAs: 'direct' });
    expect(ofServer.apis).toContainEqual({ name: 'priced', tools: 3, tokens: cost.direct });
    expect((await running.admin('GET', '/server-costs?api=nothing')).status).toBe(404);

    const priced = { slug: 'priced', tools: [{ api: 'priced' }], policy: 'open' };
    await running.admin('POST', '/servers', priced);
    const costOf = async (query = '') => (await running.admin('GET', `/servers/priced/cost${query}`)).body;
    const hidden = await costOf('?outputSchemas=true');
    expect([hidden.direct, (await costOf()).outputSchemas]).toEqual([cost.direct, undefined]);
    // The same is told before there is a server, also of a part of it.
    const ahead = async (tools: unknown) => (await running.admin('POST', '/server-costs', { tools })).body;
    const { direct, search, code } = hidden;
    expect(await ahead([{ api: 'priced' }])).toEqual({ tools: 3, direct, search, code, budget: 10_000 });
    expect(await ahead([{ api: 'priced', tag: 'users' }])).toMatchObject({ tools: 1, direct: tokens[2] });
    expect(await ahead([])).toMatchObject({ tools: 0, direct: 0 });
    expect((await running.admin('POST', '/server-costs', { tools: [{ api: 'nothing' }] })).status).toBe(404);
    await running.admin('PATCH', '/servers/priced', { listOutputSchemas: true });
    const shown = await costOf('?outputSchemas=true');
    expect(shown.direct).toBe(cost.direct + hidden.outputSchemas);
    expect([shown.outputSchemas, shown.outputSchemas > 0]).toEqual([hidden.outputSchemas, true]);
    await running.admin('DELETE', '/servers/priced');
    await running.admin('DELETE', '/apis/priced');
  });

  it('serves in the mode that a server has, and refuses one that there is not', async () => {
    const list = async () => {
      const { body, headers } = modern('tools/list');
      return (await post(`${running.url}/mcp/found`, body, headers)).json.result.tools.length;
    };
    await running.admin('POST', '/servers', { slug: 'found', tools: '*', policy: 'open', mode: 'search' });
    expect(await list()).toBe(6);
    await running.admin('PATCH', '/servers/found', { mode: 'direct' });
    expect(await list()).toBeGreaterThan(5);
    await running.admin('PATCH', '/servers/found', { mode: 'code' });
    expect(await list()).toBe(3);
    expect((await running.admin('PATCH', '/servers/found', { mode: 'odd' })).status).toBe(422);
  });

  it('keeps the names of its own tools to itself', async () => {
    const operation = { method: 'GET', path: '/x' };
    const made = await running.admin('POST', '/tools', {
      api: 'demo',
      name: 'search_tools',
      description: 'x',
      operation,
    });
    expect([made.status, made.body.detail]).toEqual([422, expect.stringContaining('is reserved')]);
    const document = {
      openapi: '3.0.0',
      info: { title: 'Own', version: '1' },
      servers: [{ url: 'https://own.example' }],
      paths: { '/x': { get: { operationId: 'search_tools', responses: {} } } },
    };
    const imported = await running.admin('POST', '/imports', { text: JSON.stringify(document) });
    expect(imported.body.imports[0].added).toMatchObject([{ tool: 'search_tools_2', operation: 'GET /x' }]);
  });
});

it('searches a server of its own accord when its list costs more than the budget', async () => {
  const running = await startGateway({ demo: true, listBudget: 500 });
  try {
    const { body, headers } = modern('tools/list');
    const { json } = await post(`${running.url}/mcp/default`, body, headers);
    expect(json.result.tools.map(({ name }: { name: string }) => name)).toContain('search_tools');
    const cost = (await running.admin('GET', '/servers/default/cost')).body;
    expect(cost).toMatchObject({ servedAs: 'search', budget: 500 });
  } finally {
    await running.stop();
  }
});
