import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';

// Contract 1, and the examples of the pages that HandsAI publishes, against the demo API.
describe('the HandsAI REST surface', () => {
  let running: RunningGateway;
  beforeAll(async () => {
    running = await startGateway({ demo: true });
  });
  afterAll(() => running.stop());

  async function post(
    body: string | undefined,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ) {
    const answer = await fetch(`${running.url}/mcp/tools/call`, {
      method: 'POST',
      headers,
      ...(body !== undefined && { body }),
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    return (await answer.json()) as {
      result?: { content: { type: string; text: string }[] };
      error?: { code: number; message: string };
    };
  }

  function call(name: string, args: unknown, id?: unknown) {
    return post(
      JSON.stringify({
        jsonrpc: '2.0',
        method: 'tools/call',
        params: { name, arguments: args },
        ...(id !== undefined && { id }),
      }),
    );
  }

  it('lists the same by POST, as a JSON-RPC call or without a body', async () => {
    const list = async (body?: object) => {
      const answer = await fetch(`${running.url}/mcp/tools/list`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return (await answer.json()) as { id?: string; result?: unknown; error?: { code: number } };
    };
    const { result } = (await (await fetch(`${running.url}/mcp/tools/list`)).json()) as { result: unknown };
    expect(await list()).toEqual({ jsonrpc: '2.0', result });
    expect(await list({ jsonrpc: '2.0', method: 'tools/list', id: '1' })).toEqual({
      jsonrpc: '2.0',
      result,
      id: '1',
    });
    expect(await list({ jsonrpc: '2.0', method: 'tools/call', id: 2 })).toMatchObject({
      id: 2,
      error: { code: -32601 },
    });
  });

  it('returns what the documentation says for San Francisco', async () => {
    const { result } = await call('weather_get', { location: 'San Francisco', units: 'celsius' });
    expect(JSON.parse(result!.content[0]!.text)).toEqual({
      temperature: 18,
      condition: 'Partly cloudy',
      humidity: 65,
    });
  });

  it('lists name, description and input schema, and ignores a body on the GET', async () => {
    const answer = await fetch(`${running.url}/mcp/tools/list`, {
      headers: { 'content-type': 'application/json' },
    });
    const { jsonrpc, result } = (await answer.json()) as {
      jsonrpc: string;
      result: { tools: Record<string, unknown>[] };
    };
    expect(jsonrpc).toBe('2.0');
    expect(result.tools.find((tool) => tool['name'] === 'weather_get')).toEqual({
      name: 'weather_get',
      description: 'Get current weather for a location',
      inputSchema: {
        type: 'object',
        properties: {
          location: { type: 'string', description: 'City name or coordinates' },
          units: { type: 'string', description: 'Temperature units (celsius or fahrenheit)' },
        },
        required: ['location'],
      },
    });
  });

  it.each([
    [
      'weather_get',
      { location: 'San Francisco', units: 'celsius' },
      ['temperature', 'condition', 'humidity'],
    ],
    [
      'send_notification',
      { recipients: ['a@example.com'], message: 'Deployed', priority: 'high' },
      ['status'],
    ],
    [
      'github-create-issue',
      { owner: 'facebook', repo: 'react', title: 'Bug', body: 'Found' },
      ['id', 'number', 'state'],
    ],
    [
      'resend-send-email',
      { from: 'A <a@example.com>', to: 'b@example.com', subject: 'Hi', html: '<b>' },
      ['id', 'from', 'to', 'created_at'],
    ],
  ])('answers %s with the upstream body as text', async (name, args, keys) => {
    const { result } = await call(name, args, 'x-1');
    expect(result!.content).toHaveLength(1);
    expect(Object.keys(JSON.parse(result!.content[0]!.text) as object)).toEqual(expect.arrayContaining(keys));
  });

  it('finds documents by an array argument', async () => {
    const { result } = await call(
      'search_documents',
      { query: 'quarterly revenue', tags: ['finance', '2024'], limit: 10 },
      'search-456',
    );
    expect(result!.content[0]!.text).toBe(
      '[{"id": "doc-1", "title": "Q4 2024 Revenue Report"}, {"id": "doc-2", "title": "Q3 2024 Financial Summary"}]',
    );
  });

  it.each([
    ['a string', 'weather-123'],
    ['a number', 42],
    ['zero', 0],
    ['an empty string', ''],
  ])('echoes an id that is %s', async (_what, id) => {
    expect(await call('weather_get', { location: 'Rome' }, id)).toHaveProperty('id', id);
  });

  it.each([
    ['absent', undefined],
    ['null', null],
  ])('leaves out an id that is %s', async (_what, id) => {
    expect(await call('weather_get', { location: 'Rome' }, id)).not.toHaveProperty('id');
  });

  const missing = 'Invalid params: missing required parameters';
  it.each([
    ['invalid JSON', '{"jsonrpc":', -32700, /^Parse error/],
    ['a duplicate key', '{"jsonrpc":"2.0","jsonrpc":"2.0"}', -32700, /same key twice/],
    ['null', 'null', -32602, missing],
    ['an array', '[]', -32600, /^Invalid Request/],
    ['a string', '"x"', -32600, /^Invalid Request/],
    ['another version', '{"jsonrpc":"1.0","method":"tools/call"}', -32600, /jsonrpc/],
    ['no method', '{"jsonrpc":"2.0"}', -32600, /method/],
    ['another method', '{"jsonrpc":"2.0","method":"tools/list"}', -32601, /^Method not found/],
    ['no params', '{"jsonrpc":"2.0","method":"tools/call"}', -32602, missing],
    ['null params', '{"jsonrpc":"2.0","method":"tools/call","params":null}', -32602, missing],
    [
      'an unknown tool',
      '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"nope"}}',
      -32602,
      'Invalid params: tool not found: nope',
    ],
    [
      'the name of a tool written wrongly',
      '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"get-weather"}}',
      -32602,
      'Invalid params: tool not found: get-weather. Did you mean get_weather or weather_get?',
    ],
    [
      'arguments that are no object',
      '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"weather_get","arguments":[]}}',
      -32602,
      'Invalid params: arguments must be an object',
    ],
    [
      'null arguments',
      '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"weather_get","arguments":null}}',
      -32602,
      'Invalid params: location is required',
    ],
  ])('answers %s with its own code in an HTTP 200', async (_what, body, code, message) => {
    const { error, result } = await post(body);
    expect(result).toBeUndefined();
    expect(error!.code).toBe(code);
    expect(error!.message).toMatch(message);
  });

  it('needs neither a body nor its type to say that parameters are missing', async () => {
    expect(await post(undefined, {})).toEqual({ jsonrpc: '2.0', error: { code: -32602, message: missing } });
  });

  it('names the missing argument', async () => {
    expect(await call('weather_get', { units: 'celsius' }, 'error-789')).toEqual({
      jsonrpc: '2.0',
      error: { code: -32602, message: 'Invalid params: location is required' },
      id: 'error-789',
    });
  });

  it('says that an upstream took too long', async () => {
    expect(await call('database_query', { sql: 'SELECT * FROM users' }, 'fail-101')).toEqual({
      jsonrpc: '2.0',
      error: { code: -32603, message: 'Internal error: Connection timeout' },
      id: 'fail-101',
    });
  });

  it('never passes an upstream error off as a result', async () => {
    const { error } = await call('demo_failing', {});
    expect(error!.code).toBe(-32603);
    expect(error!.message).toMatch(/^Internal error: .*503.*The demo failure you asked for/);
  });

  it('heals an array that was sent as its JSON text', async () => {
    const { result } = await call('search_documents', { query: 'revenue', tags: '["finance"]' });
    expect(result!.content[0]!.text).toContain('doc-1');
  });

  it('does not list or call a disabled tool', async () => {
    await running.admin('PATCH', '/tools/demo_picture', { enabled: false });
    const list = await (await fetch(`${running.url}/mcp/tools/list`)).text();
    expect(list).not.toContain('demo_picture');
    expect((await call('demo_picture', {})).error!.message).toBe(
      'Invalid params: tool not found: demo_picture',
    );
    await running.admin('PATCH', '/tools/demo_picture', { enabled: true });
  });

  it('serves the GetMCP example: a call without initialize, with a session id it never gave', async () => {
    const answer = await fetch(`${running.url}/mcp/my-weather-tools`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'mcp-session-id': 'your_session_id', accept: '*/*' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 4,
        method: 'tools/call',
        params: { name: 'get_weather', arguments: { city: 'London' } },
      }),
    });
    const body = (await answer.json()) as { id: number; result: { content: { text: string }[] } };
    expect(body.id).toBe(4);
    expect(JSON.parse(body.result.content[0]!.text)).toHaveProperty('current_condition');
  });

  describe('in a dialect', () => {
    const longName = `find_${'very_'.repeat(11)}long`;
    beforeAll(async () => {
      await running.admin('POST', '/tools', {
        api: 'demo',
        name: longName,
        description: 'Finds something.',
        operation: {
          method: 'GET',
          path: '/weather',
          parameters: [
            {
              name: 'location',
              in: 'query',
              required: true,
              schema: { type: 'string', format: 'idn-email' },
            },
          ],
        },
      });
    });

    async function list(query: string) {
      const answer = await fetch(`${running.url}/mcp/tools/list${query}`);
      expect(answer.status).toBe(200);
      return (await answer.json()) as {
        result: { tools: { name: string; inputSchema: { properties: Record<string, unknown> } }[] };
        error?: unknown;
      };
    }

    it('lists names that fit and schemas without what clients stumble over, when the address asks for it', async () => {
      const found = (tools: { name: string }[]) => tools.find(({ name }) => name.startsWith('find_very'));
      const whole = (await list('')).result.tools;
      expect(found(whole)).toMatchObject({
        name: longName,
        inputSchema: { properties: { location: { type: 'string', format: 'idn-email' } } },
      });
      const { tools } = (await list('?dialect=cursor')).result;
      expect(tools).toHaveLength(whole.length);
      const short = found(tools)!;
      expect(short.name.length).toBeLessThanOrEqual(59);
      expect(short).not.toMatchObject({ inputSchema: { properties: { location: { format: 'idn-email' } } } });
      expect((await list('?dialect=strict')).result.tools).toEqual(whole);

      const answer = await fetch(`${running.url}/mcp/tools/call?dialect=cursor`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          method: 'tools/call',
          params: { name: short.name, arguments: { location: 'Oslo' } },
        }),
      });
      expect(await answer.json()).toHaveProperty('result.content');
    });

    it('names the dialects there are when there is none of that name', async () => {
      const error = {
        code: -32602,
        message:
          'Invalid params: there is no dialect "klingon". Use one of: strict, portable, cursor, gemini',
      };
      expect(await list('?dialect=klingon')).toEqual({ jsonrpc: '2.0', error });
    });
  });
});
