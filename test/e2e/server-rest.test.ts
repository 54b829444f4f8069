import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Gateway } from '../../src/gateway.ts';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';
import { bodyOf, serveHttp, type TestServer } from '../support/servers/http-server.ts';

interface Document {
  readonly paths: object;
  readonly servers: unknown;
  readonly security: unknown;
  readonly components: { readonly securitySchemes: unknown };
}

let upstream: TestServer;
let running: RunningGateway;
let received: { method: string; url: string; body: string }[];
let answer: (response: ServerResponse) => void;

const operation = (operationId: string, more: object = {}) => ({
  operationId,
  summary: `Does ${operationId}`,
  responses: { 200: { description: 'Done' } },
  ...more,
});
const bodyNode = {
  required: true,
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['name', 'root'],
        properties: {
          name: { type: 'string', maxLength: 20, description: 'What it is called' },
          size: { type: ['integer', 'null'], minimum: 1 },
          kind: { enum: ['tree', 'bush'] },
          root: { $ref: '#/components/schemas/Node' },
        },
      },
    },
  },
};
const nodeReply = {
  200: {
    description: 'Nodes',
    content: {
      'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Node' } } },
    },
  },
};
const description = {
  openapi: '3.1.0',
  info: { title: 'Trees', version: '1' },
  paths: {
    '/trees/{id}': {
      get: operation('get_tree', {
        tags: ['trees'],
        description: 'Gets one tree. Long numbers stay as they are.',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
          { name: 'verbose', in: 'query', schema: { type: 'boolean', default: false } },
        ],
        responses: nodeReply,
      }),
      delete: operation('cut_tree', {
        deprecated: true,
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      }),
    },
    '/trees': { post: operation('plant_tree', { requestBody: bodyNode, responses: nodeReply }) },
    '/trees/search': {
      post: operation('search_trees', { description: 'Searches trees and changes nothing.' }),
    },
  },
  components: {
    schemas: {
      Node: {
        type: 'object',
        required: ['label'],
        properties: {
          label: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
        },
      },
    },
  },
};

beforeAll(async () => {
  upstream = await serveHttp(async (request: IncomingMessage, response: ServerResponse) => {
    received.push({ method: request.method!, url: request.url!, body: await bodyOf(request) });
    answer(response);
  });
  running = await startGateway({ egressAllow: [`127.0.0.1:${upstream.port}`] });
  await done('POST', '/imports', { text: JSON.stringify(description), baseUrl: upstream.origin });
});
afterAll(async () => {
  await running.stop();
  await upstream.close();
});
beforeEach(() => {
  received = [];
  answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});

async function done(method: string, path: string, body?: object) {
  const reply = await running.admin(method, path, body);
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
  return reply.body;
}

