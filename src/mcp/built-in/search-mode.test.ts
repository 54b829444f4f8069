import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  listedTool,
  modern,
  post,
  serverView,
  startSurface,
  type Surface,
} from '../../../test/support/mcp-surface.ts';
import type { Caller } from '../../domain/call.ts';
import { HandrailError } from '../../domain/errors.ts';
import { annotationsForMethod } from '../../domain/tool.ts';
import { countTokens } from '../../listing/tokens/count-tokens.ts';
import type { Call, Outcome } from '../../pipeline/call.ts';
import type { ListedTool } from '../../registry/snapshot.ts';
import { fileValuesOf } from '../../pipeline/request/serialize-body.ts';

/** A tool that stands for a request. */
function requestTool(
  method: string,
  path: string,
  name: string,
  more: { description?: string; api?: string } = {},
): ListedTool {
  const listed = listedTool(
    name,
    { type: 'object', properties: { id: { type: 'integer' }, note: { type: 'string' } }, required: ['id'] },
    { ...(more.description !== undefined && { description: more.description }) },
  );
  const slug = more.api ?? 'shop';
  return {
    ...listed,
    compiled: {
      ...listed.compiled,
      api: { ...listed.compiled.api, id: `api_${slug}`, slug, name: slug },
      tool: {
        ...listed.compiled.tool,
        annotations: annotationsForMethod(method),
        tags: slug === 'shop' ? ['orders'] : ['sky'],
        operation: {
          method,
          path,
          parameters: [{ name: 'id', in: 'query', required: true, schema: { type: 'integer' } }],
        },
      },
    },
  };
}

const tools = [
  requestTool('GET', '/orders', 'list_orders', { description: 'Lists the orders of a customer.' }),
  requestTool('POST', '/orders', 'create_order', { description: 'Places an order.' }),
  requestTool('DELETE', '/orders/{id}', 'delete_order', { description: 'Cancels an order.' }),
  requestTool('GET', '/forecast', 'forecast', { description: 'What the weather will be.', api: 'meteo' }),
];
const view = serverView('shop', tools, { mode: 'search', instructions: 'Be kind.' });

async function outcome(call: Call): Promise<Outcome> {
  if (!Object.hasOwn(call.arguments as object, 'id')) {
    const error = new HandrailError('invalid_arguments', 'id is required', {
      problems: [{ path: '/id', message: 'is required' }],
    });
    return { kind: 'failed', error };
  }
  return {
    kind: 'done',
    status: 200,
    output: { content: [{ type: 'text', text: `did ${call.toolName}` }], structuredText: null },
  };
}

const onlyForecast: Caller = {
  id: 'key:1',
  kind: 'key',
  label: 'k',
  toolIds: new Set(tools.slice(3).map(({ compiled }) => compiled.tool.id)),
};

interface Result {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly tools?: readonly { readonly name: string }[];
  readonly instructions?: string;
}

