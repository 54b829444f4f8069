import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import {
  type Fault,
  type OpenIdProvider,
  startOpenIdProvider,
} from '../../support/servers/open-id-provider.ts';

const password = 'seven green umbrellas dance';
let gateway: RunningGateway;
let provider: OpenIdProvider;

beforeAll(async () => {
  provider = await startOpenIdProvider();
  gateway = await startGateway();
  const token = (await gateway.gateway.signIn.makeSetupToken())!;
  await gateway.admin('POST', '/setup', { token, name: 'Ada', password });
  await gateway.admin('PATCH', '/settings', { egressAllow: ['127.0.0.0/8'] });
  const made = await gateway.admin('POST', '/identity-providers', {
    slug: 'acme',
    name: 'Acme',
    issuer: provider.origin,
    clientId: 'gateway',
    clientSecret: 'sso-client-secret',
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});
afterEach(async () => {
  provider.fault = null;
  await gateway.admin('PATCH', '/settings', { passwordSignIn: null });
  await gateway.admin('PATCH', '/identity-providers/acme', { allowedDomains: null, enabled: true });
});

const ann = { sub: 'ann-1', name: 'Ann', email: 'ann@example.com', email_verified: true };

/** A browser, as far as redirects and cookies go. */
function browser() {
  const cookies = new Map<string, string>();
  return {
    cookies,
    async get(url: string) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const line of answer.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
        if (value === '') cookies.delete(name!);
        else cookies.set(name!, value!);
      }
      return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() };
    },
  };
}

/** The address that a started sign-in comes back to. */
async function goToProvider(at: ReturnType<typeof browser>, path = '/sso/acme/start'): Promise<string> {
  const started = await at.get(path.startsWith('http') ? path : `${gateway.url}${path}`);
  expect(started.status, started.text).toBe(302);
  const there = await at.get(started.location!);
  return there.location!;
}

async function signIn(path?: string) {
  const at = browser();
  const done = await at.get(await goToProvider(at, path));
  const session = at.cookies.get('handrail');
  const who =
    session === undefined
      ? null
      : await fetch(`${gateway.url}/api/v1/session`, { headers: { cookie: `handrail=${session}` } });
  return { done, at, who: who && ((await who.json()) as { id: string; name: string; role: string }) };
}

