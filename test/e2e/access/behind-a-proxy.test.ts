import { afterEach, describe, expect, test } from 'vitest';
import { type SettingName } from '../../../src/config/settings.ts';
import { adminToken, startGateway, type TestGateway } from '../../support/gateway.ts';

const password = 'seven green umbrellas dance';
let at: TestGateway;
afterEach(() => at.close());

async function startWithAdmin(settings: Partial<Record<SettingName, unknown>>): Promise<void> {
  at = await startGateway(settings);
  const token = (await at.gateway.signIn.makeSetupToken())!;
  await at.request('POST', '/api/v1/setup', { token, name: 'Ada', password }, {});
}

const guess = (forwardedFor: string) =>
  at.request(
    'POST',
    '/api/v1/session',
    { name: 'Ada', password: 'wrong' },
    { 'x-forwarded-for': forwardedFor },
  );

/** How many of some guesses had their password looked at. */
async function lookedAt(guesses: readonly Promise<{ statusCode: number }>[]): Promise<number> {
  const answers = await Promise.all(guesses);
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([401, 429]));
  return answers.filter(({ statusCode }) => statusCode === 401).length;
}

describe('addresses that clients claim', () => {
  test('slows sixty guesses at once from one address down before their passwords are looked at', async () => {
    await startWithAdmin({});
    expect(await lookedAt(Array.from({ length: 60 }, () => guess('')))).toBeLessThan(8);
  });

  test('believes nobody without a trusted proxy', async () => {
    await startWithAdmin({});
    expect(await lookedAt(Array.from({ length: 20 }, (_, i) => guess(`203.0.113.${i}`)))).toBeLessThan(8);
  });

  test('goes by the last address that is no trusted proxy, whatever stands before it', async () => {
    await startWithAdmin({ trustProxy: '127.0.0.1,10.0.0.0/8' });
    const guesses = Array.from({ length: 20 }, (_, i) => guess(`203.0.113.${i}, 198.51.100.7, 10.1.2.3`));
    expect(await lookedAt(guesses)).toBeLessThan(8);
    const { items } = (
      await at.request('GET', '/api/v1/audit?action=session.refused', undefined, {
        authorization: `Bearer ${adminToken}`,
      })
    ).json<{ items: { actor: { address: string } }[] }>();
    expect(new Set(items.map(({ actor }) => actor.address))).toEqual(new Set(['198.51.100.7']));
  });

  test('lets only allowed addresses use the admin surface', async () => {
    at = await startGateway({ trustProxy: '127.0.0.1', adminAllow: '198.51.100.0/24' });
    const ask = (address: string) =>
      at.request('GET', '/api/v1/apis', undefined, {
        authorization: `Bearer ${adminToken}`,
        'x-forwarded-for': address,
      });
    expect((await ask('198.51.100.9')).statusCode).toBe(200);
    expect((await ask('203.0.113.9')).statusCode).toBe(403);
  });
});

describe('a gateway on loopback behind a proxy', () => {
  test.each<[Partial<Record<SettingName, unknown>>, number, number]>([
    [{}, 200, 200],
    [{ publicUrl: 'http://localhost:9000' }, 200, 200],
    [{ publicUrl: 'https://gw.example.com' }, 401, 401],
    [{ trustProxy: '127.0.0.1' }, 401, 401],
    [{ publicUrl: 'https://gw.example.com', allowOpen: true }, 401, 401],
  ])(
    'with %j answers an anonymous caller %d and whoever asks for metrics %d',
    async (settings, tools, metrics) => {
      at = await startGateway(settings);
      expect((await at.request('GET', '/mcp/tools/list', undefined, {})).statusCode).toBe(tools);
      expect((await at.request('GET', '/metrics', undefined, {})).statusCode).toBe(metrics);
    },
  );

  test('refuses to serve an open server to everyone, and says what to do', async () => {
    at = await startGateway();
    await at.request('GET', '/mcp/tools/list', undefined, {});
    const { dataDir } = at;
    await at.gateway.close();
    await expect(startGateway({ dataDir, publicUrl: 'https://gw.example.com' })).rejects.toThrow(
      /would let anyone call your APIs.*--policy key/,
    );
    at = await startGateway({ dataDir });
  });
});

test.each(['true', true, '1', 'yes'])(
  'refuses to trust every proxy (%j), and says what to write',
  async (trustProxy) => {
    at = await startGateway();
    await expect(startGateway({ trustProxy })).rejects.toThrow(
      /must list the trusted proxies.*127\.0\.0\.1.*10\.0\.0\.0\/8/,
    );
  },
);
