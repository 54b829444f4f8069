import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serveHttp, type TestServer } from '../../../test/support/servers/http-server.ts';
import { createEgressGuard } from '../../upstream/connections/egress.ts';
import { createFetchGuarded } from '../../upstream/fetch-guarded.ts';
import type { TokenAudience } from './token-audience.ts';
import type { VerifyToken } from './token-caller.ts';
import { createVerifyToken } from './verify-token.ts';

const resource = 'https://tools.example.com/mcp/one';
const startMs = Date.parse('2026-11-17T12:00:00Z');
let nowMs = startMs;
let isUp = true;
let asked = 0;
let issuer: TestServer;
let audience: TokenAudience;
let verify: VerifyToken;
let sign: (claims?: Record<string, unknown>) => Promise<string>;
const outbound = createFetchGuarded({ guard: createEgressGuard({ allow: ['127.0.0.1'] }), now: Date.now });

beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }];
  issuer = await serveHttp((request, response) => {
    asked++;
    const metadata = { issuer: issuer.origin, jwks_uri: `${issuer.origin}/keys` };
    response.writeHead(isUp ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify(request.url === '/keys' ? { keys } : metadata));
  });
  audience = {
    policy: { kind: 'oauth', issuer: issuer.origin },
    resources: [resource],
    metadataUrl: 'https://tools.example.com/.well-known/oauth-protected-resource/mcp/one',
  };
  sign = (claims = {}) =>
    new SignJWT({
      sub: 'ann',
      iss: issuer.origin,
      aud: resource,
      iat: startMs / 1000,
      exp: startMs / 1000 + 90_000,
      ...claims,
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .sign(privateKey);
});
afterAll(async () => {
  await outbound.close();
  await issuer.close();
});

beforeEach(() => {
  [nowMs, isUp, asked] = [startMs, true, 0];
  verify = createVerifyToken(outbound.fetch, () => nowMs);
});

const unsigned = (header: object, payload: object): string =>
  [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') +
  '.c2ln';

describe('tokens that cannot be good', () => {
  it.each<[string, () => string | Promise<string>, RegExp]>([
    ['no token', () => 'x'.repeat(10_000), /not a token that the issuer signed/],
    [
      'no signature',
      () => unsigned({ alg: 'none' }, { iss: issuer.origin }),
      /not a token that the issuer signed/,
    ],
    ['a shared secret', () => unsigned({ alg: 'HS256' }, { iss: issuer.origin }), /not a token/],
    ['another issuer', () => sign({ iss: 'https://elsewhere.example' }), /from another issuer/],
    ['one that ran out', () => sign({ exp: startMs / 1000 - 60 }), /has expired/],
    ['one of tomorrow', () => sign({ iat: startMs / 1000 + 86_400 }), /issued in the future/],
    ['a date that is none', () => sign({ iat: 'soon' }), /issued in the future|not a token/],
  ])('are refused without asking anybody: %s', async (_what, make, why) => {
    await expect(verify(await make(), audience)).rejects.toThrow(why);
    expect(asked).toBe(0);
  });
});

it.each([
  ['just ran out', { exp: startMs / 1000 - 20 }],
  ['is issued in a moment', { iat: startMs / 1000 + 20 }],
])('a token of an issuer with another clock is accepted: one that %s', async (_what, claims) => {
  await expect(verify(await sign(claims), audience)).resolves.toMatchObject({ caller: { kind: 'oauth' } });
});

describe('whose token it is', () => {
  it('depends on the whole subject, however long', async () => {
    const long = 'x'.repeat(250);
    const [one, other, again] = await Promise.all(
      [`${long}1`, `${long}2`, `${long}1`].map(
        async (sub) => (await verify(await sign({ sub }), audience)).caller.id,
      ),
    );
    expect(one).not.toBe(other);
    expect(again).toBe(one);
  });

  it('is refused when it has no subject', async () => {
    await expect(verify(await sign({ sub: '' }), audience)).rejects.toThrow(/has no subject/);
  });
});

describe('an issuer that is away', () => {
  it('is asked once for however many tokens, and again after a while', async () => {
    isUp = false;
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => sign({ jti: String(i) })));
    for (const token of tokens)
      await expect(verify(token, audience)).rejects.toMatchObject({ code: 'unavailable' });
    expect(asked).toBeLessThanOrEqual(2);
    isUp = true;
    nowMs += 11_000;
    await expect(verify(tokens[0]!, audience)).resolves.toMatchObject({ caller: { kind: 'oauth' } });
  });

  it('leaves the keys that it gave good for an hour, and no longer', async () => {
    const token = await sign();
    await verify(token, audience);
    isUp = false;
    nowMs += 11 * 60_000;
    await expect(verify(token, audience)).resolves.toMatchObject({ caller: { kind: 'oauth' } });
    await expect(verify(token, audience)).resolves.toMatchObject({ caller: { kind: 'oauth' } });
    nowMs += 60 * 60_000;
    await expect(verify(token, audience)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(verify(token, audience)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
