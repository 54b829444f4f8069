import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';

let running: RunningGateway;
let scoped: string;
let whole: string;

beforeAll(async () => {
  running = await startGateway({ trustProxy: '127.0.0.1', allowOpen: true });
  for (const server of [
    { slug: 'zqx-secret', name: 'Payroll of Acme', tools: [], policy: { kind: 'key' } },
    { slug: 'zqx-header', name: 'Payroll of Acme', tools: [], policy: { kind: 'key', header: 'X-Team-Key' } },
    { slug: 'mine', name: 'Mine', tools: [], policy: { kind: 'key' } },
    {
      slug: 'zqx-inside',
      name: 'Insiders',
      tools: [],
      policy: { kind: 'open' },
      allowAddresses: ['10.0.0.0/8'],
    },
    { slug: 'shown', name: 'Shown to all', tools: [], policy: { kind: 'open' } },
  ])
    expect((await running.admin('POST', '/servers', server)).status).toBe(201);
  scoped = (await running.admin('POST', '/keys', { name: 'scoped', servers: ['mine'] })).body.key;
  whole = (await running.admin('POST', '/keys', { name: 'whole' })).body.key;
});
afterAll(() => running.stop());

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

async function ask(method: string, path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${running.url}${path}`, {
    method,
    headers: {
      accept: 'application/json, text/event-stream',
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(method === 'POST' && { body: JSON.stringify(list) }),
  });
  const kept = [...answer.headers].filter(([name]) => name !== 'date');
  return { status: answer.status, headers: kept, text: await answer.text() };
}

const routes: [string, (slug: string) => string][] = [
  ['POST', (slug) => `/mcp/${slug}`],
  ['GET', (slug) => `/mcp/${slug}`],
  ['DELETE', (slug) => `/mcp/${slug}`],
  ['GET', (slug) => `/mcp/${slug}/server.json`],
  ['GET', (slug) => `/mcp/${slug}/server-card`],
  ['GET', (slug) => `/mcp/${slug}/openapi.json`],
  ['POST', (slug) => `/mcp/${slug}/tools/x`],
  ['GET', (slug) => `/explorer/${slug}`],
  ['GET', (slug) => `/explorer/${slug}/tools`],
  ['POST', (slug) => `/explorer/${slug}/tools/x/call`],
  ['GET', (slug) => `/.well-known/oauth-protected-resource/mcp/${slug}`],
];

describe('a server that is not for whoever asks', () => {
  const proofs: [string, () => Record<string, string>][] = [
    ['nothing', () => ({})],
    ['a wrong key', () => ({ authorization: 'Bearer hrk_wrong' })],
    ['a wrong key in a header of its own', () => ({ 'x-team-key': 'hrk_wrong' })],
    ['a key of another server', () => ({ authorization: `Bearer ${scoped}` })],
  ];
  it.each(
    routes.flatMap(([method, path]) => proofs.map((proof) => [method, path('…'), path, ...proof] as const)),
  )('looks like one that is not there: %s %s', async (method, _shown, path, _what, proof) => {
    // Of the same length, because answers may repeat what was asked for.
    const slugs = ['zqx-nobody', 'zqx-secret', 'zqx-header', 'zqx-inside'];
    const answers = await Promise.all(slugs.map((slug) => ask(method, path(slug), proof())));
    const [not, ...there] = answers.map((answer, i) => JSON.stringify(answer).replaceAll(slugs[i]!, '…'));
    for (const answer of there) expect(answer === not, answer.slice(0, 500)).toBe(true);
    expect(there.join('')).not.toMatch(/Payroll|Insiders|X-Team-Key/);
  });

  it('is found by those it is for', async () => {
    const key = { authorization: `Bearer ${whole}` };
    expect((await ask('POST', '/mcp/zqx-secret', key)).status).toBe(200);
    expect((await ask('POST', '/mcp/mine', { authorization: `Bearer ${scoped}` })).status).toBe(200);
    expect((await ask('POST', '/mcp/zqx-header', { 'x-team-key': whole })).status).toBe(200);
    expect((await ask('POST', '/mcp/nowhere', key)).status).toBe(404);
    expect((await ask('GET', '/explorer/shown')).text).toContain('Shown to all');
  });

  it.each([
    ['10.1.2.3', 200],
    ['192.0.2.1, 10.1.2.3', 200],
    ['10.1.2.3, 192.0.2.1', 401],
    ['192.0.2.1', 401],
    ['', 401],
  ])('is there for the addresses it allows: %j', async (forwarded, status) => {
    const headers: Record<string, string> = forwarded === '' ? {} : { 'x-forwarded-for': forwarded };
    expect((await ask('POST', '/mcp/zqx-inside', headers)).status).toBe(status);
    expect((await ask('GET', '/mcp/zqx-inside/server.json', headers)).status).toBe(status);
  });

  it.each([['not an address'], [''], ['10.0.0.0/99']])('refuses the list %j', async (entry) => {
    const { status, body } = await running.admin('PATCH', '/servers/zqx-inside', { allowAddresses: [entry] });
    expect([status, body.problems[0].path]).toEqual([422, '/allowAddresses/0']);
  });
});

describe('whoever keeps being refused', () => {
  it('is told to come later, by address and in total, and those who are let in go on', async () => {
    const few = await startGateway({
      trustProxy: '127.0.0.1',
      refusalsPerMinute: 5,
      refusalsPerMinuteInTotal: 12,
    });
    try {
      await few.admin('POST', '/servers', { slug: 'keyed', tools: [], policy: { kind: 'key' } });
      const { key } = (await few.admin('POST', '/keys', { name: 'k' })).body as { key: string };
      const askFrom = (address: string, authorization: string, path = '/mcp/keyed') =>
        fetch(`${few.url}${path}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'x-forwarded-for': address,
            authorization,
          },
          body: JSON.stringify(list),
        });
      const statuses = async (address: string, times: number, path?: string) => {
        const seen: number[] = [];
        for (let i = 0; i < times; i++) seen.push((await askFrom(address, 'Bearer no', path)).status);
        return seen;
      };
      expect(await statuses('192.0.2.1', 7)).toEqual([401, 401, 401, 401, 401, 429, 429]);
      const late = await askFrom('192.0.2.1', 'Bearer no');
      expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await late.text()).toContain('Try again in');
      expect((await askFrom('192.0.2.1', `Bearer ${key}`)).status).toBe(200);
      expect(await statuses('192.0.2.2', 6, '/api/v1/imports')).toEqual([401, 401, 401, 401, 401, 429]);
      expect(await statuses('192.0.2.3', 3)).toEqual([401, 401, 429]);
      expect((await few.admin('GET', '/servers')).status).toBe(200);
    } finally {
      await few.stop();
    }
  });
});
