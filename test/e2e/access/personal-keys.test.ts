import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listTools, rpc } from '../../support/sign-in/raw-app.ts';
import { type SignInGateway, startSignInGateway } from '../../support/sign-in/sign-in-gateway.ts';

const password = 'five brave wooden ladders';

let at: SignInGateway;
beforeAll(async () => {
  at = await startSignInGateway({ refusalsPerMinute: 100_000, refusalsPerMinuteInTotal: 100_000 });
  await at.serve('keyed', { kind: 'key' });
  await at.serve('basic', { kind: 'basic' });
  await at.serve('ruled', { kind: 'key' });
  await at.serve('hidden', { kind: 'sign-in' });
  const { body } = await at.admin('POST', '/groups', { name: 'ops' });
  await at.admin('PATCH', '/servers/ruled', { access: [{ group: body.id, kinds: ['read'] }] });
  await at.admin('PATCH', '/servers/basic', { access: [{ group: body.id }] });
  await at.admin('PATCH', '/servers/hidden', { access: [{ group: (await group('others')).id }] });
});
afterAll(() => at.stop());

const group = async (name: string) => (await at.admin('POST', '/groups', { name })).body as { id: string };

let count = 0;
/** Someone without a role, in a group, signed in. */
async function join(groups: readonly string[] = ['ops']) {
  const name = `person ${count++}`;
  const invited = await at.admin('POST', '/people', { name, role: 'none', groups });
  const token = new URL(String(invited.body.invitationUrl)).hash.slice(1);
  const session = await at.gateway.signIn.accept(token, password, { address: '127.0.0.1', userAgent: '' });
  if ('pending' in session) throw new Error('asked for a second factor');
  const headers = { cookie: `handrail=${session.token}`, 'x-handrail-csrf': session.principal.csrf };
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${at.url}/api/v1${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    // oxlint-disable-next-line typescript/no-explicit-any -- answers are read by tests that know their shape
    const read: any = text === '' ? null : JSON.parse(text);
    return { status: answer.status, body: read };
  };
  const key = async (input: object = {}) =>
    String((await ask('POST', '/me/keys', { name: 'robot', ...input })).body.key);
  return { id: String(invited.body.id), name, ask, key };
}

const url = (slug: string) => `${at.url}/mcp/${slug}`;

