import { UnauthorizedError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectApp, makeApp } from '../../support/sign-in/app.ts';
import { agree, PageReader } from '../../support/sign-in/page-reader.ts';
import { listTools, RawApp, rpc, textOf } from '../../support/sign-in/raw-app.ts';
import { ada, type SignInGateway, startSignInGateway } from '../../support/sign-in/sign-in-gateway.ts';

let at: SignInGateway;
let team: string;
beforeAll(async () => {
  at = await startSignInGateway({ refusalsPerMinute: 100_000, refusalsPerMinuteInTotal: 100_000 });
  team = `${at.url}/mcp/team`;
});
afterAll(() => at.stop());

type Fields = [string, string][];
const without =
  (...left: readonly string[]) =>
  (fields: Fields): Fields =>
    fields.filter(([, value]) => !left.includes(value));

/** A token for what the person left checked. */
async function tokenFor(change: (fields: Fields) => Fields, more: Readonly<Record<string, string>> = {}) {
  const app = new RawApp(at.url);
  // An app of its own each time, because the page remembers what was left out.
  await app.register({ client_name: `App ${Math.random()}` });
  const back = await agree(new PageReader(at.url), app.authorizeUrl(team, more), ada, change);
  const { body } = await app.exchange(back.searchParams.get('code')!);
  return {
    app,
    token: String(body.access_token),
    refresh: String(body.refresh_token),
    scope: String(body.scope),
  };
}

describe('what a person leaves out', () => {
  it.each([
    ['nothing', [], ['list_orders', 'get_order', 'create_order', 'delete_order']],
    ['writes', ['write'], ['list_orders', 'get_order', 'delete_order']],
    ['destructive tools', ['destructive'], ['list_orders', 'get_order', 'create_order']],
    ['everything but reading', ['write', 'destructive'], ['list_orders', 'get_order']],
  ])('is not in the list: %s', async (_what, left, names) => {
    const { token } = await tokenFor(without(...left));
    expect((await listTools(team, token)).names.filter((name) => name !== 'read_reply')).toEqual(names);
  });

  it('can be everything: the app may still connect and list', async () => {
    const { token } = await tokenFor(without('read', 'write', 'destructive'));
    expect(await listTools(team, token)).toMatchObject({ status: 200, names: ['read_reply'] });
  });

  it('can be a single tool, which then answers with the scope to ask for', async () => {
    const { token } = await tokenFor((fields) =>
      fields.filter(([, value]) => value !== at.toolIds['create_order']),
    );
    expect((await listTools(team, token)).names).not.toContain('create_order');
    const call = await rpc(team, token, 'tools/call', { name: 'create_order', arguments: {} });
    expect(call.status).toBe(403);
    expect(call.challenge).toContain('error="insufficient_scope"');
    expect(call.challenge).toContain('tool:create_order');
    expect(call.challenge).toContain('tools:read');
  });

  it('is asked for by name, and then allowed by name', async () => {
    const { token } = await tokenFor(without('write', 'destructive'), {
      scope: 'tools:read tool:delete_order',
    });
    const { names } = await listTools(team, token);
    expect(names).toContain('delete_order');
    expect(names).not.toContain('create_order');
    expect((await rpc(team, token, 'tools/call', { name: 'delete_order', arguments: {} })).status).toBe(200);
  });

  it('stays left out when the same app asks again', async () => {
    const app = new RawApp(at.url);
    await app.register({ client_name: 'Asks twice' });
    const browser = new PageReader(at.url);
    await agree(browser, app.authorizeUrl(team), ada, without('destructive'));
    const page = await browser.open(app.authorizeUrl(team));
    expect(page.html).toMatch(/value="write" checked/);
    expect(page.html).not.toMatch(/value="destructive" checked/);
  });

  it('is obeyed over REST and by the explorer as well', async () => {
    const { token } = await tokenFor(without('write', 'destructive'));
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const list = await fetch(`${at.url}/explorer/team/tools`, { headers });
    if (list.status === 200) expect(await list.text()).not.toContain('create_order');
    const call = await fetch(`${at.url}/explorer/team/call`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'create_order', arguments: {} }),
    });
    expect(call.status).toBeGreaterThanOrEqual(400);
  });

  it('is what an app with narrower scopes gets at most', async () => {
    const { token, scope } = await tokenFor((fields) => fields, { scope: 'tools:read' });
    expect(scope).not.toContain('tools:write');
    expect((await listTools(team, token)).names).not.toContain('create_order');
  });
});

