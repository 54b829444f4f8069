import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { totpCode } from '../../../src/access/second-factors/totp.ts';
import { sessionOf, startGateway, type TestGateway } from '../../support/gateway.ts';
import { editRows } from '../../support/edit-rows.ts';
import { Authenticator } from '../../support/sign-in/authenticator.ts';

const password = 'seven green umbrellas dance';
const origin = 'http://gw.example.com';
const stepMs = 30_000;

let at: TestGateway;
let count = 0;
// Each test comes from elsewhere, because attempts are counted by address.
let addresses = 0;
let address = '';
beforeAll(async () => {
  at = await startGateway({ publicUrl: origin, trustProxy: '127.0.0.1' });
  const token = (await at.gateway.signIn.makeSetupToken())!;
  await post('/setup', { token, name: 'Ada', password });
});
afterAll(() => at.close());
beforeEach(() => {
  address = `203.0.113.${++addresses}`;
  return at.request('PATCH', '/api/v1/settings', { secondFactor: null });
});

type Headers = Record<string, string>;

const post = (path: string, body?: object, headers: Headers = {}, method = 'POST') =>
  at.request(method, `/api/v1${path}`, body, { 'x-forwarded-for': address, ...headers });

/** A person with a password of their own, signed in. */
async function join(role = 'viewer') {
  const name = `person ${count++}`;
  const invited = await at.request('POST', '/api/v1/people', { name, role });
  const { id, invitationUrl } = invited.json<{ id: string; invitationUrl: string }>();
  const token = new URL(invitationUrl).hash.slice(1);
  const session = sessionOf(await post('/invitation/accept', { token, password }));
  return { id, name, session };
}

/** Adds an app; the time that its first code is from counts as used. */
async function addApp(session: Headers, name = 'Phone') {
  const draft = (await post('/me/second-factors/authenticator', undefined, session)).json<{
    secret: string;
    draft: string;
  }>();
  const body = { name, draft: draft.draft, code: totpCode(draft.secret, Date.now() - stepMs) };
  const added = await post('/me/second-factors/authenticator/confirm', body, session);
  expect(added.statusCode).toBe(201);
  return { secret: draft.secret, codes: added.json<{ recoveryCodes: string[] }>().recoveryCodes };
}

async function addPasskey(session: Headers, device = new Authenticator(origin), name = 'Key') {
  const asked = (await post('/me/second-factors/passkey/challenge', undefined, session)).json<{
    options: Record<string, unknown>;
    challenge: string;
  }>();
  const response = device.create(asked.options);
  const body = { name, challenge: asked.challenge, response };
  return { device, answer: await post('/me/second-factors/passkey', body, session) };
}

async function challenge(pending?: string) {
  const body = pending === undefined ? {} : { pending };
  return (await post('/session/passkey/challenge', body)).json<{
    options: Record<string, unknown>;
    challenge: string;
  }>();
}

const enter = (name: string) => post('/session', { name, password });
const pendingOf = async (name: string) => (await enter(name)).json<{ pending: string }>().pending;

