import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { abandonedRequest } from '../../test/support/servers/abandoned-request.ts';
import {
  anonymous,
  listedTool,
  modern,
  post,
  serverView,
  startSurface,
} from '../../test/support/mcp-surface.ts';
import type { Surface, SurfaceOptions } from '../../test/support/mcp-surface.ts';
import { HandrailError } from '../domain/errors.ts';

const started: Surface[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((surface) => surface.stop()));
});

async function surfaceWith(options: SurfaceOptions = {}) {
  const view = serverView('demo', [
    listedTool('weather', { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
    listedTool('fail'),
  ]);
  const surface = await startSurface({ views: [view], ...options });
  started.push(surface);
  return surface;
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a-client', version: '3' } },
};

describe('revision 2026-07-28', () => {
  it('tells what the server can do', async () => {
    const surface = await surfaceWith();
    const { body, headers } = modern('server/discover');
    const { status, json } = await post(surface.url('demo'), body, headers);
    expect(status).toBe(200);
    expect(json.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: { listChanged: true } },
      ttlMs: 0,
      cacheScope: 'public',
    });
  });

  it('lists and calls tools, and records the client by the name it gives itself', async () => {
    const surface = await surfaceWith();
    const list = modern('tools/list');
    const listed = await post(surface.url('demo'), list.body, list.headers);
    expect(listed.json.result.tools.map((tool: { name: string }) => tool.name)).toEqual(['weather', 'fail']);
    const call = modern('tools/call', {
      name: 'weather',
      arguments: { city: 'Rome' },
      _meta: { 'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '9' } },
    });
    const called = await post(surface.url('demo'), call.body, call.headers);
    expect(called.json.result.content).toEqual([
      { type: 'text', text: '{"tool":"weather","args":{"city":"Rome"}}' },
    ]);
    expect(surface.calls[0]).toMatchObject({
      client: { name: 'tester', version: '9' },
      surface: 'mcp',
      toolName: 'weather',
    });
  });

  it('answers an unknown tool with -32602 and an unknown method with 404', async () => {
    const surface = await surfaceWith();
    const call = modern('tools/call', { name: 'nope', arguments: {} });
    expect((await post(surface.url('demo'), call.body, call.headers)).json.error.code).toBe(-32602);
    const near = modern('tools/call', { name: 'Wether', arguments: {} });
    expect((await post(surface.url('demo'), near.body, near.headers)).json.error.message).toBe(
      'Unknown tool: Wether. Did you mean weather?',
    );
    const odd = modern('no/such');
    const answer = await post(surface.url('demo'), odd.body, odd.headers);
    expect([answer.status, answer.json.error.code]).toEqual([404, -32601]);
  });

  it('calls nothing for a client that left before its request was looked at', async () => {
    const view = serverView('demo', [listedTool('weather')]);
    const surface = await surfaceWith({ views: [view], fastLane: false });
    const { body, headers } = modern('tools/call', { name: 'weather', arguments: {} });
    const { req, res } = await abandonedRequest('POST', {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    });
    await surface.handler.handle(req, res, Buffer.from(JSON.stringify(body)), { view, caller: anonymous });
    expect(surface.calls).toEqual([]);
    const answered = await post(surface.url('demo'), body, headers);
    expect([answered.status, surface.calls.length]).toEqual([200, 1]);
  });

  it('refuses headers that disagree with the body', async () => {
    const surface = await surfaceWith();
    const call = modern('tools/call', { name: 'weather', arguments: {} });
    const answer = await post(surface.url('demo'), call.body, { ...call.headers, 'mcp-name': 'fail' });
    expect([answer.status, answer.json.error.code]).toEqual([400, -32020]);
  });
});

describe('the legacy revisions', () => {
  it('initializes with a session id and serves with and without it', async () => {
    const surface = await surfaceWith();
    const opened = await post(surface.url('demo'), initialize);
    expect(opened.json.result.protocolVersion).toBe('2025-06-18');
    const session = opened.headers.get('mcp-session-id')!;
    expect(session).toMatch(/^[\x21-\x7e]+$/);
    const call = {
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'weather', arguments: { city: 'x' } },
    };
    expect((await post(surface.url('demo'), call, { 'mcp-session-id': session })).json.id).toBe(7);
    expect((await post(surface.url('demo'), call)).json.result.content).toHaveLength(1);
    expect(surface.calls.map((made) => made.client?.name)).toEqual(['a-client', 'node']);
  });

  it('offers its newest revision to a client that asks for an unknown one', async () => {
    const surface = await surfaceWith();
    const answer = await post(surface.url('demo'), {
      ...initialize,
      params: { ...initialize.params, protocolVersion: '1999-01-01' },
    });
    expect(answer.json.result.protocolVersion).toBe('2025-11-25');
  });

  it('gives JSON to Accept */* and refuses what it cannot give', async () => {
    const surface = await surfaceWith();
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const any = await post(surface.url('demo'), list, { accept: '*/*' });
    expect([any.status, any.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect((await post(surface.url('demo'), list, { accept: 'text/html' })).status).toBe(406);
    const stream = await post(surface.url('demo'), list, { accept: 'text/event-stream' });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.text).toContain('"tools"');
  });

  it('serves an unknown session id, and answers 404 for one that was deleted', async () => {
    const surface = await surfaceWith();
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await post(surface.url('demo'), list, { 'mcp-session-id': 'whatever' })).status).toBe(200);
    const session = (await post(surface.url('demo'), initialize)).headers.get('mcp-session-id')!;
    const deleted = await fetch(surface.url('demo'), {
      method: 'DELETE',
      headers: { 'mcp-session-id': session },
    });
    expect(deleted.status).toBe(200);
    expect((await post(surface.url('demo'), list, { 'mcp-session-id': session })).status).toBe(404);
  });

  it('answers GET without a session with 405', async () => {
    const surface = await surfaceWith();
    const answer = await fetch(surface.url('demo'), { headers: { accept: 'text/event-stream' } });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('answers batches for the revision that has them only', async () => {
    const surface = await surfaceWith();
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
    const answer = await post(surface.url('demo'), batch, { 'mcp-protocol-version': '2025-03-26' });
    expect(answer.json.map((one: { id: number }) => one.id).toSorted()).toEqual([1, 2]);
    expect((await post(surface.url('demo'), batch, { 'mcp-protocol-version': '2025-06-18' })).status).toBe(
      400,
    );
  });

  it('tells of many changes in a moment once', async () => {
    const surface = await surfaceWith();
    const session = (await post(surface.url('demo'), initialize)).headers.get('mcp-session-id')!;
    const stream = await fetch(surface.url('demo'), {
      headers: { accept: 'text/event-stream', 'mcp-session-id': session },
    });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    const tools = Array.from({ length: 50 }, (_, i) => listedTool(`tool_${i}`));
    for (const tool of tools) surface.publish(serverView('demo', [tool]));
    let text = '';
    while (!text.includes('tools/list_changed')) text += (await reader.read()).value;
    const prompts = [{ name: 'p', arguments: [], text: 'x' }];
    surface.publish(serverView('demo', [tools.at(-1)!], { prompts }));
    while (!text.includes('prompts/list_changed')) text += (await reader.read()).value;
    expect(text.match(/tools\/list_changed/g)).toHaveLength(1);
    await reader.cancel();
  });

  it('tells of changed lists on the GET stream', async () => {
    const surface = await surfaceWith();
    const session = (await post(surface.url('demo'), initialize)).headers.get('mcp-session-id')!;
    const stream = await fetch(surface.url('demo'), {
      headers: { accept: 'text/event-stream', 'mcp-session-id': session },
    });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    surface.publish(serverView('demo', [listedTool('other')]));
    expect((await reader.read()).value).toContain('notifications/tools/list_changed');
    await reader.cancel();
  });
});

describe('both eras', () => {
  it('serve the official client in either mode', async () => {
    const surface = await surfaceWith();
    for (const mode of ['legacy', 'auto'] as const) {
      const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(surface.url('demo'))));
      expect((await client.listTools()).tools).toHaveLength(2);
      const result = await client.callTool({ name: 'weather', arguments: { city: 'Oslo' } });
      expect(result.content).toHaveLength(1);
      await client.close();
    }
  });

  it('turn a failed call into a result that says what to do', async () => {
    const surface = await surfaceWith({
      runCall: async () => ({
        kind: 'failed',
        error: new HandrailError('invalid_arguments', 'The arguments do not fit the tool.', {
          problems: [{ path: '/city', message: 'is required' }],
        }),
      }),
    });
    const call = modern('tools/call', { name: 'weather', arguments: {} });
    const { json } = await post(surface.url('demo'), call.body, call.headers);
    expect(json.result).toMatchObject({
      isError: true,
      content: [
        {
          type: 'text',
          text: 'The arguments do not fit the tool.\n- /city: is required\nCorrect the arguments and call again.',
        },
      ],
    });
  });

  it('hide and refuse tools that the caller may not call', async () => {
    const surface = await surfaceWith({
      callerOf: () => ({ id: 'key:1', kind: 'key', label: 'k', toolIds: new Set(['tool_fail']) }),
    });
    const list = await post(surface.url('demo'), { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(list.json.result.tools.map((tool: { name: string }) => tool.name)).toEqual(['fail']);
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'weather', arguments: {} } };
    expect((await post(surface.url('demo'), call)).json.error.code).toBe(-32602);
  });

  it('answer parameters that do not fit with -32602 and a sentence', async () => {
    const surface = await surfaceWith();
    for (const [method, params, message] of [
      [
        'tools/list',
        { cursor: 5 },
        'Invalid params: cursor: Invalid input: expected string, received number',
      ],
      ['tools/call', { name: 5 }, 'Invalid params: name: Invalid input: expected string, received number'],
    ] as const) {
      const legacy = await post(surface.url('demo'), { jsonrpc: '2.0', id: 1, method, params });
      const { body, headers } = modern(method, params);
      const answer = await post(surface.url('demo'), body, headers);
      expect([method, legacy.json.error]).toEqual([method, { code: -32602, message }]);
      expect([method, answer.json.error]).toEqual([method, { code: -32602, message }]);
    }
    const initialize5 = { ...initialize, params: { ...initialize.params, protocolVersion: 5 } };
    expect((await post(surface.url('demo'), initialize5)).json.error.code).toBe(-32602);
  });

  it('answer malformed bodies with JSON-RPC errors', async () => {
    const surface = await surfaceWith();
    for (const [body, code] of [
      ['{', -32700],
      ['{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700],
      ['', -32700],
      ['[]', -32600],
      ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
      ['42', -32600],
    ] as const) {
      const answer = await post(surface.url('demo'), body);
      expect([body, answer.status, answer.json.error.code]).toEqual([body, 400, code]);
    }
  });
});
