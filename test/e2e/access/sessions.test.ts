import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { adminToken, sessionOf, startGateway, type TestGateway } from '../../support/gateway.ts';

const password = 'seven green umbrellas dance';

describe('admin sessions', () => {
  let at: TestGateway;
  beforeEach(async () => {
    at = await startGateway();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await at.close();
  });

  const setUp = async () => {
    const token = (await at.gateway.signIn.makeSetupToken())!;
    return at.request('POST', '/api/v1/setup', { token, name: 'Ada', password }, {});
  };
  const signIn = (name: string, secret: string) =>
    at.request('POST', '/api/v1/session', { name, password: secret }, {});
  const invite = async (owner: Record<string, string>, name: string, role: string) => {
    const invited = await at.request('POST', '/api/v1/people', { name, role }, owner);
    const token = new URL(invited.json<{ invitationUrl: string }>().invitationUrl).hash.slice(1);
    return at.request('POST', '/api/v1/invitation/accept', { token, password }, {});
  };

  test('makes the first admin with the setup link, once', async () => {
    expect((await at.request('GET', '/api/v1/setup', undefined, {})).json()).toEqual({ needed: true });
    const token = (await at.gateway.signIn.makeSetupToken())!;
    const made = await at.request('POST', '/api/v1/setup', { token, name: 'Ada', password }, {});
    expect(made.statusCode).toBe(201);
    expect(made.json()).toMatchObject({ name: 'Ada', role: 'owner', via: 'session' });
    expect(made.headers['set-cookie']).toMatch(/^handrail=hrs_[^;]+; Path=\/; HttpOnly; SameSite=Strict/);
    expect(await at.gateway.signIn.makeSetupToken()).toBeNull();
    const again = await at.request('POST', '/api/v1/setup', { token, name: 'Eve', password }, {});
    expect(again.statusCode).toBe(409);
    expect((await at.request('GET', '/api/v1/setup', undefined, {})).json()).toEqual({ needed: false });
  });

  test('refuses a setup token that it did not make', async () => {
    const answer = await at.request('POST', '/api/v1/setup', { token: 'guess', name: 'Eve', password }, {});
    expect(answer.statusCode).toBe(403);
  });

  test('marks the cookie for this host alone behind https', async () => {
    await at.close();
    at = await startGateway({ publicUrl: 'https://tools.example.com' });
    const made = await setUp();
    expect(made.headers['set-cookie']).toMatch(/^__Host-handrail=.*; Secure$/);
  });

  test('signs in, tells who is there, and signs out', async () => {
    await setUp();
    const session = sessionOf(await signIn('ADA ', password));
    expect((await at.request('GET', '/api/v1/session', undefined, session)).json()).toMatchObject({
      name: 'Ada',
    });
    expect((await at.request('DELETE', '/api/v1/session', undefined, session)).statusCode).toBe(204);
    expect((await at.request('GET', '/api/v1/session', undefined, session)).statusCode).toBe(401);
  });

  test('refuses a change without the CSRF value, and with one of another session', async () => {
    const session = sessionOf(await setUp());
    const other = sessionOf(await signIn('Ada', password));
    const body = { slug: 'one', baseUrl: 'https://api.example.com' };
    const send = (headers: Record<string, string>) => at.request('POST', '/api/v1/apis', body, headers);
    expect((await send({ cookie: session.cookie })).statusCode).toBe(403);
    expect((await send({ ...session, 'x-handrail-csrf': other['x-handrail-csrf'] })).statusCode).toBe(403);
    expect((await send({ ...session, 'sec-fetch-site': 'same-site' })).statusCode).toBe(403);
    expect((await send({ ...session, origin: 'http://localhost:3000' })).statusCode).toBe(403);
    expect((await send(session)).statusCode).toBe(201);
  });

  test('slows down guessing from one address without locking the account for others', async () => {
    // The clock stands still: the first pause is a second, which a busy machine may take for the next request alone.
    vi.useFakeTimers({ toFake: ['Date'] });
    await at.close();
    at = await startGateway();
    await setUp();
    for (let i = 0; i < 5; i++) expect((await signIn('Ada', 'wrong')).statusCode).toBe(401);
    const slowed = await signIn('Ada', password);
    expect(slowed.statusCode).toBe(429);
    expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(0);
    const elsewhere = await at.gateway.app.inject({
      method: 'POST',
      url: '/api/v1/session',
      remoteAddress: '192.0.2.7',
      headers: { host: 'localhost', 'content-type': 'application/json' },
      payload: JSON.stringify({ name: 'Ada', password }),
    });
    expect(elsewhere.statusCode).toBe(201);
  });

  test.each([
    ['short', 'needs at least 12 characters'],
    ['aaaaaaaaaaaaaaaa', 'same few characters'],
    ['P@ssw0rd12345', 'commonly used passwords'],
    ['abcdefghijklmnop', 'sequence of adjacent'],
    ['AdaAdaAda123!', 'your name'],
  ])('says what is wrong with the password %s', async (weak, why) => {
    const token = (await at.gateway.signIn.makeSetupToken())!;
    const answer = await at.request('POST', '/api/v1/setup', { token, name: 'Ada', password: weak }, {});
    expect(answer.statusCode).toBe(422);
    expect(answer.json<{ detail: string }>().detail).toContain(why);
  });

  test('ends every other session when the password changes', async () => {
    const first = sessionOf(await setUp());
    const second = sessionOf(await signIn('Ada', password));
    const change = (current: string) =>
      at.request(
        'POST',
        '/api/v1/session/password',
        { current, password: 'nine quiet lighthouses sing' },
        first,
      );
    expect((await change('not it at all')).statusCode).toBe(403);
    expect((await change(password)).statusCode).toBe(204);
    expect((await at.request('GET', '/api/v1/session', undefined, second)).statusCode).toBe(401);
    expect((await at.request('GET', '/api/v1/session', undefined, first)).statusCode).toBe(200);
    expect((await signIn('Ada', password)).statusCode).toBe(401);
  });

  test('signs out of every browser at once', async () => {
    const first = sessionOf(await setUp());
    const second = sessionOf(await signIn('Ada', password));
    expect((await at.request('DELETE', '/api/v1/sessions', undefined, first)).statusCode).toBe(204);
    for (const session of [first, second]) {
      expect((await at.request('GET', '/api/v1/session', undefined, session)).statusCode).toBe(401);
    }
  });

  test('invites admins whose role bounds what they can do', async () => {
    const owner = sessionOf(await setUp());
    const viewer = sessionOf(await invite(owner, 'Vic', 'viewer'));
    const editor = sessionOf(await invite(owner, 'Edo', 'editor'));
    const body = { slug: 'one', baseUrl: 'https://api.example.com' };
    expect((await at.request('GET', '/api/v1/apis', undefined, viewer)).statusCode).toBe(200);
    expect((await at.request('POST', '/api/v1/apis', body, viewer)).statusCode).toBe(403);
    expect((await at.request('POST', '/api/v1/apis', body, editor)).statusCode).toBe(201);
    expect((await at.request('GET', '/api/v1/people', undefined, editor)).statusCode).toBe(403);
    expect((await at.request('GET', '/api/v1/people', undefined, owner)).json()).toMatchObject({ total: 3 });
  });

  test('uses an invitation once, and keeps the last owner', async () => {
    const made = await setUp();
    const owner = sessionOf(made);
    const invited = await at.request('POST', '/api/v1/people', { name: 'Vic', role: 'viewer' }, owner);
    const token = new URL(invited.json<{ invitationUrl: string }>().invitationUrl).hash.slice(1);
    const accept = () => at.request('POST', '/api/v1/invitation/accept', { token, password }, {});
    expect((await accept()).statusCode).toBe(201);
    expect((await accept()).statusCode).toBe(403);
    const id = made.json<{ id: string }>().id;
    expect((await at.request('DELETE', `/api/v1/people/${id}`, undefined, owner)).statusCode).toBe(409);
    expect((await at.request('PATCH', `/api/v1/people/${id}`, { role: 'viewer' }, owner)).statusCode).toBe(
      409,
    );
  });

  test('ends the sessions of an admin who is removed', async () => {
    const owner = sessionOf(await setUp());
    const accepted = await invite(owner, 'Vic', 'viewer');
    const { id } = accepted.json<{ id: string }>();
    await at.request('DELETE', `/api/v1/people/${id}`, undefined, owner);
    expect((await at.request('GET', '/api/v1/session', undefined, sessionOf(accepted))).statusCode).toBe(401);
  });

  test('ends an open stream of events when its session ends, however it ends', async () => {
    const owner = sessionOf(await setUp());
    const url = `${await at.gateway.listen()}/api/v1/events`;
    const opened = async (headers: Record<string, string>) => {
      const answer = await fetch(url, { headers });
      expect(answer.status).toBe(200);
      return { ended: answer.text() };
    };
    const signedOut = sessionOf(await signIn('Ada', password));
    const first = await opened({ cookie: signedOut.cookie });
    const guest = await invite(owner, 'Guest', 'viewer');
    const second = await opened({ cookie: sessionOf(guest).cookie });
    const gone = await invite(owner, 'Gone', 'editor');
    const third = await opened({ cookie: sessionOf(gone).cookie });
    const token = await opened({ authorization: `Bearer ${adminToken}` });
    const still = Symbol('still open');

    await at.request('DELETE', '/api/v1/session', undefined, signedOut);
    expect(await first.ended).toContain('event: hello');
    await at.request(
      'DELETE',
      `/api/v1/people/${guest.json<{ id: string }>().id}/sessions`,
      undefined,
      owner,
    );
    await second.ended;
    await at.request('DELETE', `/api/v1/people/${gone.json<{ id: string }>().id}`, undefined, owner);
    await third.ended;
    expect(await Promise.race([token.ended, Promise.resolve(still)])).toBe(still);
    // The last one ends with the gateway.
    token.ended.catch(() => undefined);
  });

  test('writes down who changed what, before and after, without secrets', async () => {
    const owner = sessionOf(await setUp());
    await at.request(
      'POST',
      '/api/v1/apis',
      { slug: 'one', baseUrl: 'https://api.example.com', headers: { 'X-Api-Key': 'hunter2-hunter2' } },
      owner,
    );
    await at.request('PATCH', '/api/v1/apis/one', { name: 'First' }, owner);
    await at.request('POST', '/api/v1/keys', { name: 'Laptop' });
    const log = await at.request('GET', '/api/v1/audit', undefined, owner);
    const items = log.json<{ items: Record<string, never>[] }>().items;
    expect(items.find((entry) => entry['action'] === 'api.update')).toMatchObject({
      actor: { name: 'Ada' },
      subject: { kind: 'api', name: 'one' },
      before: { name: 'one' },
      after: { name: 'First' },
    });
    expect(items.find((entry) => entry['action'] === 'key.create')).toMatchObject({
      actor: { id: 'token', name: 'admin token' },
    });
    expect(items.map((entry) => entry['action'])).toContain('session.sign_in');
    expect(log.payload).not.toContain('hunter2');
    expect(log.payload).not.toContain('$argon2');
    const mine = await at.request('GET', '/api/v1/audit?action=key.create&limit=1', undefined, owner);
    expect(mine.json<{ items: unknown[] }>().items).toHaveLength(1);
  });
});
