import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoUpstream, startEcho } from '../support/servers/echo-upstream.ts';
import { runHandrail } from '../support/command.ts';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';

describe('the registry', () => {
  let echo: EchoUpstream;
  let running: RunningGateway;

  beforeAll(async () => {
    echo = await startEcho();
    running = await startGateway({ egressAllow: echo.host });
  });
  afterAll(async () => {
    await running.stop();
    await echo.close();
  });

  const addApi = (slug: string) => running.admin('POST', '/apis', { slug, baseUrl: echo.origin });
  const addTool = (api: string, name: string, more: object = {}) =>
    running.admin('POST', '/tools', {
      api,
      name,
      description: `${name} of ${api}`,
      operation: { method: 'GET', path: `/${name}` },
      ...more,
    });

  async function names(slug = 'default'): Promise<string[]> {
    const answer = await fetch(`${running.url}/mcp/${slug}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    const { result } = (await answer.json()) as { result: { tools: { name: string }[] } };
    return result.tools.map((tool) => tool.name).filter((name) => name !== 'read_reply');
  }

  it('shows a new API’s tool to a client that is already connected, and calls it, without a restart', async () => {
    const client = new Client({ name: 'registry-test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${running.url}/mcp`)));
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['read_reply']);

    expect((await addApi('live')).status).toBe(201);
    expect((await addTool('live', 'hello')).status).toBe(201);

    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['hello', 'read_reply']);
    const result = await client.callTool({ name: 'hello', arguments: {} });
    expect(JSON.stringify(result.content)).toContain('/hello');
    await client.close();
  });

  it('takes resources that can be read, by the name of their tool, and forgets them with it', async () => {
    await addApi('texts');
    const parameters = [
      { name: 'city', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'unit', in: 'query', schema: { type: 'string' } },
    ];
    await addTool('texts', 'weather', { operation: { method: 'GET', path: '/weather/{city}', parameters } });
    await addTool('texts', 'change', { operation: { method: 'POST', path: '/change' } });
    await running.admin('POST', '/servers', { slug: 'texts', tools: { apis: ['texts'] } });
    const save = (resource: object) =>
      running.admin('PATCH', '/servers/texts', { resources: [{ name: 'x', ...resource }] });

    const refusals: [object, string][] = [
      [{ uri: 'weather', text: 'x' }, 'scheme'],
      [{ uri: 'weather://{city', text: 'x' }, 'has an unmatched "{"'],
      [{ uri: 'weather://x' }, 'either a text or a tool'],
      [{ uri: 'weather://x', toolId: 'weather' }, 'needs the variable {city}'],
      [{ uri: 'weather://{city}/{day}', toolId: 'weather' }, 'no such argument'],
      [{ uri: 'change://x', toolId: 'change' }, 'not a GET tool'],
    ];
    for (const [resource, why] of refusals) {
      const { status, body } = await save(resource);
      expect([status, (body as { detail: string }).detail]).toEqual([422, expect.stringContaining(why)]);
    }
    const saved = await save({ uri: 'weather://{city}{?unit}', toolId: 'weather' });
    expect(saved.status).toBe(200);
    expect((saved.body as { resources: object[] }).resources).toMatchObject([
      { toolId: expect.stringMatching(/^tool_/) as string },
    ]);

    await running.admin('DELETE', '/tools/weather');
    const { body } = await running.admin('GET', '/servers/texts');
    expect((body as { resources: object[] }).resources).toEqual([]);
  });

  it('takes prompts that can be asked for, and says which cannot', async () => {
    const save = (...prompts: object[]) => running.admin('PATCH', '/servers/default', { prompts });
    const prompt = (name: string, ...arguments_: string[]) => ({
      name,
      text: 'x',
      arguments: arguments_.map((one) => ({ name: one })),
    });
    const twice = await save(prompt('a'), prompt('a'));
    expect([twice.status, twice.body]).toMatchObject([422, { problems: [{ path: '/prompts/1/name' }] }]);
    expect((await save(prompt('a', 'b', 'b'))).status).toBe(422);
    expect((await save(prompt('a', 'b}}'))).status).toBe(422);
    expect((await save(prompt('a', 'größe'))).status).toBe(200);
    expect((await running.admin('PATCH', '/servers/default', { prompts: null })).status).toBe(200);
  });

  it('gives a later tool of the same name its API’s slug, and never takes a name back', async () => {
    await addApi('first');
    await addApi('second');
    await addTool('first', 'same');
    await addTool('second', 'same');
    expect(await names()).toEqual(expect.arrayContaining(['same', 'second_same']));

    await running.admin('DELETE', '/tools/first%2Fsame');
    expect(await names()).toContain('second_same');
    expect(await names()).not.toContain('same');

    await addApi('third');
    await addTool('third', 'same');
    expect(await names()).toEqual(expect.arrayContaining(['same', 'second_same']));
  });

  it('lets a server choose by API, by tag and one by one, and say things differently', async () => {
    await addApi('shop');
    await addTool('shop', 'orders', { tags: ['sales'] });
    await addTool('shop', 'stock');
    await addTool('live', 'promo', { tags: ['sales'] });
    const { status, body } = await running.admin('POST', '/servers', {
      slug: 'mixed',
      tools: [{ tag: 'sales' }, 'shop/stock'],
      overrides: { 'shop/stock': { name: 'inventory', description: 'What is left' } },
    });
    expect(status).toBe(201);
    expect(body.toolCount).toBe(3);
    expect(await names('mixed')).toEqual(['orders', 'promo', 'inventory']);

    await addTool('shop', 'returns', { tags: ['sales'] });
    expect(await names('mixed')).toContain('returns');
  });

  it.each(['tools', 'default'])('refuses the reserved server slug %s', async (slug) => {
    expect((await running.admin('POST', '/servers', { slug, tools: [] })).status).toBe(409);
  });

  it.each(['', 'UPPER', 'a_b', 'a'.repeat(41), 'ä', 'a/b'])(
    'refuses the slug %j and says what is allowed',
    async (slug) => {
      const { status, body } = await running.admin('POST', '/servers', { slug, tools: [] });
      expect(status).toBe(422);
      expect(body.problems[0].path).toBe('/slug');
    },
  );

  it('keeps the first of two edits of the same revision and tells the second', async () => {
    const before = await running.admin('GET', '/tools/live%2Fhello');
    const etag = before.headers.get('etag')!;
    const one = await running.admin(
      'PATCH',
      `/tools/${before.body.id}`,
      { description: 'one' },
      { 'if-match': etag },
    );
    const two = await running.admin(
      'PATCH',
      `/tools/${before.body.id}`,
      { description: 'two' },
      { 'if-match': etag },
    );
    expect([one.status, two.status]).toEqual([200, 412]);
    expect((await running.admin('GET', `/tools/${before.body.id}`)).body.description).toBe('one');
  });

  it('pages lists', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await running.admin('GET', `/tools?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.body.items.map((tool: { id: string }) => tool.id));
      cursor = page.body.nextCursor;
      expect(page.body.items.length).toBeLessThanOrEqual(3);
      if (cursor === null) expect(seen).toHaveLength(page.body.total);
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('deletes an API with its tools and every mention of them', async () => {
    await running.admin('DELETE', '/apis/shop');
    expect(await names('mixed')).toEqual(['promo']);
    expect((await running.admin('GET', '/servers/mixed')).body.overrides).toEqual({});
  });

  it('sees within a second what a command did to the same data folder', async () => {
    const made = await runHandrail([
      'apis',
      'create',
      'by-command',
      '--base-url',
      'https://api.example.com',
      '--data-dir',
      running.dataDir,
    ]);
    expect(made.code, made.stderr).toBe(0);
    await expect.poll(async () => (await running.admin('GET', '/apis/by-command')).status).toBe(200);
  });

  it.each([
    ['an unknown field', { slug: 'x', baseUrl: 'https://a.example', bogus: 1 }, '/bogus'],
    ['a missing base URL', { slug: 'x' }, '/baseUrl'],
    ['a base URL with a password', { slug: 'x', baseUrl: 'https://u:p@a.example' }, '/baseUrl'],
    ['a base URL that is no web address', { slug: 'x', baseUrl: 'ftp://a.example' }, '/baseUrl'],
    ['the demo’s reserved address', { slug: 'x', baseUrl: 'http://demo.handrail.invalid' }, '/baseUrl'],
    [
      'a header that frames the message',
      { slug: 'x', baseUrl: 'https://a.example', headers: { 'Transfer-Encoding': 'chunked' } },
      '/headers/Transfer-Encoding',
    ],
    [
      'a header value with a line break',
      { slug: 'x', baseUrl: 'https://a.example', headers: { 'X-A': 'a\r\nB: c' } },
      '/headers/X-A',
    ],
  ])('refuses an API with %s and points at it', async (_what, input, path) => {
    const { status, body } = await running.admin('POST', '/apis', input);
    expect(status).toBe(422);
    expect(body.problems[0].path).toBe(path);
  });

  it.each([
    [
      'a path parameter without its place',
      { method: 'GET', path: '/a', parameters: [{ name: 'id', in: 'path', schema: {}, required: true }] },
      '/operation/parameters/0/key',
    ],
    ['a place without its parameter', { method: 'GET', path: '/a/{id}', parameters: [] }, '/operation/path'],
    [
      'two parameters of one name',
      {
        method: 'GET',
        path: '/a',
        parameters: [
          { name: 'q', in: 'query', schema: {} },
          { name: 'q', in: 'header', schema: {} },
        ],
      },
      '/operation/parameters/1/name',
    ],
    [
      'a header nobody may set',
      { method: 'GET', path: '/a', parameters: [{ name: 'Host', in: 'header', schema: {} }] },
      '/operation/parameters/0/key',
    ],
    ['steps in the path', { method: 'GET', path: '/a/../b', parameters: [] }, '/operation/path'],
    ['a method that cannot be sent', { method: 'FETCH', path: '/a', parameters: [] }, '/operation/method'],
    [
      'a schema that does not compile',
      { method: 'GET', path: '/a', parameters: [{ name: 'q', in: 'query', schema: { type: 'nonsense' } }] },
      '/operation/parameters/0/schema/type',
    ],
    [
      'a schema that leads nowhere',
      {
        method: 'GET',
        path: '/a',
        parameters: [{ name: 'q', in: 'query', schema: { $ref: '#/$defs/Gone' } }],
      },
      '/operation/parameters',
    ],
  ])('refuses a tool with %s and points at it', async (_what, operation, path) => {
    const { status, body } = await running.admin('POST', '/tools', {
      api: 'live',
      name: 'bad',
      description: 'x',
      operation,
    });
    expect(status).toBe(422);
    expect(body.problems[0].path).toBe(path);
  });
});
