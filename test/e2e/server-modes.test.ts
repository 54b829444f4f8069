import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern, post } from '../support/mcp-surface.ts';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';

/** Operations that a search for "order" finds, two of each API. */
function documentOf(title: string) {
  const operation = (operationId: string, tags: string[]) => ({
    operationId,
    tags,
    summary: 'Something about an order',
    responses: { 200: { description: 'ok' } },
  });
  return JSON.stringify({
    openapi: '3.0.0',
    info: { title, version: '1' },
    // Nothing answers there.
    servers: [{ url: 'http://127.0.0.1:1' }],
    paths: {
      [`/${title}/orders`]: {
        get: operation(`${title}List`, ['reading']),
        post: operation(`${title}Make`, []),
      },
    },
  });
}

const all = ['bankList', 'bankMake', 'shopList', 'shopMake'];

describe('search', () => {
  let running: RunningGateway;
  let keys: { all: string; one: string };
  beforeAll(async () => {
    running = await startGateway({ egressAllow: '127.0.0.1:1' });
    for (const title of ['shop', 'bank'])
      await running.admin('POST', '/imports', { text: documentOf(title), api: title });
    const policy = { kind: 'key' };
    await running.admin('PATCH', '/servers/default', { policy });
    for (const [slug, tools] of [
      ['shop-only', [{ api: 'shop' }]],
      ['readers', [{ tag: 'reading' }]],
    ] as const)
      await running.admin('POST', '/servers', { slug, tools, policy });
    const keyOf = async (body: object) => (await running.admin('POST', '/keys', body)).body.key as string;
    keys = { all: await keyOf({ name: 'all' }), one: await keyOf({ name: 'one', tools: ['shopList'] }) };
  });
  afterAll(() => running.stop());

  async function ask(
    method: string,
    params: Record<string, unknown>,
    server: string,
    key: string,
    mode = '',
  ) {
    const { body, headers } = modern(method, params);
    const { json } = await post(`${running.url}/mcp/${server}${mode && `?mode=${mode}`}`, body, {
      ...headers,
      authorization: `Bearer ${key}`,
    });
    return json.result;
  }
  const call = (name: string, args: object, server: string, key: string) =>
    ask('tools/call', { name, arguments: args }, server, key);
  /** The names of tools, without the one that every server has. */
  const names = (tools: { name: string }[]) =>
    tools
      .map(({ name }) => name)
      .filter((name) => name !== 'read_reply')
      .toSorted();

  const change = (method: string, path: string, body: object) => () => running.admin(method, path, body);
  const nothing = () => Promise.resolve();
  it.each<
    [
      why: string,
      server: string,
      key: 'all' | 'one',
      seen: string[],
      before: () => unknown,
      after: () => unknown,
    ]
  >([
    ['nothing is kept from it', 'default', 'all', all, nothing, nothing],
    ['its key opens one tool', 'default', 'one', ['shopList'], nothing, nothing],
    ['the server has one API', 'shop-only', 'all', ['shopList', 'shopMake'], nothing, nothing],
    ['the server has one tag', 'readers', 'all', ['bankList', 'shopList'], nothing, nothing],
    [
      'a tool is off',
      'default',
      'all',
      ['bankList', 'bankMake', 'shopMake'],
      change('PATCH', '/tools/shopList', { enabled: false }),
      change('PATCH', '/tools/shopList', { enabled: true }),
    ],
    [
      'an API is off',
      'default',
      'all',
      ['shopList', 'shopMake'],
      change('PATCH', '/apis/bank', { enabled: false }),
      change('PATCH', '/apis/bank', { enabled: true }),
    ],
    [
      'a server calls a tool otherwise',
      'shop-only',
      'all',
      ['orders', 'shopMake'],
      change('PATCH', '/servers/shop-only', { overrides: { shopList: { name: 'orders' } } }),
      change('PATCH', '/servers/shop-only', { overrides: {} }),
    ],
  ])('shows a caller exactly what it may call: %s', async (_, server, key, seen, before, after) => {
    await before();
    try {
      expect(names((await ask('tools/list', {}, server, keys[key], 'direct')).tools)).toEqual(seen);
      const found = await call('search_tools', { query: 'order', limit: 20 }, server, keys[key]);
      expect(names(found.structuredContent.results)).toEqual(seen);
      expect(found.structuredContent.total).toBe(seen.length);
      for (const name of all.filter((one) => !seen.includes(one))) {
        const described = await call('describe_tools', { names: [name] }, server, keys[key]);
        const called = await call('call_read', { name }, server, keys[key]);
        for (const { isError, content } of [described, called])
          expect([isError, content[0].text]).toEqual([true, expect.stringMatching(/^There is no tool/)]);
      }
    } finally {
      await after();
    }
  });

  it('says of a tool whose API does not answer that it does not, and still finds it', async () => {
    await running.admin('PATCH', '/apis/bank', { limits: { breakerFailures: 1, retries: 0 } });
    await call('call_read', { name: 'bankList' }, 'default', keys.all);
    const { structuredContent } = await call(
      'search_tools',
      { query: 'order', limit: 20 },
      'default',
      keys.all,
    );
    const results: { name: string; signature: string }[] = structuredContent.results;
    expect(names(results)).toEqual(all);
    const marked = results.filter(({ signature }) => signature.includes('Currently unavailable'));
    expect(names(marked)).toEqual(['bankList', 'bankMake']);
  });

  it.each(['search', 'direct'])(
    'leaves the list as it is while a model searches and calls (%s)',
    async (mode) => {
      const list = async () => JSON.stringify(await ask('tools/list', {}, 'shop-only', keys.all, mode));
      const before = await list();
      await call('search_tools', { query: 'order' }, 'shop-only', keys.all);
      await call('describe_tools', { names: ['shopMake'] }, 'shop-only', keys.all);
      await call('call_write', { name: 'shopMake' }, 'shop-only', keys.all);
      expect(await list()).toBe(before);
    },
  );

  it('keeps the mode of a server, what clients may ask for and its output schemas through an export', async () => {
    const set = { mode: 'search', clientModes: ['direct'], listOutputSchemas: true };
    await running.admin('PATCH', '/servers/shop-only', set);
    const exported = (await running.admin('GET', '/export')).body;
    const other = await startGateway();
    try {
      await other.admin('POST', '/imports', { text: JSON.stringify(exported) });
      expect((await other.admin('GET', '/servers/shop-only')).body).toMatchObject(set);
      const plain = (await other.admin('GET', '/servers/readers')).body;
      expect([plain.mode, plain.clientModes, plain.listOutputSchemas]).toEqual([
        'auto',
        undefined,
        undefined,
      ]);
      await other.admin('PATCH', '/servers/shop-only', {
        mode: 'auto',
        clientModes: null,
        listOutputSchemas: null,
      });
      await other.admin('POST', '/imports', { text: JSON.stringify(exported) });
      expect((await other.admin('GET', '/servers/shop-only')).body).toMatchObject(set);
    } finally {
      await other.stop();
    }
  });
});
