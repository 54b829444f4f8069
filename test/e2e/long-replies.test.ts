import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countTokens } from '../../src/listing/tokens/count-tokens.ts';
import { modern, post } from '../support/mcp-surface.ts';
import { adminToken, type RunningGateway, startGateway } from '../support/running-gateway.ts';
import { serveHttp, type TestServer } from '../support/servers/http-server.ts';

const rows = Array.from({ length: 5_000 }, (_, n) => ({
  id: n,
  name: `Thing ${n}`,
  about: 'words '.repeat(20),
}));
const whole = JSON.stringify(rows);

describe('a long reply of a gateway', () => {
  let status = 200;
  let upstream: TestServer;
  let running: RunningGateway;
  beforeAll(async () => {
    upstream = await serveHttp((_request, response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(whole),
    );
    running = await startGateway({ egressAllow: ['127.0.0.1'] });
    await running.admin('POST', '/apis', { slug: 'shop', name: 'Shop', baseUrl: upstream.origin });
    await running.admin('POST', '/tools', {
      api: 'shop',
      name: 'list_things',
      description: 'Lists things.',
      operation: { method: 'GET', path: '/things' },
    });
    await running.admin('POST', '/servers', { slug: 'keys', name: 'Keys', tools: '*', policy: 'key' });
  });
  afterAll(async () => {
    await running.stop();
    await upstream.close();
  });

  async function call(name: string, args: object, { url = running.url, server = 'default', key = '' } = {}) {
    const { body, headers } = modern('tools/call', { name, arguments: args });
    if (key !== '') headers['authorization'] = `Bearer ${key}`;
    return (await post(`${url}/mcp/${server}`, body, headers)).json.result;
  }

  it('is read through its handle, also by another process', async () => {
    const result = await call('list_things', {});
    expect(countTokens(JSON.stringify(result))).toBeLessThanOrEqual(10_000);
    const { handle, bytes, records } = result.structuredContent;
    expect([bytes, records]).toEqual([whole.length, 5_000]);
    const last = { handle, select: '[-1].name' };
    expect((await call('read_reply', last)).content[0].text).toBe('Thing 4999');
    const other = await startGateway({ dataDir: running.dataDir, egressAllow: ['127.0.0.1'] });
    try {
      expect((await call('read_reply', last, { url: other.url })).content[0].text).toBe('Thing 4999');
    } finally {
      await other.stop();
    }
    const { body: text } = await running.admin('GET', '/calls');
    expect(text.items[0].toolName).toBe('list_things');
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    expect(metrics).toMatch(/^handrail_kept_replies [1-9]/m);
    expect(metrics).toMatch(/^handrail_replies_cut_total [1-9]/m);
  });

  it('is kept as well when it is an error, of which little is told', async () => {
    status = 422;
    try {
      const result = await call('list_things', {});
      expect(result.isError).toBe(true);
      expect(result.structuredContent).toBeUndefined();
      expect(countTokens(JSON.stringify(result))).toBeLessThanOrEqual(10_000);
      const handle = /reply_[\w-]+/.exec(result.content[0].text)![0];
      const last = await call('read_reply', { handle, select: '[-1].name' });
      expect(last.content[0].text).toBe('Thing 4999');
      const page = await call('read_reply', { handle, offset: 4_998 });
      expect(JSON.parse(page.content[0].text)).toEqual(rows.slice(4_998));
    } finally {
      status = 200;
    }
  });

  it('is recorded with what a model read of it, and counted as saved', async () => {
    await call('list_things', {});
    const { body: calls } = await running.admin('GET', '/calls?tool=list_things&outcome=ok');
    const [recorded] = calls.items;
    expect(recorded.outputTokens).toBe(Math.ceil(whole.length / 4));
    expect(recorded.readTokens).toBeGreaterThan(100);
    expect(recorded.readTokens).toBeLessThan(10_000);
    // Who reads records cannot read the reply by them.
    expect(recorded.read).toContain('is kept as reply_[masked]');
    expect(recorded.read).not.toMatch(/reply_[\w-]{20}|\/files\/\w/);
    expect(recorded.reply).toContain('Thing 0');
    const { body } = await running.admin('GET', '/analytics?range=1h&by=tool&order=tokens');
    expect(body.totals.savedTokens).toBeGreaterThanOrEqual(recorded.outputTokens - recorded.readTokens);
    expect(body.groups[0]).toMatchObject({ name: 'list_things', savedTokens: body.totals.savedTokens });
    const csv = await running.gateway.app.inject({
      url: '/api/v1/calls/export',
      headers: { authorization: `Bearer ${adminToken}`, host: 'localhost' },
    });
    expect(csv.body.split('\r\n', 1)[0]).toMatch(/read_tokens$/);
    const { body: settings } = await running.admin('GET', '/settings');
    expect(settings.keptReplies.count).toBeGreaterThan(0);
    expect(settings.keptReplies.bytes).toBeGreaterThan(10_000);
  });

  it('is made shorter as its records suggest', async () => {
    await call('list_things', {});
    const { body } = await running.admin('GET', '/reply-suggestions');
    const [suggestion] = body.items;
    expect(suggestion).toMatchObject({
      toolName: 'list_things',
      fields: ['id', 'name'],
      select: '[].{id: id, name: name}',
    });
    expect(suggestion.saved).toBeGreaterThan(0.7);
    const { body: tool } = await running.admin('GET', '/tools/list_things');
    await running.admin('PATCH', '/tools/list_things', {
      reply: { ...tool.reply, select: suggestion.select },
    });
    const result = await call('list_things', {});
    const page = await call('read_reply', { handle: result.structuredContent.handle, limit: 1 });
    expect(page.content[0].text).toBe('[{"id":0,"name":"Thing 0"}]');
    expect((await running.admin('GET', '/reply-suggestions')).body.items).toEqual([]);
    await running.admin('PATCH', '/tools/list_things', { reply: {} });
  });

  it('is whole for an operator who tries the tool', async () => {
    const { body } = await running.admin('POST', '/tools/list_things/call', { arguments: {} });
    expect(JSON.stringify(body)).toContain('Thing 4999');
  });

  it('is cut as its server and its tool say', async () => {
    await running.admin('PATCH', '/servers/keys', { policy: 'open', replyMaxTokens: 0 });
    expect((await call('list_things', {}, { server: 'keys' })).content[0].text).toBe(whole);
    await running.admin('PATCH', '/tools/list_things', { reply: { maxTokens: 1_000 } });
    const result = await call('list_things', {}, { server: 'keys' });
    expect(countTokens(JSON.stringify(result))).toBeLessThanOrEqual(1_000);
    const tool = await running.admin('GET', '/tools/list_things');
    expect(tool.body.reply).toEqual({ maxTokens: 1_000 });
    await running.admin('PATCH', '/tools/list_things', { reply: {} });
    const wrong = await running.admin('PATCH', '/servers/keys', { replyMaxTokens: 7 });
    expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([
      422,
      expect.stringContaining('at least 500'),
    ]);
    await running.admin('PATCH', '/servers/keys', { policy: 'key', replyMaxTokens: null });
  });

  it('ends with the key that it was made with', async () => {
    const made = await running.admin('POST', '/keys', { name: 'one', servers: ['keys'] });
    const other = await running.admin('POST', '/keys', { name: 'other', servers: ['keys'] });
    const asOne = { server: 'keys', key: made.body.key as string };
    const { handle } = (await call('list_things', {}, asOne)).structuredContent;
    expect((await call('read_reply', { handle, limit: 1 }, asOne)).isError).toBeUndefined();
    const refused = await call('read_reply', { handle }, { server: 'keys', key: other.body.key });
    expect([refused.isError, refused.content[0].text]).toEqual([true, expect.stringContaining('no reply')]);
    await running.admin('DELETE', `/keys/${made.body.id}`);
    expect(await call('read_reply', { handle }, asOne)).toBeUndefined();
  });
});