describe('an authenticator app', () => {
  test('is asked for after the password, and its code signs in once', async () => {
    const { name, session } = await join();
    const { secret } = await addApp(session);
    const half = await enter(name);
    expect(half.json()).toMatchObject({ stage: 'second-factor', kinds: ['totp', 'recovery'], name });
    expect(half.headers['set-cookie']).toBeUndefined();
    const { pending } = half.json<{ pending: string }>();
    const other = await pendingOf(name);
    const code = totpCode(secret, Date.now());
    const both = await Promise.all([
      post('/session/code', { pending, code }),
      post('/session/code', { pending: other, code }),
    ]);
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, 401]);
    // What was begun is used up as well.
    const done = both[0].statusCode === 201 ? pending : other;
    expect((await post('/session/code', { pending: done, code })).statusCode).toBe(401);
  });

  test('is no way in by itself: what was begun is no session', async () => {
    const { name, session } = await join();
    await addApp(session);
    const pending = await pendingOf(name);
    for (const headers of [
      { cookie: `handrail=${pending}` },
      { authorization: `Bearer ${pending}` },
    ] as Headers[])
      expect((await at.request('GET', '/api/v1/session', undefined, headers)).statusCode).toBe(401);
    const refused = await post('/session/code', { pending, code: '000000' });
    expect(refused.json()).toMatchObject({ code: 'unauthenticated' });
    expect((await post('/session/code', { pending: 'hrstep_unknown', code: '000000' })).statusCode).toBe(401);
  });

  test('is not added with a wrong code, with the draft of someone else, or a changed one', async () => {
    const [one, two] = [await join(), await join()];
    const draft = (await post('/me/second-factors/authenticator', undefined, one.session)).json<{
      secret: string;
      draft: string;
    }>();
    const code = totpCode(draft.secret, Date.now());
    const add = async (who: Headers, body: object) =>
      (await post('/me/second-factors/authenticator/confirm', { name: 'x', code, ...body }, who)).statusCode;
    expect(await add(one.session, { draft: draft.draft, code: '12345' })).toBe(422);
    expect(await add(two.session, { draft: draft.draft })).toBe(422);
    expect(await add(one.session, { draft: `${draft.draft}x` })).toBe(422);
    expect(await add(one.session, { draft: draft.draft })).toBe(201);
    expect(await add(one.session, { draft: draft.draft })).toBe(409);
  });

  test('is guessed slowly, and a password that is right does not start over', async () => {
    const { name, session } = await join();
    await addApp(session);
    const guess = async (from: string) => {
      const half = await post('/session', { name, password }, { 'x-forwarded-for': from });
      if (half.statusCode !== 201) return half.statusCode;
      const { pending } = half.json<{ pending: string }>();
      return (await post('/session/code', { pending, code: '000000' }, { 'x-forwarded-for': from }))
        .statusCode;
    };
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push(await guess(address));
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    // From elsewhere the password is right as well, and the codes of this person still wait.
    expect(await guess('198.51.100.1')).toBe(429);
  });

  test('is stored sealed, and not in the audit log', async () => {
    const { session, id } = await join();
    const { secret, codes } = await addApp(session);
    const rows = await editRows({ dataDir: at.dataDir }, (db) =>
      db.run(`select doc, lookup from person_factors where person_id = '${id}'`),
    );
    expect(rows).toHaveLength(11);
    const stored = JSON.stringify(rows);
    for (const plain of [secret, ...codes]) expect(stored).not.toContain(plain);
    const audit = (await at.request('GET', `/api/v1/audit?subject=${id}`)).payload;
    expect(audit).toContain('second_factor.add');
    for (const plain of [secret, ...codes]) expect(audit).not.toContain(plain);
  });

  test('still works after the master key was rotated', async () => {
    const { name, session } = await join();
    const { secret } = await addApp(session);
    const rotated = await at.request('POST', '/api/v1/credentials/rotate-key', {});
    expect(rotated.json<{ resealed: number }>().resealed).toBeGreaterThan(0);
    await at.request('POST', '/api/v1/credentials/rotate-key', {});
    const body = { pending: await pendingOf(name), code: totpCode(secret, Date.now()) };
    expect((await post('/session/code', body)).statusCode).toBe(201);
  });
});

describe('recovery codes', () => {
  test('come with the first factor, work once, in any spelling, and can be replaced', async () => {
    const { name, session } = await join();
    const { codes } = await addApp(session);
    expect(codes).toHaveLength(10);
    expect((await addApp(session, 'Tablet')).codes).toEqual([]);
    const use = async (code: string) =>
      (await post('/session/code', { pending: await pendingOf(name), code })).statusCode;
    expect(await use(` ${codes[0]!.toUpperCase().replaceAll('-', ' ')} `)).toBe(201);
    expect(await use(codes[0]!)).toBe(401);
    const state = await at.request('GET', '/api/v1/me/second-factors', undefined, session);
    expect(state.json()).toMatchObject({ recoveryCodesLeft: 9, isRequired: false, canChange: true });
    const renewed = await post('/me/second-factors/recovery-codes', undefined, session);
    expect(await use(codes[1]!)).toBe(401);
    expect(await use(renewed.json<{ recoveryCodes: string[] }>().recoveryCodes[0]!)).toBe(201);
  });

  test('of one person are nothing for another', async () => {
    const [one, two] = [await join(), await join()];
    const { codes } = await addApp(one.session);
    await addApp(two.session);
    const refused = await post('/session/code', { pending: await pendingOf(two.name), code: codes[0] });
    expect(refused.statusCode).toBe(401);
  });

  test('go with the last factor', async () => {
    const { name, session } = await join();
    await addApp(session);
    const list = () => at.request('GET', '/api/v1/me/second-factors', undefined, session);
    const [only] = (await list()).json<{ items: { id: string }[] }>().items;
    expect((await post(`/me/second-factors/${only!.id}`, undefined, session, 'DELETE')).statusCode).toBe(204);
    expect((await list()).json()).toMatchObject({ items: [], recoveryCodesLeft: 0 });
    expect((await enter(name)).json()).toHaveProperty('csrf');
    expect((await post('/me/second-factors/recovery-codes', undefined, session)).statusCode).toBe(409);
  });
});

