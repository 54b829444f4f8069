import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashSecret } from '../../../src/access/secrets.ts';
import { editRows, type Place } from '../../support/edit-rows.ts';
import { createDatabase } from '../../support/postgres/postgres.ts';
import { adminToken, type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { type EchoUpstream, startEcho } from '../../support/servers/echo-upstream.ts';

const password = 'seven green umbrellas dance';
const secretKey = Buffer.alloc(32, 7).toString('base64');
const storedToken = 'hra_a-token-that-only-its-hash-is-kept-of';

/** Ways in which a row can have become unreadable: damaged, or written by another version. */
const damages: readonly (readonly [string, (doc: string) => string])[] = [
  ['was cut short', (doc) => doc.slice(0, -2)],
  ['says less than it must', (doc) => doc.replace('"id"', '"formerId"')],
];

/** A row as the tests name it, by its table and by what is unique in it. */
interface Row {
  readonly table: string;
  readonly column: string;
  readonly value: string;
}

describe.each([
  ['SQLite', async (): Promise<Place> => ({ dataDir: await mkdtemp(join(tmpdir(), 'handrail-closed-')) })],
  ['PostgreSQL', async (): Promise<Place> => ({ databaseUrl: await createDatabase() })],
])('what cannot be read in %s', (_store, makePlace) => {
  let place: Place;
  let scratch: string;
  let upstream: EchoUpstream;
  const keys = { own: '', other: '' };
  const ids = { own: '', other: '', ownCredential: '', sharedCredential: '', editor: '' };

  const start = (settings: object = {}): Promise<RunningGateway> =>
    startGateway({ dataDir: scratch, secretKey, ...place, ...settings });

  beforeAll(async () => {
    upstream = await startEcho();
    place = await makePlace();
    scratch = 'dataDir' in place ? place.dataDir : await mkdtemp(join(tmpdir(), 'handrail-closed-'));
    const first = await start();
    const make = async (path: string, body: object, method = 'POST') => {
      const made = await first.admin(method, path, body);
      expect(made.status, JSON.stringify(made.body)).toBeLessThan(300);
      return made.body as { id: string; key: string };
    };
    const setupToken = (await first.gateway.signIn.makeSetupToken())!;
    await make('/setup', { token: setupToken, name: 'Ada', password });
    ids.editor = (await make('/people', { name: 'Eve', role: 'editor' })).id;
    await make('/settings', { egressAllow: ['127.0.0.0/8'], recordContents: false }, 'PATCH');
    const auth = { kind: 'api-key', in: 'header', name: 'X-Key' };
    await make('/apis', { slug: 'shop', baseUrl: upstream.origin, auth });
    const operation = { method: 'GET', path: '/orders' };
    await make('/tools', { api: 'shop', name: 'orders', description: 'Lists orders.', operation });
    await make('/servers', { slug: 'closed', tools: '*', policy: { kind: 'key' } });
    for (const name of ['own', 'other'] as const) {
      const { id, key } = await make('/keys', { name });
      ids[name] = id;
      keys[name] = key;
    }
    ids.sharedCredential = (await make('/credentials', { api: 'shop', secret: 'the-shared-secret' })).id;
    ids.ownCredential = (
      await make('/credentials', { api: 'shop', secret: 'my-own-secret', callerId: `key:${ids.own}` })
    ).id;
    await first.stop();
    await editRows(place, (rows) =>
      rows.run('insert into settings (id, revision, updated_at_ms, doc) values (?, 1, 1, ?)', [
        'admin_token_hash',
        JSON.stringify({ id: 'admin_token_hash', value: hashSecret(storedToken) }),
      ]),
    );
  });
  afterAll(async () => {
    await upstream.close();
    await rm(scratch, { recursive: true, force: true, maxRetries: 10 });
  });

  const docOf = ({ table, column, value }: Row): Promise<string[]> =>
    editRows(place, async (rows) =>
      (await rows.run(`select doc from ${table} where ${column} = ?`, [value])).map(({ doc }) => String(doc)),
    );

  /** Damages a row, shows what a running gateway does then, and mends it. */
  async function whileDamaged(
    row: Row,
    damage: (doc: string) => string,
    show: (gateway: RunningGateway, row: Row) => Promise<void>,
    settings: object = {},
  ): Promise<void> {
    const [whole] = await docOf(row);
    const put = (doc: string) =>
      editRows(place, (rows) =>
        rows.run(`update ${row.table} set doc = ? where ${row.column} = ?`, [doc, row.value]),
      );
    const damaged = damage(whole!);
    await put(damaged);
    const gateway = await start(settings);
    try {
      const { registry, store } = gateway.gateway;
      expect([...registry.snapshot.setAside.rows, ...(await store.people.unreadable(9))]).toHaveLength(1);
      await show(gateway, row);
    } finally {
      await gateway.stop();
    }
    // Whatever was tried meanwhile: nothing took its place, and it is as it was.
    expect(await docOf(row)).toEqual([damaged]);
    await put(whole!);
  }

  async function callAs(gateway: RunningGateway, key: string, path = '/mcp/closed') {
    const seenBefore = upstream.seen.length;
    const answer = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(key !== '' && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'orders', arguments: {} },
      }),
    });
    const text = await answer.text();
    return { status: answer.status, text, sent: upstream.seen.slice(seenBefore) };
  }

  const keysSent = (sent: EchoUpstream['seen']) => sent.map(({ headers }) => headers['x-key']);

  test('is served as long as it can be read', async () => {
    const gateway = await start();
    const mine = await callAs(gateway, keys.own);
    expect([mine.status, keysSent(mine.sent)]).toEqual([200, ['my-own-secret']]);
    const theirs = await callAs(gateway, keys.other);
    expect([theirs.status, keysSent(theirs.sent)]).toEqual([200, ['the-shared-secret']]);
    expect((await callAs(gateway, '', '/mcp')).sent).toHaveLength(1);
    await gateway.stop();
  });

  describe.each(damages)('because its row %s', (_what, damage) => {
    test('a default server lets nobody in and is not made anew', async () => {
      await whileDamaged({ table: 'servers', column: 'slug', value: 'default' }, damage, async (gateway) => {
        for (const path of ['/mcp', '/mcp/default']) {
          const answer = await callAs(gateway, keys.own, path);
          expect([path, answer.status, answer.sent]).toEqual([path, 404, []]);
        }
        expect((await callAs(gateway, keys.own)).status).toBe(200);
        const made = await gateway.admin('POST', '/servers', { slug: 'default', tools: '*' });
        expect(made.status).toBeGreaterThanOrEqual(400);
      });
    });

    test('a server lets nobody in and keeps its slug', async () => {
      await whileDamaged({ table: 'servers', column: 'slug', value: 'closed' }, damage, async (gateway) => {
        const answer = await callAs(gateway, keys.own);
        expect([answer.status, answer.sent]).toEqual([404, []]);
        const open = { slug: 'closed', tools: '*', policy: { kind: 'open' } };
        const made = await gateway.admin('POST', '/servers', open);
        expect(made.status).toBe(409);
        expect(made.body.detail).toContain('"closed" is stored but cannot be read');
        const renamed = await gateway.admin('PATCH', '/servers/default', { slug: 'closed' });
        expect(renamed.status).toBeGreaterThanOrEqual(400);
        const other = await gateway.admin('POST', '/servers', { slug: 'aside', tools: '*' });
        expect(other.status).toBe(201);
        expect((await gateway.admin('PATCH', '/servers/aside', { slug: 'closed' })).status).toBe(409);
        expect((await gateway.admin('DELETE', '/servers/aside')).status).toBe(204);
        expect((await callAs(gateway, keys.own)).status).toBe(404);
      });
    });

    test('an access key opens nothing', async () => {
      await whileDamaged({ table: 'access_keys', column: 'id', value: ids.own }, damage, async (gateway) => {
        const answer = await callAs(gateway, keys.own);
        expect([answer.status, answer.sent]).toEqual([401, []]);
        expect((await callAs(gateway, keys.other)).sent).toHaveLength(1);
      });
    });

    test('an API and its tools are not called, and it keeps its slug', async () => {
      await whileDamaged({ table: 'apis', column: 'slug', value: 'shop' }, damage, async (gateway) => {
        expect((await callAs(gateway, keys.own)).sent).toEqual([]);
        const made = await gateway.admin('POST', '/apis', { slug: 'shop', baseUrl: upstream.origin });
        expect(made.status).toBe(409);
      });
    });

    test('a tool is not called, and keeps its name', async () => {
      await whileDamaged({ table: 'tools', column: 'name', value: 'orders' }, damage, async (gateway) => {
        expect((await callAs(gateway, keys.own)).sent).toEqual([]);
        const operation = { method: 'GET', path: '/everything' };
        const tool = { api: 'shop', name: 'orders', description: 'Another.', operation };
        expect((await gateway.admin('POST', '/tools', tool)).status).toBe(409);
      });
    });

    test('a caller with a credential of its own does not act with that of everybody', async () => {
      const row = { table: 'credentials', column: 'id', value: ids.ownCredential };
      await whileDamaged(row, damage, async (gateway) => {
        const mine = await callAs(gateway, keys.own);
        expect(mine.sent).toEqual([]);
        expect(mine.text).toContain('cannot be read');
        expect(keysSent((await callAs(gateway, keys.other)).sent)).toEqual(['the-shared-secret']);
      });
    });

    test('callers without a credential of their own send nothing instead of the shared one', async () => {
      const row = { table: 'credentials', column: 'id', value: ids.sharedCredential };
      await whileDamaged(row, damage, async (gateway) => {
        const theirs = await callAs(gateway, keys.other);
        expect(theirs.sent).toEqual([]);
        expect(theirs.text).toContain('cannot be read');
        expect(keysSent((await callAs(gateway, keys.own)).sent)).toEqual(['my-own-secret']);
      });
    });

    test('settings open no address, keep no contents and are not written over', async () => {
      const row = { table: 'settings', column: 'id', value: 'installation' };
      await whileDamaged(row, damage, async (gateway) => {
        const refused = await callAs(gateway, keys.own);
        expect(refused.sent).toEqual([]);
        const changed = await gateway.admin('PATCH', '/settings', { recordContents: true });
        expect(changed.status).toBe(409);
        await gateway.gateway.context.recorder.flush();
        const { body } = await gateway.admin('GET', '/calls?limit=1');
        const call = await gateway.admin('GET', `/calls/${body.items[0].id}`);
        expect(call.body.outcome).toBe('egress_refused');
        expect(call.body.arguments ?? null).toBe(null);
      });
    });

    test('no admin token is accepted, and none is made, until it is reset', async () => {
      const row = { table: 'settings', column: 'id', value: 'admin_token_hash' };
      const show = async ({ url, gateway }: RunningGateway) => {
        expect(gateway.adminTokens.made).toBe(null);
        for (const token of [storedToken, adminToken, '', 'undefined', 'null']) {
          const answer = await fetch(`${url}/api/v1/apis`, { headers: { authorization: `Bearer ${token}` } });
          expect([token, answer.status]).toEqual([token, 401]);
          await answer.body?.cancel();
        }
      };
      await whileDamaged(row, damage, show, { adminToken: undefined });
    });

    test('an owner cannot sign in, and nobody takes the place', async () => {
      await whileDamaged({ table: 'people', column: 'name_key', value: 'ada' }, damage, async (gateway) => {
        expect((await gateway.admin('GET', '/setup')).body).toEqual({ needed: false });
        expect(await gateway.gateway.signIn.makeSetupToken()).toBe(null);
        const signedIn = await gateway.admin('POST', '/session', { name: 'Ada', password });
        expect(signedIn.status).toBe(401);
        expect((await gateway.admin('POST', '/people', { name: 'ADA', role: 'owner' })).status).toBe(409);
      });
    });
  });

  test.each([
    ['a kind of its own', '{"kind":"passkey","issuer":"https://id.example.com"}'],
    ['none', 'null'],
    ['an empty text', '""'],
    ['an open one with conditions', '{"kind":"open","onlyFrom":["10.0.0.0/8"]}'],
  ])('a server whose policy is %s lets nobody in', async (_what, policy) => {
    const damage = (doc: string) => {
      const broken = JSON.stringify({
        ...(JSON.parse(doc) as object),
        policy: JSON.parse(policy) as unknown,
      });
      expect(broken).not.toBe(doc);
      return broken;
    };
    await whileDamaged({ table: 'servers', column: 'slug', value: 'closed' }, damage, async (gateway) => {
      for (const key of [keys.own, '']) {
        const answer = await callAs(gateway, key);
        expect([answer.status, answer.sent]).toEqual([404, []]);
      }
    });
  });

  test('a stored token that can be read is the one that is accepted', async () => {
    const { url, stop } = await start({ adminToken: undefined });
    const answer = await fetch(`${url}/api/v1/apis`, { headers: { authorization: `Bearer ${storedToken}` } });
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
    await stop();
  });

  test('only an owner deletes it; then its name is free', async () => {
    const row = { table: 'servers', column: 'slug', value: 'closed' };
    const [whole] = await docOf(row);
    await editRows(place, (rows) => rows.run("update servers set doc = '{' where slug = 'closed'"));
    const gateway = await start();
    const [aside] = gateway.gateway.registry.snapshot.setAside.rows;
    const path = `/set-aside/server/${aside!.id}`;
    const session = 'hrs_a-session-of-an-editor';
    await gateway.gateway.store.sessions.add({
      hash: hashSecret(session),
      personId: ids.editor,
      createdAtMs: Date.now(),
      lastSeenAtMs: Date.now(),
      expiresAtMs: Date.now() + 3_600_000,
      address: '127.0.0.1',
      userAgent: '',
    });
    const asEditor = async (method: string, at: string, headers = {}) => {
      const cookie = `handrail=${session}`;
      const answer = await fetch(`${gateway.url}/api/v1${at}`, { method, headers: { cookie, ...headers } });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const { body: who } = await asEditor('GET', '/session');
    expect(who['role']).toBe('editor');
    expect((await asEditor('GET', '/set-aside')).body['total']).toBe(1);
    const refused = await asEditor('DELETE', path, { 'x-handrail-csrf': String(who['csrf']) });
    expect(refused.status).toBe(403);
    expect((await docOf(row)).length).toBe(1);

    expect((await gateway.admin('DELETE', path)).status).toBe(204);
    const made = await gateway.admin('POST', '/servers', {
      slug: 'closed',
      tools: '*',
      policy: { kind: 'key' },
    });
    expect(made.status).toBe(201);
    expect((await callAs(gateway, keys.own)).status).toBe(200);
    await gateway.stop();
    expect(await docOf(row)).not.toEqual([whole]);
  });
});
