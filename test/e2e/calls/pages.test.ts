import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { localCaller } from '../../../src/access/callers.ts';
import { type CommandInput, exitCode } from '../../../src/cli/command.ts';
import { call as callCommand } from '../../../src/cli/commands/call.ts';
import { createLineChannel } from '../../../src/mcp/stdio/line-channel.ts';
import { modern, post } from '../../support/mcp-surface.ts';
import { adminToken, type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';
import {
  answerLists,
  documentOf,
  misbehaving,
  numbers,
  type PagedList,
  records,
  styles,
} from '../../support/servers/paged-api.ts';
import { undeclared, vendors } from '../../support/servers/paged-vendors.ts';
import { idsWritten, misbehavingFormats, otherFormats } from '../../support/servers/paged-formats.ts';

// Without a document's word for it: its tools were entered by hand, or it says nothing of pages.
const untold: readonly PagedList[] = undeclared.map(({ name, takes = [], value }) => ({
  name,
  takes: takes.map((one) => ({ name: one, schema: { type: 'string' } })),
  answer: ({ origin }) => ({ value: value(origin) }),
  ids: [],
  told: /./,
  requests: 1,
}));
const lists = [...styles, ...vendors, ...misbehaving, ...otherFormats, ...misbehavingFormats, ...untold];
const api = answerLists(lists);
let upstream: TestServer;
let running: RunningGateway;

beforeAll(async () => {
  upstream = await serveHttp((request, response) => void api.listener(request, response));
  running = await startGateway({ egressAllow: ['127.0.0.1'], allMaxPages: 12, allMaxSeconds: 20 });
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
  ['a vendor’s own style', vendors],
  ['an API that misbehaves', misbehaving],
  ['a list that is not written in JSON', otherFormats],
  ['a list that is not written in JSON, and misbehaves', misbehavingFormats],
] as const)('all pages of %s', (_, table) => {
  it.each(table.map((list) => [list.name, list] as const))('%s', async (name, list) => {
    api.counts.delete(name);
    const result = await gather(list);
    expect(result.isError, JSON.stringify(result.content).slice(0, 500)).toBeUndefined();
    expect(
      list.written === undefined ? idsIn(result) : idsWritten(list.written, result.content[0].text),
    ).toEqual(list.ids);
    expect(result.content.at(-1).text).toMatch(list.told);
    expect(api.counts.get(name)).toBeLessThanOrEqual(list.requests);
  });
});

describe('a call that gathers pages', () => {
  const [paged] = styles.filter(({ name }) => name === 'after_the_last');

  it('is one call with a child for each page, through the same records as any other', async () => {
    const result = await gather(paged!);
    expect(idsIn(result)).toHaveLength(35);
    const parent = await until(async () => {
      const { body } = await running.admin('GET', '/calls?tool=after_the_last&limit=50');
      return body.items.find((one: { parentId: string | null }) => one.parentId === null);
    });
    const { body } = await running.admin('GET', `/calls?parent=${parent.id}`);
    const lines = await Promise.all(
      body.items.map(
        async ({ id }: { id: string }) => (await running.admin('GET', `/calls/${id}`)).body.request,
      ),
    );
    expect(lines).toHaveLength(4);
    expect(lines.join('\n')).toContain('starting_after=30');
    const { body: whole } = await running.admin('GET', `/calls/${parent.id}`);
    expect(whole.steps).toMatchObject([{ name: 'pages', note: '4 pages, 35 records' }]);
  });

  it('counts as read what a model read of it all, and its pages as nothing', async () => {
    const name = 'rows_with_a_link_header';
    await running.admin('PATCH', '/servers/default', { replyMaxTokens: 500 });
    try {
      await gather(otherFormats.find((list) => list.name === name)!);
    } finally {
      await running.admin('PATCH', '/servers/default', { replyMaxTokens: null });
    }
    const { parent, pages } = await until(async () => {
      const { body } = await running.admin('GET', `/calls?tool=${name}&limit=50`);
      const calls = body.items as {
        parentId: string | null;
        outputTokens: number;
        readTokens: number | null;
      }[];
      const gathered = calls.find(({ parentId, readTokens }) => parentId === null && readTokens !== null);
      return gathered && { parent: gathered, pages: calls.filter(({ parentId }) => parentId !== null) };
    });
    expect(new Set(pages.map(({ readTokens }) => readTokens))).toEqual(new Set([0]));
    expect(parent.readTokens).toBeGreaterThan(0);
    expect(parent.readTokens).toBeLessThan(parent.outputTokens);
  });

  it('comes under the budget of a reply, and its records are read through the handle', async () => {
    await running.admin('PATCH', '/servers/default', { replyMaxTokens: 500 });
    try {
      const { structuredContent, content } = await gather(paged!);
      expect(structuredContent.records).toBe(35);
      expect(content.map(({ text }: { text?: string }) => text).join()).toContain(
        'All 35 records of 4 pages',
      );
      const last = await call('read_reply', { handle: structuredContent.handle, select: '[-1].name' });
      expect(last.content[0].text).toContain('Thing 35');
    } finally {
      await running.admin('PATCH', '/servers/default', { replyMaxTokens: null });
    }
  });

  it('takes a select that is applied to all records', async () => {
    const result = await gather(paged!, { select: '[-2:].id' });
    expect(JSON.parse(result.content[0].text)).toEqual([34, 35]);
  });

  it('keeps to how an operator shapes replies', async () => {
    await running.admin('PATCH', '/tools/after_the_last', { reply: { select: 'data[].id' } });
    try {
      const result = await gather(paged!);
      expect(JSON.parse(result.content[0].text)).toHaveLength(35);
    } finally {
      await running.admin('PATCH', '/tools/after_the_last', { reply: {} });
    }
  });

  it.each([
    [{ all: 'perhaps' }, 'all must be true or false'],
    [{ max_items: 5 }, 'max_items limits what all: true gathers'],
    [{ all: true, max_items: 0 }, 'max_items must be a whole number'],
    [{ wait: 7 }, 'wait must be true or false'],
  ])('is refused before anything is sent: %j', async (asked, why) => {
    const before = upstream.seen;
    const result = await call('call_read', { name: 'after_the_last', arguments: {}, ...asked });
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain(why);
    expect(upstream.seen).toBe(before);
  });

  it('is refused for a tool that does not read and of whose pages nothing is known', async () => {
    await running.admin('POST', '/tools', {
      api: 'paged',
      name: 'make_thing',
      description: 'Makes a thing.',
      operation: { method: 'POST', path: '/after_the_last' },
    });
    const before = upstream.seen;
    const result = await call('call_write', { name: 'make_thing', all: true });
    expect(result.content[0].text).toContain('could repeat its effect');
    expect(upstream.seen).toBe(before);
  });

  it('goes on as it was entered by hand, and refuses an argument that there is not', async () => {
    const operation = {
      method: 'GET',
      path: '/told_by_an_extension',
      parameters: [{ name: 'start', key: 'from', in: 'query', schema: { type: 'integer' } }],
      pagination: { kind: 'offset', parameter: 'start', items: 'payload.list' },
    };
    const tool = { api: 'paged', name: 'by_hand', description: 'By hand.' };
    const wrong = { ...operation, pagination: { ...operation.pagination, parameter: 'begin' } };
    const refused = await running.admin('POST', '/tools', { ...tool, operation: wrong });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      422,
      expect.stringContaining('there is no argument \\"begin\\"'),
    ]);
    await running.admin('POST', '/tools', { ...tool, operation });
    const result = await call('call_read', { name: 'by_hand', all: true });
    expect(idsIn(result)).toHaveLength(35);
    const { body: shown } = await running.admin('GET', '/tools/by_hand');
    expect(shown.operation.pagination).toEqual(operation.pagination);
    const { body: exported } = await running.admin('GET', '/export');
    expect(JSON.stringify(exported)).toContain(JSON.stringify(operation.pagination));
  });

  it('waits for the limits of the gateway, or says when there is no time for that', async () => {
    await running.admin('PATCH', '/tools/after_the_last', { limits: { ratePerMinute: 2 } });
    try {
      const { body: restarted } = await running.admin('GET', '/tools/after_the_last');
      expect(restarted.limits.ratePerMinute).toBe(2);
      const result = await gather(paged!);
      expect(idsIn(result)).toHaveLength(20);
      expect(result.content.at(-1).text).toMatch(
        /not all: the next page failed \(The limit of 2 calls per minute/,
      );
    } finally {
      await running.admin('PATCH', '/tools/after_the_last', { limits: {} });
    }
  });
});