describe('a tool that was left out', () => {
  it('is asked for by the SDK itself, and works after the person agrees', async () => {
    const app = makeApp('Steps up');
    const browser = new PageReader(at.url);
    const { client, transport } = await connectApp(team, app, (url) =>
      agree(browser, url, ada, without('destructive')),
    );
    await expect(client.callTool({ name: 'delete_order', arguments: {} })).rejects.toThrow(UnauthorizedError);
    expect(app.kept.opened?.searchParams.get('scope')).toContain('tool:delete_order');
    const back = await agree(browser, app.kept.opened!, ada);
    await transport.finishAuth(back.searchParams);
    expect((await client.callTool({ name: 'delete_order', arguments: {} })).isError).toBeFalsy();
    await client.close();
  });
});

describe('the page', () => {
  it('says which server, what it may do with counts, and who is signed in, in both languages', async () => {
    const app = new RawApp(at.url);
    await app.register({ client_name: 'Orders helper' });
    const browser = new PageReader(at.url);
    await agree(browser, app.authorizeUrl(team), ada);
    const page = await browser.open(app.authorizeUrl(team));
    const words = textOf(page);
    for (const part of [
      'Orders helper',
      'The team',
      '2 tools',
      '1 tool',
      'signed in as ada',
      'Not verified',
      '127.0.0.1:7002',
    ])
      expect(words).toContain(part);
    browser.language = 'es-ES,en;q=0.5';
    const spanish = textOf(await browser.open(app.authorizeUrl(team)));
    for (const part of ['¿Permitir que', '2 herramientas', 'Sin verificar', 'Permitir', 'Cancelar'])
      expect(spanish).toContain(part);
  });
});

describe('connected apps', () => {
  it('are listed with what they may do, and disconnected at once', async () => {
    const { token } = await tokenFor(without('destructive'));
    expect((await listTools(team, token)).status).toBe(200);
    const { body } = await at.admin('GET', '/connected-apps?limit=1');
    expect(body.items[0]).toMatchObject({
      person: { name: 'ada' },
      server: 'team',
      kinds: ['read', 'write'],
      redirectsTo: '127.0.0.1:7002',
    });
    const path = `/connected-apps/${body.items[0].id}`;
    expect((await at.admin('GET', path)).status).toBe(200);
    expect((await at.admin('DELETE', path)).status).toBe(204);
    expect((await listTools(team, token)).status).toBe(401);
    expect((await at.admin('DELETE', path)).status).toBe(404);
    const { body: log } = await at.admin('GET', '/audit?kind=connected-app&limit=2');
    expect(log.items.map(({ action }: { action: string }) => action)).toEqual([
      'connected_app.revoke',
      'connected_app.allow',
    ]);
  });

  it('are paged', async () => {
    const first = await at.admin('GET', '/connected-apps?limit=2');
    const second = await at.admin('GET', `/connected-apps?limit=2&cursor=${first.body.nextCursor}`);
    const ids = [...first.body.items, ...second.body.items].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(4);
    expect((await at.admin('GET', '/connected-apps?cursor=x')).status).toBe(422);
  });
});

describe('a person', () => {
  it('who is removed loses every app at once', async () => {
    const invited = await at.admin('POST', '/people', { name: 'bob', role: 'none' });
    const link = new URL(String(invited.body.invitationUrl));
    const bob = { name: 'bob', password: 'another horse battery staple 7' };
    await at.gateway.signIn.accept(link.hash.slice(1), bob.password, {
      address: '127.0.0.1',
      userAgent: 'test',
    });
    const app = new RawApp(at.url);
    await app.register();
    const back = await agree(new PageReader(at.url), app.authorizeUrl(team), bob);
    const { body } = await app.exchange(back.searchParams.get('code')!);
    expect((await listTools(team, body.access_token)).status).toBe(200);
    expect((await at.admin('DELETE', `/people/${invited.body.id}`)).status).toBeLessThan(300);
    expect((await listTools(team, body.access_token)).status).toBe(401);
    expect((await app.refresh(body.refresh_token)).status).toBe(400);
  });
});

describe('an access key', () => {
  it('works next to sign-in', async () => {
    const key = await at.admin('POST', '/keys', { name: 'machine', servers: ['team'] });
    expect((await listTools(team, key.body.key)).status).toBe(200);
    expect((await listTools(team, `${key.body.key}x`)).status).toBe(401);
  });
});

describe('the default server', () => {
  it('has two URLs, and metadata that fits either', async () => {
    await at.admin('PATCH', '/servers/default', { policy: 'sign-in' });
    for (const path of ['/mcp', '/mcp/default']) {
      const url = `${at.url}${path}`;
      const app = makeApp(`App at ${path}`);
      const { client } = await connectApp(url, app, (to) => agree(new PageReader(at.url), to, ada));
      expect((await client.listTools()).tools.length).toBeGreaterThan(3);
      await client.close();
      const { challenge } = await listTools(url, 'x');
      const metadata = /resource_metadata="([^"]+)"/.exec(challenge!)![1]!;
      expect(await (await fetch(metadata)).json()).toMatchObject({
        resource: url,
        authorization_servers: [at.url],
      });
    }
  });
});
