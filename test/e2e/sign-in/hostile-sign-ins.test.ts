import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serveTcp } from '../../support/servers/http-server.ts';
import { agree, fieldsOf, PageReader } from '../../support/sign-in/page-reader.ts';
import { listTools, RawApp, rpc, textOf } from '../../support/sign-in/raw-app.ts';
import { ada, type SignInGateway, startSignInGateway } from '../../support/sign-in/sign-in-gateway.ts';

let at: SignInGateway;
let team: string;
beforeAll(async () => {
  at = await startSignInGateway({ refusalsPerMinute: 100_000, refusalsPerMinuteInTotal: 100_000 });
  await at.serve('other');
  team = `${at.url}/mcp/team`;
});
afterAll(() => at.stop());

/** An app that is connected to a server. */
async function connected(resource = team) {
  const app = new RawApp(at.url);
  await app.register();
  const back = await agree(new PageReader(at.url), app.authorizeUrl(resource), ada);
  const { status, body } = await app.exchange(back.searchParams.get('code')!);
  expect(status, JSON.stringify(body)).toBe(200);
  return { app, back, access: String(body.access_token), refresh: String(body.refresh_token) };
}

describe('a redirect URI', () => {
  it.each([
    ['a host that looks like this machine', 'http://localhost.evil.example/callback'],
    ['an address that looks like this machine', 'http://127.0.0.1.evil.example/callback'],
    ['plain http elsewhere', 'http://app.example.com/callback'],
    ['a fragment', 'https://app.example.com/callback#part'],
    ['a user name', 'https://app.example.com@evil.example/callback'],
    ['a script', 'javascript:alert(1)'],
    ['data', 'data:text/html,x'],
    ['a wildcard', 'https://*.example.com/callback'],
    ['a backslash', 'https://app.example.com\\@evil.example/'],
    ['a page of source', 'view-source:https://app.example.com/'],
    ['a mail', 'mailto:someone@example.com'],
    ['a settings page', 'ms-settings:privacy'],
    ['an out-of-band code', 'urn:ietf:wg:oauth:2.0:oob'],
    ['another protocol', 'ftp://app.example.com/callback'],
    ['a file', 'file:///etc/passwd'],
    ['a script in a feed', 'feed:javascript:alert(1)'],
    ['a shell elsewhere', 'ssh://evil.example/'],
    ['a folder of the system', 'shell:startup'],
    ['a program of the system', 'mshta:https://evil.example/'],
    ['an app store', 'itms-services://?action=download'],
    ['letters that look like others', 'https://\u0430pple.com/callback'],
    ['text that runs backwards', 'https://evil.example/\u202ecallback'],
    ['no URI', 'callback'],
  ])('is not registered: %s', async (_what, uri) => {
    const answer = await new RawApp(at.url, uri).register();
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_client_metadata']);
  });

  it.each([
    ['a sub-path', 'http://127.0.0.1:7002/callback/more'],
    ['another path', 'http://127.0.0.1:7002/elsewhere'],
    ['a query', 'http://127.0.0.1:7002/callback?to=evil'],
    ['another host', 'http://localhost:7002/callback'],
    ['another scheme', 'https://127.0.0.1:7002/callback'],
    ['a path that climbs', 'http://127.0.0.1:7002/x/../callback'],
    ['a user name', 'http://x@127.0.0.1:7002/callback'],
  ])('gets nothing unless it was registered: %s', async (_what, uri) => {
    const app = new RawApp(at.url);
    await app.register();
    const page = await new PageReader(at.url).open(app.authorizeUrl(team, { redirect_uri: uri }));
    expect([page.status, page.url.host]).toEqual([400, new URL(at.url).host]);
    expect(textOf(page)).toContain('invalid_redirect_uri');
  });

  it.each(['cursor://anysphere.cursor-retrieval/oauth/callback', 'com.example.app:/callback'])(
    'may be the scheme of an app: %s',
    async (uri) => expect((await new RawApp(at.url, uri).register()).status).toBe(201),
  );

  // RFC 9700 section 4.11.2: anyone can register any address.
  it.each([
    ['without PKCE', { code_challenge: null }],
    ['that asks no one', { prompt: 'none' }],
    ['for no server', { resource: 'nothing' }],
    ['for a token in the address', { response_type: 'token' }],
    ['with a mode of its own', { response_mode: 'web_message' }],
    ['by form', { response_mode: 'form_post', code_challenge: null }],
    ['by form, that is acceptable', { response_mode: 'form_post' }],
  ])('elsewhere is a link to click, not where a request %s leads by itself', async (_what, change) => {
    const app = new RawApp(at.url, 'https://evil.example/callback');
    await app.register({ client_name: 'Redirector' });
    const page = await new PageReader(at.url).open(app.authorizeUrl(team, change));
    expect([page.status, page.url.host]).toEqual([400, new URL(at.url).host]);
    expect(textOf(page)).toContain('Return to evil.example');
    expect(page.html).toMatch(/<a href="https:\/\/evil\.example\/callback[?#]error=/);
    expect(page.html).not.toContain('http-equiv="refresh"');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'nonce-");
  });

  it('may have any port on this machine', async () => {
    const app = new RawApp(at.url);
    await app.register();
    const back = await agree(
      new PageReader(at.url),
      app.authorizeUrl(team, { redirect_uri: 'http://127.0.0.1:61234/callback' }),
      ada,
    );
    expect(back.origin).toBe('http://127.0.0.1:61234');
    expect(back.searchParams.get('code')).toBeTruthy();
  });
});

describe('a code', () => {
  it('is good for one exchange, and a second ends what the first got', async () => {
    const { app, back, access } = await connected();
    expect((await listTools(team, access)).status).toBe(200);
    const again = await app.exchange(back.searchParams.get('code')!);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    expect((await listTools(team, access)).status).toBe(401);
  });

  it('is bound to its app, its redirect URI and its verifier', async () => {
    const app = new RawApp(at.url);
    await app.register();
    const code = async () =>
      (await agree(new PageReader(at.url), app.authorizeUrl(team), ada)).searchParams.get('code')!;
    const thief = new RawApp(at.url, 'http://127.0.0.1:7003/callback');
    await thief.register({ client_name: 'Thief' });
    const attempts = await Promise.all([
      thief.exchange(await code(), { redirect_uri: app.redirectUri, code_verifier: app.verifier }),
      app.exchange(await code(), { redirect_uri: 'http://127.0.0.1:7002/other' }),
      app.exchange(await code(), { code_verifier: thief.verifier }),
      app.token({ grant_type: 'authorization_code', code: await code(), redirect_uri: app.redirectUri }),
    ]);
    expect(attempts.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  });

  it('comes with the issuer, so that apps notice a mix-up, and with the state that was sent', async () => {
    const { back } = await connected();
    expect([back.searchParams.get('iss'), back.searchParams.get('state')]).toEqual([at.url, 'the-state']);
  });
});

describe('PKCE', () => {
  it.each([
    ['none at all', { code_challenge: null, code_challenge_method: null }],
    ['plain', { code_challenge_method: 'plain' }],
    ['no method', { code_challenge_method: null }],
  ])('cannot be left out or weakened: %s', async (_what, change) => {
    const app = new RawApp(at.url);
    await app.register();
    const { url } = await new PageReader(at.url).open(app.authorizeUrl(team, change));
    expect([url.host, url.searchParams.get('error')]).toEqual(['127.0.0.1:7002', 'invalid_request']);
  });
});

describe('a token', () => {
  it('of one server is nothing at another, nor as a resource of its own', async () => {
    const { app, access, refresh } = await connected();
    const other = `${at.url}/mcp/other`;
    const refused = await listTools(other, access);
    expect(refused.status).toBe(401);
    expect(refused.challenge).toContain('issued for another server');
    const widened = await app.refresh(refresh, { resource: other });
    expect([widened.status, widened.body.error]).toEqual([400, 'invalid_target']);
  });

  it.each([
    ['a trailing slash', (url: string) => `${url}/mcp/team/`],
    ['the exact URL', (url: string) => `${url}/mcp/team`],
    ['another name of this machine', (url: string) => `${url.replace('127.0.0.1', 'localhost')}/mcp/team`],
  ])('is issued for %s of its server', async (_what, resource) => {
    const { access } = await connected(resource(at.url));
    expect((await listTools(team, access)).status).toBe(200);
  });

  it.each([
    ['another host', () => 'https://elsewhere.example/mcp/team'],
    ['another port', () => 'http://127.0.0.1:1/mcp/team'],
    ['a sub-path', (url: string) => `${url}/mcp/team/more`],
    ['a query', (url: string) => `${url}/mcp/team?x=1`],
    ['a server that does not exist', (url: string) => `${url}/mcp/nothing`],
    ['a server with other access', (url: string) => `${url}/mcp`],
    ['nothing, with several servers', () => null],
    ['no URL', () => 'team'],
  ])('is not issued for %s', async (_what, resource) => {
    const app = new RawApp(at.url);
    await app.register();
    const { url } = await new PageReader(at.url).open(app.authorizeUrl(resource(at.url)));
    expect(url.searchParams.get('error')).toBe('invalid_target');
  });

  it('is not issued for two servers at once', async () => {
    const app = new RawApp(at.url);
    await app.register();
    const both = app.authorizeUrl(team);
    both.searchParams.append('resource', `${at.url}/mcp/other`);
    const { url } = await new PageReader(at.url).open(both);
    expect(url.searchParams.get('error')).toBe('invalid_target');
  });

  it.each([
    ['unknown', 'x'.repeat(43)],
    ['very long', 'x'.repeat(7_000)],
    ['a made-up key', `hrk_${'x'.repeat(43)}`],
    ['a client id', 'client_1'],
  ])('that is %s gets the challenge and nothing else', async (_what, token) => {
    const { status, challenge } = await listTools(team, token);
    expect(status).toBe(401);
    expect(challenge).toContain(
      `resource_metadata="${at.url}/.well-known/oauth-protected-resource/mcp/team"`,
    );
    expect(challenge).toContain('error="invalid_token"');
  });

  it('is never accepted in the address', async () => {
    const { access } = await connected();
    expect((await rpc(`${team}?access_token=${access}`, null, 'tools/list', {})).status).toBe(401);
  });

  it('stops working at once when its app revokes it, and so does everything it came with', async () => {
    const { app, access, refresh } = await connected();
    expect((await listTools(team, access)).status).toBe(200);
    expect((await app.revoke(access)).status).toBe(200);
    await expect.poll(async () => (await listTools(team, access)).status, { timeout: 5_000 }).toBe(401);
    expect((await app.refresh(refresh)).body.error).toBe('invalid_grant');
  });
});

describe('a refresh token', () => {
  it('rotates, and using an old one again ends the whole connection', async () => {
    const { app, refresh } = await connected();
    const next = await app.refresh(refresh);
    expect(next.body.refresh_token).not.toBe(refresh);
    expect((await listTools(team, next.body.access_token)).status).toBe(200);
    expect((await app.refresh(refresh)).body.error).toBe('invalid_grant');
    await expect
      .poll(async () => (await listTools(team, next.body.access_token)).status, { timeout: 5_000 })
      .toBe(401);
    expect((await app.refresh(next.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('that is used by two at the same time goes to one of them at most, and then to nobody', async () => {
    const { app, refresh } = await connected();
    const both = await Promise.all([app.refresh(refresh), app.refresh(refresh), app.refresh(refresh)]);
    const won = both.filter(({ status }) => status === 200);
    expect(won.length).toBeLessThanOrEqual(1);
    for (const { body } of won) {
      expect((await app.refresh(body.refresh_token)).body.error).toBe('invalid_grant');
      expect((await listTools(team, body.access_token)).status).toBe(401);
    }
  });

  it('is refused when there were too many, and the connection ends', async () => {
    const { app, access, refresh } = await connected();
    const { grants } = at.gateway.store;
    const count = vi.spyOn(grants, 'count').mockResolvedValue(5_000);
    expect((await app.refresh(refresh)).body.error).toBe('invalid_grant');
    count.mockRestore();
    await expect.poll(async () => (await listTools(team, access)).status, { timeout: 5_000 }).toBe(401);
  });

  it('of one app is nothing in the hands of another', async () => {
    const { refresh } = await connected();
    const thief = new RawApp(at.url, 'http://127.0.0.1:7003/callback');
    await thief.register({ client_name: 'Thief' });
    expect((await thief.refresh(refresh)).body.error).toBe('invalid_grant');
  });
});

describe('the page that asks', () => {
  const open = async () => {
    const app = new RawApp(at.url);
    await app.register({ client_name: '<img src=x onerror=alert(1)>\u202e evil' });
    const browser = new PageReader(at.url);
    let page = await browser.open(app.authorizeUrl(team));
    page = await browser.send(page, [
      ['action', 'sign-in'],
      ['name', ada.name],
      ['password', ada.password],
    ]);
    return { app, browser, page };
  };

  it('cannot be framed, and shows names as text', async () => {
    const { page } = await open();
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.html).not.toContain('<img');
    expect(page.html).not.toContain('\u202e');
    expect(textOf(page)).toContain('Not verified');
  });

  it('cannot be answered without its hidden value, nor from another site', async () => {
    const { browser, page } = await open();
    const asked = await browser.send(page, [
      ...fieldsOf(page).filter(([name]) => name !== 'csrf'),
      ['action', 'allow'],
    ]);
    expect(asked.url.host).toBe(new URL(at.url).host);
    const foreign = await fetch(page.url, {
      method: 'POST',
      headers: {
        origin: 'https://evil.example',
        'content-type': 'application/x-www-form-urlencoded',
        cookie: `handrail=${browser.cookie('handrail')}; handrail-consent=${browser.cookie('handrail-consent')}`,
      },
      body: new URLSearchParams([...fieldsOf(page), ['action', 'allow']]).toString(),
    });
    expect(foreign.status).toBe(403);
  });

  it('belongs to one browser: another cannot answer it, however it got the address', async () => {
    const { page } = await open();
    const other = new PageReader(at.url);
    expect((await other.open(page.url)).status).toBe(404);
  });

  it('asks again every time, and a refusal is reported to the app', async () => {
    const { app, browser } = await open();
    const again = await browser.open(app.authorizeUrl(team));
    expect(textOf(again)).toContain('to use');
    const { url } = await browser.send(again, [['action', 'deny']]);
    expect([url.searchParams.get('error'), url.searchParams.get('code')]).toEqual(['access_denied', null]);
  });

  it('works in two tabs at once', async () => {
    const { app, browser } = await open();
    const [one, two] = [
      await browser.open(app.authorizeUrl(team, { state: 'one' })),
      await browser.open(app.authorizeUrl(team, { state: 'two' })),
    ];
    for (const [page, state] of [
      [two, 'two'],
      [one, 'one'],
    ] as const) {
      const { url } = await browser.send(page, [...fieldsOf(page), ['action', 'allow']]);
      expect([url.searchParams.get('state'), url.searchParams.has('code')]).toEqual([state, true]);
    }
  });

  it.each([
    ['en', 'The name or the password is wrong.'],
    ['es', 'El nombre o la contraseña no son correctos.'],
  ])('says so when the password is wrong, and stays: %s', async (language, text) => {
    const app = new RawApp(at.url);
    await app.register();
    const browser = new PageReader(at.url);
    browser.language = language;
    const page = await browser.open(app.authorizeUrl(team));
    const refused = await browser.send(page, [
      ['action', 'sign-in'],
      ['name', ada.name],
      ['password', 'wrong'],
    ]);
    expect([refused.status, textOf(refused)]).toEqual([401, expect.stringContaining(text)]);
  });
});

describe('registrations', () => {
  it('of the same app are one', async () => {
    const [one, two] = [new RawApp(at.url), new RawApp(at.url)];
    const first = await one.register({ client_name: 'Same' });
    await two.register({ client_name: 'Same' });
    expect(two.clientId).toBe(one.clientId);
    expect(first.body).toMatchObject({
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    });
    expect(first.body).not.toHaveProperty('client_secret');
  });

  it.each([
    ['no redirect URI', { redirect_uris: [] }],
    [
      'a hundred redirect URIs',
      { redirect_uris: Array.from({ length: 100 }, (_, i) => `http://127.0.0.1/${i}`) },
    ],
    ['a very long URI', { redirect_uris: [`https://app.example.com/${'x'.repeat(5_000)}`] }],
    ['numbers', { redirect_uris: [7] }],
    ['a name that is no text', { client_name: { x: 1 } }],
    ['no browser', { grant_types: ['client_credentials'] }],
  ])('are refused with a reason: %s', async (_what, metadata) => {
    const { status, body } = await new RawApp(at.url).register(metadata);
    expect([status, typeof body.error_description]).toEqual([400, 'string']);
  });

  it('that are too large or no JSON are refused', async () => {
    const send = (body: string) =>
      fetch(`${at.url}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
    expect((await send(`{"client_name":"${'x'.repeat(20_000)}"}`)).status).toBe(413);
    expect((await send('{')).status).toBe(400);
  });
});

describe('a client metadata document', () => {
  it.each([
    ['this machine', 'https://127.0.0.1:PORT/client.json'],
    ['a name of this machine', 'https://localhost:PORT/client.json'],
    ['an unusual form of its address', 'https://2130706433:PORT/client.json'],
    ['plain http', 'http://127.0.0.1:PORT/client.json'],
    ['a path that climbs', 'https://127.0.0.1:PORT/../client.json'],
    ['a user name', 'https://x@127.0.0.1:PORT/client.json'],
  ])('is not fetched from %s, although APIs may be called there', async (_what, address) => {
    const trap = await serveTcp((socket) => socket.destroy());
    const app = new RawApp(at.url);
    app.clientId = address.replace('PORT', String(trap.port));
    const page = await new PageReader(at.url).open(app.authorizeUrl(team));
    expect([page.status >= 400, page.url.host]).toEqual([true, new URL(at.url).host]);
    expect(textOf(page)).toContain('could not be connected');
    expect(trap.seen).toBe(0);
    await trap.close();
  });
});

describe('the library of the authorization server', () => {
  it('prints nothing: standard output belongs to clients', async () => {
    const printed = (['log', 'info', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name));
    const { app, access, refresh } = await connected();
    const next = await app.refresh(refresh);
    expect((await app.revoke(next.body.refresh_token)).status).toBe(200);
    expect((await app.revoke(access)).status).toBe(200);
    for (const spy of printed) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });

  it('does not revoke what belongs to another app', async () => {
    const { access } = await connected();
    const thief = new RawApp(at.url, 'http://127.0.0.1:7003/callback');
    await thief.register({ client_name: 'Thief' });
    await thief.revoke(access);
    expect((await listTools(team, access)).status).toBe(200);
  });

  it('leaves nothing behind that makes every promise slower', async () => {
    await connected();
    const { executionAsyncId } = await import('node:async_hooks');
    // Without a storage in use, Node doesn't give promises ids.
    await expect.poll(() => Promise.resolve().then(executionAsyncId)).toBe(0);
  });
});

describe('hostile rows of the authorization server', () => {
  it.each([
    ['no JSON', '{'],
    ['another form', '{"id":7}'],
    ['a list', '[]'],
  ])('give no access: %s', async (_what, doc) => {
    const { access } = await connected();
    const [app] = await at.gateway.store.grants.list('ConnectedApp', { nowMs: Date.now(), limit: 1 });
    await at.gateway.store.grants.put({ ...app!, name: app!.grantId!, doc });
    expect((await listTools(team, access)).status).toBe(401);
    expect((await at.admin('GET', '/connected-apps')).status).toBe(200);
  });

  it('have no token, code or client secret in them', async () => {
    const { access, refresh, back } = await connected();
    const rows = JSON.stringify(
      await Promise.all(
        ['AccessToken', 'RefreshToken', 'AuthorizationCode', 'ConnectedApp', 'Grant', 'Client'].map((kind) =>
          at.gateway.store.grants.list(kind, { nowMs: 0, limit: 1_000 }),
        ),
      ),
    );
    for (const secret of [access, refresh, back.searchParams.get('code')!])
      expect(rows).not.toContain(secret);
  });
});

// Last: this address has to wait after it.
describe('a flood', () => {
  it('of registrations is limited by address', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 60; i++)
      statuses.push((await new RawApp(at.url).register({ client_name: `Flood ${i}` })).status);
    expect(statuses).toContain(429);
    expect(await at.gateway.store.grants.count('Client')).toBeLessThan(100);
  });
});
