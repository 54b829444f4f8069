import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../../../test/support/running-gateway.ts';

let at: RunningGateway;
let key: string;

beforeAll(async () => {
  at = await startGateway({ demo: true });
  await at.admin('POST', '/servers', { slug: 'keyed', tools: '*', policy: { kind: 'key' } });
  await at.admin('POST', '/servers', { slug: 'off', tools: '*', enabled: false });
  key = (await at.admin('POST', '/keys', { name: 'right', servers: ['keyed'] })).body.key;
});
afterAll(() => at.stop());

const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

// Chunked, so that the router takes it and not the short way in front of it.
const chunked = () => new Blob([list]).stream();

async function ask(method: string, path: string, headers: Record<string, string> = {}) {
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const answer = await fetch(`${at.url}${path}`, {
    method,
    headers: {
      accept: 'application/json, text/event-stream',
      ...(hasBody && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(hasBody && { body: chunked(), duplex: 'half' }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

describe('a request that the router takes', () => {
  it.each([
    ['/mcp', 'nobody', 200],
    ['/mcp/default', 'nobody', 200],
    ['/mcp/default?x=1', 'nobody', 200],
    ['/mcp/keyed', 'nobody', 401],
    ['/mcp/keyed', 'a wrong key', 401],
    ['/mcp/keyed', 'the right key', 200],
    ['/mcp/off', 'the right key', 403],
    ['/mcp/nothing', 'the right key', 403],
    [`/mcp/${'x'.repeat(300)}`, 'nobody', 401],
  ])('to %s by %s: %i, in a shape that MCP clients read', async (path, who, status) => {
    const sent = { 'a wrong key': 'hrk_wrong', 'the right key': key }[who];
    const answer = await ask('POST', path, sent === undefined ? {} : { authorization: `Bearer ${sent}` });
    expect(answer.status).toBe(status);
    const body = JSON.parse(answer.text) as object;
    if (status === 200)
      expect(body).toMatchObject({ jsonrpc: '2.0', id: 1, result: { tools: expect.anything() } });
    else expect(body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
    expect(answer.headers.get('www-authenticate') !== null).toBe(status === 401);
  });

  it.each([
    ['GET', 405],
    ['PUT', 405],
    ['PATCH', 405],
    ['HEAD', 405],
  ])('with the method %s is refused by the protocol', async (method, status) => {
    expect((await ask(method, '/mcp')).status).toBe(status);
  });

  it('ends when the access of its caller ends', async () => {
    const made = (await at.admin('POST', '/keys', { name: 'short', servers: ['keyed'] })).body;
    const auth = { authorization: `Bearer ${made.key}` };
    expect((await ask('POST', '/mcp/keyed', auth)).status).toBe(200);
    expect((await at.admin('POST', `/keys/${made.id}/revoke`)).status).toBeLessThan(300);
    expect((await ask('POST', '/mcp/keyed', auth)).status).toBe(401);
  });
});
