import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedRegistry, openTestRegistry } from '../../test/support/opened-registry.ts';
import { handrailItself } from '../domain/audit.ts';
import { loadAdminTokens } from './admin-token.ts';
import { openPeople, type People } from './people.ts';
import { createSecondFactors } from './second-factors/second-factors.ts';
import { createSignIn, type NewSession, type SecondStep, type SignIn } from './sign-in.ts';

const startMs = Date.parse('2026-11-17T12:00:00Z');
const hourMs = 3_600_000;
const password = 'four unrelated clay windows';
const another = 'seven quiet paper lanterns';
const from = { address: '203.0.113.7', userAgent: 'a browser' };

let nowMs: number;
let opened: OpenedRegistry;
let people: People;
let signIn: SignIn;
let passwordSignIn: 'everyone' | 'owners';

beforeEach(async () => {
  nowMs = startMs;
  passwordSignIn = 'everyone';
  opened = await openTestRegistry();
  const tokens = await loadAdminTokens(opened.registry, 'the-admin-token');
  const now = () => nowMs;
  people = await openPeople({ store: opened.store.people, maxLagMs: 10_000, now });
  signIn = createSignIn({
    people,
    factors: createSecondFactors({
      store: opened.store,
      sealing: { seal: (_place, plain) => plain, open: (_place, sealed) => sealed, isCurrent: () => true },
      publicUrl: () => 'https://gw.example.com',
      now,
    }),
    store: opened.store,
    tokens,
    snapshot: () => opened.registry.snapshot,
    uses: { note() {} },
    settings: () => ({ passwordSignIn }),
    now,
  });
});
afterEach(() => opened.close());

const withPassword = async (...input: Parameters<SignIn['withPassword']>) =>
  signedIn(await signIn.withPassword(...input));
const accept = async (...input: Parameters<SignIn['accept']>) => signedIn(await signIn.accept(...input));

function signedIn(result: NewSession | SecondStep): NewSession {
  if ('pending' in result) throw new Error(`asked for ${result.stage}`);
  return result;
}

async function setUp(): Promise<NewSession> {
  return signIn.setUp((await signIn.makeSetupToken())!, 'Ann', password, from);
}

const inWith = (sessionToken: string) => signIn.authenticate({ sessionToken });
const ended = { code: 'unauthenticated', message: 'The session has ended: sign in again.' };

describe('setting up', () => {
  it('makes the first admin an owner who is signed in, once', async () => {
    const token = (await signIn.makeSetupToken())!;
    const session = await signIn.setUp(token, ' Ann ', password, from);
    expect(session.principal).toMatchObject({ name: 'Ann', role: 'owner', via: 'session' });
    expect(await inWith(session.token)).toMatchObject({ id: session.principal.id });
    expect(await signIn.makeSetupToken()).toBeNull();
    await expect(signIn.setUp(token, 'Ben', password, from)).rejects.toMatchObject({ code: 'conflict' });
  });

  it.each([
    ['an unknown token', 'hrsetup_unknown', 0, 'Ann', password, 'forbidden'],
    ['no token', '', 0, 'Ann', password, 'forbidden'],
    ['a token of yesterday', 'made', 24 * hourMs, 'Ann', password, 'forbidden'],
    ['a weak password', 'made', 0, 'Ann', 'password12345', 'invalid_input'],
    ['a password that is the name', 'made', 0, 'Annabelle', 'annabelle1234', 'invalid_input'],
  ])('refuses %s', async (_what, token, laterMs, name, chosen, code) => {
    const made = (await signIn.makeSetupToken())!;
    nowMs += laterMs;
    await expect(signIn.setUp(token === 'made' ? made : token, name, chosen, from)).rejects.toMatchObject({
      code,
    });
    expect(await opened.store.people.count()).toBe(0);
  });

  it('takes the link of any of several instances, but not of more than ten', async () => {
    const tokens = [];
    for (let i = 0; i < 11; i++) tokens.push((await signIn.makeSetupToken())!);
    await expect(signIn.setUp(tokens[0]!, 'Ann', password, from)).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect((await signIn.setUp(tokens[1]!, 'Ann', password, from)).principal.name).toBe('Ann');
  });
});