describe('a passkey', () => {
  test('is a second factor, and signs in without a password', async () => {
    const { name, session } = await join();
    const { device, answer } = await addPasskey(session);
    expect([answer.statusCode, answer.json<{ recoveryCodes: string[] }>().recoveryCodes.length]).toEqual([
      201, 10,
    ]);
    const half = (await enter(name)).json<{ pending: string; kinds: string[] }>();
    expect(half.kinds).toEqual(['passkey', 'recovery']);
    const asked = await challenge(half.pending);
    expect(asked.options['allowCredentials']).toHaveLength(1);
    const second = { pending: half.pending, challenge: asked.challenge, response: device.get(asked.options) };
    const done = await post('/session/passkey', second);
    expect(done.json()).toMatchObject({ name });
    // Its answer is used up.
    expect((await post('/session/passkey', second)).statusCode).toBe(401);
    const alone = await challenge();
    expect(alone.options).toMatchObject({ allowCredentials: [], userVerification: 'required' });
    const body = { challenge: alone.challenge, response: device.get(alone.options) };
    expect((await post('/session/passkey', body)).json()).toMatchObject({ name });
    expect((await post('/session/passkey', body)).statusCode).toBe(401);
  });

  test('alone must have recognized its person', async () => {
    const { session } = await join();
    const { device } = await addPasskey(session);
    device.verifies = false;
    const asked = await challenge();
    const body = { challenge: asked.challenge, response: device.get(asked.options) };
    expect((await post('/session/passkey', body)).statusCode).toBe(401);
  });

  test('of someone else, another site or another challenge is refused', async () => {
    const [one, two] = [await join(), await join()];
    const { device: mine } = await addPasskey(one.session);
    const { device: theirs } = await addPasskey(two.session);
    const pending = await pendingOf(one.name);
    const asked = await challenge(pending);
    const foreign = new Authenticator('https://evil.example.com');
    const tries = [
      { pending, challenge: asked.challenge, response: theirs.get(asked.options) },
      { pending, challenge: asked.challenge, response: foreign.get(asked.options) },
      { pending, challenge: (await challenge()).challenge, response: mine.get(asked.options) },
      { pending, challenge: asked.challenge, response: {} },
    ];
    const statuses = [];
    for (const body of tries) statuses.push((await post('/session/passkey', body)).statusCode);
    expect(statuses).toEqual([401, 401, 401, 401]);
    const { answer } = await addPasskey(two.session, new Authenticator('https://evil.example.com'));
    expect(answer.statusCode).toBe(422);
  });

  test('belongs to one person', async () => {
    const [one, two] = [await join(), await join()];
    const { device } = await addPasskey(one.session);
    expect((await addPasskey(two.session, device)).answer.statusCode).toBe(409);
  });
});

