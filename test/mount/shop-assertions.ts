import { expect } from 'vitest';

// What the tools of the example shop must do, wherever they are served: mounted in an app of any framework, or by a
// gateway in front of one.

/** A server with the shop's tools, as two callers reach it. */
export interface ShopTarget {
  /** As Ann, who is signed in. */
  readonly ann: Endpoint;
  /** As someone who isn't. */
  readonly anyone: Endpoint;
}

export interface Endpoint {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Message {
  readonly status: number;
  readonly session: string | null;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

async function rpc(
  { url, headers }: Endpoint,
  method: string,
  params: object = {},
  { query = '', signal }: { readonly query?: string; readonly signal?: AbortSignal } = {},
): Promise<Message> {
  const response = await fetch(url + query, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'mcp-protocol-version': '2025-06-18',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    ...(signal && { signal }),
  });
  const { status } = response;
  const session = response.headers.get('mcp-session-id');
  return { status, session, ...((await response.json()) as object) };
}

async function call(at: Endpoint, name: string, args: object = {}, query = '') {
  const { result, error } = await rpc(at, 'tools/call', { name, arguments: args }, { query });
  if (error) return { failed: true, text: error.message };
  const content = result.content as { readonly text?: string }[];
  return { failed: result.isError === true, text: content.map(({ text = '' }) => text).join('\n') };
}

const data = async (at: Endpoint, name: string, args: object = {}) => {
  const { failed, text } = await call(at, name, args);
  expect(failed, text).toBe(false);
  return JSON.parse(text.split('\n[', 1)[0]!.split('\nHeaders', 1)[0]!) as Record<string, unknown>;
};

const tools = async (at: Endpoint) =>
  (await rpc(at, 'tools/list')).result.tools as {
    readonly name: string;
    readonly inputSchema: {
      readonly required?: string[];
      readonly properties: Record<string, { readonly type?: string }>;
    };
    readonly annotations: Record<string, boolean>;
  }[];

const tool = async (at: Endpoint, name: string) => (await tools(at)).find((one) => one.name === name)!;

const names = [
  'listBooks',
  'addBook',
  'getBook',
  'deleteBook',
  'whoAmI',
  'uploadCover',
  'watchEvents',
  'countVisit',
];
const dune = { id: 1, title: 'Dune', author: 'Herbert', price: 9.99 };
const pictureOf = (bytes: Uint8Array) =>
  `data:image/png;name=cover.png;base64,${Buffer.from(bytes).toString('base64')}`;

/** The forty assertions, each by what it asserts. */
export const shopAssertions: Readonly<Record<string, (target: ShopTarget) => Promise<void>>> = {
  async 'lists a tool for each of the eight routes'({ ann }) {
    expect((await tools(ann)).map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  },
  async 'asks for the id of a book, as an integer'({ ann }) {
    expect((await tool(ann, 'getBook')).inputSchema).toMatchObject({
      required: ['id'],
      properties: { id: { type: 'integer' } },
    });
  },
  async 'asks for the fields of a body as arguments'({ ann }) {
    const { inputSchema } = await tool(ann, 'addBook');
    expect(Object.keys(inputSchema.properties)).toEqual(['title', 'author', 'price']);
  },
  async 'says that a list only reads'({ ann }) {
    expect((await tool(ann, 'listBooks')).annotations['readOnlyHint']).toBe(true);
  },
  async 'says that a deletion destroys'({ ann }) {
    expect((await tool(ann, 'deleteBook')).annotations['destructiveHint']).toBe(true);
  },
  async 'asks for no credential'({ ann }) {
    expect((await tool(ann, 'whoAmI')).inputSchema.properties).toEqual({});
  },
  async 'introduces itself'({ ann }) {
    const { result } = await rpc(ann, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    expect(result).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { title: 'Shop' } });
  },
  async 'opens a session'({ ann }) {
    const { session } = await rpc(ann, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    expect(session).toBeTruthy();
  },
  async 'answers a ping'({ ann }) {
    expect((await rpc(ann, 'ping')).result).toEqual({});
  },
  async 'answers the current revision as well'({ ann }) {
    const response = await fetch(ann.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'server/discover',
        ...ann.headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'server/discover',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    expect(await response.json()).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } });
  },
  async 'opens an event stream for a session'({ ann }) {
    const { session } = await rpc(ann, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    const gone = new AbortController();
    const headers = { accept: 'text/event-stream', 'mcp-session-id': session!, ...ann.headers };
    const response = await fetch(ann.url, { headers, signal: gone.signal });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    gone.abort();
  },
  async 'ends a session'({ ann }) {
    const { session } = await rpc(ann, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    const headers = { 'mcp-session-id': session!, ...ann.headers };
    expect((await fetch(ann.url, { method: 'DELETE', headers })).status).toBe(200);
  },
  async 'refuses what is not JSON'({ ann }) {
    const headers = { 'content-type': 'application/json', ...ann.headers };
    expect((await fetch(ann.url, { method: 'POST', headers, body: '{' })).status).toBe(400);
  },
  async 'refuses a page of another origin'({ ann }) {
    const headers = { 'content-type': 'application/json', origin: 'https://evil.test', ...ann.headers };
    expect((await fetch(ann.url, { method: 'POST', headers, body: '{}' })).status).toBe(403);
  },
  async 'suggests a name for a tool that does not exist'({ ann }) {
    expect((await call(ann, 'listBook')).text).toContain('listBooks');
  },
  async 'reads a list'({ ann }) {
    expect(await data(ann, 'listBooks')).toContainEqual(dune);
  },
  async 'sends a query'({ ann }) {
    expect(await data(ann, 'listBooks', { author: 'Herbert' })).toEqual([dune]);
  },
  async 'encodes a query'({ ann }) {
    expect(await data(ann, 'listBooks', { author: 'Le Guin' })).toHaveLength(2);
  },
  async 'refuses an argument of the wrong type, and says which'({ ann }) {
    const { failed, text } = await call(ann, 'listBooks', { copies: 'many' });
    expect({ failed, text }).toEqual({ failed: true, text: expect.stringContaining('copies') });
  },
  async 'refuses a call without a required argument'({ ann }) {
    expect(await call(ann, 'getBook')).toEqual({ failed: true, text: expect.stringContaining('id') });
  },
  async 'fills a path'({ ann }) {
    expect(await data(ann, 'getBook', { id: 1 })).toEqual(dune);
  },
  async 'shows why the app refuses'({ ann }) {
    expect(await call(ann, 'getBook', { id: 99 })).toEqual({
      failed: true,
      text: expect.stringContaining('There is no book 99.'),
    });
  },
  async 'shows the status of an error'({ ann }) {
    expect((await call(ann, 'getBook', { id: 99 })).text).toContain('404');
  },
  async 'reports a crash as an error'({ ann }) {
    expect(await call(ann, 'getBook', { id: 500 })).toMatchObject({ failed: true });
  },
  async 'shows nothing of a crash but what the app says'({ ann }) {
    expect((await call(ann, 'getBook', { id: 500 })).text).not.toContain('hunter2');
  },
  async 'sends a body'({ ann }) {
    const book = { title: 'Solaris', author: 'Lem', price: 8 };
    expect(await data(ann, 'addBook', book)).toMatchObject(book);
  },
  async 'keeps every character of a body'({ ann }) {
    const book = { title: 'Пикник на обочине 🛸 "quoted" \\ \u00a0', author: 'Стругацкие', price: 0.1 };
    expect(await data(ann, 'addBook', book)).toMatchObject(book);
  },
  async 'shows what the app says about a body'({ ann }) {
    const { failed, text } = await call(ann, 'addBook', { title: 'x', author: 'y', price: -1 });
    expect({ failed, text }).toEqual({ failed: true, text: expect.stringContaining('cannot be negative') });
  },
  async 'deletes, with an answer that has no body'({ ann }) {
    const { id } = await data(ann, 'addBook', { title: 'Gone', author: 'Soon', price: 1 });
    expect((await call(ann, 'deleteBook', { id })).failed).toBe(false);
    expect((await call(ann, 'getBook', { id })).failed).toBe(true);
  },
  async 'lets the app’s own middleware refuse someone who is not signed in'({ anyone }) {
    expect(await call(anyone, 'whoAmI')).toMatchObject({
      failed: true,
      text: expect.stringContaining('401'),
    });
  },
  async 'passes the app’s own middleware as the one who calls'({ ann }) {
    expect(await data(ann, 'whoAmI')).toMatchObject({ user: { name: 'Ann' } });
  },
  async 'keeps the token out of what a model reads'({ ann }) {
    expect((await call(ann, 'whoAmI')).text).not.toContain('ann-token-1234');
  },
  async 'forwards no header that was not named'({ ann: { url, headers } }) {
    const ann = { url, headers: { ...headers, 'x-internal': 'yes' } };
    expect((await call(ann, 'whoAmI')).text).not.toContain('x-internal');
  },
  async 'uploads text'({ ann }) {
    const file = 'data:text/plain;name=cover.txt,A%20desert';
    expect(await data(ann, 'uploadCover', { file })).toMatchObject({ name: 'cover.txt', size: 8 });
  },
  async 'uploads bytes'({ ann }) {
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);
    const file = pictureOf(bytes);
    expect(await data(ann, 'uploadCover', { file })).toEqual({ name: 'cover.png', size: 256, sum: 32_640 });
  },
  async 'shows that an upload is too large'({ ann }) {
    const file = pictureOf(new Uint8Array(10_001));
    expect((await call(ann, 'uploadCover', { file })).text).toContain('at most 10,000 bytes');
  },
  async 'reads an event stream to its end'({ ann }) {
    const { text } = await call(ann, 'watchEvents');
    expect(text.match(/event \d/g)).toEqual(['event 1', 'event 2', 'event 3']);
  },
  async 'ends the app’s work when the client leaves'({ ann }) {
    const { left } = await data(ann, 'countVisit');
    const gone = new AbortController();
    const waiting = rpc(
      ann,
      'tools/call',
      { name: 'watchEvents', arguments: { wait: true } },
      { signal: gone.signal },
    );
    waiting.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 300));
    gone.abort();
    await expect.poll(async () => (await data(ann, 'countVisit'))['left']).toBe(Number(left) + 1);
  },
  async 'sends a cookie, and shows the body of an answer that sets one'({ ann }) {
    expect(await data(ann, 'countVisit', { visits: 41 })).toMatchObject({ visits: 42 });
  },
  async 'keeps the rest of a long reply for later'({ ann }) {
    const { text } = await call(ann, 'listBooks', { copies: 3_000 });
    const [handle] = /reply_[\w-]{22}/.exec(text)!;
    expect((await call(ann, 'read_reply', { handle, offset: 8_000, limit: 5 })).text).toContain('author');
  },
};
