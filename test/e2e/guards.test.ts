import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';

describe('what stands before every route', () => {
  let running: RunningGateway;
  beforeAll(async () => {
    running = await startGateway({ demo: true });
  });
  afterAll(() => running.stop());

  // fetch would not let a test set Host and Origin.
  function ask(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }> {
    const { hostname, port, host } = new URL(running.url);
    return new Promise((resolve, reject) => {
      const req = request({ hostname, port, method, path, headers: { host, ...headers } }, (res) => {
        let text = '';
        res.on('data', (chunk: Buffer) => (text += chunk.toString()));
        res.on('end', () => resolve({ status: res.statusCode!, headers: res.headers, text }));
      });
      req.on('error', reject);
      req.end(body);
    });
  }

  const routes = ['/healthz', '/mcp/tools/list', '/mcp', '/api/v1/apis', '/nothing'];

  it.each(routes)('refuses a Host that is not ours on %s', async (path) => {
    expect((await ask('GET', path, { host: 'evil.example' })).status).toBe(403);
    expect((await ask('GET', path, { host: '127.0.0.1.evil.example' })).status).toBe(403);
  });

  it.each(routes)('refuses a page of another origin on %s and names no origin in CORS', async (path) => {
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', 'not a url']) {
      const answer = await ask('GET', path, { origin });
      expect(answer.status).toBe(403);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it('lets its own pages send the headers they ask for', async () => {
    const asked = 'x-team-key, mcp-param-region';
    const answer = await ask('OPTIONS', '/mcp/team', {
      origin: running.url,
      'access-control-request-method': 'POST',
      'access-control-request-headers': asked,
    });
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-headers']).toMatch(new RegExp(`Mcp-Name.*, ${asked}$`));
    expect((await ask('OPTIONS', '/mcp', { origin: 'https://evil.example' })).status).toBe(403);
  });

  it('refuses a body that it would have to unpack', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': '2', 'content-encoding': 'gzip' };
    for (const path of ['/mcp', '/mcp/tools/call'])
      expect((await ask('POST', path, headers, '{}')).status).toBe(415);
  });

  it('refuses what the protocol has no use for', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD']) {
      const answer = await ask(method, '/mcp', {});
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'POST']);
    }
  });

  it('answers its own pages', async () => {
    const answer = await ask('GET', '/healthz', { origin: running.url });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe(running.url);
  });

  it('refuses cross-site requests that hide their origin', async () => {
    expect(
      (await ask('GET', '/mcp/tools/list', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }))
        .status,
    ).toBe(403);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'text/plain; application/json',
    'application/jsonx',
    'application/json\tx',
    '',
  ])('does not run a tool for a body of type %j', async (type) => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'weather_get', arguments: { location: 'x' } },
    });
    for (const path of ['/mcp', '/mcp/tools/call']) {
      const answer = await ask('POST', path, type === '' ? {} : { 'content-type': type }, body);
      expect(answer.status).toBe(415);
    }
  });

  it('answers well-known probes with a JSON 404', async () => {
    const answer = await ask('GET', '/.well-known/oauth-authorization-server', {});
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toMatch(/json/);
  });

  it.each(['/api', '/api/v1', '/api/v1/apis', '/api/v1/openapi.json', '/api/v1/nothing', '/api/v2/x'])(
    'says nothing about %s without the admin token',
    async (path) => {
      for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: 'Basic eDp5' }]) {
        const answer = await ask('GET', path, headers as Record<string, string>);
        expect(answer.status).toBe(401);
      }
    },
  );

  it('refuses a body over the limit', async () => {
    const small = await startGateway({ maxBodyBytes: 2_048 });
    const answer = await fetch(`${small.url}/mcp/tools/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: 'x'.repeat(5_000),
    });
    expect(answer.status).toBe(413);
    await small.stop();
  });
});

describe('who may use a server', () => {
  let running: RunningGateway;
  beforeAll(async () => {
    running = await startGateway({ demo: true });
    await running.admin('PATCH', '/servers/default', { policy: 'key' });
  });
  afterAll(() => running.stop());

  const list = async (slug: string, key?: string) => {
    const answer = await fetch(`${running.url}/mcp/${slug}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    return {
      status: answer.status,
      tools:
        answer.status === 200
          ? ((await answer.json()) as { result: { tools: { name: string }[] } }).result.tools
          : [],
    };
  };

  it('asks for a key on every surface of the server', async () => {
    expect((await list('default')).status).toBe(401);
    expect((await fetch(`${running.url}/mcp/tools/list`)).status).toBe(401);
    expect((await list('default', 'hrk_wrong')).status).toBe(401);
  });

  it('opens only the servers a key is for, shows it once, and forgets it at once', async () => {
    const { body } = await running.admin('POST', '/keys', { name: 'laptop', servers: ['default'] });
    expect(body.key).toMatch(/^hrk_/);
    expect((await list('default', body.key)).tools.length).toBeGreaterThan(5);
    await running.admin('PATCH', '/servers/my-weather-tools', { policy: 'key' });
    expect((await list('my-weather-tools', body.key)).status).toBe(403);
    expect(JSON.stringify((await running.admin('GET', '/keys')).body)).not.toContain(body.key);

    await running.admin('POST', `/keys/${body.id}/revoke`);
    expect((await list('default', body.key)).status).toBe(401);
  });

  it('shows a key with a choice of tools only those', async () => {
    const { body } = await running.admin('POST', '/keys', { name: 'narrow', tools: ['weather_get'] });
    const { tools } = await list('default', body.key);
    expect(tools.map(({ name }) => name).filter((name) => name !== 'read_reply')).toEqual(['weather_get']);
    const call = await fetch(`${running.url}/mcp/tools/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${body.key}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'demo_failing' } }),
    });
    expect(((await call.json()) as { error: { message: string } }).error.message).toBe(
      'Invalid params: tool not found: demo_failing',
    );
  });
});
