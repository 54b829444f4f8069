import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/storage/open-store.ts';
import { createDatabase } from '../../support/postgres/postgres.ts';
import { fullApi } from '../../support/nouns/examples.ts';
import { type EchoUpstream, startEcho } from '../../support/servers/echo-upstream.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';

// Secrets that operators write into headers of an API or into fixed parameters of a tool.
const secrets = ['header-secret-4f1c9a', 'fixed-secret-77d0b2', 'nested-secret-e0aa31'];
const [headerSecret = '', fixedSecret = '', nestedSecret = ''] = secrets;
const firstKey = randomBytes(32).toString('base64');
const otherKey = randomBytes(32).toString('base64');

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});
beforeAll(createDatabase);

async function started(settings: Parameters<typeof startGateway>[0]): Promise<RunningGateway> {
  const running = await startGateway({ secretKey: firstKey, ...settings });
  closers.push(running.stop);
  return running;
}

async function prepared(settings: Parameters<typeof startGateway>[0]) {
  const echo = await startEcho();
  closers.push(echo.close);
  const running = await started({ egressAllow: echo.host, ...settings });
  await running.admin('POST', '/apis', {
    slug: 'sealed',
    baseUrl: echo.origin,
    headers: { 'X-Api-Key': headerSecret, 'X-Team': 'blue' },
  });
  const tool = await running.admin('POST', '/tools', {
    api: 'sealed',
    name: 'sealed',
    description: 'Echoes',
    operation: {
      method: 'POST',
      path: '/',
      parameters: [
        { name: 'token', in: 'query', key: 'access_token', schema: {}, required: false, fixed: fixedSecret },
        {
          name: 'auth',
          in: 'body',
          key: 'password',
          schema: {},
          required: false,
          fixed: { v: nestedSecret },
        },
        { name: 'q', in: 'query', schema: { type: 'string' }, required: false },
      ],
    },
  });
  expect(tool.status).toBe(201);
  return { running, echo };
}

async function call(running: RunningGateway, echo: EchoUpstream) {
  echo.seen.length = 0;
  const { body } = await running.admin('POST', '/tools/sealed/call', { arguments: { q: 'x' } });
  const seen = echo.seen[0];
  return {
    message: body.error?.message as string | undefined,
    arrived: seen && [seen.headers['x-api-key'], seen.target, seen.body.toString('utf8')],
  };
}

const whole = [
  headerSecret,
  `/?access_token=${fixedSecret}&q=x`,
  JSON.stringify({ password: { v: nestedSecret } }),
];

const storedRows = async (running: RunningGateway) => {
  const { apis, tools } = await running.gateway.store.registry.load();
  return JSON.stringify([apis, tools]);
};

