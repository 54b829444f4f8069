import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../support/servers/free-port.ts';
import { connectApp, makeApp } from '../support/sign-in/app.ts';
import { fieldsOf, PageReader } from '../support/sign-in/page-reader.ts';
import { ada, type SignInGateway, startSignInGateway } from '../support/sign-in/sign-in-gateway.ts';

let at: SignInGateway;
let folder: string;
let port: number;
let dex: ChildProcess | null = null;
const issuer = () => `http://127.0.0.1:${port}/dex`;

beforeAll(async () => {
  at = await startSignInGateway({ egressAllow: '127.0.0.0/8' });
  folder = await mkdtemp(join(tmpdir(), 'handrail-dex-'));
  port = await freePort();
  await writeFile(
    join(folder, 'dex.yaml'),
    JSON.stringify({
      issuer: issuer(),
      storage: { type: 'memory' },
      web: { http: `127.0.0.1:${port}` },
      oauth2: { skipApprovalScreen: true },
      expiry: { signingKeys: '5s', idTokens: '1m' },
      connectors: [{ type: 'mockCallback', id: 'mock', name: 'Mock' }],
      staticClients: [
        {
          id: 'gateway',
          name: 'Gateway',
          secret: 'dex-secret',
          redirectURIs: [`${at.url}/sso/dex/callback`],
        },
      ],
    }),
  );
  await startDex();
  const made = await at.admin('POST', '/identity-providers', {
    slug: 'dex',
    name: 'Dex',
    issuer: issuer(),
    clientId: 'gateway',
    clientSecret: 'dex-secret',
    scopes: ['openid', 'profile', 'email', 'groups'],
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  await at.admin('POST', '/groups', { name: 'Authors', claims: [{ issuer: issuer(), value: 'authors' }] });
  await at.admin('PATCH', '/servers/team', { access: [{ group: 'Authors', kinds: ['read'] }] });
});
afterAll(async () => {
  await stopDex();
  await at.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Starts Dex and waits until it answers. */
async function startDex(): Promise<void> {
  dex = spawn(process.env['HANDRAIL_DEX']!, ['serve', join(folder, 'dex.yaml')], { stdio: 'ignore' });
  for (let attempts = 0; attempts < 100; attempts++) {
    const isUp = await fetch(`${issuer()}/.well-known/openid-configuration`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('Dex did not start');
}

async function stopDex(): Promise<void> {
  if (dex === null) return;
  const exited = once(dex, 'exit');
  dex.kill();
  await exited;
  dex = null;
}

/** What Dex sends the browser back with; its mock connector signs in at once. */
async function throughDex(start: URL): Promise<string> {
  let url = start;
  for (let steps = 0; steps < 8; steps++) {
    const answer = await fetch(url, { redirect: 'manual' });
    url = new URL(answer.headers.get('location')!, url);
    if (url.origin === at.url) return url.href;
  }
  throw new Error(`Dex did not send the browser back: ${url.href}`);
}

async function signIn() {
  const browser = new PageReader(at.url);
  const away = await browser.open(`${at.url}/sso/dex/start`);
  if (away.url.origin === at.url) return { page: away, who: null };
  const page = await browser.open(await throughDex(away.url));
  const cookie = `handrail=${browser.cookie('handrail')}`;
  const who = await fetch(`${at.url}/api/v1/session`, { headers: { cookie } });
  return { page, who: (await who.json()) as { id: string; name: string; role: string } };
}

it('shows what Dex says in a trial, and signs its people in', async () => {
  const tested = await at.admin('POST', '/identity-providers/dex/test', {});
  expect(tested.body).toMatchObject({ metadata: { tokenEndpoint: `${issuer()}/token` } });
  const { who } = await signIn();
  expect(who).toMatchObject({ name: 'Kilgore Trout', role: 'none' });
  expect((await signIn()).who!.id).toBe(who!.id);
});

it('connects an app as whoever Dex signs in, with what their group may use; a group that is gone takes it away', async () => {
  const app = makeApp();
  const { client } = await connectApp(`${at.url}/mcp/team`, app, async (url) => {
    const browser = new PageReader(at.url);
    const page = await browser.open(url);
    const link = /href="(\/sso\/dex\/start[^"]+)"/.exec(page.html)![1]!;
    const away = await browser.open(new URL(link.replaceAll('&#38;', '&'), at.url));
    const consent = await browser.open(await throughDex(away.url));
    return (await browser.send(consent, [...fieldsOf(consent), ['action', 'allow']])).url;
  });
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('list_orders');
  expect(names).not.toContain('delete_order');
  await stopDex();
  try {
    // What was granted goes on without the provider, and is still checked against the person.
    expect((await client.callTool({ name: 'list_orders', arguments: {} })).isError).toBeFalsy();
    const refreshed = await fetch(`${at.url}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: String(app.kept.tokens!.refresh_token),
        client_id: app.kept.client!.client_id,
      }).toString(),
    });
    expect(refreshed.status).toBe(200);
    const { body } = await at.admin('GET', '/groups');
    await at.admin('PATCH', `/groups/${body.items[0].id}`, { claims: [] });
    await expect(client.listTools()).rejects.toThrow('not open to you');
  } finally {
    await client.close();
    await startDex();
  }
});

it('says that Dex is away, while an owner still gets in, loudly', async () => {
  await at.admin('PATCH', '/settings', { passwordSignIn: 'owners' });
  await stopDex();
  // What was discovered is remembered for a while, so the answer fails and not only the beginning.
  const browser = new PageReader(at.url);
  const away = await browser.open(`${at.url}/sso/dex/start`);
  if (away.url.origin !== at.url) await expect(fetch(away.url)).rejects.toThrow('fetch failed');
  else expect(away.status).toBe(503);
  expect((await at.admin('POST', '/session', ada)).status).toBe(201);
  const { body } = await at.admin('GET', '/audit?action=session.break_glass');
  expect(body.items[0]).toMatchObject({ actor: { name: 'ada' } });
  await startDex();
  await at.admin('PATCH', '/settings', { passwordSignIn: null });
});

it('goes on after Dex has new keys', async () => {
  const keys = async () =>
    ((await (await fetch(`${issuer()}/keys`)).json()) as { keys: { kid: string }[] }).keys.map(
      ({ kid }) => kid,
    );
  await signIn();
  const [before] = await keys();
  await expect.poll(async () => (await keys())[0] !== before, { timeout: 45_000, interval: 500 }).toBe(true);
  expect((await signIn()).who).toMatchObject({ name: 'Kilgore Trout' });
});