/** The names of the tools in an answer of a search. */
function namesIn(text: string): string[] {
  return text.split('\n').flatMap((line) => /^(\w+)\(/.exec(line)?.[1] ?? []);
}

describe.each([true, false])('a server that is searched (fast lane: %s)', (fastLane) => {
  let surface: Surface;
  beforeAll(async () => {
    surface = await startSurface({
      views: [
        view,
        serverView('small', tools, {}),
        serverView('fixed', tools, { mode: 'search', clientModes: [] }),
      ],
      runCall: outcome,
      fastLane,
      callerOf: (authorization) =>
        authorization === 'Bearer k' ? onlyForecast : { id: 'anonymous', kind: 'anonymous', label: 'a' },
    });
  });
  afterAll(() => surface.stop());

  async function ask(
    method: string,
    params: object = {},
    more: { slug?: string; key?: boolean; era?: 'legacy' } = {},
  ) {
    const { body, headers } =
      more.era === 'legacy'
        ? { body: { jsonrpc: '2.0', id: 1, method, params }, headers: {} }
        : modern(method, params as Record<string, unknown>);
    const answer = await post(surface.url(more.slug ?? 'shop'), body, {
      ...headers,
      ...(more.key && { authorization: 'Bearer k' }),
    });
    return answer.json as { result: Result; error?: { message: string } };
  }
  const call = async (name: string, args: object, more: Parameters<typeof ask>[2] = {}) =>
    (await ask('tools/call', { name, arguments: args }, more)).result;

  it.each(['legacy', undefined] as const)('lists six tools and tells how to search (%s)', async (era) => {
    const { result } = await ask('tools/list', {}, era && { era });
    expect(result.tools?.map(({ name }) => name)).toEqual([
      'search_tools',
      'describe_tools',
      'call_read',
      'call_write',
      'call_destructive',
      'read_reply',
    ]);
    const opening = era
      ? await ask(
          'initialize',
          { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
          { era },
        )
      : await ask('server/discover');
    expect(opening.result.instructions).toMatch(
      /^Be kind\.\n\nThis server has 4 tools.*\nAPIs: shop: 3; meteo: 1\.$/,
    );
  });

  it('finds a tool and calls it, recorded as what it is', async () => {
    const found = await call('search_tools', { query: 'cancel an order' });
    expect(found.structuredContent).toBeUndefined();
    expect(found.content[0]!.text.split('\n')[0]).toBe(
      'delete_order(id: integer) Cancels an order. DELETE /orders/{id} [destructive] needs list_orders',
    );
    surface.calls.length = 0;
    const result = await call('call_destructive', { name: 'delete_order', arguments: { id: 1 } });
    expect(result.content[0]!.text).toBe('did delete_order');
    expect(surface.calls.map(({ toolName, arguments: args }) => ({ toolName, args }))).toEqual([
      { toolName: 'delete_order', args: { id: 1 } },
    ]);
  });

  it.each([
    [
      'call_read',
      { name: 'delete_order', arguments: { id: 1 } },
      '"delete_order" is a destructive tool, which call_read does not call: use call_destructive.',
    ],
    [
      'call_write',
      { name: 'list_orders', arguments: { id: 1 } },
      '"list_orders" is a read tool, which call_write does not call: use call_read.',
    ],
    ['call_read', { name: 'nothing' }, 'There is no tool "nothing" here: find its name with search_tools.'],
    [
      'call_read',
      { name: 'list_order' },
      'There is no tool "list_order" here: find its name with search_tools. Did you mean list_orders?',
    ],
    ['call_read', { name: 3 }, 'name must be the name of a tool, as returned by search_tools.'],
    ['call_read', {}, 'name must be the name of a tool, as returned by search_tools.'],
    [
      'call_read',
      { name: 'list_orders', arguments: [] },
      'arguments must be an object with the arguments of "list_orders".',
    ],
    ['search_tools', {}, 'query must be a string that says what you want to do, such as "list open issues".'],
    ['search_tools', { query: 'x', kind: 'odd' }, 'kind must be one of read, write, destructive.'],
    ['search_tools', { query: 'x', limit: 21 }, 'limit must be a whole number from 1 to 20.'],
    ['search_tools', { query: 'x', api: 3 }, 'api must be a string: the name of an API.'],
    ['describe_tools', { names: [] }, 'names must be a list of tool names, as returned by search_tools.'],
    ['describe_tools', { names: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'names has 6 tools; the maximum is 5.'],
    ['describe_tools', { names: ['none'] }, 'There is no tool "none" here: find names with search_tools.'],
  ])('answers %s %j with a sentence', async (name, args, sentence) => {
    surface.calls.length = 0;
    const { content, isError } = await call(name, args);
    expect({ text: content[0]!.text.split('\n')[0], isError }).toEqual({ text: sentence, isError: true });
    expect(surface.calls).toEqual([]);
  });

  it('takes arguments as JSON text', async () => {
    surface.calls.length = 0;
    await call('call_read', { name: 'list_orders', arguments: '{"id": 1}' });
    expect(surface.calls[0]!.arguments).toEqual({ id: 1 });
    const { content } = await call('call_read', { name: 'list_orders', arguments: '{"id": ' });
    expect(content[0]!.text).toMatch(/^arguments must be an object/);
  });

  it('answers wrong arguments with the whole schema', async () => {
    const { content, isError } = await call('call_read', { name: 'list_orders' });
    expect(isError).toBe(true);
    expect(content[0]!.text).toMatch(
      /^id is required\n.*\nIts input schema: \{"type":"object","properties":\{"id"/,
    );
  });

  it('describes tools with their whole schema and an example', async () => {
    const { structuredContent } = (await call('describe_tools', {
      names: ['list_orders', 'none'],
    })) as unknown as {
      structuredContent: unknown;
    };
    expect(structuredContent).toMatchObject({
      tools: [{ name: 'list_orders', kind: 'read', inputSchema: { required: ['id'] }, example: { id: 1 } }],
      unknown: ['none'],
    });
  });

  it('narrows by API and kind, and says when there is nothing', async () => {
    const names = async (args: object) =>
      namesIn((await call('search_tools', { query: 'orders weather', ...args })).content[0]!.text);
    expect(await names({ api: 'meteo' })).toEqual(['forecast']);
    expect(await names({ kind: 'write' })).toEqual(['create_order']);
    expect((await names({ tag: 'Orders' })).sort()).toEqual(['create_order', 'delete_order', 'list_orders']);
    expect(await names({ limit: 1 })).toHaveLength(1);
    const more = await call('search_tools', { query: 'orders weather', limit: 1 });
    expect(more.content[0]!.text.split('\n').at(-1)).toBe(
      'More tools match. Narrow by kind: read, write, destructive; or by tag: orders, sky; or add words.',
    );
    const nothing = await call('search_tools', { query: 'orders', api: 'none' });
    expect(nothing.content[0]!.text).toBe(
      'Nothing was found in the API "none". Try other words for what you want to do, or leave api out.',
    );
  });

  it('shows a caller exactly what it may call', async () => {
    const found = await call('search_tools', { query: 'orders weather' }, { key: true });
    expect(namesIn(found.content[0]!.text)).toEqual(['forecast']);
    for (const [tool, args] of [
      ['call_read', { name: 'list_orders', arguments: { id: 1 } }],
      ['describe_tools', { names: ['list_orders'] }],
    ] as const)
      expect((await call(tool, args, { key: true })).content[0]!.text).toMatch(
        /^There is no tool "list_orders" here/,
      );
    const { result } = await ask('server/discover', {}, { key: true });
    expect(result.instructions).toContain('This server has 1 tools');
    expect(result.instructions).not.toContain('shop');
  });

  it('calls a tool by its own name as well', async () => {
    expect((await call('list_orders', { id: 1 })).content[0]!.text).toBe('did list_orders');
  });

  it('lets a client choose among what its operator allows', async () => {
    const list = async (slug: string) => ask('tools/list', {}, { slug });
    expect((await list('small')).result.tools).toHaveLength(4);
    expect((await list('small?mode=search')).result.tools).toHaveLength(6);
    expect((await list('shop?mode=direct')).result.tools).toHaveLength(4);
    expect((await list('shop?mode=auto')).result.tools).toHaveLength(6);
    expect((await list('fixed?mode=search')).result.tools).toHaveLength(6);
    expect((await list('fixed?mode=direct')).error?.message).toMatch(/does not allow the mode "direct"/);
    expect((await list('shop?mode=code')).result.tools).toHaveLength(3);
    expect((await list('fixed?mode=code')).error?.message).toMatch(/does not allow the mode "code"/);
    expect((await list('shop?mode=odd')).error?.message).toBe(
      'There is no mode "odd": use direct, search, code or auto.',
    );
  });
});

describe('what a searched server costs', () => {
  const many = Array.from({ length: 10_000 }, (_, n) =>
    requestTool('GET', `/api-${n % 20}/things/${n}/parts`, `get_thing_part_${n}`, {
      api: `a-rather-long-name-of-an-api-${n % 20}`,
      description:
        'Returns the part of a thing that was asked for, with everything that is known about it, and then some more of it.',
    }),
  );

  it.each([
    ['search', 7],
    ['code', 4],
  ])('is at most 1,200 tokens in %s mode where a tool takes a file', async (mode, count) => {
    const upload = requestTool('PUT', '/things/{id}/file', 'put_file', { api: many[0]!.compiled.api.slug });
    const { compiled } = upload;
    const operation = {
      method: 'PUT',
      path: '/file',
      parameters: [{ name: 'body', in: 'body', required: true, schema: { type: 'string' } }],
      body: { mediaType: 'application/octet-stream', shape: 'whole', binary: true },
    } as const;
    const request = { ...compiled.request, fileValues: fileValuesOf(operation) };
    const taking = { ...upload, compiled: { ...compiled, request, tool: { ...compiled.tool, operation } } };
    const surface = await startSurface({ views: [serverView('big', [...many, taking])] });
    try {
      const ask = async (method: string) => {
        const { body, headers } = modern(method);
        return ((await post(surface.url(`big?mode=${mode}`), body, headers)).json as { result: Result })
          .result;
      };
      const { tools: listed = [] } = await ask('tools/list');
      const { instructions = '' } = await ask('server/discover');
      expect(listed).toHaveLength(count);
      expect(listed.map(({ name }) => name)).toContain('request_upload');
      expect(instructions).toContain('This server has 10001 tools');
      expect(countTokens(JSON.stringify(listed)) + countTokens(instructions)).toBeLessThanOrEqual(1_200);
    } finally {
      await surface.stop();
    }
  });

  it('is at most 1,200 tokens with ten thousand tools of twenty APIs, and 800 for an answer', async () => {
    const surface = await startSurface({ views: [serverView('big', many)] });
    try {
      const listed = await post(surface.url('big'), modern('tools/list').body, modern('tools/list').headers);
      const { result } = listed.json as { result: { tools: unknown[] } };
      const opened = await post(
        surface.url('big'),
        modern('server/discover').body,
        modern('server/discover').headers,
      );
      const { instructions } = (opened.json as { result: { instructions: string } }).result;
      expect(result.tools).toHaveLength(6);
      expect(countTokens(JSON.stringify(result.tools)) + countTokens(instructions)).toBeLessThanOrEqual(
        1_200,
      );
      const search = modern('tools/call', { name: 'search_tools', arguments: { query: 'part of a thing' } });
      const found = await post(surface.url('big'), search.body, search.headers);
      const { content } = (found.json as { result: Result }).result;
      expect(namesIn(content[0]!.text)).toHaveLength(5);
      expect(countTokens(JSON.stringify(content))).toBeLessThanOrEqual(800);
    } finally {
      await surface.stop();
    }
  });
});
