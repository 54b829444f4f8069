import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serveHttp, type TestServer } from '../../../test/support/servers/http-server.ts';
import type { OAuthPolicy } from '../../domain/server.ts';
import { createEgressGuard } from '../../upstream/connections/egress.ts';
import { createFetchGuarded } from '../../upstream/fetch-guarded.ts';
import { createTokenCheck, type TokenCheck } from './oauth-tokens.ts';
import type { TokenAudience } from './token-audience.ts';

const startMs = Date.parse('2026-11-17T12:00:00Z');
const inSeconds = (seconds: number) => startMs / 1_000 + seconds;
const resource = 'https://tools.example.com/mcp/one';
const outbound = createFetchGuarded({ guard: createEgressGuard({ allow: ['127.0.0.1'] }), now: Date.now });

interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly form: Record<string, string>;
}

let issuer: TestServer;
let nowMs: number;
let tokens: TokenCheck;
let asked: Asked[];
/** What the issuer says of tokens; a number is a status without words, null leaves the question open. */
let says: object | string | number | null;
let metadata: object;
let release: (() => void)[];

beforeAll(async () => {
  issuer = await serveHttp((req, res) => {
    const path = req.url ?? '';
    if (path.startsWith('/.well-known/oauth-authorization-server')) {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify(metadata));
      return;
    }
    void answer();
    async function answer(): Promise<void> {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      await once(req, 'end');
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      asked.push({ path, authorization: req.headers.authorization, form });
      if (says === null) await new Promise<void>((go) => release.push(go));
      const [status, body] = typeof says === 'number' ? [says, ''] : [200, says ?? { active: false }];
      res.writeHead(status, { 'content-type': 'application/json' });
      res.end(typeof body === 'string' ? body : JSON.stringify(body));
    }
  });
});
afterAll(async () => {
  await outbound.close();
  await issuer.close();
});
beforeEach(() => {
  nowMs = startMs;
  asked = [];
  release = [];
  says = good();
  metadata = { issuer: issuer.origin, introspection_endpoint: `${issuer.origin}/introspect` };
  tokens = createTokenCheck(
    outbound.fetch,
    () => 'se:cr/et',
    () => nowMs,
  );
});
afterEach(() => release.forEach((go) => go()));

const good = (more: object = {}) => ({
  active: true,
  iss: issuer.origin,
  sub: 'ann',
  username: 'ann@example.com',
  aud: resource,
  scope: 'use',
  exp: inSeconds(300),
  ...more,
});

function audience(more: Partial<OAuthPolicy> = {}): TokenAudience {
  return {
    policy: { kind: 'oauth', issuer: issuer.origin, introspection: { clientId: 'gate way' }, ...more },
    resources: [resource],
    metadataUrl: 'https://tools.example.com/.well-known/oauth-protected-resource/mcp/one',
  };
}