describe('one call gathers no more than its settings say', () => {
  const list = 'after_the_last';
  const maxBytes = 1_000;
  const lengths = records(1, 35).map((record) => Buffer.byteLength(JSON.stringify(record)) + 1);
  const fit = lengths.findIndex((_, n) => lengths.slice(0, n + 1).reduce((a, b) => a + b) > maxBytes);

  it.each([
    {
      cap: 'bytes',
      settings: { allMaxBytes: maxBytes },
      ids: numbers(1, fit),
      told: /not all: the size limit for one call was reached\. To continue, call with \{"starting_after":"10"\}/,
      requests: 2,
    },
    {
      cap: 'seconds',
      settings: { allMaxSeconds: 20 },
      // While this page is awaited, the time passes.
      staysAwayAt: '20',
      ids: numbers(1, 20),
      told: /20 records of 2 pages: not all: the time limit for one call was reached\. To continue, .*"starting_after":"20"/,
      requests: 3,
    },
  ])('$cap', async ({ settings, staysAwayAt, ids, told, requests }) => {
    const realNow = Date.now.bind(Date);
    let aheadMs = 0;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs);
    const slow = await serveHttp((request, response) => {
      const after = new URL(request.url!, upstream.origin).searchParams.get('starting_after');
      if (after !== null && after === staysAwayAt) aheadMs = 30_000;
      else void api.listener(request, response);
    });
    const capped = await startGateway({ egressAllow: ['127.0.0.1'], ...settings });
    try {
      const text = JSON.stringify(documentOf(lists, slow.origin));
      await capped.admin('POST', '/imports', { text, api: 'paged' });
      const { body, headers } = modern('tools/call', {
        name: 'call_read',
        arguments: { name: list, arguments: {}, all: true },
      });
      const { result } = (await post(`${capped.url}/mcp/default`, body, headers)).json;
      expect(result.isError, JSON.stringify(result.content).slice(0, 500)).toBeUndefined();
      expect(idsIn(result)).toEqual(ids);
      expect(result.content.at(-1).text).toMatch(told);
      expect(slow.seen).toBe(requests);
    } finally {
      clock.mockRestore();
      await capped.stop();
      await slow.close();
    }
  });
});

