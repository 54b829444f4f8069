import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern, post } from '../support/mcp-surface.ts';
import { runHandrail } from '../support/command.ts';
import { adminToken, type RunningGateway, startGateway } from '../support/running-gateway.ts';
import { json, serveHttp, type TestServer } from '../support/servers/http-server.ts';

const report = {
  server: 'shop',
  name: 'order_report',
  description: 'Tells how many orders are in a state.',
  inputSchema: {
    type: 'object',
    properties: {
      state: { type: 'string', description: 'Which orders.' },
      most: { type: 'integer', default: 2 },
    },
    required: ['state'],
  },
  code: `const orders: { id: number; state: string }[] = await tools.shop.list_orders();
const found = orders.filter(({ state }) => state === input.state);
return { count: found.length, first: found.slice(0, input.most).map(({ id }) => id) };`,
};

describe('a composed tool', () => {
  let upstream: TestServer;
  let running: RunningGateway;
  const requests: string[] = [];

  async function make(path: string, body: object) {
    const made = await running.admin('POST', path, body);
    expect([made.status, made.body]).toEqual([201, expect.anything()]);
    return made.body;
  }
  const composed = (body: object) => make('/composed-tools', { ...report, ...body });

  beforeAll(async () => {
    upstream = await serveHttp((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      if (request.url === '/broken') return json(response, 500, { error: 'broken' });
      return json(
        response,
        200,
        Array.from({ length: 9 }, (_, id) => ({ id, state: id % 3 === 0 ? 'open' : 'done' })),
      );
    });
    running = await startGateway({ egressAllow: ['127.0.0.1'] });
    await make('/apis', { slug: 'shop', baseUrl: upstream.origin });
    const tool = (name: string, method: string, path: string) =>
      make('/tools', { api: 'shop', name, description: `Does ${name}.`, operation: { method, path } });
    await tool('list_orders', 'GET', '/orders');
    await tool('make_order', 'POST', '/orders');
    await tool('drop_order', 'DELETE', '/orders');
    await tool('broken', 'GET', '/broken');
    const server = { tools: '*', policy: 'open', ratePerMinute: 0 };
    await make('/servers', { slug: 'shop', ...server, mode: 'direct' });
    await make('/servers', { slug: 'other', ...server, mode: 'direct' });
    await make('/servers', { slug: 'readers', ...server, mode: 'code', code: { may: 'read' } });
    await composed({});
  });
  afterAll(async () => {
    await running.stop();
    await upstream.close();
  });

  async function ask(method: string, params: Record<string, unknown>, where: string, key?: string) {
    const { body, headers } = modern(method, params);
    const sent = key === undefined ? headers : { ...headers, authorization: `Bearer ${key}` };
    return (await post(`${running.url}/mcp/${where}`, body, sent)).json.result;
  }
  const textOf = (result: { content: { text: string }[] }) =>
    result.content.map(({ text }) => text).join('\n');
  const call = async (name: string, args: object, where = 'shop', key?: string) => {
    const result = await ask('tools/call', { name, arguments: args }, where, key);
    return { isError: result.isError === true, text: textOf(result) };
  };
  const names = async (where: string, key?: string): Promise<string[]> =>
    (await ask('tools/list', {}, where, key)).tools
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => name !== 'read_reply');

  it('is listed like any other, with its schema and the hints of its kind', async () => {
    const { tools } = await ask('tools/list', {}, 'shop');
    const listed = tools.find(({ name }: { name: string }) => name === 'order_report');
    expect(listed).toMatchObject({
      description: report.description,
      inputSchema: { type: 'object', properties: { state: { type: 'string' } }, required: ['state'] },
      annotations: { readOnlyHint: true, destructiveHint: false },
    });
    expect(await names('other')).not.toContain('order_report');
  });

  it.each([
    ['direct', (args: object) => call('order_report', args)],
    [
      'search',
      (args: object) => call('call_read', { name: 'order_report', arguments: args }, 'shop?mode=search'),
    ],
    [
      'code',
      (args: object) =>
        call(
          'run_code',
          { code: `return await tools.composed_tools.order_report(${JSON.stringify(args)})` },
          'shop?mode=code',
        ),
    ],
  ])('is called in %s mode', async (_mode, makeCall) => {
    expect(await makeCall({ state: 'open' })).toEqual({ isError: false, text: '{"count":3,"first":[0,3]}' });
    expect((await makeCall({ state: 'open', most: 1 })).text).toBe('{"count":3,"first":[0]}');
    const refused = await makeCall({ stat: 'open' });
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/state.*is required/s);
  });

  it('is found by search, by what it says it does', async () => {
    const found = await call('search_tools', { query: 'how many orders in a state' }, 'shop?mode=search');
    expect(found.text).toContain('order_report');
  });

  it('records each of its calls as made for it', async () => {
    const before = await running.admin('GET', '/calls');
    const known = new Set(before.body.items.map(({ id }: { id: string }) => id));
    await call('order_report', { state: 'done' });
    let made: { id: string; toolName: string; parentId: string | null; outcome: string }[] = [];
    while (made.length < 2) {
      const after = await running.admin('GET', '/calls');
      made = after.body.items.filter(({ id }: { id: string }) => !known.has(id));
    }
    const own = made.find(({ toolName }) => toolName === 'order_report');
    expect(own).toMatchObject({ parentId: null, outcome: 'ok' });
    expect(made.find(({ toolName }) => toolName === 'list_orders')).toMatchObject({ parentId: own!.id });
  });

  it('tells why it failed, in which line, and what it did until then', async () => {
    await composed({
      name: 'breaks',
      code: 'await tools.shop.make_order();\nprint("made");\nawait tools.shop.broken();',
    });
    const { isError, text } = await call('breaks', { state: 'x' });
    expect(isError).toBe(true);
    expect(text).toMatch(/"breaks" failed at line 3: .*HTTP 500/s);
    expect(text).toMatch(/It made 2 calls: tools\.shop\.make_order ok/);
    expect(text).toContain('made');
  });

  it.each([
    ['a read', 'await tools.shop.list_orders()', 'read'],
    ['nothing', 'return 1', 'read'],
    ['a write', 'await tools.shop.list_orders(); await tools.shop.make_order()', 'write'],
    ['what destroys', 'await tools["shop"]["drop_order"](); await tools.shop.make_order()', 'destructive'],
  ])('that names %s has the strongest kind of what it names', async (what, code, kind) => {
    const made = await composed({ name: `kind_of_${what.replaceAll(' ', '_')}`, code });
    expect(made).toMatchObject({ kind, served: true });
  });

  it.each([
    ['by a name that it computes', 'const name = "drop" + "_order"; return await tools.shop[name]()'],
    ['as another composed tool', 'return await tools.composed_tools.order_report({ state: "open" })'],
  ])('calls nothing that it does not list, %s', async (what, code) => {
    const name = `outside_${what.length}`;
    const before = requests.filter((line) => line.startsWith('DELETE')).length;
    expect(await composed({ name, code, tools: ['list_orders'] })).toMatchObject({ kind: 'read' });
    const { isError, text } = await call(name, { state: 'x' });
    expect(isError).toBe(true);
    expect(text).toMatch(/is not one of the tools that this composed tool may call/);
    expect(requests.filter((line) => line.startsWith('DELETE'))).toHaveLength(before);
  });

  it('is held to what scripts of callers may do, by its kind', async () => {
    await composed({
      server: 'readers',
      name: 'orders',
      code: 'await tools.shop.make_order(); return "made"',
    });
    const refused = await call(
      'run_code',
      { code: 'return await tools.composed_tools.orders({ state: "x" })' },
      'readers',
    );
    expect(refused.text).toMatch(/write tool, which scripts on this server may not call/);
  });

  it('is seen by a key that names it, and calls only what that key may', async () => {
    await make('/servers', { slug: 'locked', tools: '*', policy: 'key', mode: 'direct' });
    await composed({ server: 'locked' });
    const keyFor = async (...tools: string[]) =>
      (await make('/keys', { name: tools.join(), servers: ['locked'], tools })).key as string;
    const both = await keyFor('locked/order_report', 'list_orders');
    expect(await names('locked', both)).toEqual(['list_orders', 'order_report']);
    expect(await call('order_report', { state: 'open' }, 'locked', both)).toMatchObject({ isError: false });
    const alone = await keyFor('locked/order_report');
    expect((await call('order_report', { state: 'open' }, 'locked', alone)).text).toMatch(/There is no tool/);
    const without = await keyFor('list_orders');
    expect(await names('locked', without)).toEqual(['list_orders']);
  });

  it('is not served while a tool that it may call is not, and is again when that is back', async () => {
    const at = '/composed-tools/shop%2Forder_report';
    await running.admin('PATCH', '/tools/list_orders', { enabled: false });
    expect(await names('shop')).not.toContain('order_report');
    expect((await running.admin('GET', at)).body).toMatchObject({
      served: false,
      calls: [{ served: false }],
    });
    expect(await running.admin('POST', `${at}/call`, { arguments: {} })).toMatchObject({ status: 409 });
    await running.admin('PATCH', '/tools/list_orders', { enabled: true });
    expect(await names('shop')).toContain('order_report');
  });

  it('keeps its versions, and becomes an earlier one again', async () => {
    const { id } = await composed({ name: 'versioned' });
    const at = `/composed-tools/${id}`;
    const second = await running.admin('PATCH', at, { code: 'return "second"', tools: [] });
    expect(second.body).toMatchObject({ version: 2, kind: 'read', tools: [] });
    // What is not part of it makes no version.
    expect((await running.admin('PATCH', at, { enabled: true })).body).toMatchObject({ version: 2 });
    expect((await call('versioned', { state: 'x' })).text).toBe('second');
    const restored = await running.admin('POST', `${at}/restore`, { version: 1 });
    expect(restored.body).toMatchObject({ version: 3, code: report.code });
    const { items } = (await running.admin('GET', `${at}/versions`)).body;
    expect(items.map(({ number }: { number: number }) => number)).toEqual([3, 2, 1]);
    expect(items.map(({ code }: { code: string }) => code)).toEqual([
      report.code,
      'return "second"',
      report.code,
    ]);
    expect((await running.admin('POST', `${at}/restore`, { version: 9 })).status).toBe(404);
  });

  it.each([
    ['a name that a tool of its server has', { name: 'list_orders' }, 409, /already has a tool named/],
    ['the name of another', { name: 'order_report' }, 409, /already has a tool named/],
    ['a name of Handrail’s own', { name: 'run_code' }, 422, /reserved/],
    ['no code', { name: 'x', code: '' }, 422, /code/],
    ['a tool that there is not', { name: 'x', tools: ['nothing'] }, 404, /no tool/],
    ['a server that there is not', { name: 'x', server: 'nowhere' }, 404, /no server/],
    ['a schema of a text', { name: 'x', inputSchema: { type: 'string' } }, 422, /must be .*object/],
    [
      'a schema that refers to nothing',
      { name: 'x', inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/No' } } } },
      422,
      /inputSchema/,
    ],
  ])('is refused with %s', async (_what, body, status, words) => {
    const refused = await running.admin('POST', '/composed-tools', { ...report, ...body });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([status, expect.stringMatching(words)]);
  });

  it('keeps its name when a tool of that name comes later', async () => {
    await composed({ server: 'other', name: 'later', code: 'return "mine"' });
    await make('/tools', {
      api: 'shop',
      name: 'later',
      description: 'Comes later.',
      operation: { method: 'GET', path: '/orders' },
    });
    expect((await call('later', { state: 'x' }, 'other')).text).toBe('mine');
    expect(await names('other')).toContain('shop_later');
  });

  it('is saved, listed, restored and deleted from the command line', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'handrail-composed-'));
    const file = join(folder, 'count.ts');
    const schema = join(folder, 'count.json');
    const handrail = (...args: string[]) =>
      runHandrail(['composed', ...args, '--url', running.url], { HANDRAIL_ADMIN_TOKEN: adminToken });
    try {
      await writeFile(file, 'return (await tools.shop.list_orders()).length');
      await writeFile(schema, JSON.stringify(report.inputSchema));
      const unsaid = await handrail('save', 'other/count', file);
      expect([unsaid.code, unsaid.stderr]).toEqual([2, expect.stringContaining('needs --description')]);
      const saved = await handrail(
        'save',
        'other/count',
        file,
        '--description',
        'Counts.',
        '--schema',
        schema,
      );
      expect([saved.code, saved.stdout]).toEqual([0, 'other/count: version 1, read, may call list_orders\n']);
      await writeFile(file, 'await tools.shop.make_order();');
      const again = await handrail('save', 'count', file, '--server', 'other');
      expect(again.stdout).toBe('other/count: version 2, write, may call make_order\n');
      expect((await handrail('restore', 'other/count', '1')).stdout).toContain(
        'version 1 restored as version 3',
      );
      expect((await handrail('versions', 'other/count')).stdout).toMatch(/VERSION[^]*3[^]*2[^]*1/);
      expect((await handrail('--server', 'other')).stdout).toMatch(/other +count +read +3 /);
      expect(JSON.parse((await handrail('show', 'other/count')).stdout)).toMatchObject({ kind: 'read' });
      expect((await handrail('delete', 'other/count')).code).toBe(0);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    }
  });

  it('goes with its server', async () => {
    await make('/servers', { slug: 'short', tools: '*', policy: 'open' });
    const { id } = await composed({ server: 'short' });
    await running.admin('DELETE', '/servers/short');
    expect((await running.admin('GET', `/composed-tools/${id}`)).status).toBe(404);
  });

  it('is not overwritten by who saw an older one, and the log tells who saved it', async () => {
    const { id } = await composed({ name: 'edited' });
    const at = `/composed-tools/${id}`;
    await running.admin('PATCH', at, { description: 'Newer.' });
    const stale = await running.admin('PATCH', at, { description: 'Older.' }, { 'if-match': '"1"' });
    expect(stale.status).toBe(412);
    const { items } = (await running.admin('GET', '/audit')).body;
    expect(items[0]).toMatchObject({ action: 'composed-tool.update', subject: { name: 'edited' } });
  });
});
