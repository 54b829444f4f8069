import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenIdProvider, startOpenIdProvider } from '../../support/servers/open-id-provider.ts';
import { connectApp, makeApp } from '../../support/sign-in/app.ts';
import { fieldsOf, PageReader } from '../../support/sign-in/page-reader.ts';
import { type SignInGateway, startSignInGateway } from '../../support/sign-in/sign-in-gateway.ts';

let at: SignInGateway;
let provider: OpenIdProvider;
beforeAll(async () => {
  provider = await startOpenIdProvider();
  at = await startSignInGateway();
  await at.admin('PATCH', '/settings', { egressAllow: ['127.0.0.0/8'] });
  const made = await at.admin('POST', '/identity-providers', {
    slug: 'acme',
    name: 'Acme',
    issuer: provider.origin,
    clientId: 'gateway',
  });
  expect(made.status).toBe(201);
  for (const name of ['A', 'B'])
    await at.admin('POST', '/groups', { name, claims: [{ issuer: provider.origin, value: name }] });
  await at.admin('PATCH', '/servers/team', {
    access: [{ group: 'A', kinds: ['read'] }, { group: 'B' }],
  });
});
afterAll(async () => {
  await at.stop();
  await provider.close();
});

/** Connects an app as whoever the provider signs in, by the link on the page that asks for a password. */
async function connect() {
  return connectApp(`${at.url}/mcp/team`, makeApp(), async (url) => {
    const browser = new PageReader(at.url);
    const page = await browser.open(url);
    const link = /href="(\/sso\/acme\/start[^"]+)"/.exec(page.html)![1]!;
    const away = await browser.open(new URL(link.replaceAll('&#38;', '&'), at.url));
    const back = await fetch(away.url, { redirect: 'manual' });
    const consent = await browser.open(back.headers.get('location')!);
    expect(consent.html).toContain('name="csrf"');
    return (await browser.send(consent, [...fieldsOf(consent), ['action', 'allow']])).url;
  });
}

const named = async (client: Awaited<ReturnType<typeof connect>>['client']) =>
  (await client.listTools()).tools
    .map(({ name }) => name)
    .filter((name) => name.endsWith('order') || name.endsWith('orders'));

it('gives two people of two groups what their groups may use, and takes it away with the group', async () => {
  provider.claims = { sub: 'ann', name: 'Ann', groups: ['A'] };
  const ann = await connect();
  provider.claims = { sub: 'ben', name: 'Ben', groups: ['B'] };
  const ben = await connect();
  expect(new Set(await named(ann.client))).toEqual(new Set(['list_orders', 'get_order']));
  expect((await named(ben.client)).length).toBeGreaterThan(2);
  const refused = await ann.client
    .callTool({ name: 'delete_order', arguments: {} })
    .catch(() => ({ isError: true }));
  expect(refused.isError).toBe(true);

  const { body } = await at.admin('GET', '/groups');
  const group = body.items.find(({ name }: { name: string }) => name === 'A');
  expect((await at.admin('DELETE', `/groups/${group.id}`)).status).toBe(204);
  await expect(ann.client.listTools()).rejects.toThrow('not open to you');
  expect((await named(ben.client)).length).toBeGreaterThan(2);
  await ann.client.close();
  await ben.client.close();
});