describe('a reply that is one page', () => {
  it.each([
    ['header_with_links', {}, /more pages: .*with all: true for every page/],
    ['next_url_in_body', {}, /There are more pages: call again with all: true for every page/],
    ['next_token', {}, /There are more pages: call again with \{"pageToken":"t2"\}, or with all: true/],
    ['page_and_size', { per_page: 10 }, /more pages: call again with \{"page":2\}, or/],
    ['offset_and_limit', { limit: 10 }, /There may be more pages: call again with \{"offset":10\}, or/],
    ['after_the_last', {}, /There are more pages: call again with \{"starting_after":"10"\}/],
    ['rows_by_offset', { limit: 10 }, /There may be more pages: call again with \{"offset":10\}, or/],
    ['elements_by_page', { per_page: 17 }, /There may be more pages: call again with \{"page":2\}, or/],
    // Its document says nothing of pages.
    ['lines_with_a_link_header', {}, /There are more pages: call again with all: true for every page/],
  ])('says that there is more, and how to go on: %s', async (name, args, told) => {
    const result = await call('call_read', { name, arguments: args });
    expect(result.content.at(-1).text).toMatch(told);
  });

  it.each(undeclared)(
    'says so where only its body tells, and nothing where that means something else: $name',
    async ({ name, told }) => {
      const { body: tool } = await running.admin('GET', `/tools/${name}`);
      const { pagination: _, ...operation } = tool.operation;
      await running.admin('PATCH', `/tools/${name}`, { operation });
      const { content } = await call('call_read', { name, arguments: {} });
      if (told === null) expect(content).toHaveLength(1);
      else expect(content.at(-1).text).toMatch(told);
    },
  );

  it.each([
    ['after_the_last', { starting_after: '30' }],
    ['pages_from_zero', { page: 3 }],
    ['next_token', { pageToken: 't5' }],
    ['offset_and_limit', { offset: 30, limit: 10 }],
  ])('says nothing when it is the last: %s', async (name, args) => {
    const result = await call('call_read', { name, arguments: args });
    expect(JSON.stringify(result.content)).not.toContain('more pages');
  });

  it('names what the caller can give: nothing in direct mode, until a server turns it on', async () => {
    await running.admin('POST', '/servers', {
      slug: 'direct',
      name: 'Direct',
      tools: '*',
      mode: 'direct',
      policy: 'open',
    });
    const plain = await call('after_the_last', {}, 'direct');
    expect(plain.content.at(-1).text).toBe(
      '[There are more pages: call again with {"starting_after":"10"}.]',
    );
    await running.admin('PATCH', '/servers/direct', { pageArguments: true });
    const more = await call('after_the_last', {}, 'direct');
    expect(more.content.at(-1).text).toContain('or with _all: true for every page');
    const { body, headers } = modern('tools/list');
    const { tools } = (await post(`${running.url}/mcp/direct`, body, headers)).json.result;
    const listed = tools.find(({ name }: { name: string }) => name === 'after_the_last');
    expect(Object.keys(listed.inputSchema.properties)).toEqual(
      expect.arrayContaining(['starting_after', '_all', '_max_items']),
    );
    const all = await call('after_the_last', { _all: true, _max_items: 12 }, 'direct');
    expect(idsIn(all)).toEqual(numbers(1, 12));
  });
});