describe('an owner', () => {
  test('can require a second factor, which is set up at the next sign-in', async () => {
    const { name } = await join();
    await at.request('PATCH', '/api/v1/settings', { secondFactor: 'owners' });
    expect((await enter(name)).json()).toHaveProperty('csrf');
    await at.request('PATCH', '/api/v1/settings', { secondFactor: 'everyone' });
    const half = (await enter(name)).json<{ pending: string; stage: string }>();
    expect(half.stage).toBe('set-up');
    expect((await post('/session/code', { pending: half.pending, code: '123456' })).statusCode).toBe(401);
    const draft = (await post('/session/authenticator', { pending: half.pending })).json<{
      secret: string;
      draft: string;
    }>();
    const proof = { draft: draft.draft, code: totpCode(draft.secret, Date.now() - stepMs) };
    const done = await post('/session/authenticator/confirm', { pending: half.pending, ...proof });
    expect(done.statusCode).toBe(201);
    expect(done.json<{ recoveryCodes: string[] }>().recoveryCodes).toHaveLength(10);
    expect((await at.request('GET', '/api/v1/session', undefined, sessionOf(done))).statusCode).toBe(200);
    // Someone who began before does not replace it.
    const again = await pendingOf(name);
    expect((await post('/session/authenticator', { pending: again })).statusCode).toBe(401);
  });

  test('resets a lost one, which is in the audit log', async () => {
    const { id, name, session } = await join();
    await addApp(session);
    const shown = await at.request('GET', `/api/v1/people/${id}`);
    expect(shown.json<{ secondFactors: string[] }>().secondFactors).toEqual(['totp', 'recovery']);
    const reset = await at.request('DELETE', `/api/v1/people/${id}/second-factors`);
    expect(reset.statusCode).toBe(204);
    expect((await enter(name)).json()).toHaveProperty('csrf');
    const audit = (await at.request('GET', `/api/v1/audit?subject=${id}`)).payload;
    expect(audit).toContain('second_factor.reset');
  });

  test('gets in with a new password by link only with the factor', async () => {
    const { id, session } = await join('owner');
    const { codes } = await addApp(session);
    const link = await at.request('POST', `/api/v1/people/${id}/invitation`);
    const token = new URL(link.json<{ invitationUrl: string }>().invitationUrl).hash.slice(1);
    const half = await post('/invitation/accept', { token, password });
    expect(half.json()).toMatchObject({ stage: 'second-factor' });
    const { pending } = half.json<{ pending: string }>();
    expect((await post('/session/code', { pending, code: codes[0] })).statusCode).toBe(201);
  });
});

test('what was begun ends with the account, and when its password changes', async () => {
  const [one, two] = [await join(), await join()];
  const { codes } = await addApp(one.session);
  const other = await addApp(two.session);
  const pendings = [await pendingOf(one.name), await pendingOf(two.name)];
  await at.request('PATCH', `/api/v1/people/${one.id}`, { disabled: true });
  await post('/session/password', { current: password, password: 'five brave wooden ladders' }, two.session);
  const first = await post('/session/code', { pending: pendings[0], code: codes[0] });
  const second = await post('/session/code', { pending: pendings[1], code: other.codes[0] });
  expect([first.statusCode, second.statusCode]).toEqual([401, 401]);
});

test('factors go with their person, and a damaged one still asks', async () => {
  const [one, two] = [await join(), await join()];
  await addApp(one.session);
  await addApp(two.session);
  await at.request('DELETE', `/api/v1/people/${one.id}`);
  await editRows({ dataDir: at.dataDir }, (db) =>
    db.run(`update person_factors set doc = '{}' where person_id = '${two.id}'`),
  );
  const left = await editRows({ dataDir: at.dataDir }, (db) =>
    db.run(`select id from person_factors where person_id = '${one.id}'`),
  );
  expect(left).toEqual([]);
  expect((await enter(two.name)).json()).toMatchObject({ stage: 'second-factor' });
});

test('changing factors needs a browser session of the last 15 minutes', async () => {
  const { session } = await join();
  await addApp(session);
  const token = await at.request('GET', '/api/v1/me/second-factors');
  expect(token.statusCode).toBe(403);
  await editRows({ dataDir: at.dataDir }, (db) =>
    db.run('update person_sessions set created_at_ms = created_at_ms - 900001'),
  );
  const list = await at.request('GET', '/api/v1/me/second-factors', undefined, session);
  expect(list.json()).toMatchObject({ canChange: false });
  const refused = await post('/me/second-factors/recovery-codes', undefined, session);
  expect(refused.statusCode).toBe(403);
});
