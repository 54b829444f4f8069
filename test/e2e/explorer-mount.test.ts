import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern, post } from '../support/mcp-surface.ts';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';

describe('the explorer of a server', () => {
  let running: RunningGateway;
  let key: string;
  beforeAll(async () => {
    running = await startGateway({ demo: true });
    await running.admin('PATCH', '/servers/default', { policy: 'key' });
    key = (await running.admin('POST', '/keys', { name: 'explorer', tools: ['weather_get'] })).body.key;
  });
  afterAll(() => running.stop());

  const ask = (path: string, init: RequestInit = {}) => fetch(`${running.url}/explorer${path}`, init);
  const withKey = () => ({ authorization: `Bearer ${key}` });

  it('serves the page to anyone, with a strict policy', async () => {
    for (const path of ['/default', '/default/', '/my-weather-tools']) {
      const page = await ask(path);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toContain('text/html');
      expect(page.headers.get('content-security-policy')).not.toContain('unsafe-inline');
    }
  });

  it('lists, validates and calls nothing without a key', async () => {
    expect((await ask('/default/tools')).status).toBe(401);
    expect((await ask('/default/tools/weather_get')).status).toBe(401);
    for (const action of ['validate', 'call']) {
      const answer = await ask(`/default/tools/weather_get/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect(answer.status).toBe(401);
    }
  });

  it('shows a key only what it may call', async () => {
    const tools = (await (await ask('/default/tools', { headers: withKey() })).json()) as { name: string }[];
    expect(tools.map((tool) => tool.name)).toEqual(['weather_get']);
    expect((await ask('/default/tools/demo_slow', { headers: withKey() })).status).toBe(404);
  });

  it('shows a server as its clients see it, in each mode', async () => {
    const list = async (mode: string) => {
      const answer = await ask(`/default/tools?mode=${mode}`, { headers: withKey() });
      return ((await answer.json()) as { name: string }[]).map(({ name }) => name);
    };
    const listed = async (mode: string) => {
      const { body, headers } = modern('tools/list');
      const { json } = await post(`${running.url}/mcp/default?mode=${mode}`, body, {
        ...headers,
        ...withKey(),
      });
      return json.result.tools as { name: string; inputSchema: object }[];
    };
    for (const mode of ['direct', 'search', 'code']) {
      const tools = await listed(mode);
      expect(await list(mode)).toEqual(tools.map(({ name }) => name));
      const [first] = tools;
      const shown = await ask(`/default/tools/${first!.name}?mode=${mode}`, { headers: withKey() });
      expect(await shown.json()).toMatchObject({ inputSchema: first!.inputSchema });
    }
    expect((await ask('/default/tools/search_tools', { headers: withKey() })).status).toBe(404);
    expect((await ask('/default/tools?mode=other', { headers: withKey() })).status).toBe(422);
    expect(await (await ask('/default')).text()).toContain('data-modes="direct search code"');
  });

  it('calls what a searched server lists: search, then a door', async () => {
    const call = async (name: string, args: object) => {
      const answer = await ask(`/default/tools/${name}/call?mode=search`, {
        method: 'POST',
        headers: { ...withKey(), 'content-type': 'application/json' },
        body: JSON.stringify(args),
      });
      return (await answer.json()) as { content: { text: string }[]; isError: boolean };
    };
    const found = await call('search_tools', { query: 'weather slow' });
    expect(found.content[0]!.text).toMatch(/^weather_get\(/);
    expect(found.content[0]!.text).not.toContain('demo_slow');
    const done = await call('call_read', { name: 'weather_get', arguments: { location: 'Oslo' } });
    expect(done.isError).toBe(false);
    const wrong = await call('call_read', { name: 'weather_get', arguments: {} });
    expect([wrong.isError, wrong.content[0]!.text]).toEqual([true, expect.stringContaining('input schema')]);
    const other = await call('call_write', { name: 'weather_get', arguments: { location: 'Oslo' } });
    expect(other.content[0]!.text).toContain('use call_read');
    const hidden = await call('call_read', { name: 'demo_slow', arguments: {} });
    expect([hidden.isError, hidden.content[0]!.text]).toEqual([true, expect.stringContaining('no tool')]);
  });

  it('offers only the modes that the operator lets clients ask for', async () => {
    await running.admin('PATCH', '/servers/default', { clientModes: ['direct'] });
    const shown = { slug: 'shown', tools: '*', policy: { kind: 'open' }, clientModes: ['direct'] };
    await running.admin('POST', '/servers', shown);
    expect(await (await ask('/shown')).text()).toContain('data-modes="direct"');
    expect((await ask('/default/tools?mode=search', { headers: withKey() })).status).toBe(403);
    await running.admin('PATCH', '/servers/default', { clientModes: null });
  });

  it('calls through the pipeline and records it', async () => {
    const answer = await ask('/default/tools/weather_get/call', {
      method: 'POST',
      headers: { ...withKey(), 'content-type': 'application/json' },
      body: JSON.stringify({ location: 'Oslo' }),
    });
    expect(answer.status).toBe(200);
    const body = (await answer.json()) as { isError: boolean; _meta: { _trace_id: string } };
    expect(body.isError).toBe(false);
    const record = await running.admin('GET', `/calls/${body._meta._trace_id}`);
    expect(record.body).toMatchObject({
      surface: 'explorer',
      toolName: 'weather_get',
      caller: 'explorer',
      outcome: 'ok',
    });
  });

  it('answers a failed call with its reason', async () => {
    const answer = await ask('/default/tools/weather_get/call', {
      method: 'POST',
      headers: { ...withKey(), 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'location is required' }],
    });
  });

  // fetch leaves the header out for bytes that have no type of their own.
  const untyped = (text: string) => new Blob([text]);

  it.each([
    ['call', '{"location":"Oslo"}', 200],
    ['call', 'no JSON at all', 500],
    ['validate', '{"location":"Oslo"}', 200],
    ['validate', 'no JSON at all', 400],
  ])('takes a body for %s without a Content-Type: %j', async (action, text, status) => {
    const answer = await ask(`/default/tools/weather_get/${action}`, {
      method: 'POST',
      headers: withKey(),
      body: untyped(text),
    });
    expect(answer.status).toBe(status);
  });

  it.each([
    ['/explorer/default/tools/weather_get/call', { 'content-type': 'text/plain' }, 415],
    ['/explorer/default/tools/weather_get/call', { origin: 'https://evil.example' }, 403],
    ['/explorer/default/tools/weather_get/call', { 'sec-fetch-site': 'cross-site' }, 403],
    ['/mcp/tools/call', {}, 415],
    ['/mcp/explorer/', {}, 415],
    ['/api/v1/explorer/', {}, 415],
  ] as [string, Record<string, string>, number][])(
    'asks for a type elsewhere, and refuses other sites: %s %j',
    async (path, headers, status) => {
      const answer = await fetch(`${running.url}${path}`, {
        method: 'POST',
        headers: { ...withKey(), ...headers },
        body: untyped('{"location":"Oslo"}'),
      });
      expect(answer.status).toBe(status);
    },
  );

  it('knows no server that is not there', async () => {
    // It looks like one that asks for a key.
    expect(await (await ask('/nowhere')).text()).toBe(await (await ask('/default')).text());
    expect((await ask('/nowhere/tools')).status).toBe(401);
    expect((await ask('/nowhere/tools', { headers: withKey() })).status).toBe(404);
  });
});
