import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  listedTool,
  modern,
  post,
  serverView,
  startSurface,
  type Surface,
} from '../../test/support/mcp-surface.ts';
import { overlong } from './request-ids.ts';

const longest = 'x'.repeat(1_024);
const tooLong = 'x'.repeat(1_025);

it.each([
  [{ id: longest }, null],
  [{ id: tooLong }, 'the id'],
  [{ id: 'é'.repeat(512) }, null],
  [{ id: 'é'.repeat(513) }, 'the id'],
  [{ id: 12 }, null],
  [{ method: 'notifications/cancelled', params: { requestId: tooLong } }, 'the requestId'],
  [{ id: 1, params: { _meta: { progressToken: tooLong } } }, 'the progressToken'],
  [{ id: 1, params: { _meta: { progressToken: longest } } }, null],
  [{ id: 1, params: { arguments: { text: tooLong } } }, null],
  [{ id: 1, params: { name: 'a', _meta: null } }, null],
  [null, null],
  ['text', null],
])('tells which id is too long: %#', (message, what) => {
  expect(overlong(message)).toBe(what);
});

describe.each([true, false])('ids that are too long (fast lane: %s)', (fastLane) => {
  let surface: Surface;
  beforeAll(async () => {
    surface = await startSurface({ views: [serverView('demo', [listedTool('a')])], fastLane });
  });
  afterAll(() => surface.stop());

  const legacy = (id: unknown, params: object = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'a', arguments: {}, ...params },
  });
  const modernCall = (id: unknown, meta: object = {}) => {
    const { body, headers } = modern('tools/call', { name: 'a', arguments: {} });
    const message = body as { params: { _meta: object } };
    return {
      body: { ...message, id, params: { ...message.params, _meta: { ...message.params._meta, ...meta } } },
      headers,
    };
  };

  it.each([
    ['legacy', () => ({ body: legacy(tooLong), headers: {} })],
    ['modern', () => modernCall(tooLong)],
    ['legacy, as a token', () => ({ body: legacy(1, { _meta: { progressToken: tooLong } }), headers: {} })],
    ['modern, as a token', () => modernCall(1, { progressToken: tooLong })],
    [
      'in a batch',
      () => ({ body: [legacy(1), legacy(tooLong)], headers: { 'mcp-protocol-version': '2025-03-26' } }),
    ],
    [
      'in initialize',
      () => ({ body: { jsonrpc: '2.0', id: tooLong, method: 'initialize', params: {} }, headers: {} }),
    ],
    [
      'in a notification',
      () => ({
        body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: tooLong } },
        headers: {},
      }),
    ],
  ])('are refused with a sentence: %s', async (_what, made) => {
    const { body, headers } = made();
    surface.calls.length = 0;
    const answer = await post(surface.url('demo'), body, headers);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      id: null,
      error: { code: -32600, message: expect.stringMatching(/is longer than 1024 bytes$/) as string },
    });
    expect(surface.calls).toEqual([]);
  });

  it('are taken up to that', async () => {
    for (const { body, headers } of [{ body: legacy(longest), headers: {} }, modernCall(longest)])
      expect((await post(surface.url('demo'), body, headers)).json).toMatchObject({
        id: longest,
        result: {},
      });
  });

  it('of a session are refused, too', async () => {
    const answer = await post(surface.url('demo'), legacy(1), { 'mcp-session-id': 'x'.repeat(4_097) });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      error: { message: expect.stringContaining('Mcp-Session-Id') as string },
    });
  });
});

describe.each([true, false])('a mode that a client asks for (fast lane: %s)', (fastLane) => {
  let surface: Surface;
  beforeAll(async () => {
    const views = [
      serverView('demo', [listedTool('a')]),
      serverView('fixed', [listedTool('a')], { clientModes: [], mode: 'direct' }),
    ];
    surface = await startSurface({ views, fastLane });
  });
  afterAll(() => surface.stop());

  it.each([
    ['demo', 'odd', 422],
    ['demo', 'code', 200],
    ['fixed', 'code', 403],
    ['fixed', 'search', 403],
    ['demo', 'search', 200],
    ['demo', 'auto', 200],
  ])('has the same answer for a list and a call, in both eras: %s?mode=%s', async (slug, mode, status) => {
    const url = `${surface.url(slug)}?mode=${mode}`;
    const requests = [
      { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers: {} },
      {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', arguments: {} } },
        headers: {},
      },
      modern('tools/list', {}),
      modern('tools/call', { name: 'a', arguments: {} }),
    ];
    const answers = await Promise.all(requests.map(({ body, headers }) => post(url, body, headers)));
    expect(answers.map((answer) => answer.status)).toEqual([status, status, status, status]);
    const errors = answers.map(({ json }) => (json as { error?: object }).error);
    expect(errors.every((error) => JSON.stringify(error) === JSON.stringify(errors[0]))).toBe(true);
  });
});
