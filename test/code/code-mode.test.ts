import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countTokens } from '../../src/listing/tokens/count-tokens.ts';
import { modern, post } from '../support/mcp-surface.ts';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';
import { serveHttp, type TestServer } from '../support/servers/http-server.ts';

const secret = 'canary-of-the-shop-4711';

describe('a server that is used from code', () => {
  let upstream: TestServer;
  let running: RunningGateway;
  const requests: string[] = [];
  let looks = 0;
  async function make(path: string, body: object): Promise<void> {
    const made = await running.admin('POST', path, body);
    expect([made.status, made.body]).toEqual([201, expect.anything()]);
  }
  beforeAll(async () => {
    upstream = await serveHttp((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      const json = (status: number, value: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
      if (pathname === '/missing') json(404, { error: 'there is none' });
      else if (pathname === '/pages') {
        const page = Number(searchParams.get('page') ?? '1');
        const next = { link: `<${upstream.origin}/pages?page=${page + 1}>; rel="next"` };
        response
          .writeHead(200, { 'content-type': 'application/json', ...(page < 4 && next) })
          .end(JSON.stringify([{ id: page * 10 }, { id: page * 10 + 1 }]));
      } else if (pathname === '/jobs')
        response
          .writeHead(202, { 'content-type': 'application/json', location: `${upstream.origin}/jobs/7` })
          .end('{"id":7,"status":"queued"}');
      else if (pathname === '/jobs/7')
        json(200, { id: 7, status: ++looks < 2 ? 'running' : 'done', rows: 12 });
      else if (pathname === '/echo') json(200, { headers: request.headers });
      else if (pathname === '/long')
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(`{"id":12345678901234567890,"rows":["${'x'.repeat(5_000_000)}"]}`);
      else if (pathname === '/ids')
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":12345678901234567890}');
      else
        json(
          200,
          Array.from({ length: 300 }, (_, id) => ({ id, state: id % 3 === 0 ? 'open' : 'done' })),
        );
    });
    running = await startGateway({ egressAllow: ['127.0.0.1'] });
    await make('/apis', {
      slug: 'my-shop',
      name: 'Shop',
      baseUrl: upstream.origin,
      auth: { kind: 'bearer' },
    });
    await make('/credentials', { api: 'my-shop', fields: { token: secret } });
    const tool = (name: string, method: string, path: string, parameters: object[] = []) =>
      make('/tools', {
        api: 'my-shop',
        name,
        description: `Does ${name}.`,
        operation: { method, path, parameters },
      });
    await tool('list_orders', 'GET', '/orders');
    await tool('get-order', 'GET', '/orders/{id}', [
      { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
    ]);
    await tool('make_order', 'POST', '/orders');
    await tool('drop_order', 'DELETE', '/orders');
    await tool('missing', 'GET', '/missing');
    await tool('echo', 'GET', '/echo');
    await tool('long', 'GET', '/long');
    await tool('ids', 'GET', '/ids');
    await tool('pages', 'GET', '/pages', [{ name: 'page', in: 'query', schema: { type: 'integer' } }]);
    await tool('begin_job', 'POST', '/jobs');
    await tool('job', 'GET', '/jobs/{id}', [
      { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
    ]);
    await make('/servers', {
      slug: 'code',
      name: 'Code',
      tools: '*',
      mode: 'code',
      policy: 'open',
    });
    await make('/servers', {
      slug: 'readers',
      name: 'Readers',
      policy: 'open',
      tools: '*',
      mode: 'code',
      code: { may: 'read', calls: 2 },
    });
    await make('/servers', {
      slug: 'listed',
      name: 'Listed',
      policy: 'open',
      tools: '*',
      mode: 'direct',
      clientModes: ['search'],
    });
  });
  afterAll(async () => {
    await running.stop();
    await upstream.close();
  });

  async function call(name: string, args: object, { server = 'code', more = {}, key = '' } = {}) {
    const { body, headers } = modern('tools/call', { name, arguments: args, ...more });
    const sent = key === '' ? headers : { ...headers, authorization: `Bearer ${key}` };
    return (await post(`${running.url}/mcp/${server}`, body, sent)).json.result;
  }
  const textOf = (result: { content: { text: string }[] }) =>
    result.content.map(({ text }) => text).join('\n');
  const script = async (code: string, how?: { server?: string; more?: object; key?: string }) => {
    const result = await call('run_code', { code }, how);
    return { isError: result.isError === true, text: textOf(result) };
  };

  it('lists three tools, and says how to find the others', async () => {
    const { body, headers } = modern('tools/list');
    const { tools } = (await post(`${running.url}/mcp/code`, body, headers)).json.result;
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'search_tools',
      'run_code',
      'read_reply',
    ]);
    expect(countTokens(JSON.stringify(tools))).toBeLessThanOrEqual(800);
    expect(textOf(await call('search_tools', { query: 'get order' }))).toContain(
      'tools.my_shop.get_order({id: integer})',
    );
  });

  it.each([
    ['the lane of hot requests', {}],
    ['the SDK', { _meta: { 'example.com/unusual': 1 } }],
  ])('joins and filters what calls give, through %s', async (_lane, more) => {
    const code = `
      const orders: { id: number; state: string }[] = await tools.my_shop.list_orders();
      const open = orders.filter((order) => order.state === 'open').slice(0, 3);
      const first = await Promise.all(open.map(({ id }) => tools['my-shop']['get-order']({ id })));
      print('looked at', orders.length);
      return { open: open.map(({ id }) => id), sizes: first.map((list) => list.length) };`;
    const { isError, text } = await script(code, { more });
    expect(isError).toBe(false);
    expect(text).toBe('{"open":[0,3,6],"sizes":[300,300,300]}\nPrinted:\nlooked at 300');
  });

  it('records each call as a child of the run', async () => {
    const before = await running.admin('GET', '/calls');
    const known = new Set(before.body.items.map(({ id }: { id: string }) => id));
    await script('await tools.my_shop.list_orders(); return 1');
    let made: { id: string; toolName: string; parentId: string | null }[] = [];
    while (made.length < 2) {
      const after = await running.admin('GET', '/calls');
      made = after.body.items.filter(({ id }: { id: string }) => !known.has(id));
    }
    const run = made.find(({ toolName }) => toolName === 'run_code');
    const child = made.find(({ toolName }) => toolName === 'list_orders');
    expect(run).toMatchObject({ parentId: null });
    expect(child).toMatchObject({ parentId: run!.id });
  });

  it.each([
    ['an error of the API', 'await tools.my_shop.missing()', /line 1: tools\.my_shop\.missing: .*HTTP 404/s],
    ['a wrong argument', 'await tools.my_shop.get_order({ id: "x" })', /get_order\(\{id: integer\}\)/],
    ['a tool that there is not', '1;\nawait tools.my_shop.get_ordr()', /line 2: .*Did you mean get-order/s],
    ['a destructive call', 'await tools.my_shop.drop_order()', /destructive tool, which scripts/],
  ])('fails with %s', async (_what, code, expected) => {
    const { isError, text } = await script(code);
    expect(isError).toBe(true);
    expect(text).toMatch(expected);
  });

  it('keeps to what its operator allows', async () => {
    expect((await script('await tools.my_shop.make_order()', { server: 'readers' })).text).toMatch(
      /write tool, which scripts/,
    );
    const three = 'for (let i = 0; i < 3; i++) await tools.my_shop.list_orders(); return "never"';
    expect((await script(three, { server: 'readers' })).text).toMatch(/has made 2 calls, the maximum/);
    expect((await script('return 1', { server: 'listed' })).text).toMatch(/are not allowed on this server/);
  });

  it('says when a list has more pages than a script has read', async () => {
    const one = await script('return (await tools.my_shop.pages({})).length');
    expect(one.text).toContain(
      'tools.my_shop.pages: [There are more pages: call again with {"page":"2"}, or with all: true for every page.]',
    );
    const walked = `for (let page = 1; page <= 4; page++) await tools.my_shop.pages({ page }); return 'all'`;
    expect((await script(walked)).text).not.toContain('more pages');
    expect((await script('return (await tools.my_shop.pages({}, { all: true })).length')).text).toBe('8');
  });

  it('gathers every page, and waits for the end of a job, where a script asks for it', async () => {
    const { text } = await script(`
      const ids = (found: { id: number }[]) => found.map(({ id }) => id);
      return [
        ids(await tools.my_shop.pages({ page: 4 })),
        ids(await tools.my_shop.pages({}, { all: true })),
        ids(await tools.my_shop.pages({}, { all: true, max_items: 3 })),
        await tools.my_shop.begin_job({}, { wait: true }),
      ];`);
    const [returned = '', printed] = text.split('\nPrinted:\n');
    expect(printed).toBe(
      'tools.my_shop.pages: [3 records of 2 pages: not all: that is the maximum requested, or the maximum for one call (max_items).]',
    );
    expect(JSON.parse(returned)).toEqual([
      [40, 41],
      [10, 11, 20, 21, 30, 31, 40, 41],
      [10, 11, 20],
      { id: 7, status: 'done', rows: 12 },
    ]);
  });

  it.each([
    ['a word that it does not know', '{ every: true }'],
    ['what is no object', '"all"'],
    ['a number that is none', '{ all: true, max_items: "many" }'],
  ])('refuses a second object with %s', async (_what, beyond) => {
    const { isError, text } = await script(`return await tools.my_shop.pages({}, ${beyond})`);
    expect(isError).toBe(true);
    expect(text).toMatch(
      /second object can have all: true \(every page\), max_items, wait: true and reply: true/,
    );
  });

  const kinds = { list_orders: 'read', make_order: 'write', drop_order: 'destructive' } as const;
  const strength = ['read', 'write', 'destructive'] as const;

  it.each(strength)('is held to what code may do (%s) and to what a key may call', async (may) => {
    const server = `may-${may}`;
    await make('/servers', {
      slug: server,
      tools: '*',
      policy: 'key',
      mode: 'code',
      code: { may },
      ratePerMinute: 0,
    });
    const names = Object.keys(kinds) as (keyof typeof kinds)[];
    const keyFor = async (tools?: readonly string[]): Promise<string> =>
      (await running.admin('POST', '/keys', { name: server, servers: [server], ...(tools && { tools }) }))
        .body.key;
    for (const allowed of [undefined, ...names.map((name) => [name])]) {
      const key = await keyFor(allowed);
      for (const name of names) {
        const { isError, text } = await script(`await tools.my_shop.${name}(); return "called"`, {
          server,
          key,
        });
        const isKnown = allowed === undefined || allowed.includes(name);
        const isLet = strength.indexOf(kinds[name]) <= strength.indexOf(may);
        const expected = !isKnown
          ? /There is no tool/
          : isLet
            ? /^called$/
            : /scripts on this server may not call/;
        expect([name, allowed, isError, text]).toEqual([
          name,
          allowed,
          !(isKnown && isLet),
          expect.stringMatching(expected),
        ]);
      }
    }
  });

  it('does not tell a script the secrets that its calls carry', async () => {
    const { text, isError } = await script('return await tools.my_shop.echo()');
    expect(isError).toBe(false);
    expect(text).toContain('authorization');
    expect(text).not.toContain(secret);
  });

  it('keeps all digits of long numbers', async () => {
    const code = 'const { id } = await tools.my_shop.ids(); await tools.my_shop.get_order({ id }); return id';
    expect((await script(code)).text).toBe('12345678901234567890');
    expect(requests).toContain('GET /orders/12345678901234567890');
  });

  it('hands a reply above 4 MB over as a handle, of which scripts read parts', async () => {
    const code = `
      const kept = await tools.my_shop.long();
      const length = await read(kept.handle, { select: 'length(rows[0])' });
      return { bytes: kept.bytes, length: Number(length) };`;
    expect((await script(code)).text).toBe('{"bytes":5000039,"length":5000000}');
  });

  it('keeps a long result under a handle that read_reply reads', async () => {
    const result = await call('run_code', {
      code: 'return Array.from({ length: 20_000 }, (_, n) => ({ n, about: "words and words" }))',
    });
    expect(countTokens(JSON.stringify(result))).toBeLessThanOrEqual(10_000);
    const handle = /kept as (reply_\S+)/.exec(textOf(result))![1];
    expect(textOf(await call('read_reply', { handle, select: '[-1].n' }))).toContain('19999');
  });

  it('tells whoever writes a script what it may call, and the types of each', async () => {
    const { body } = await running.admin('GET', '/servers/code/script-tools');
    expect(body.paths).toContain('tools.my_shop.get_order');
    // Scripts on this server may not call it.
    expect(body.paths).not.toContain('tools.my_shop.drop_order');
    const declared = await running.admin('GET', '/servers/code/declaration?tool=tools.my_shop.get_order');
    expect(declared.body).toMatchObject({
      path: 'tools.my_shop.get_order',
      kind: 'read',
      declaration: expect.stringContaining('tools.my_shop.get_order(args: { id: number })'),
      inputSchema: { properties: { id: { type: 'integer' } } },
    });
    const missing = await running.admin('GET', '/servers/code/declaration?tool=nothing');
    expect([missing.status, missing.body.detail]).toEqual([
      404,
      expect.stringContaining('no tool "nothing"'),
    ]);
  });
});