describe('someone without a role', () => {
  test('sees who they are and the servers they can use, and no others', async () => {
    const { ask, name } = await join();
    const me = (await ask('GET', '/me')).body;
    expect(me).toMatchObject({ name, role: 'none', groups: ['ops'], isLocal: true });
    const servers = me.servers.map(({ slug }: { slug: string }) => slug).toSorted();
    expect(servers).toEqual(['basic', 'default', 'ruled', 'team']);
    expect(me.servers[0].url).toMatch(/^http.*\/mcp\//);
  });

  test('sees their own calls and no one else’s', async () => {
    const [one, two] = [await join(), await join()];
    const [first, second] = [await one.key(), await two.key()];
    await rpc(url('team'), first, 'tools/call', { name: 'list_orders', arguments: {} });
    await rpc(url('team'), second, 'tools/call', { name: 'get_order', arguments: {} });
    await rpc(url('team'), second, 'tools/call', { name: 'get_order', arguments: {} });
    const calls = (await one.ask('GET', '/me/calls')).body;
    expect(calls.items).toMatchObject([{ server: 'team', tool: 'list_orders', outcome: 'ok' }]);
    const page = (await two.ask('GET', '/me/calls?limit=1')).body;
    const rest = (await two.ask('GET', `/me/calls?limit=1&cursor=${page.nextCursor}`)).body;
    expect([page.items[0].tool, rest.items[0].tool]).toEqual(['get_order', 'get_order']);
    expect((await one.ask('GET', '/calls')).status).toBe(403);
  });
});

describe('a personal key', () => {
  test('uses the servers that its person may use, as that person and within the rules', async () => {
    const { key } = await join();
    const secret = await key();
    expect(secret).toMatch(/^hrp_/);
    expect((await listTools(url('team'), secret)).names).toContain('delete_order');
    const { names } = await listTools(url('ruled'), secret);
    expect([names.includes('list_orders'), names.includes('create_order')]).toEqual([true, false]);
    const basic = await fetch(url('basic'), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Basic ${Buffer.from(`x:${secret}`).toString('base64')}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(basic.status).toBe(200);
    // Where only access keys decide, an operator hands those out.
    expect((await listTools(url('keyed'), secret)).status).toBe(403);
    expect((await listTools(url('hidden'), secret)).status).toBe(403);
  });

  test('may be for some servers only, and for none that is closed', async () => {
    const { ask, key } = await join();
    const secret = await key({ servers: ['team'] });
    expect((await listTools(url('team'), secret)).status).toBe(200);
    expect((await listTools(url('ruled'), secret)).status).toBe(403);
    for (const server of ['hidden', 'keyed', 'nowhere']) {
      const refused = await ask('POST', '/me/keys', { name: 'x', servers: [server] });
      expect([server, refused.status]).toEqual([server, 403]);
      expect(JSON.stringify(refused.body)).toContain(`The server \\"${server}\\" is not open`);
    }
  });

  test('is nothing in the admin API', async () => {
    const { key } = await join();
    const headers = { authorization: `Bearer ${await key()}` };
    expect((await at.admin('GET', '/session', undefined, headers)).status).toBe(401);
    expect((await at.admin('GET', '/me', undefined, headers)).status).toBe(401);
  });

  test('is checked against its person as they are now', async () => {
    const { id, key } = await join();
    const secret = await key();
    expect((await listTools(url('ruled'), secret)).status).toBe(200);
    await at.admin('PATCH', `/people/${id}`, { groups: [] });
    expect((await listTools(url('ruled'), secret)).status).toBe(403);
    expect((await listTools(url('team'), secret)).status).toBe(200);
    await at.admin('PATCH', `/people/${id}`, { disabled: true });
    expect((await listTools(url('team'), secret)).status).toBe(401);
    await at.admin('PATCH', `/people/${id}`, { disabled: false });
    expect((await listTools(url('team'), secret)).status).toBe(200);
    await at.admin('DELETE', `/people/${id}`);
    expect((await listTools(url('team'), secret)).status).toBe(401);
  });

  test('is revoked by its person only, at once, and shown once', async () => {
    const [one, two] = [await join(), await join()];
    const secret = await one.key();
    await listTools(url('team'), secret);
    const [listed] = (await one.ask('GET', '/me/keys')).body.items;
    expect(JSON.stringify(listed)).not.toContain(secret);
    expect(listed).toMatchObject({ name: 'robot', hint: secret.slice(0, 8) });
    expect((await two.ask('DELETE', `/me/keys/${listed.id}`)).status).toBe(404);
    expect((await one.ask('DELETE', `/me/keys/${listed.id}`)).status).toBe(204);
    expect((await listTools(url('team'), secret)).status).toBe(401);
    expect((await one.ask('GET', '/me/keys')).body.items).toEqual([]);
    const audit = JSON.stringify((await at.admin('GET', `/audit?subject=${listed.id}`)).body);
    for (const action of ['personal_key.create', 'personal_key.revoke']) expect(audit).toContain(action);
    expect(audit).not.toContain(secret);
  });

  test('expires, and a person has at most twenty, also when they are asked for at once', async () => {
    const { ask, key } = await join();
    const secret = await key({ expiresInDays: 1 });
    const entry = await at.gateway.store.grants.get('PersonalKey', secret, Date.now() + 86_400_001);
    expect(entry).toBeNull();
    expect((await ask('POST', '/me/keys', { name: 'x', expiresInDays: 366 })).status).toBe(422);
    const made = await Promise.all(
      Array.from({ length: 25 }, async () => (await ask('POST', '/me/keys', { name: 'x' })).status),
    );
    expect(made.filter((status) => status === 201).length).toBeLessThanOrEqual(19);
    expect((await ask('GET', '/me/keys')).body.items.length).toBeLessThanOrEqual(20);
    expect(new Set(made)).toEqual(new Set([201, 409]));
  });

  test('that is unknown or damaged is refused like any other', async () => {
    const { key } = await join();
    const secret = await key();
    await at.gateway.store.grants.put({
      name: secret,
      kind: 'PersonalKey',
      createdAtMs: 1,
      expiresAtMs: Date.now() + 1_000_000,
      doc: '{"id":1}',
    });
    for (const wrong of ['hrp_unknown', `hrp_${'x'.repeat(5_000)}`, secret])
      expect((await listTools(url('team'), wrong)).status).toBe(401);
    expect((await listTools(url('ruled'), 'hrp_unknown')).challenge).toContain('Bearer');
  });
});