describe('signing in', () => {
  beforeEach(() => setUp());

  it.each([
    ['nobody', 'Nobody', password],
    ['a wrong password', 'Ann', another],
    ['no password', 'Ann', ''],
    ['a name with more to it', 'Ann B', password],
  ])('refuses %s, and does not say which it was', async (_who, name, given) => {
    await expect(withPassword(name, given, from)).rejects.toMatchObject({
      code: 'unauthenticated',
      message: 'The name or the password is wrong.',
    });
  });

  it.each(['Ann', 'ann', ' ANN '])('knows "%s"', async (name) => {
    const { token, principal } = await withPassword(name, password, from);
    expect(principal.name).toBe('Ann');
    expect(await inWith(token)).toMatchObject({ id: principal.id, role: 'owner' });
  });

  it('refuses who is invited and has no password yet', async () => {
    await signIn.invite({ name: 'Ben', role: 'viewer' }, handrailItself);
    await expect(withPassword('Ben', '', from)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('slows down who guesses, and forgets it when the right one comes', async () => {
    for (let i = 0; i < 5; i++) await withPassword('Ann', another, from).catch(() => undefined);
    await expect(withPassword('Ann', password, from)).rejects.toMatchObject({ code: 'rate_limited' });
    nowMs += 1_000;
    await withPassword('Ann', password, from);
    await expect(withPassword('Ann', another, from)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  it('is written down, refusals included', async () => {
    await withPassword('Ann', another, from).catch(() => undefined);
    await withPassword('Ann', password, from);
    const { entries } = await opened.store.audit.find({}, 10);
    expect(entries.map(({ action, actorLabel, address }) => [action, actorLabel, address])).toEqual(
      expect.arrayContaining([
        ['session.refused', 'someone', from.address],
        ['session.sign_in', 'Ann', from.address],
      ]),
    );
    expect(JSON.stringify(entries)).not.toContain(another);
  });
});

describe('a session', () => {
  it.each([
    ['after an hour', hourMs, true],
    ['after a day without a request', 24 * hourMs, false],
  ])('%s: lets in %s', async (_when, laterMs, good) => {
    const { token } = await setUp();
    nowMs += laterMs;
    if (good) expect(await inWith(token)).toMatchObject({ name: 'Ann' });
    else await expect(inWith(token)).rejects.toMatchObject(ended);
  });

  it('lasts two weeks for who comes every day, and not longer', async () => {
    const { token } = await setUp();
    const lastMs = startMs + 14 * 24 * hourMs - 1;
    for (; nowMs < lastMs; nowMs += 23 * hourMs) await inWith(token);
    nowMs = lastMs;
    await inWith(token);
    nowMs++;
    await expect(inWith(token)).rejects.toMatchObject(ended);
  });

  it.each([
    ['nothing', {}],
    ['a forged session', { sessionToken: 'hrs_forged' }],
    ['an empty session', { sessionToken: '' }],
    ['a wrong token, whatever the session', { authorization: 'Bearer wrong', sessionToken: 'right' }],
  ])('is not had with %s', async (_what, presented) => {
    const { token } = await setUp();
    const sessionToken =
      'sessionToken' in presented && presented.sessionToken === 'right' ? token : undefined;
    await expect(
      signIn.authenticate({ ...presented, ...(sessionToken !== undefined && { sessionToken }) }),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('is not needed with the admin token', async () => {
    expect(await signIn.authenticate({ authorization: 'Bearer the-admin-token' })).toMatchObject({
      role: 'owner',
      via: 'token',
    });
  });

  it('has a CSRF value of its own, which is not its token', async () => {
    await setUp();
    const [one, two] = [await withPassword('Ann', password, from), await withPassword('Ann', password, from)];
    expect(one.principal.csrf).not.toBe(two.principal.csrf);
    expect(one.principal.csrf).not.toContain(one.token);
    expect((await inWith(one.token)).csrf).toBe(one.principal.csrf);
  });

  it.each([
    ['signing out', 'one', async (session: NewSession) => signIn.signOut(session.principal, from)],
    [
      'signing out everywhere',
      'all',
      async (session: NewSession) => signIn.signOutEverywhere(session.principal, from),
    ],
    ['being put out', 'all', async (session: NewSession) => signIn.endSessions(session.principal.id)],
    [
      'choosing a new password',
      'others',
      async (session: NewSession) => signIn.changePassword(session.principal, password, another, from),
    ],
  ])('ends with %s: %s', async (_how, which, end) => {
    const here = await setUp();
    const there = await withPassword('Ann', password, from);
    const heard: string[] = [];
    signIn.watch({ sessionToken: here.token }, () => heard.push('here'));
    signIn.watch({ sessionToken: there.token }, () => heard.push('there'));
    await end(here);
    const ends = { one: ['here'], others: ['there'], all: ['here', 'there'] }[which]!;
    expect(heard.toSorted()).toEqual(ends);
    for (const [name, session] of [
      ['here', here],
      ['there', there],
    ] as const) {
      if (ends.includes(name)) await expect(inWith(session.token)).rejects.toMatchObject(ended);
      else expect(await inWith(session.token)).toMatchObject({ name: 'Ann' });
    }
  });
});

describe('a new password', () => {
  it.each([
    ['the current one is wrong', another, 'nine wooden harbour bells', 'forbidden'],
    ['it is weak', password, 'password12345', 'invalid_input'],
  ])('is refused when %s', async (_what, current, next, code) => {
    const { principal } = await setUp();
    await expect(signIn.changePassword(principal, current, next, from)).rejects.toMatchObject({ code });
    await withPassword('Ann', password, from);
  });

  it('takes the place of the old one', async () => {
    const { principal } = await setUp();
    await signIn.changePassword(principal, password, another, from);
    await expect(withPassword('Ann', password, from)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    await withPassword('Ann', another, from);
  });

  it('is nothing that the admin token has', async () => {
    const principal = await signIn.authenticate({ authorization: 'Bearer the-admin-token' });
    await expect(signIn.changePassword(principal, '', another, from)).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});

describe('an invitation', () => {
  beforeEach(() => setUp());

  it('lets its holder choose a password, once', async () => {
    const { token } = await signIn.invite({ name: 'Ben', role: 'viewer' }, handrailItself);
    expect(await signIn.invited(token)).toMatchObject({ name: 'Ben', role: 'viewer' });
    const session = await accept(token, another, from);
    expect(session.principal).toMatchObject({ name: 'Ben', role: 'viewer' });
    await expect(accept(token, another, from)).rejects.toMatchObject({ code: 'forbidden' });
    await withPassword('Ben', another, from);
  });

  it.each([
    ['unknown', 0, another],
    ['a week old', 7 * 24 * hourMs, another],
  ])('that is %s opens nothing', async (what, laterMs, chosen) => {
    const { token } = await signIn.invite({ name: 'Ben', role: 'viewer' }, handrailItself);
    nowMs += laterMs;
    const shown = what === 'unknown' ? 'hrinvite_unknown' : token;
    await expect(signIn.invited(shown)).rejects.toThrow('This link has expired or was already used');
    await expect(accept(shown, chosen, from)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('of who is an admin already ends the sessions that the old password opened', async () => {
    const before = await withPassword('Ann', password, from);
    const { token } = await signIn.invite({ personId: before.principal.id }, handrailItself);
    await inWith(before.token);
    await accept(token, another, from);
    await expect(inWith(before.token)).rejects.toMatchObject(ended);
    await expect(withPassword('Ann', password, from)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  it('is refused for a name that is taken', async () => {
    await expect(signIn.invite({ name: 'ANN', role: 'viewer' }, handrailItself)).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});
