import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern, post } from '../support/mcp-surface.ts';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';

describe('settings of one server', () => {
  let running: RunningGateway;
  beforeAll(async () => {
    running = await startGateway({ demo: true });
    for (const [slug, more] of [
      ['shown', { policy: 'open', explorerReadOnly: true, ttlMs: 60_000 }],
      ['open', { policy: 'open' }],
      ['keyed', { policy: 'key' }],
    ] as const) {
      const made = await running.admin('POST', '/servers', { slug, name: slug, tools: '*', ...more });
      expect(made.status).toBe(201);
    }
  });
  afterAll(() => running.stop());

  const call = async (slug: string, tool: string) => {
    const answer = await fetch(`${running.url}/explorer/${slug}/tools/${tool}/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"location":"Lima"}',
    });
    const body: unknown = await answer.json();
    return [answer.status, body];
  };

  it('make an explorer read-only, with the answers of the Tool Execution API in its order', async () => {
    const disabled = [403, { error: 'Tool execution is disabled.' }];
    expect(await call('shown', 'weather_get')).toEqual(disabled);
    expect(await call('shown', 'nothing')).toEqual(disabled);
    expect(await call('open', 'nothing')).toEqual([404, { error: 'Tool not found: nothing' }]);
    expect(await call('open', 'weather_get')).toEqual([200, expect.objectContaining({ isError: false })]);
  });

  it('reveal no tool of a protected server to a call without access', async () => {
    for (const tool of ['weather_get', 'nothing'])
      expect(await call('keyed', tool)).toEqual([401, { error: 'Unauthorized' }]);
  });

  it('say how long lists may be cached', async () => {
    const { body, headers } = modern('tools/list');
    const ttlOf = async (slug: string) =>
      (await post(`${running.url}/mcp/${slug}`, body, headers)).json.result.ttlMs as number;
    expect([await ttlOf('shown'), await ttlOf('open')]).toEqual([60_000, 0]);
  });
});
