import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Provider } from 'oidc-provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { json, neverIdlesOut, serveHttp, type TestServer } from '../../support/servers/http-server.ts';

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const clientSecret = randomBytes(24).toString('base64url');

/** A real authorization server, for the server's tokens and for those of the API. */
let provider: Provider;
let issuer: string;
let closeIssuer: () => Promise<void>;
/** What it was asked to exchange. */
const exchanged: { subject: string; audience: string; by: string }[] = [];
let refusesExchange = false;

/** An API that only accepts tokens for itself, and answers with whose they are. */
let api: TestServer;
const arrived: string[] = [];
const endedTokens = new Set<string>();

let at: RunningGateway;

beforeAll(async () => {
  const server = createServer((request, response) => void provider.callback()(request, response));
  neverIdlesOut(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  closeIssuer = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'app',
        client_secret: randomBytes(24).toString('base64url'),
        grant_types: ['authorization_code'],
        redirect_uris: ['https://app.example.com/callback'],
      },
      {
        client_id: 'handrail',
        client_secret: clientSecret,
        grant_types: [exchangeGrant],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: { introspection: { enabled: true }, devInteractions: { enabled: false } },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  });
  provider.registerGrantType(
    exchangeGrant,
    async (ctx) => {
      const params = ctx.oidc.params ?? {};
      const subject = await provider.AccessToken.find(String(params['subject_token']));
      exchanged.push({
        subject: subject?.accountId ?? '',
        audience: String(params['audience']),
        by: ctx.oidc.client.clientId,
      });
      if (subject === undefined || refusesExchange) {
        ctx.status = 400;
        ctx.body = { error: 'invalid_grant', error_description: 'that token is not for you' };
        return;
      }
      const token = await mint(subject.accountId, 'handrail', String(params['audience']));
      ctx.body = {
        access_token: token,
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: 60,
      };
    },
    ['subject_token', 'subject_token_type', 'requested_token_type', 'audience', 'scope'],
  );
  api = await serveHttp((request, response) => {
    void (async () => {
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      arrived.push(token);
      const found = await provider.AccessToken.find(token);
      const isOurs = found !== undefined && [found.aud].flat().includes('https://orders.example.com');
      if (!isOurs || endedTokens.has(token)) return json(response, 401, { error: 'unauthorized' });
      json(response, 200, { account: found.accountId });
    })();
  });
  at = await startGateway({ egressAllow: '127.0.0.1' });
  const introspection = { url: `${issuer}/token/introspection`, clientId: 'handrail' };
  await made('/apis', {
    slug: 'orders',
    name: 'Orders',
    baseUrl: api.origin,
    auth: {
      kind: 'oauth2',
      grant: 'token_exchange',
      issuer,
      audience: 'https://orders.example.com',
      clientAuth: 'client_secret_basic',
    },
  });
  await made('/credentials', { api: 'orders', fields: { clientId: 'handrail', clientSecret } });
  await made('/tools', {
    api: 'orders',
    name: 'list_orders',
    description: 'Lists orders',
    operation: { method: 'GET', path: '/orders' },
  });
  await made('/servers', {
    slug: 'team',
    tools: '*',
    mode: 'direct',
    policy: { kind: 'oauth', issuer, introspection: { ...introspection, clientSecret } },
  });
  await made('/servers', { slug: 'keys', tools: '*', mode: 'direct', policy: { kind: 'key' } });
});
afterAll(async () => {
  await at.stop();
  await api.close();
  await closeIssuer();
});

async function made(path: string, body: object) {
  const answer = await at.admin('POST', path, body);
  if (answer.status > 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** An opaque access token of the authorization server. */
async function mint(accountId: string, clientId: string, audience: string): Promise<string> {
  const client = (await provider.Client.find(clientId))!;
  const token = new provider.AccessToken({ accountId, client, gty: 'test' } as never);
  Object.assign(token, { aud: audience, scope: '' });
  return token.save();
}

async function callAs(bearer: string, server = 'team') {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${at.url}/mcp/${server}`), {
      requestInit: { headers: { authorization: `Bearer ${bearer}` } },
    }),
  );
  const result = await client.callTool({ name: 'list_orders', arguments: {} });
  await client.close();
  return { isError: result.isError === true, text: (result.content[0] as { text: string }).text };
}
const tokenOf = (account: string) => mint(account, 'app', `${at.url}/mcp/team`);

describe('token exchange at a real authorization server', () => {
  it('gives the API a token of its own for each caller, and never the caller’s', async () => {
    const [ann, ben] = [await tokenOf('ann'), await tokenOf('ben')];
    expect((await callAs(ann)).text).toContain('"ann"');
    expect((await callAs(ben)).text).toContain('"ben"');
    expect(arrived).not.toContain(ann);
    expect(arrived).not.toContain(ben);
    expect(exchanged).toEqual([
      { subject: 'ann', audience: 'https://orders.example.com', by: 'handrail' },
      { subject: 'ben', audience: 'https://orders.example.com', by: 'handrail' },
    ]);
    // Kept for this caller and this token until it expires.
    const before = exchanged.length;
    await Promise.all([callAs(ann), callAs(ann), callAs(ben)]);
    expect(exchanged.length).toBe(before);
    // Another token of the same person is exchanged by itself: it could allow less.
    expect((await callAs(await tokenOf('ann'))).text).toContain('"ann"');
    expect(exchanged.length).toBe(before + 1);
  });

  it('exchanges again when the API rejects the token', async () => {
    const carl = await tokenOf('carl');
    await callAs(carl);
    endedTokens.add(arrived.at(-1)!);
    const before = exchanged.length;
    expect((await callAs(carl)).text).toContain('"carl"');
    expect(exchanged.length).toBe(before + 1);
  });

  it('explains a refused exchange without showing a token', async () => {
    const dora = await tokenOf('dora');
    refusesExchange = true;
    const { isError, text } = await callAs(dora);
    refusesExchange = false;
    expect(isError).toBe(true);
    expect(text).toContain('may not be exchanged by this client');
    for (const secret of [dora, clientSecret]) expect(text).not.toContain(secret);
  });

  it('refuses whoever has no token of a foreign issuer, and sends nothing', async () => {
    const { key } = await made('/keys', { name: 'robot', servers: ['keys'] });
    const [before, asked] = [arrived.length, exchanged.length];
    const { isError, text } = await callAs(key, 'keys');
    expect(isError).toBe(true);
    expect(text).toContain('never passed on');
    expect([arrived.length, exchanged.length]).toEqual([before, asked]);
    const tool = (await at.admin('GET', '/tools?api=orders')).body.items[0].id;
    const tried = await at.admin('POST', `/tools/${tool}/call`, { arguments: {} });
    expect(JSON.stringify(tried.body)).toContain('never passed on');
    const stored = (await at.admin('GET', '/credentials?api=orders')).body.items[0].id;
    const tested = await at.admin('POST', `/credentials/${stored}/test`, {});
    expect(tested.body).toMatchObject({ ok: null });
    expect([arrived.length, exchanged.length]).toEqual([before, asked]);
  });

  it('can’t be part of a combination', async () => {
    const exchange = { kind: 'oauth2', grant: 'token_exchange', issuer };
    const answer = await at.admin('POST', '/apis', {
      slug: 'both',
      baseUrl: api.origin,
      auth: { kind: 'all', schemes: [{ kind: 'bearer' }, exchange] },
    });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      422,
      expect.stringContaining('cannot be token_exchange'),
    ]);
  });
});
