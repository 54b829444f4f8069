import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../../test/support/gateway.ts';

let at: TestGateway;
let key: string;

beforeAll(async () => {
  at = await startGateway({ demo: true });
  key = (await at.request('POST', '/api/v1/keys', { name: 'right' })).json<{ key: string }>().key;
});
afterAll(() => at.close());

const call = (fields: object) => ({ jsonrpc: '2.0', method: 'tools/call', ...fields });
const weather = { name: 'get_weather', arguments: { city: 'Oslo' } };

const post = (payload: string, headers: Record<string, string> = {}) =>
  at.gateway.app.inject({
    method: 'POST',
    url: '/mcp/tools/call',
    headers: { host: 'localhost', 'content-type': 'application/json', ...headers },
    payload,
  });

describe('a call over REST', () => {
  it.each([
    ['nothing', '', -32602, 'missing required parameters'],
    ['white space', ' \n\t', -32602, 'missing required parameters'],
    ['null', 'null', -32602, 'missing required parameters'],
    ['no JSON', '{', -32700, 'Parse error: The body is not valid JSON.'],
    ['a key twice', '{"jsonrpc":"2.0","jsonrpc":"2.0"}', -32700, 'same key twice'],
    ['a list', '[]', -32600, 'must be a JSON-RPC request object'],
    ['a text', '"tools/call"', -32600, 'must be a JSON-RPC request object'],
    ['another version', JSON.stringify(call({ jsonrpc: '1.0', params: weather })), -32600, 'jsonrpc must be'],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32600, 'method is required'],
    ['a method that is no text', '{"jsonrpc":"2.0","method":7}', -32600, 'method is required'],
    [
      'another method',
      JSON.stringify(call({ method: 'tools/list' })),
      -32601,
      'Method not found: tools/list',
    ],
    ['an id that is an object', JSON.stringify(call({ id: {}, params: weather })), -32600, 'id must be'],
    ['no params', JSON.stringify(call({})), -32602, 'missing required parameters'],
    ['params that are a list', JSON.stringify(call({ params: [] })), -32602, 'params must be an object'],
    ['no name', JSON.stringify(call({ params: {} })), -32602, 'name is required'],
    ['an empty name', JSON.stringify(call({ params: { name: '' } })), -32602, 'name is required'],
    ['an unknown tool', JSON.stringify(call({ params: { name: 'none' } })), -32602, 'tool not found: none'],
    ['a missing argument', JSON.stringify(call({ params: { name: 'get_weather' } })), -32602, 'city'],
    [
      'arguments that are a list',
      JSON.stringify(call({ params: { ...weather, arguments: [] } })),
      -32602,
      'must be an object',
    ],
  ])('with %s is refused in JSON-RPC, with HTTP 200', async (_what, body, code, words) => {
    const answer = await post(body);
    expect(answer.statusCode).toBe(200);
    const { error } = answer.json<{ error: { code: number; message: string } }>();
    expect(error).toEqual({ code, message: expect.stringContaining(words) });
  });

  it.each([[1], ['one'], [undefined]])('is answered with its id %j', async (id) => {
    const answer = await post(JSON.stringify(call({ id, params: weather })));
    const { result, ...rest } = answer.json<{ result: { content: { text: string }[] } }>();
    expect(rest).toEqual({ jsonrpc: '2.0', ...(id !== undefined && { id }) });
    expect(result.content[0]!.text).toContain('current_condition');
  });
});

describe.each([
  ['GET', '/mcp/tools/list'],
  ['POST', '/mcp/tools/call'],
])('%s %s', (method, url) => {
  const ask = (headers: Record<string, string>) =>
    at.request(method, url, method === 'POST' ? call({ params: weather }) : undefined, headers);

  it.each([
    ['nobody', 'key', 401],
    ['a wrong key', 'key', 401],
    ['the right key', 'key', 200],
    ['nobody', 'open', 200],
  ])('by %s on a server that asks for %s: %i', async (who, policy, status) => {
    await at.request('PATCH', '/api/v1/servers/default', { policy: { kind: policy } });
    const sent = { 'a wrong key': 'hrk_wrong', 'the right key': key }[who];
    const answer = await ask(sent === undefined ? {} : { authorization: `Bearer ${sent}` });
    expect(answer.statusCode).toBe(status);
  });

  it('says that the server is disabled', async () => {
    await at.request('PATCH', '/api/v1/servers/default', { enabled: false });
    const answer = await ask({});
    expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual([
      404,
      'The default server is disabled.',
    ]);
    await at.request('PATCH', '/api/v1/servers/default', { enabled: true });
  });
});

it('lists tools under the names that a call takes', async () => {
  const { result } = (await at.request('GET', '/mcp/tools/list', undefined, {})).json<{
    result: { tools: { name: string; inputSchema: { type: string } }[] };
  }>();
  expect(result.tools.map(({ name }) => name)).toContain('get_weather');
  expect(new Set(result.tools.map(({ inputSchema }) => inputSchema.type))).toEqual(new Set(['object']));
});

it.each(['/mcp/tools/list?dialect=klingon', '/mcp/tools/call?dialect=klingon'])(
  '%s says which dialects there are',
  async (url) => {
    const answer = url.includes('list')
      ? await at.request('GET', url, undefined, {})
      : await at.request('POST', url, call({ id: 1, params: weather }), {});
    expect(answer.json<{ error: { message: string } }>().error.message).toMatch(
      /no dialect "klingon". Use one of: .*strict/,
    );
  },
);