describe('every way to call', () => {
  const asked = { name: 'after_the_last', arguments: {}, all: true, max_items: 15 };
  const unusual = { 'example.com/unusual': 1 };

  it.each([
    ['the fast lane', {}],
    ['the SDK', { _meta: unusual }],
  ])('gathers through %s, in both eras and over stdio', async (_, more) => {
    const message = modern('tools/call', { name: 'call_read', arguments: asked, ...more });
    const legacy = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'call_read', arguments: asked, ...more },
    };
    const accept = { accept: 'application/json' };
    const url = `${running.url}/mcp/default`;
    const answers = [
      await post(url, message.body, { ...message.headers, ...accept }),
      await post(url, legacy, { 'mcp-protocol-version': '2025-06-18', ...accept }),
    ];
    for (const answer of answers) expect(idsIn(answer.json.result)).toEqual(numbers(1, 15));
    expect(idsIn((await overStdio(message.body)).result)).toEqual(numbers(1, 15));
  });

  it('gathers for HandsAI, for operators and for the command line', async () => {
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: asked };
    const handsai = await post(`${running.url}/mcp/tools/call`, rpc);
    expect(idsIn(handsai.json.result)).toEqual(numbers(1, 15));
    const wrong = { ...rpc, params: { ...asked, max_items: 'few' } };
    const refused = await post(`${running.url}/mcp/tools/call`, wrong);
    expect(refused.json.error.message).toContain('max_items must be a whole number');
    const path = '/tools/after_the_last/call';
    const trial = await running.admin('POST', path, { arguments: {}, all: true, maxItems: 15 });
    expect(idsIn(trial.body)).toEqual(numbers(1, 15));
    const printed: string[] = [];
    const input: CommandInput = {
      words: ['after_the_last'],
      options: { all: true, 'max-items': '15' },
      config: { adminToken } as CommandInput['config'],
      json: true,
      url: running.url,
      print: (line) => void printed.push(line),
      printError: (line) => void printed.push(line),
    };
    expect(await callCommand.run(input)).toBe(exitCode.ok);
    expect(idsIn(JSON.parse(printed[0]!))).toEqual(numbers(1, 15));
  });

  it('tells a client that asked for progress of each page', async () => {
    const { body, headers } = modern('tools/call', {
      name: 'call_read',
      arguments: { ...asked, max_items: 35 },
      _meta: { progressToken: 'p' },
    });
    const { text } = await post(`${running.url}/mcp/default`, body, headers);
    const told = [...text.matchAll(/^data: (.*)$/gm)]
      .map(([, line]) => JSON.parse(line!) as { method?: string; params: { progress: number } })
      .filter(({ method }) => method === 'notifications/progress');
    expect(told.map(({ params }) => params.progress)).toEqual([10, 20, 30, 35]);
  });
});

async function overStdio(message: object) {
  const input = new PassThrough();
  const output = new PassThrough();
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const { mcp } = running.gateway.context;
  const lane = await mcp.serveLines(createLineChannel(input, output), 'default', localCaller, new Set());
  input.write(`${JSON.stringify(message)}\n`);
  const line = (await lines.next()) as { value: string };
  await lane.close();
  return JSON.parse(line.value);
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
