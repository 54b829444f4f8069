import { afterEach, describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../src/domain/call.ts';
import { HandrailError } from '../../../src/domain/errors.ts';
import { code } from '../../../src/mount/code.ts';
import { handrail, type Handrail, type HostContext, type MountOptions } from '../../../src/mount/handrail.ts';

const operation = (operationId: string, more: object = {}) => ({
  operationId,
  responses: { 200: { description: 'OK' } },
  ...more,
});
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const document = {
  openapi: '3.1.0',
  info: { title: 'Books', version: '1' },
  servers: [{ url: 'https://books.example/v1' }],
  paths: {
    '/books/{id}': {
      get: operation('getBook', { tags: ['public'], parameters: [id] }),
      delete: operation('deleteBook', { parameters: [id] }),
    },
    '/books': {
      get: operation('listBooks', { tags: ['public'] }),
      post: operation('addBook', {
        requestBody: {
          content: {
            'application/json': { schema: { type: 'object', properties: { title: { type: 'string' } } } },
          },
        },
      }),
    },
    '/elsewhere': { get: operation('elsewhere', { servers: [{ url: 'https://other.example' }] }) },
  },
};

const opened: Handrail[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function mount(options: Partial<MountOptions> = {}): Promise<Handrail> {
  const mcp = await handrail({ document, fetch: () => Response.json({ ok: true }), ...options });
  opened.push(mcp);
  return mcp;
}

interface Told {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Sent {
  readonly headers?: Record<string, string>;
  readonly host?: HostContext;
  readonly signal?: AbortSignal;
  readonly url?: string;
}

function post(mcp: Handrail, body: object | string, { headers, host, signal, url }: Sent = {}) {
  const request = new Request(url ?? 'http://app.test/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
  return mcp.fetch(request, host);
}

async function rpc(mcp: Handrail, method: string, params: object = {}, sent: Sent = {}): Promise<Told> {
  const response = await post(mcp, { jsonrpc: '2.0', id: 1, method, params }, sent);
  return { status: response.status, ...((await response.json()) as object) };
}

async function call(mcp: Handrail, name: string, args: object = {}, sent: Sent = {}) {
  const { result, error } = await rpc(mcp, 'tools/call', { name, arguments: args }, sent);
  if (error) return { failed: true, text: error.message };
  return { failed: result.isError === true, text: result.content[0].text as string };
}

const namesOf = async (mcp: Handrail, sent: Sent = {}): Promise<string[]> =>
  (await rpc(mcp, 'tools/list', {}, sent)).result.tools.map(({ name }: { name: string }) => name);

describe('a mounted server', () => {
  it('lists tools and calls them in process, at the path of the document’s server', async () => {
    const seen: string[] = [];
    const mcp = await mount({
      async fetch(request, { tool }) {
        seen.push(`${tool} ${request.method} ${request.url} ${await request.text()}`);
        return Response.json({ id: 7 }, { status: request.method === 'POST' ? 201 : 200 });
      },
    });
    expect(await namesOf(mcp)).toEqual([
      'getBook',
      'deleteBook',
      'listBooks',
      'addBook',
      'elsewhere',
      'read_reply',
    ]);
    expect(await call(mcp, 'getBook', { id: 7 })).toEqual({ failed: false, text: '{"id":7}' });
    await call(mcp, 'addBook', { title: 'Dune' });
    expect(seen).toEqual([
      'getBook GET http://localhost/v1/books/7 ',
      'addBook POST http://localhost/v1/books {"title":"Dune"}',
    ]);
  });

  it('takes a document as an object, text, a path of the app or a function', async () => {
    const text = JSON.stringify(document);
    const served = {
      fetch: (request: Request) =>
        new URL(request.url).pathname === '/openapi.json'
          ? new Response(text)
          : new Response(null, { status: 404 }),
    };
    for (const source of [document, text, '/openapi.json', () => document, async () => text])
      expect((await mount({ document: source, ...served })).tools()).toHaveLength(5);
    await expect(mount({ document: '/none.json', ...served })).rejects.toThrow('HTTP 404');
    await expect(mount({ document: 'https://app.test/openapi.json' })).rejects.toThrow(
      'opens no connections',
    );
    await expect(mount({ document: { info: {} } })).rejects.toThrow('not an OpenAPI');
    await expect(handrail({} as MountOptions)).rejects.toThrow('Pass document');
    await expect(handrail({ document } as unknown as MountOptions)).rejects.toThrow('Pass fetch');
  });

  it('selects, renames, describes and hides, and says when a name is wrong', async () => {
    const mcp = await mount({
      select: ['tag:public'],
      tools: { rename: { getBook: 'read_book' }, describe: { listBooks: 'Every book.' } },
    });
    expect(mcp.tools().map(({ name, description, kind }) => [name, description, kind])).toEqual([
      ['read_book', expect.any(String), 'read'],
      ['listBooks', 'Every book.', 'read'],
    ]);
    const byRule = await mount({
      readOnly: true,
      tools: { hide: ({ tags }) => !tags.includes('public'), rename: ({ name }) => `books_${name}` },
    });
    expect(byRule.tools().map(({ name }) => name)).toEqual(['books_getBook', 'books_listBooks']);
    await expect(mount({ tools: { hide: ['getBok'] } })).rejects.toThrow('Did you mean "getBook"?');
    await expect(mount({ tools: { rename: { getBook: 'listBooks' } } })).rejects.toThrow('Two tools');
    await expect(mount({ tools: { rename: { getBook: 'a b' } } })).rejects.toThrow('cannot be the name');
    await expect(mount({ select: ['tag:none'] })).rejects.toThrow('None of the 5 operations');
  });

  it('forwards only the headers that were named, and keeps their secrets out of replies', async () => {
    const echo = (request: Request) => Response.json(Object.fromEntries(request.headers));
    const headers = { authorization: 'Bearer secret-token-1', 'x-tenant': 'acme', cookie: 'a=1' };
    const told = async (forward?: string[]) =>
      JSON.parse(
        (await call(await mount({ fetch: echo, ...(forward && { forward }) }), 'listBooks', {}, { headers }))
          .text,
      ) as object;
    const bare = await told();
    expect(Object.keys(bare).toSorted()).toEqual(['accept', 'handrail-via', 'user-agent']);
    const named = await told(['Authorization', 'X-Tenant']);
    expect(named).toMatchObject({ 'x-tenant': 'acme' });
    expect(named).toHaveProperty('authorization');
    expect(JSON.stringify(named)).not.toContain('secret-token-1');
    await expect(mount({ forward: ['mcp-session-id'] })).rejects.toThrow('cannot be passed on');
  });

  it('passes on what the app knows about the caller, and shows only what it allows them', async () => {
    const seen: unknown[] = [];
    const mcp = await mount({
      allow: ({ kind }, host) => kind === 'read' || host['isAdmin'] === true,
      fetch(_request, { host }) {
        seen.push(host);
        return Response.json({});
      },
    });
    const host = { user: { id: 'u1', name: 'Ann' }, tenant: 'acme', isAdmin: true };
    expect(await namesOf(mcp, { host })).toContain('deleteBook');
    expect(await namesOf(mcp)).not.toContain('deleteBook');
    expect(await call(mcp, 'deleteBook', { id: 1 })).toEqual({
      failed: true,
      text: expect.stringContaining('Unknown tool: deleteBook'),
    });
    await call(mcp, 'deleteBook', { id: 1 }, { host });
    expect(seen).toEqual([host]);
  });

  it('hands each call to onCall, without contents unless asked, and survives one that throws', async () => {
    const records: CallRecord[] = [];
    const host = { user: { id: 'u1', name: 'Ann' }, tenant: 'acme' };
    const mcp = await mount({ onCall: (record) => void records.push(record) });
    await call(mcp, 'getBook', { id: 7 }, { host });
    await call(mcp, 'getBook', { id: 'x' });
    expect(
      records.map(({ toolName, outcome, callerId, callerLabel, argumentsText }) => [
        toolName,
        outcome,
        callerId,
        callerLabel,
        argumentsText,
      ]),
    ).toEqual([
      ['getBook', 'ok', 'host:acme/u1', 'Ann', null],
      ['getBook', 'invalid_arguments', 'anonymous', 'anonymous', null],
    ]);
    const log: string[] = [];
    const broken = await mount({
      log: { error: (message) => void log.push(message) },
      onCall() {
        throw new Error('no');
      },
    });
    expect(await call(broken, 'getBook', { id: 7 })).toMatchObject({ failed: false });
    expect(log).toEqual(['handrail: onCall failed']);
  });

  it('tells the app why its fetch threw, and the model only that there was no answer', async () => {
    const log: unknown[] = [];
    const mcp = await mount({
      fetch() {
        throw new Error('a secret of the app');
      },
      log: { error: (message, error) => void log.push(message, error) },
    });
    const { failed, text } = await call(mcp, 'getBook', { id: 7 });
    expect([failed, text]).toEqual([true, expect.not.stringContaining('secret')]);
    expect(log).toEqual([
      "handrail: the app's fetch threw during getBook",
      expect.objectContaining({ message: 'a secret of the app' }),
    ]);
  });

  it('reads a response of another class, as polyfills and undici make them', async () => {
    const { Response: Other } = await import('undici');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what an app may return without knowing
    const answer = () => Other.json({ id: 7 }, { headers: { 'set-cookie': 'a=b' } }) as unknown as Response;
    expect(await call(await mount({ fetch: answer }), 'getBook', { id: 7 })).toMatchObject({ failed: false });
  });

  it('survives an app that answers nothing, and does so too late', async () => {
    let answered = () => {};
    const late = new Promise<undefined>((resolve) => (answered = () => resolve(undefined)));
    const mcp = await mount({
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what an app may return without knowing
      fetch: () => late as unknown as Promise<Response>,
      limits: { firstByteTimeoutMs: 50 },
    });
    expect(await call(mcp, 'getBook', { id: 7 })).toMatchObject({ failed: true });
    const failures: unknown[] = [];
    const keep = (error: unknown) => void failures.push(error);
    process.on('unhandledRejection', keep);
    answered();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', keep);
    expect(failures).toEqual([]);
  });

  it('offers tools in code, with their arguments checked and what the app passed', async () => {
    const mcp = await mount({
      native: {
        greet: {
          description: 'Greets.',
          inputSchema: { properties: { name: { type: 'string' } }, required: ['name'] },
          readOnly: true,
          call({ name }, { host }) {
            if (name === 'Bob') throw new HandrailError('forbidden', 'Bob is not greeted here.');
            if (name === 'Eve') throw new Error('a secret of the app');
            return { text: `Hello ${String(name)} from ${host.tenant}` };
          },
        },
      },
      log: { error() {} },
    });
    expect((await namesOf(mcp))[0]).toBe('greet');
    const host = { tenant: 'acme' };
    const { result } = await rpc(mcp, 'tools/call', { name: 'greet', arguments: { name: 'Ann' } }, { host });
    expect(result.structuredContent).toEqual({ text: 'Hello Ann from acme' });
    expect(await call(mcp, 'greet')).toEqual({ failed: true, text: expect.stringContaining('name') });
    expect(await call(mcp, 'greet', { name: 'Bob' })).toEqual({
      failed: true,
      text: 'Bob is not greeted here.',
    });
    expect((await call(mcp, 'greet', { name: 'Eve' })).text).not.toContain('secret of the app');
  });

  it('stops a tool that calls the endpoint it was called through, also by way of another one', async () => {
    const inner = (request: Request) =>
      post(
        other,
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'listBooks' } },
        { headers: { 'handrail-via': request.headers.get('handrail-via')! } },
      );
    const mcp = await mount({ fetch: inner });
    const other: Handrail = await mount({
      fetch: (request) =>
        post(
          mcp,
          { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'listBooks' } },
          { headers: { 'handrail-via': request.headers.get('handrail-via')! } },
        ),
    });
    expect((await call(mcp, 'listBooks')).text).toContain('which would never end');
  });

  it('refuses pages of other origins, bodies that are not JSON and bodies that are too large', async () => {
    const mcp = await mount({ allowedOrigins: ['https://friend.test'], limits: { maxBodyBytes: 1_000 } });
    const status = async (sent: Sent, body: object | string = { jsonrpc: '2.0', id: 1, method: 'ping' }) =>
      (await post(mcp, body, sent)).status;
    expect(await status({ headers: { origin: 'https://evil.test' } })).toBe(403);
    expect(await status({ headers: { origin: 'null' } })).toBe(403);
    expect(await status({ headers: { origin: 'https://friend.test' } })).toBe(200);
    expect(await status({ headers: { origin: 'http://app.test' } })).toBe(200);
    expect(await status({ headers: { 'content-type': 'text/plain' } })).toBe(415);
    expect(await status({}, 'x'.repeat(1_001))).toBe(413);
    expect(await status({}, '{')).toBe(400);
  });

  it('keeps calls within the app: an operation of another server is refused, not sent', async () => {
    const mcp = await mount({ fetch: () => Promise.reject(new Error('must not be called')) });
    expect(await call(mcp, 'elsewhere')).toEqual({
      failed: true,
      text: expect.stringContaining('https://other.example'),
    });
  });

  it('reads statuses, errors and streams of the app as it would over a network', async () => {
    const replies: Record<string, () => Response | Promise<Response>> = {
      missing: () => Response.json({ detail: 'No such book.' }, { status: 404 }),
      empty: () => new Response(null, { status: 204 }),
      throws: () => Promise.reject(new Error('a secret of the app')),
      wrong: () => 'nothing' as unknown as Response,
      slow: () => new Promise(() => {}),
      large: () => new Response('x'.repeat(20_000), { headers: { 'content-type': 'text/plain' } }),
      stream: () =>
        new Response(
          new ReadableStream({
            start(controller) {
              for (const n of [1, 2]) controller.enqueue(new TextEncoder().encode(`data: ${n}\n\n`));
              controller.close();
            },
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    };
    const told = async (kind: string) =>
      call(
        await mount({
          fetch: () => replies[kind]!(),
          limits: { firstByteTimeoutMs: 50, maxReplyBytes: 10_000 },
        }),
        'listBooks',
      );
    expect((await told('missing')).text).toContain('No such book.');
    expect(await told('empty')).toMatchObject({ failed: false });
    const thrown = await told('throws');
    expect(thrown.failed).toBe(true);
    expect(thrown.text).not.toContain('secret of the app');
    expect(await told('wrong')).toMatchObject({ failed: true });
    expect((await told('slow')).text).toMatch(/in time|too long/);
    expect((await told('large')).text).toMatch(/large/);
    expect((await told('stream')).text).toContain('data: 2');
  });

  it('aborts the app’s request when the client leaves', async () => {
    const gone = new AbortController();
    const aborted = new Promise<unknown>((resolve) => {
      void mount({
        fetch: (request) =>
          new Promise(() => {
            request.signal.addEventListener('abort', () => resolve(request.signal.aborted));
            gone.abort();
          }),
      }).then((mcp) => call(mcp, 'listBooks', {}, { signal: gone.signal }).catch(() => {}));
    });
    expect(await aborted).toBe(true);
  });

  it('keeps the rest of a long reply for its caller alone', async () => {
    const long = Array.from({ length: 4_000 }, (_, n) => ({ n, name: `Book ${n}` }));
    const mcp = await mount({ fetch: () => Response.json(long), forward: ['authorization'] });
    const as = (token: string): Sent => ({ headers: { authorization: `Bearer ${token}` } });
    const { text } = await call(mcp, 'listBooks', {}, as('ann-ann-ann'));
    const [handle] = /reply_[\w-]{22}/.exec(text)!;
    const args = { handle, offset: 3_000 };
    expect((await call(mcp, 'read_reply', args, as('ann-ann-ann'))).text).toContain('Book 3000');
    expect((await call(mcp, 'read_reply', args, as('bob-bob-bob'))).text).not.toContain('Book 3000');
  });

  it('searches when the list would cost too much', async () => {
    const mcp = await mount({ limits: { listBudget: 10 } });
    expect(await namesOf(mcp)).toContain('search_tools');
    const found = await call(mcp, 'search_tools', { query: 'delete a book' });
    expect(found.text).toContain('deleteBook');
    expect(await call(mcp, 'call_read', { name: 'getBook', arguments: { id: 1 } })).toEqual({
      failed: false,
      text: '{"ok":true}',
    });
    expect((await call(mcp, 'run_code', { code: 'return 1' })).text).toContain('not allowed');
  });

  it('runs scripts with code mode, which is an import of its own', async () => {
    const records: CallRecord[] = [];
    await expect(mount({ mode: 'code' })).rejects.toThrow('handrail/mount/code');
    const mcp = await mount({ mode: 'code', code: code(), onCall: (record) => void records.push(record) });
    const { text } = await call(mcp, 'run_code', {
      code: 'const book = await tools.books.getBook({ id: 3 }); return { got: book.ok };',
    });
    expect(text).toContain('"got":true');
    expect(records.map(({ toolName, parentId }) => [toolName, parentId !== null])).toEqual([
      ['getBook', true],
      ['run_code', false],
    ]);
  });

  it('tells listening clients when the document changed, and keeps the names of its tools', async () => {
    let current: object = document;
    const mcp = await mount({ document: () => current });
    const stream = await post(mcp, {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    });
    const session = stream.headers.get('mcp-session-id')!;
    await stream.text();
    const listening = await mcp.fetch(
      new Request('http://app.test/mcp', {
        headers: {
          accept: 'text/event-stream',
          'mcp-session-id': session,
          'mcp-protocol-version': '2025-06-18',
        },
      }),
    );
    expect(listening.headers.get('content-type')).toBe('text/event-stream');
    current = { ...document, paths: { '/books': document.paths['/books'] } };
    await mcp.refresh();
    expect(mcp.tools().map(({ name }) => name)).toEqual(['listBooks', 'addBook']);
    const reader = listening.body!.getReader();
    let text = '';
    while (!text.includes('list_changed')) text += new TextDecoder().decode((await reader.read()).value);
    await mcp.close();
    while (!(await reader.read()).done);
  });

  it('serves its explorer next to the endpoint, and calls tools there', async () => {
    const mcp = await mount({ explorer: true, fetch: () => Response.json({ id: 7 }) });
    const get = (path: string) => mcp.fetch(new Request(`http://app.test/mcp${path}`));
    expect(await (await get('/explorer')).text()).toContain('</html>');
    expect(((await (await get('/explorer/tools')).json()) as object[]).length).toBe(5);
    expect(await (await get('/explorer/about')).json()).toMatchObject({ address: 'http://app.test/mcp' });
    const called = await post(mcp, { id: 7 }, { url: 'http://app.test/mcp/explorer/tools/getBook/call' });
    expect(await called.json()).toMatchObject({ isError: false, content: [{ text: '{"id":7}' }] });
    const crossed = await post(
      mcp,
      { id: 7 },
      {
        url: 'http://app.test/mcp/explorer/tools/getBook/call',
        headers: { origin: 'https://evil.test' },
      },
    );
    expect(crossed.status).toBe(403);
  });

  it('answers that it is closed once it is', async () => {
    const mcp = await mount();
    await mcp.close();
    expect(await rpc(mcp, 'tools/list')).toMatchObject({ status: 503 });
    await expect(mcp.refresh()).rejects.toThrow('closed');
    await mcp.close();
  });
});