describe('a token that its issuer is asked about', () => {
  it('is asked about where the metadata says, as the client that is set', async () => {
    const caller = await tokens.check('opaque-1', audience());
    expect(caller).toMatchObject({ kind: 'oauth', label: 'ann@example.com' });
    expect(caller.id).toMatch(/^oauth:[0-9a-f]{16}:[0-9a-f]{32}$/);
    expect(asked).toEqual([
      {
        path: '/introspect',
        authorization: `Basic ${Buffer.from('gate+way:se%3Acr%2Fet').toString('base64')}`,
        form: { token: 'opaque-1', token_type_hint: 'access_token' },
      },
    ]);
  });

  it('is asked about at an address of its own, with the secret in the body', async () => {
    metadata = {};
    const url = `${issuer.origin}/elsewhere`;
    const introspection = { url, clientId: 'gate way', clientAuth: 'client_secret_post' as const };
    await tokens.check('opaque-1', audience({ introspection }));
    expect(asked).toEqual([
      {
        path: '/elsewhere',
        authorization: undefined,
        form: {
          token: 'opaque-1',
          token_type_hint: 'access_token',
          client_id: 'gate way',
          client_secret: 'se:cr/et',
        },
      },
    ]);
  });

  it.each<[what: string, said: () => object, why: string]>([
    ['inactive', () => ({ active: false }), 'its issuer does not know it or has revoked it'],
    ['active in another way than true', () => good({ active: 'true' }), 'its issuer does not know it'],
    ['of another issuer', () => good({ iss: 'https://other.example.com' }), 'it is from another issuer'],
    ['for another server', () => good({ aud: ['https://x.example'] }), 'it was made for another server'],
    ['for nobody in particular', () => good({ aud: undefined }), 'does not say which server'],
    ['too old', () => good({ exp: inSeconds(-31) }), 'it has expired'],
    ['too young', () => good({ nbf: inSeconds(31) }), 'it is not valid yet'],
    ['no bearer token', () => good({ token_type: 'DPoP' }), 'it is not a bearer token'],
    ['nobody’s', () => good({ sub: undefined }), 'does not say whose it is'],
    ['one with an empty subject', () => good({ sub: '', client_id: 'robot' }), 'does not say whose it is'],
  ])('and is %s is refused', async (_what, said, why) => {
    says = said();
    const failure = await tokens.check('opaque-1', audience()).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'unauthenticated',
      details: { challenge: expect.anything() as string },
    });
    expect((failure as Error).message).toContain(why);
    expect((failure as Error).message).not.toContain('opaque-1');
  });

  it.each<[what: string, said: () => object]>([
    ['made for several servers', () => good({ aud: ['https://x.example', resource] })],
    ['without an end', () => good({ exp: undefined })],
    ['a machine’s', () => good({ sub: undefined, username: undefined, client_id: 'robot' })],
    ['called bearer', () => good({ token_type: 'Bearer' })],
    ['of an issuer that does not name itself', () => good({ iss: undefined })],
  ])('and is %s is taken', async (_what, said) => {
    says = said();
    await expect(tokens.check('opaque-1', audience())).resolves.toMatchObject({ kind: 'oauth' });
  });

  it('opens what its scopes open, and says which it lacks', async () => {
    const toolScopes = { use: ['tool_1'], write: ['tool_2'] };
    await expect(tokens.check('a', audience({ toolScopes }))).resolves.toMatchObject({
      toolIds: new Set(['tool_1']),
      toolScopes: ['use'],
    });
    await expect(tokens.check('a', audience({ scopes: ['admin'] }))).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it.each([
    ['59 s later', 59_999, 300, 1],
    ['a minute later', 60_000, 300, 2],
    ['when it has run out', 20_000, 20, 2],
  ])('is known for a while and never beyond its life: %s', async (_when, laterMs, livesS, times) => {
    says = good({ exp: inSeconds(livesS) });
    const where = audience();
    await tokens.check('opaque-1', where);
    nowMs += laterMs;
    const remembered = tokens.remembered('opaque-1', where);
    if (remembered === undefined) await tokens.check('opaque-1', where).catch(() => {});
    expect(asked).toHaveLength(times);
  });

  it('is refused from memory for half a minute, until the policy is edited', async () => {
    says = { active: false };
    const where = audience();
    for (let i = 0; i < 3; i++) await expect(tokens.check('junk', where)).rejects.toThrow('revoked it');
    expect(asked).toHaveLength(1);
    says = good();
    nowMs += 30_000;
    await expect(tokens.check('junk', where)).resolves.toBeDefined();
    says = { active: false };
    await expect(tokens.check('other', where)).rejects.toThrow('revoked it');
    says = good();
    await expect(tokens.check('other', audience())).resolves.toBeDefined();
  });

  it('is asked about once, however many requests bring it at the same time', async () => {
    const where = audience();
    await Promise.all(Array.from({ length: 10 }, () => tokens.check('opaque-1', where)));
    expect(asked).toHaveLength(1);
  });

  it('waits its turn when there are more than the issuer should be asked about at once', async () => {
    const where = audience();
    says = null;
    const first = Array.from({ length: 32 }, (_, i) => tokens.check(`t${i}`, where));
    await expect.poll(() => release.length).toBe(32);
    await expect(tokens.check('one more', where)).rejects.toMatchObject({
      code: 'unavailable',
      details: { retryAfterMs: 1_000 },
    });
    says = good();
    release.forEach((go) => go());
    await Promise.all(first);
    await expect(tokens.check('one more', where)).resolves.toBeDefined();
  });
});

describe('an issuer that cannot be asked', () => {
  it.each<[what: string, said: string | number, why: string]>([
    ['is broken', 500, 'it responded with HTTP 500'],
    ['does not return an object', '[]', 'without a JSON object'],
    ['does not return JSON', 'active=true', 'without a JSON object'],
    ['does not know the client', 401, 'it rejects the client'],
  ])('because it %s lets nobody in, and is left alone for a while', async (_what, said, why) => {
    says = said;
    const where = audience();
    for (const token of ['a', 'b', 'c']) {
      const failure = await tokens.check(token, where).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'unavailable' });
      expect((failure as Error).message).toContain(why);
      expect((failure as Error).message).not.toMatch(/se:cr|gate way/);
    }
    expect(asked).toHaveLength(1);
    says = good();
    nowMs += 10_000;
    await expect(tokens.check('a', where)).resolves.toBeDefined();
  });

  it.each([
    [{}, 'another issuer'],
    [{ introspection_endpoint: 7 }, 'introspection.url'],
    [{ introspection_endpoint: 'no address' }, 'introspection.url'],
  ])('because its metadata is %j', async (said, why) => {
    metadata = 'introspection_endpoint' in said ? { issuer: issuer.origin, ...said } : said;
    await expect(tokens.check('a', audience())).rejects.toThrow(why);
  });

  it('because it is on a network that may not be reached', async () => {
    const url = 'http://169.254.169.254/introspect';
    await expect(
      tokens.check('a', audience({ introspection: { url, clientId: 'c' } })),
    ).rejects.toMatchObject({ code: 'egress_refused' });
  });
});
