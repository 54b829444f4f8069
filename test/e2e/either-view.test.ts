import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern, post } from '../support/mcp-surface.ts';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';
import { serveHttp, type TestServer } from '../support/servers/http-server.ts';

interface Result {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: object;
  readonly isError?: boolean;
}

// Some clients show a model the text of a result, others the structure in place of the text.
const inText = ({ content }: Result) => content.map(({ text }) => text ?? '').join('\n');
const inStructure = (result: Result) =>
  result.structuredContent === undefined ? inText(result) : JSON.stringify(result.structuredContent);

const object = (properties: object) => ({ type: 'object', properties });
const item = object({ id: { type: 'integer' }, name: { type: 'string' } });
const large = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `name ${id} of many` }));

describe('what a client needs to continue is in the text of a result, and in its structure', () => {
  let upstream: TestServer;
  let running: RunningGateway;

  beforeAll(async () => {
    upstream = await serveHttp((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
      const json = (status: number, value: unknown, headers: Record<string, string> = {}) =>
        response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify(value));
      const page = Number(searchParams.get('page') ?? '1');
      if (pathname === '/pages')
        json(200, [{ id: page, name: 'a' }], {
          link: `<${upstream.origin}/pages?page=${page + 1}>; rel="next"`,
        });
      else if (pathname === '/large') json(200, { items: large });
      else if (pathname === '/made')
        json(201, { id: 7, name: 'made' }, { location: '/made/7', etag: '"v7"' });
      else if (pathname === '/jobs')
        json(202, { id: 9, name: 'queued' }, { location: `${upstream.origin}/jobs/9`, 'retry-after': '3' });
      else if (pathname === '/empty') response.writeHead(204).end();
      else if (pathname === '/words')
        response.writeHead(200, { 'content-type': 'text/plain' }).end('just some words');
      else if (pathname === '/file')
        response
          .writeHead(200, {
            'content-type': 'application/pdf',
            'content-disposition': 'attachment; filename="report.pdf"',
          })
          .end(Buffer.alloc(2_000, 7));
      else if (pathname === '/bad') json(422, { errors: [{ field: 'name', message: 'is taken' }] });
      else json(200, { id: 9, name: 'running' });
    });
    running = await startGateway({ egressAllow: ['127.0.0.1'] });
    const make = async (path: string, body: object) =>
      expect((await running.admin('POST', path, body)).status).toBe(201);
    await make('/apis', { slug: 'shop', name: 'Shop', baseUrl: upstream.origin });
    const tool = (name: string, method: string, path: string, replySchema: object, more: object = {}) =>
      make('/tools', {
        api: 'shop',
        name,
        description: `Does ${name.replaceAll('_', ' ')}.`,
        operation: { method, path, replySchema, parameters: [], ...more },
      });
    const page = { name: 'page', in: 'query', schema: { type: 'integer' } };
    await tool(
      'list_pages',
      'GET',
      '/pages',
      { type: 'array', items: item },
      {
        parameters: [page],
        pagination: { kind: 'page', parameter: 'page' },
      },
    );
    await tool('list_large', 'GET', '/large', object({ items: { type: 'array', items: item } }));
    await tool('make_one', 'POST', '/made', item);
    await tool('start_job', 'POST', '/jobs', item);
    await tool('get_job', 'GET', '/jobs/{id}', item, {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
    });
    await tool('get_empty', 'GET', '/empty', item);
    await tool('get_words', 'GET', '/words', item);
    await tool('get_file', 'GET', '/file', item);
    await tool('make_bad', 'POST', '/bad', item);
    const server = {
      tools: '*',
      policy: 'open',
      ratePerMinute: 0,
      listOutputSchemas: true,
      pageArguments: true,
    };
    await make('/servers', { ...server, slug: 'direct', name: 'Direct', mode: 'direct' });
    await make('/servers', { ...server, slug: 'search', name: 'Search', mode: 'search' });
    await make('/servers', { ...server, slug: 'code', name: 'Code', mode: 'code' });
  });
  afterAll(async () => {
    await running.stop();
    await upstream.close();
  });

  async function call(server: string, name: string, args: object = {}, more: object = {}): Promise<Result> {
    const { body, headers } = modern('tools/call', { name, arguments: args, ...more });
    const { json } = await post(`${running.url}/mcp/${server}`, body, headers);
    return json.result;
  }

  const needed: readonly [what: string, name: string, args: object, needs: readonly RegExp[]][] = [
    ['one page of a list', 'list_pages', {}, [/There are more pages/, /page\D+2/]],
    ['gathered pages', 'list_pages', { _all: true, _max_items: 3 }, [/3 records/, /maximum requested/]],
    ['a long reply', 'list_large', {}, [/reply_[\w-]{20}/, /read_reply/, /until|expires/, /items/, /name 0/]],
    ['something created', 'make_one', {}, [/\/made\/7/, /v7/, /made/]],
    ['an accepted job', 'start_job', {}, [/get_job/, /retry-after/, /queued/]],
    ['an empty reply', 'get_empty', {}, [/succeeded/]],
    ['words where an object was promised', 'get_words', {}, [/just some words/]],
    [
      'a file',
      'get_file',
      {},
      [/reply_[\w-]{20}/, /report\.pdf/, /pass this handle|Pass the handle/, /20\d\d-/],
    ],
    ['an error', 'make_bad', {}, [/name: is taken/, /Change the arguments|no arguments to change/]],
    ['wrong arguments', 'get_job', { id: 'x' }, [/id/, /integer/]],
  ];

  it.each(needed)('%s, called directly', async (_what, name, args, needs) => {
    for (const more of [{}, { _meta: { 'example.com/unusual': 1 } }]) {
      const result = await call('direct', name, args, more);
      for (const need of needs) {
        expect(inText(result)).toMatch(need);
        expect(inStructure(result)).toMatch(need);
      }
    }
  });

  it.each(needed)('%s, called by call_read or call_write', async (_what, name, args, needs) => {
    const { _all: all, _max_items: max_items, ...rest } = args as Record<string, unknown>;
    const kind = /^(?:make|start)/.test(name) ? 'call_write' : 'call_read';
    const result = await call('search', kind, { name, arguments: rest, all, max_items });
    for (const need of needs) {
      expect(inText(result)).toMatch(need);
      expect(inStructure(result)).toMatch(need);
    }
  });

  it('in every answer of the other built-in tools', async () => {
    const handle = /reply_[\w-]{20,}/.exec(inText(await call('direct', 'list_large')))![0];
    const answers: readonly [server: string, name: string, args: object, needs: readonly RegExp[]][] = [
      ['search', 'search_tools', { query: 'list pages', limit: 1 }, [/list_pages\(/, /More tools match/]],
      ['search', 'search_tools', { query: 'zzzz' }, [/Nothing was found/, /Try other words/]],
      ['search', 'search_tools', {}, [/query must be/]],
      ['search', 'describe_tools', { names: ['get_job', 'get_jobb'] }, [/"inputSchema"/, /get_jobb/]],
      ['search', 'describe_tools', { names: ['get_jobb'] }, [/Did you mean "?get_job/]],
      ['search', 'call_read', { name: 'get_jobb' }, [/Did you mean "?get_job/]],
      ['search', 'call_read', { name: 'make_one' }, [/use call_write/]],
      ['direct', 'read_reply', { handle, select: 'items', offset: 10, limit: 2 }, [/"id":10\b/, /of 3,?000/]],
      ['direct', 'read_reply', { handle, search: 'name 2999 ' }, [/2999/]],
      ['direct', 'read_reply', { handle: 'reply_x' }, [/Repeat the call/]],
      ['code', 'run_code', { code: 'return await tools.shop.list_pages();' }, [/There are more pages/]],
      [
        'code',
        'run_code',
        { code: 'return (await tools.shop.list_large()).items;' },
        [/reply_/, /read_reply/],
      ],
      ['code', 'run_code', { code: 'return 1 +;' }, [/SyntaxError/, /line 1/]],
    ];
    for (const [server, name, args, needs] of answers) {
      const result = await call(server, name, args);
      for (const need of needs) {
        expect(inText(result), name).toMatch(need);
        expect(inStructure(result), name).toMatch(need);
      }
    }
  });

  it('lists read_reply last, and writes arguments as text for Gemini', async () => {
    for (const server of ['direct', 'search', 'code']) {
      const { body, headers } = modern('tools/list');
      const { tools } = (await post(`${running.url}/mcp/${server}?dialect=gemini`, body, headers)).json
        .result;
      expect(tools.at(-1).name).toBe('read_reply');
      for (const { inputSchema } of tools)
        for (const schema of Object.values<{ type: string; description?: string }>(
          inputSchema.properties ?? {},
        )) {
          if (server !== 'direct') expect(schema.description).toMatch(/\w/);
          expect(schema.type).not.toBe('object');
        }
    }
    const result = await call('search', 'call_read', { name: 'get_job', arguments: '{"id": 9}' });
    expect(inText(result)).toContain('running');
  });
});