describe.each(['SQLite', 'PostgreSQL'])('secrets in rows on %s', (kind) => {
  const place = async () => (kind === 'SQLite' ? {} : { databaseUrl: await createDatabase() });

  it('are sealed where they are stored, and sent as they are', async () => {
    const { running, echo } = await prepared(await place());
    const rows = await storedRows(running);
    for (const secret of secrets) expect(rows).not.toContain(secret);
    expect(rows.match(/handrail-sealed:v1\./g)).toHaveLength(3);
    expect(rows).toContain('blue');
    expect((await call(running, echo)).arrived).toEqual(whole);
    if (kind === 'PostgreSQL') return;
    const files = readdirSync(running.dataDir).filter((name) => name.startsWith('handrail.db'));
    expect(files.length).toBeGreaterThan(0);
    for (const name of files) {
      const bytes = readFileSync(join(running.dataDir, name));
      for (const secret of secrets) expect(bytes.includes(secret), name).toBe(false);
    }
  });

  it('are shown by nothing', async () => {
    const { running } = await prepared(await place());
    await running.admin('PATCH', '/apis/sealed', { headers: { 'X-Api-Key': headerSecret, 'X-Team': 'red' } });
    for (const path of ['/apis/sealed', '/tools/sealed', '/tools', '/audit', '/export']) {
      const text = JSON.stringify((await running.admin('GET', path)).body);
      for (const secret of [...secrets, 'handrail-sealed']) expect(text, path).not.toContain(secret);
    }
  });

  it('that an earlier version stored open are sealed at the next start', async () => {
    const settings = await place();
    const first = await started(settings);
    const api = {
      ...fullApi({ kind: 'none' }),
      slug: 'old',
      headers: { Authorization: headerSecret },
    };
    const { store } = first.gateway;
    const { seq } = await store.registry.load();
    await store.registry.commit(seq, [{ op: 'put', kind: 'api', entity: api }]);
    expect(await storedRows(first)).toContain(headerSecret);
    const second = await started({ ...settings, ...(kind === 'SQLite' && { dataDir: first.dataDir }) });
    const rows = await storedRows(second);
    expect(rows).not.toContain(headerSecret);
    expect(rows).toContain('handrail-sealed:');
    expect(second.gateway.registry.snapshot.apiBySlug.get('old')!.headers).toEqual(api.headers);
  });

  it('follow the master key, and open with no other', async () => {
    const settings = await place();
    const { running, echo } = await prepared(settings);
    const again = {
      ...settings,
      egressAllow: echo.host,
      ...(kind === 'SQLite' && { dataDir: running.dataDir }),
    };
    const keyIds = async () =>
      new Set((await storedRows(running)).match(/handrail-sealed:v1\.\w+/g)!.map((text) => text.slice(19)));
    const [before] = await keyIds();

    const turned = await started({ ...again, secretKey: `${otherKey},${firstKey}` });
    const rotated = await turned.admin('POST', '/credentials/rotate-key', {});
    expect(rotated.body).toMatchObject({ resealed: 2, unreadable: [] });
    const after = await keyIds();
    expect([after.size, after.has(before!)]).toEqual([1, false]);
    expect((await call(turned, echo)).arrived).toEqual(whole);
  });
});

describe('a secret in a row whose key is lost', () => {
  it('is neither sent nor lost, and everything else works', async () => {
    const { running, echo } = await prepared({});
    const before = await storedRows(running);
    await running.admin('POST', '/apis', { slug: 'plain', baseUrl: echo.origin });
    const without = await started({
      dataDir: running.dataDir,
      egressAllow: echo.host,
      secretKey: otherKey,
    });
    const { message, arrived } = await call(without, echo);
    expect(arrived).toBeUndefined();
    expect(message).toContain('master key that is not available');
    expect((await without.admin('PATCH', '/apis/sealed', { name: 'Renamed' })).status).toBe(200);
    expect((await without.admin('GET', '/apis/plain')).status).toBe(200);
    const sealedOf = (rows: string) => rows.match(/handrail-sealed:[^"]+/g);
    expect(sealedOf(await storedRows(running))).toEqual(sealedOf(before));
    const restored = await started({ dataDir: running.dataDir, egressAllow: echo.host });
    expect((await call(restored, echo)).arrived).toEqual(whole);
  });

  it('cannot be read in another row or place', async () => {
    const { running, echo } = await prepared({});
    const store = await openStore({ dataDir: running.dataDir });
    closers.push(() => store.close());
    const { seq, apis } = await store.registry.load();
    const [api] = apis;
    const moved = { ...api!, id: 'api_moved', slug: 'moved', revision: 1 };
    const renamed = { ...api!, headers: { 'X-Other-Key': api!.headers['X-Api-Key']! } };
    await store.registry.commit(seq, [
      { op: 'put', kind: 'api', entity: moved },
      { op: 'put', kind: 'api', entity: renamed },
    ]);
    const other = await started({ dataDir: running.dataDir, egressAllow: echo.host });
    for (const slug of ['moved', 'sealed'])
      expect(JSON.stringify(other.gateway.registry.snapshot.apiBySlug.get(slug))).not.toContain(headerSecret);
    expect((await call(other, echo)).message).toContain('X-Other-Key');
  });
});