describe('signing in with a provider', () => {
  test('adds a person without a role, finds them again by issuer and subject, and follows their name', async () => {
    provider.claims = ann;
    const first = await signIn();
    expect(first.done.text).toContain('url=/admin');
    expect(first.who).toMatchObject({ name: 'Ann', role: 'none' });
    provider.claims = { ...ann, name: 'Ann B', email: 'other@example.com' };
    const again = await signIn();
    expect(again.who).toMatchObject({ id: first.who!.id, name: 'Ann B' });
    // The same address under another subject is someone else.
    provider.claims = { ...ann, sub: 'ann-2', email: 'other@example.com' };
    expect((await signIn()).who!.id).not.toBe(first.who!.id);
    expect(provider.tokenRequests.at(-1)!.get('code_verifier')).toMatch(/^[\w-]{43,}$/);
  });

  test('takes role and groups from what the provider says, anew at each sign-in', async () => {
    const made = await gateway.admin('POST', '/groups', {
      name: 'Ops',
      role: 'editor',
      claims: [{ issuer: provider.origin, value: 'ops' }],
    });
    expect(made.status).toBe(201);
    provider.claims = { ...ann, sub: 'bea', groups: ['ops', 'all'] };
    const before = await signIn();
    expect(before.who).toMatchObject({ role: 'editor' });
    provider.claims = { ...ann, sub: 'bea', groups: ['all'] };
    expect((await signIn()).who).toMatchObject({ id: before.who!.id, role: 'none' });
    // The session from before has lost the role as well.
    const session = before.at.cookies.get('handrail');
    const apis = await fetch(`${gateway.url}/api/v1/apis`, { headers: { cookie: `handrail=${session}` } });
    expect(apis.status).toBe(403);
  });

  test('tells apart subjects of any length', async () => {
    const long = 's'.repeat(4_000);
    const ids = [];
    for (const sub of [`${long}1`, `${long}2`, `${long}1`]) {
      provider.claims = { ...ann, sub };
      ids.push((await signIn()).who!.id);
    }
    expect(ids[0]).toBe(ids[2]);
    expect(ids[0]).not.toBe(ids[1]);
    // Cut, they would be the same, and an API that is told them would take two people for one.
    for (const id of ids)
      expect((await gateway.admin('GET', `/people/${id}`)).body).not.toHaveProperty('subject');
  });

  test('shows names in one line, and takes in nothing that a store or a terminal cannot show', async () => {
    const shown = [];
    for (const [n, name] of [
      '\u001b[31mAda\u001b[0m\r\nowner\u202e',
      'x\ud800y\u0000z',
      ' \u2060 ',
      7,
    ].entries()) {
      provider.claims = {
        sub: `odd-${n}`,
        name,
        email: 'a\u0000@b',
        groups: ['fine', 'a\u0000b', 'x\ud800'],
      };
      const { who } = await signIn();
      shown.push(who!.name);
      const { body } = await gateway.admin('GET', `/people/${who!.id}`);
      expect(body).not.toHaveProperty('email');
      expect(JSON.stringify(body)).not.toContain('\\u0000');
    }
    expect(shown).toEqual(['[31mAda [0m owner', 'x y z', 'a @b', 'a @b']);
    provider.claims = { sub: 'odd\u0000subject', name: 'Odd' };
    const { who } = await signIn();
    expect((await signIn()).who!.id).toBe(who!.id);
  });

  test('goes on with more groups than are kept of a person', async () => {
    provider.claims = { ...ann, sub: 'many', groups: Array.from({ length: 5_000 }, (_, n) => `group-${n}`) };
    expect((await signIn()).who).toMatchObject({ role: 'none' });
  });

  test('goes on after the provider changed its keys', async () => {
    provider.claims = ann;
    await signIn();
    await provider.rotateKeys();
    expect((await signIn()).who).toMatchObject({ role: 'none' });
  });

  // Its tokens are valid for five minutes.
  test.each([
    ['half a minute ahead', 30, true],
    ['half a minute behind what is still valid', -330, true],
    ['two minutes ahead', 120, false],
    ['two minutes behind what is still valid', -420, false],
  ])('with a provider whose clock is %s', async (_what, skewS, works) => {
    provider.claims = ann;
    provider.skewS = skewS;
    const { who } = await signIn();
    provider.skewS = 0;
    expect(who !== null).toBe(works);
  });

  test('works in two browsers at once', async () => {
    provider.claims = ann;
    const [one, other] = [browser(), browser()];
    const [first, second] = [await goToProvider(one), await goToProvider(other)];
    expect((await other.get(second)).status).toBe(200);
    expect((await one.get(first)).status).toBe(200);
  });

  test.each<[Fault, number]>([
    ['nonce', 503],
    ['issuer', 503],
    ['audience', 503],
    ['expired', 503],
    ['unsigned key', 503],
    ['future', 503],
    ['userinfo of someone else', 503],
    ['no id token', 503],
  ])('is refused when the provider answers with a wrong %s', async (fault, status) => {
    provider.claims = ann;
    provider.fault = fault;
    const { done, who } = await signIn();
    expect([done.status, who]).toEqual([status, null]);
    expect(done.text).toContain('Acme could not sign you in');
    expect(done.text).not.toContain('sso-client-secret');
  });

  test('is refused in another browser, with another state, twice, and at another provider', async () => {
    provider.claims = ann;
    const at = browser();
    const back = await goToProvider(at);
    expect((await browser().get(back)).status).toBe(403);
    const other = new URL(back);
    other.searchParams.set('state', 'x'.repeat(43));
    const kept = new Map(at.cookies);
    expect((await at.get(other.href)).status).toBe(503);
    for (const [name, value] of kept) at.cookies.set(name, value);
    await gateway.admin('POST', '/identity-providers', {
      slug: 'evil',
      name: 'Evil',
      issuer: provider.origin,
      clientId: 'gateway',
    });
    expect((await at.get(back.replace('/sso/acme/', '/sso/evil/'))).status).toBe(403);
    for (const [name, value] of kept) at.cookies.set(name, value);
    expect((await at.get(back)).status).toBe(200);
    expect((await at.get(back)).status).toBe(403);
  });

  test.each(['//evil.example.com', 'https://evil.example.com', '/\\evil.example.com', 'javascript:alert(1)'])(
    'never leads on to %s',
    async (to) => {
      provider.claims = ann;
      const { done } = await signIn(`/sso/acme/start?to=${encodeURIComponent(to)}`);
      expect(done.text).toContain('url=/admin"');
    },
  );

  test('leads on to a page of ours', async () => {
    provider.claims = ann;
    const { done } = await signIn(`/sso/acme/start?to=${encodeURIComponent('/admin/people?x=1')}`);
    expect(done.text).toContain('url=/admin/people?x=1"');
  });

  test('is for verified addresses in the chosen domains only', async () => {
    await gateway.admin('PATCH', '/identity-providers/acme', { allowedDomains: ['example.com'] });
    const tries = [
      { email: 'x@example.com', email_verified: true },
      { email: 'x@example.com', email_verified: false },
      { email: 'x@example.com' },
      { email: 'x@sub.example.com', email_verified: true },
      { email: 'x@evil.com', email_verified: true },
      { email_verified: true },
      { email: 'example.com', email_verified: true },
      { email: '@example.com', email_verified: true },
      { email: 'x@evil.com@example.com', email_verified: true },
      { email: 'x@example.com\n', email_verified: true },
      { email: 'x@example.com', email_verified: 'true' },
      { email: 'x@EXAMPLE.com', email_verified: true },
    ];
    const seen = [];
    for (const [n, claims] of tries.entries()) {
      provider.claims = { sub: `d${n}`, ...claims };
      seen.push((await signIn()).done.status);
    }
    expect(seen).toEqual([200, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403, 200]);
  });

  test('ends with the person: disabled or removed, here and everywhere', async () => {
    provider.claims = { ...ann, sub: 'gone' };
    const { who, at } = await signIn();
    await gateway.admin('PATCH', `/people/${who!.id}`, { disabled: true });
    const cookie = `handrail=${at.cookies.get('handrail')}`;
    expect((await fetch(`${gateway.url}/api/v1/session`, { headers: { cookie } })).status).toBe(401);
    expect((await signIn()).done.status).toBe(403);
  });
});

