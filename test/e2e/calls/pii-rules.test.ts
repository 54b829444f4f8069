import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';

const card = '4111 1111 1111 1111';
const mail = 'jane@example.com';

interface Shown {
  readonly argumentsText: string;
  readonly replyText: string | null;
  readonly request: string | null;
  readonly message: string | null;
  readonly steps: readonly { readonly name: string; readonly note?: string }[];
}

describe('PII rules', () => {
  let upstream: TestServer;
  let running: RunningGateway;
  let sent = 0;

  beforeAll(async () => {
    upstream = await serveHttp((request, response) => {
      sent++;
      const { pathname } = new URL(request.url!, 'http://upstream');
      const json = (value: unknown, status = 200) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (pathname === '/long')
        return json({
          rows: Array.from({ length: 9_000 }, (_, id) => ({ id, mail, words: 'x'.repeat(60) })),
        });
      if (pathname === '/wrong') return json({ error: `${mail} is unknown` }, 404);
      if (pathname === '/page')
        return response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<p>jane<!-- -->@example.com</p>`);
      if (pathname === '/file')
        return response
          .writeHead(200, {
            'content-type': 'text/csv',
            'content-disposition': 'attachment; filename="a.csv"',
          })
          .end(`id,mail\n${`1,${mail}\n`.repeat(20_000)}`);
      return json({ mail, card, number: 5555555555554444, order: 'AB123456' });
    });
    running = await startGateway({ egressAllow: ['127.0.0.1'] });
    const { admin } = running;
    await admin('POST', '/apis', {
      slug: 'crm',
      baseUrl: upstream.origin,
      piiRules: [
        { find: 'card', actions: ['mask-replies', 'refuse-arguments'] },
        { find: 'email', actions: ['mask-replies', 'mask-records'] },
      ],
    });
    for (const path of ['one', 'long', 'wrong', 'page', 'file'])
      await admin('POST', '/tools', {
        api: 'crm',
        name: path,
        description: path,
        operation: {
          method: path === 'one' ? 'POST' : 'GET',
          path: `/${path}`,
          parameters: [{ name: 'q', in: 'query', required: false, schema: {} }],
        },
      });
    await admin('PATCH', '/servers/default', {
      piiRules: [
        {
          find: 'pattern',
          name: 'order',
          pattern: '[A-Z]{2}[0-9]{6}',
          actions: ['mask-replies', 'mask-records'],
        },
      ],
    });
  });
  afterAll(async () => {
    await running.stop();
    await upstream.close();
  });

  async function call(name: string, args: object = {}): Promise<string> {
    const answer = await fetch(`${running.url}/mcp/default`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
    return answer.text();
  }

  async function lastRecord(tool: string): Promise<Shown> {
    for (let tries = 0; ; tries++) {
      const { body } = await running.admin('GET', `/calls?tool=${tool}&limit=1`);
      if (body.items.length > 0)
        return (await running.admin('GET', `/calls/${body.items[0].id}`)).body as Shown;
      if (tries === 100) throw new Error(`no record of ${tool}`);
      await delay(20);
    }
  }

  test('mask what leaves in a reply, of the API and of the server', async () => {
    const text = await call('one', { q: 'x' });
    expect(text).toContain('[masked: email]');
    expect(text).toContain('[masked: card]');
    expect(text).toContain('[masked: order]');
    expect(text).not.toMatch(/jane@|4111|5555555555|AB1/);
    const record = await lastRecord('one');
    expect(JSON.stringify(record)).not.toMatch(/jane@|4111|5555555555|AB1/);
    expect(record.steps.find(({ name }) => name === 'pii')?.note).toBe(
      'masked in the reply: 1 email, 2 card, 1 order',
    );
  });

  test.each(['long', 'wrong', 'page'])('mask every kind of reply: %s', async (name) => {
    const text = await call(name);
    expect(text).not.toContain('jane');
    expect(text).toContain('[masked: email]');
  });

  test('mask a file of text while it is stored', async () => {
    const text = await call('file');
    expect(text).not.toContain('jane');
    const [handle] = /reply_[\w-]+|file_[\w-]+/.exec(text) ?? [];
    const part = await call('read_reply', { handle, offset: 0 });
    expect(part).not.toContain('jane@');
  });

  test('refuse a call with it in an argument, before anything is sent', async () => {
    const before = sent;
    for (const q of [
      card,
      4111111111111111,
      { deep: [{ [card]: 1 }] },
      '4111%201111%201111%201111',
      '4111\u200b111111111111',
    ]) {
      const text = await call('one', { q });
      expect(text).toContain('contains personal data that must not be sent');
    }
    expect(sent).toBe(before);
    const text = await call('one', { q: '4111111111111112' });
    expect(text).not.toContain('personal data');
  });

  test('mask it in the record alone where the rule says so', async () => {
    await call('wrong', { q: mail });
    await delay(300);
    const record = await lastRecord('wrong');
    expect(JSON.stringify(record)).not.toContain('jane');
    expect(JSON.stringify(record)).toContain('[masked: email]');
    expect(record.request ?? '').toContain('[masked: email]');
    expect(record.steps.some(({ note }) => note?.startsWith('masked in the record: ') === true)).toBe(true);
  });

  test('are counted', async () => {
    const metrics = await (
      await fetch(`${running.url}/metrics`, { headers: { authorization: 'Bearer x' } })
    ).text();
    expect(metrics).toMatch(
      /handrail_pii_matches_total\{api="crm",rule="card",action="refuse-arguments"\} [1-9]/,
    );
    expect(metrics).toMatch(
      /handrail_pii_matches_total\{api="crm",rule="email",action="mask-records"\} [1-9]/,
    );
  });

  test('can be tried without saving or sending anything', async () => {
    const { body } = await running.admin('POST', '/pii/try', {
      text: `${mail} ${card} AB123456`,
      api: 'crm',
      server: 'default',
    });
    expect(body).toMatchObject({
      reply: '[masked: email] [masked: card] [masked: order]',
      record: `[masked: email] ${card} [masked: order]`,
      refused: true,
    });
    expect(body.matches.map(({ rule, text }: { rule: string; text: string }) => [rule, text])).toEqual([
      ['email', mail],
      ['card', card],
      ['order', 'AB123456'],
    ]);
  });

  test.each([
    [{ find: 'pattern', actions: ['mask-replies'] }, 'is required'],
    [{ find: 'card', pattern: 'x', actions: ['mask-replies'] }, 'has no effect'],
    [{ find: 'pattern', pattern: '(?<=x)y', actions: ['mask-replies'] }, 'is not an RE2 expression'],
    [{ find: 'pattern', pattern: 'x*', actions: ['mask-replies'] }, 'must not match an empty text'],
    [{ find: 'pattern', pattern: '(a{99}){99}', actions: ['mask-replies'] }, 'is too large'],
    [{ find: 'card', actions: [] }, 'actions'],
  ])('are refused where they cannot work: %j', async (rule, message) => {
    const { status, body } = await running.admin('PATCH', '/apis/crm', { piiRules: [rule] });
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain(message);
  });
});
