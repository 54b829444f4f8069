import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.ts';

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

describe('looking up tools', () => {
  let at: TestGateway;
  beforeAll(async () => {
    at = await startGateway({ demo: true });
    const server = { slug: 'few', tools: '*', policy: 'open', ratePerMinute: 2, mode: 'search' };
    expect((await at.request('POST', '/api/v1/servers', server)).statusCode).toBe(201);
  });
  afterAll(() => at.close());

  async function call(name: string, args: object): Promise<Result> {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    return (await at.request('POST', '/mcp/few', body, {})).json<{ result: Result }>().result;
  }

  it('keeps to the limit of the server, takes no call from it, and is counted', async () => {
    expect((await call('search_tools', { query: 'weather' })).isError).toBeFalsy();
    expect((await call('describe_tools', { names: ['none'] })).isError).toBe(true);
    const refused = await call('search_tools', { query: 'weather' });
    expect(refused.isError).toBe(true);
    expect(refused.content[0]!.text).toMatch(
      /^The limit of 2 look-ups per minute for each caller of the server "few" has been reached\. Try again in \d+ seconds?\.$/,
    );
    for (let i = 0; i < 2; i++)
      expect(
        (await call('call_read', { name: 'weather_get', arguments: { location: 'Oslo' } })).isError,
      ).toBeFalsy();
    const third = await call('call_read', { name: 'weather_get', arguments: { location: 'Oslo' } });
    expect(third.content[0]!.text).toContain('The limit of 2 calls per minute');
    const metrics = (await at.request('GET', '/metrics')).body;
    for (const [tool, outcome] of [
      ['search_tools', 'ok'],
      ['describe_tools', 'failed'],
      ['search_tools', 'rate_limited'],
    ])
      expect(metrics).toContain(
        `handrail_look_ups_total{tool="${tool}",server="few",outcome="${outcome}"} 1`,
      );
  });

  it('leaves room to read on in a reply, whatever was looked up and called', async () => {
    for (let i = 0; i < 5; i++) {
      const read = await call('read_reply', { handle: 'reply_none' });
      expect(read.content[0]!.text).not.toContain('limit');
    }
    const metrics = (await at.request('GET', '/metrics')).body;
    expect(metrics).toContain('handrail_look_ups_total{tool="read_reply",server="few",outcome="failed"} 5');
  });
});