async function call(tool: string, body?: unknown, { server = 'default', headers = {}, query = '' } = {}) {
  const response = await fetch(`${running.url}/mcp/${server}/tools/${tool}${query}`, {
    method: 'POST',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const answerWith = (type: string, body: string | Buffer, status = 200) => {
  answer = (response) => response.writeHead(status, { 'content-type': type }).end(body);
};

describe('a call', () => {
  it('takes the arguments as the body and returns the reply to the byte', async () => {
    const text = '[ {"label":"a",\n "id":12345678901234567890.10} ]';
    answerWith('application/json', text);
    const reply = await call('get_tree', { id: 7, verbose: true });
    expect(reply).toMatchObject({ status: 200, text });
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(received).toEqual([{ method: 'GET', url: '/trees/7?verbose=true', body: '' }]);
  });

  it('needs no body where there are no arguments', async () => {
    expect((await call('search_trees')).status).toBe(200);
    expect(received).toMatchObject([{ method: 'POST', url: '/trees/search' }]);
  });

  it('sends what a browser would run as something it does not', async () => {
    answerWith('text/html', '<script>alert(1)</script>');
    const html = await call('get_tree', { id: 1 });
    expect(html.headers.get('content-type')).toMatch(/^text\/plain/);
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    answerWith('image/svg+xml', svg);
    for (const { headers } of [html, await call('get_tree', { id: 2 })]) {
      expect(headers.get('content-type')).not.toMatch(/html|svg|xml/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain('sandbox');
    }
  });

  it('sends a small file as its bytes', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    answer = (response) => response.writeHead(200, { 'content-type': 'image/png' }).end(png);
    const response = await fetch(`${running.url}/mcp/default/tools/get_tree`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"id":3}',
    });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(png);
    expect(response.headers.get('content-disposition')).toBe('attachment');
  });

  it.each([
    ['arguments that do not fit', { id: 'x' }, 'invalid_arguments'],
    ['no arguments', undefined, 'invalid_arguments'],
    ['a body that is not JSON', '{', 'invalid_request'],
    ['a body that is not an object', [1], 'invalid_request'],
  ])('answers %s with problem details', async (_, body, code) => {
    const { status, headers, text } = await call('get_tree', body);
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(JSON.parse(text)).toMatchObject({ status, code });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(received).toEqual([]);
  });

  it('answers an error of the API with problem details that say what it said', async () => {
    answerWith('application/json', '{"error":"no such tree"}', 404);
    const { status, text } = await call('get_tree', { id: 1 });
    expect(status).toBe(502);
    expect(JSON.parse(text)).toMatchObject({
      code: 'upstream_status',
      detail: expect.stringContaining('no such tree'),
    });
  });

  it('names the tool that was meant, and records what was refused', async () => {
    const { status, text } = await call('get_treee', {});
    expect(status).toBe(404);
    expect(text).toContain('get_tree');
    const { items } = await done('GET', '/calls?outcome=unknown_tool');
    expect(items[0]).toMatchObject({ surface: 'rest', toolName: 'get_treee' });
  });

  it('needs what the server needs, and shows a caller its tools only', async () => {
    await done('POST', '/servers', { slug: 'keyed', tools: '*', policy: 'key' });
    const { key } = await done('POST', '/keys', { name: 'reader', servers: ['keyed'], tools: ['get_tree'] });
    const headers = { authorization: `Bearer ${key}` };
    expect((await call('get_tree', { id: 1 }, { server: 'keyed' })).status).toBe(401);
    expect((await call('get_tree', { id: 1 }, { server: 'keyed', headers })).status).toBe(200);
    expect((await call('cut_tree', { id: 1 }, { server: 'keyed', headers })).status).toBe(404);
    expect((await fetch(`${running.url}/mcp/keyed/openapi.json`)).status).toBe(401);
    const document = (await (
      await fetch(`${running.url}/mcp/keyed/openapi.json`, { headers })
    ).json()) as Document;
    expect(Object.keys(document.paths)).toEqual(['/tools/get_tree']);
    expect(document.components.securitySchemes).toEqual({
      accessKey: expect.objectContaining({ type: 'http', scheme: 'bearer' }),
    });
    expect(document.security).toEqual([{ accessKey: [] }]);
  });

  it('gathers every page when it is asked to, and says what is wrong with such a wish', async () => {
    expect((await call('get_tree', { id: 1 }, { query: '?all=maybe' })).status).toBe(400);
    expect((await call('get_tree', { id: 1 }, { query: '?all=true&max_items=5' })).status).toBe(200);
  });
});

describe('the document', () => {
  const documentOf = async (slug = 'default') => {
    const response = await fetch(`${running.url}/mcp/${slug}/openapi.json`);
    expect(response.status).toBe(200);
    return response;
  };

  it('has one operation for each tool, with its own names on the server', async () => {
    await done('POST', '/servers', {
      slug: 'renamed',
      tools: [{ tool: 'get_tree' }],
      overrides: { get_tree: { name: 'look', description: 'Looks at a tree.' } },
      policy: 'open',
    });
    const document = (await (await documentOf('renamed')).json()) as Document;
    expect(document.servers).toEqual([{ url: `${running.url}/mcp/renamed` }]);
    expect(document.paths).toMatchObject({ '/tools/look': { post: { description: 'Looks at a tree.' } } });
    expect((await call('look', { id: 1 }, { server: 'renamed' })).status).toBe(200);
  });

  it('refers to nothing outside of it', async () => {
    const text = await (await documentOf()).text();
    const document = JSON.parse(text);
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!);
    expect(references.length).toBeGreaterThan(3);
    for (const reference of references) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce((at, key) => at?.[key], document);
      expect(found, reference).toBeDefined();
    }
    expect(text).not.toContain('$defs');
  });

  it('is sent once, until the server changes', async () => {
    const tag = (await documentOf()).headers.get('etag')!;
    const again = () =>
      fetch(`${running.url}/mcp/default/openapi.json`, { headers: { 'if-none-match': tag } });
    expect((await again()).status).toBe(304);
    await done('PATCH', '/tools/cut_tree', { description: 'Cuts a tree down.' });
    expect((await again()).status).toBe(200);
    await done('PATCH', '/tools/cut_tree', { enabled: false });
    expect(await (await again()).text()).not.toContain('cut_tree');
    await done('PATCH', '/tools/cut_tree', { enabled: true });
  });
});

/** What a model sees of the tools of the default server. */
function toolsOf({ registry }: Gateway) {
  return registry.snapshot
    .view('default')!
    .tools.map(({ name, description: said, compiled: { tool, inputSchema, outputSchema } }) => ({
      name,
      description: said,
      title: tool.title,
      tags: tool.tags,
      deprecated: tool.deprecated,
      annotations: tool.annotations,
      inputSchema,
      outputSchema,
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

it.each([
  ['trees', () => Promise.resolve(JSON.stringify(description))],
  ['bookshop', () => readFile(join(import.meta.dirname, '../../examples/bookshop/openapi.yaml'), 'utf8')],
])('imports its own document as equal tools: %s', async (_, read) => {
  const [one, other] = [await startGateway(), await startGateway()];
  try {
    const first = await one.admin('POST', '/imports', {
      text: await read(),
      baseUrl: 'https://api.example.com',
    });
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    const text = await (await fetch(`${one.url}/mcp/default/openapi.json`)).text();
    const second = await other.admin('POST', '/imports', { text });
    expect(second.status, JSON.stringify(second.body)).toBe(200);
    expect(toolsOf(one.gateway).length).toBeGreaterThan(3);
    expect(toolsOf(other.gateway)).toEqual(toolsOf(one.gateway));
  } finally {
    await one.stop();
    await other.stop();
  }
});