describe('a provider that is down', () => {
  test('says so, while an owner gets in with a password even if single sign-on is required, loudly', async () => {
    await gateway.admin('PATCH', '/settings', { passwordSignIn: 'owners' });
    provider.fault = 'down';
    await gateway.admin('PATCH', '/identity-providers/acme', { issuer: provider.origin, enabled: true });
    const signedIn = await gateway.admin('POST', '/session', { name: 'Ada', password });
    expect(signedIn.status).toBe(201);
    const { body } = await gateway.admin('GET', '/audit?action=session.break_glass');
    expect(body.items[0]).toMatchObject({ actor: { name: 'Ada' } });
  });

  test('does not let anyone else in with a password then', async () => {
    const invited = await gateway.admin('POST', '/people', { name: 'Eve', role: 'editor' });
    const token = new URL(invited.body.invitationUrl).hash.slice(1);
    expect((await gateway.admin('POST', '/invitation/accept', { token, password })).status).toBe(201);
    await gateway.admin('PATCH', '/settings', { passwordSignIn: 'owners' });
    expect((await gateway.admin('POST', '/session', { name: 'Eve', password })).status).toBe(403);
  });
});

describe('trying a provider out', () => {
  test('shows its endpoints and the redirect URI, then the claims and what they map to, and signs no one in', async () => {
    const tested = await gateway.admin('POST', '/identity-providers/acme/test', {});
    expect(tested.body).toMatchObject({
      redirectUri: `${gateway.url}/sso/acme/callback`,
      metadata: { tokenEndpoint: `${provider.origin}/token`, namesIssuerInAnswers: true },
    });
    provider.claims = { ...ann, sub: 'trial', groups: ['ops'] };
    const { done, who } = await signIn(tested.body.trialUrl);
    expect([done.status, who]).toEqual([200, null]);
    const { body } = await gateway.admin('GET', '/identity-providers/acme/trial');
    expect(body).toMatchObject({
      claims: { sub: 'trial', groups: ['ops'] },
      values: ['ops'],
      groups: ['Ops'],
      role: 'editor',
      allowed: true,
    });
    const people = await gateway.admin('GET', '/people?search=trial');
    expect(people.body.items).toEqual([]);
  });

  test('says what is wrong with one that is down', async () => {
    const made = await gateway.admin('POST', '/identity-providers', {
      slug: 'nowhere',
      name: 'Nowhere',
      issuer: 'http://127.0.0.1:9/x',
      clientId: 'x',
    });
    expect(made.status).toBe(201);
    const { body } = await gateway.admin('POST', '/identity-providers/nowhere/test', {});
    expect(body.problem).toContain('Nowhere could not sign you in');
  });

  test('never shows the client secret, and asks for it again for another issuer', async () => {
    const shown = await gateway.admin('GET', '/identity-providers/acme');
    expect(JSON.stringify(shown.body)).not.toContain('sso-client-secret');
    const moved = await gateway.admin('PATCH', '/identity-providers/acme', {
      issuer: 'https://other.example.com',
    });
    expect(moved.status).toBe(422);
    const log = await gateway.admin('GET', '/audit?limit=200');
    expect(JSON.stringify(log.body)).not.toContain('sso-client-secret');
  });
});
