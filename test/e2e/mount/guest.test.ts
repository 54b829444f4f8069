import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as handrail from '../../../src/index.ts';
import * as mount from '../../../src/mount/handrail.ts';
import * as mountCode from '../../../src/mount/code.ts';
import * as mountNext from '../../../src/mount/next.ts';
import * as mountNode from '../../../src/mount/node.ts';
import { bundle } from '../../support/bundle.ts';

const folder = mkdtempSync(join(tmpdir(), 'handrail-guest-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

/** Runs a program with the mount in it, and returns what it printed. It has to end by itself. */
async function run(body: string): Promise<unknown> {
  const path = await bundle('src/mount/handrail.ts');
  const program = join(folder, 'program.mjs');
  writeFileSync(
    program,
    `const events = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection', 'beforeExit', 'warning'];
const listeners = () => events.map((event) => process.listenerCount(event));
// The MCP SDK brings zod, which keeps its registry there.
const globals = () => Object.getOwnPropertyNames(globalThis).filter((name) => !name.startsWith('__zod_'));
// Those of standard output belong to whoever reads it.
const resources = () => process.getActiveResourcesInfo().filter((name) => !/^(PipeWrap|TTYWrap)$/.test(name));
const state = () => ({ listeners: listeners(), globals: globals(), resources: resources(), env: process.env });
// Loaded by their first use, whoever uses them.
new Response(new ReadableStream());
new Request('http://a.test');
const rest = () => new Promise((resolve) => setTimeout(resolve, 20));
await rest();
const before = JSON.stringify(state());
const { handrail } = await import(${JSON.stringify(path)});
${body}`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as unknown;
}

const document = JSON.stringify({
  openapi: '3.0.0',
  info: { title: 'One', version: '1' },
  paths: { '/one': { get: { operationId: 'one', responses: { 200: { description: 'OK' } } } } },
});

describe('a guest in someone’s app', () => {
  it('changes nothing when it is imported', async () => {
    const told = await run(
      'await rest();\nconsole.log(JSON.stringify({ before: JSON.parse(before), after: state() }));',
    );
    const { before, after } = told as { before: object; after: object };
    expect(after).toEqual(before);
  });

  it('leaves no listener and no handle after close, with calls and streams open, and lets the process end', async () => {
    const told = await run(`
const waiting = [];
const mcp = await handrail({
  document: ${JSON.stringify(document)},
  fetch: (request) => new Promise((resolve) => waiting.push(resolve)),
});
const post = (method, params = {}, headers = {}) => mcp.fetch(new Request('http://app.test/mcp', {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18', ...headers },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
}));
const opened = await post('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } });
const session = opened.headers.get('mcp-session-id');
const stream = await mcp.fetch(new Request('http://app.test/mcp', { headers: { accept: 'text/event-stream', 'mcp-session-id': session } }));
const done = post('tools/call', { name: 'one', arguments: {} });
while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
await mcp.close();
waiting[0](Response.json({ late: true }));
const late = await (await done).text();
for await (const _ of stream.body);
const { listeners: after, resources: left } = state();
const same = String(after) === String(JSON.parse(before).listeners);
console.log(JSON.stringify({ same, left, late: late.includes('late') }));`);
    expect(told).toEqual({ same: true, left: [], late: true });
  });
});

describe('the public API', () => {
  it('has exactly these names', () => {
    expect(Object.keys(handrail).toSorted()).toEqual([
      'HandrailError',
      'callTool',
      'compileTools',
      'createGateway',
      'errorCatalog',
      'importDocument',
      'loadConfig',
      'version',
    ]);
    expect(Object.keys(mount).toSorted()).toEqual(['HandrailError', 'handrail']);
    expect(Object.keys(mountNode).toSorted()).toEqual(['fetchFromInject', 'fetchFromListener']);
    expect(Object.keys(mountNext)).toEqual(['fetchFromRoutes']);
    expect(Object.keys(mountCode)).toEqual(['code']);
  });

  it('reads a document, compiles its tools and calls them', async () => {
    const text = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Books', version: '1' },
      paths: {
        '/books/{id}': {
          get: {
            operationId: 'getBook',
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
            responses: {
              200: {
                description: 'A book',
                content: {
                  'application/json': { schema: { type: 'object', properties: { id: { type: 'integer' } } } },
                },
              },
            },
          },
        },
      },
    });
    const imported = await handrail.importDocument(text, { readOnly: true });
    expect(imported.tools.map(({ name }) => name)).toEqual(['getBook']);
    const seen: unknown[] = [];
    const tools = handrail.compileTools(imported, {
      forward: ['authorization'],
      fetch(request, { host }) {
        seen.push([request.headers.get('authorization'), host]);
        const id = Number(request.url.split('/').at(-1));
        return id === 404 ? new Response('No such book', { status: 404 }) : Response.json({ id });
      },
    });
    expect(tools.tools).toMatchObject([
      { name: 'getBook', kind: 'read', operation: 'GET /books/{id}', inputSchema: { required: ['id'] } },
    ]);
    const host = { user: { id: 'ann' } };
    const headers = { Authorization: 'Bearer abc', 'X-Other': '1' };
    expect(await handrail.callTool(tools, 'getBook', { id: 7 }, { headers, host })).toMatchObject({
      ok: true,
      status: 200,
      text: '{"id":7}',
      structured: { id: 7 },
    });
    expect(seen).toEqual([['Bearer abc', host]]);
    const failed = await handrail.callTool(tools, 'getBook', { id: 404 });
    expect(failed).toMatchObject({ ok: false, status: 404, error: { code: 'upstream_status' } });
    expect(await handrail.callTool(tools, 'getBook', {})).toMatchObject({
      ok: false,
      status: null,
      error: { code: 'invalid_arguments' },
    });
    await expect(handrail.callTool(tools, 'getBok', {})).rejects.toThrow('getBook');
    await tools.close();
    await expect(tools.call('getBook', { id: 1 })).rejects.toThrow('closed');
  });
});
