import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedRegistry, openRules, openTestRegistry } from '../../test/support/opened-registry.ts';
import { startTokenIssuer, type TokenIssuer } from '../../test/support/servers/token-issuer.ts';
import { handrailItself } from '../domain/audit.ts';
import type { ServerPolicy } from '../domain/server.ts';
import { createKey, type NewKey, revokeKey, rotateKey } from '../registry/rules/keys.ts';
import { createServer } from '../registry/rules/servers.ts';
import { createEgressGuard } from '../upstream/connections/egress.ts';
import { createFetchGuarded } from '../upstream/fetch-guarded.ts';
import { createGrantedTokens } from './tokens/granted-tokens.ts';
import {
  adminCaller,
  anonymous,
  audienceOf,
  createIdentify,
  type Identify,
  personCaller,
} from './callers.ts';
import { createTokenCheck } from './tokens/oauth-tokens.ts';
import { newSecret } from './secrets.ts';

const startMs = Date.parse('2026-11-17T12:00:00Z');
const publicUrl = 'https://tools.example.com';
const outbound = createFetchGuarded({ guard: createEgressGuard({ allow: ['127.0.0.1'] }), now: Date.now });
const used: [keyId: string, atMs: number][] = [];
let nowMs = startMs;
let opened: OpenedRegistry;
let issuer: TokenIssuer;
let identify: Identify;

/** The secrets of keys, by what they are, and their ids. */
const secrets: Record<string, string> = {};
const keyIds: Record<string, string> = {};

async function addKey(label: string, key: Partial<NewKey> = {}): Promise<void> {
  const { value, hash, hint } = newSecret('hrk_');
  const made = await opened.registry.commit(handrailItself, (snapshot) =>
    createKey(snapshot, { name: label, ...key }, { hash, hint }, { nowMs: startMs }),
  );
  [secrets[label], keyIds[label]] = [value, made.id];
}

async function addServer(slug: string, policy: ServerPolicy): Promise<void> {
  await opened.registry.commit(handrailItself, (snapshot) =>
    createServer(snapshot, { slug, tools: [{ all: true }], policy }, openRules, { nowMs: startMs }),
  );
}

beforeAll(async () => {
  opened = await openTestRegistry();
  issuer = await startTokenIssuer(() => startMs);
  await addServer('open', { kind: 'open' });
  await addServer('keyed', { kind: 'key' });
  await addServer('other', { kind: 'key' });
  await addServer('named', { kind: 'key', header: 'X-Team-Key' });
  await addServer('queried', { kind: 'key', allowQuery: true });
  await addServer('basic', { kind: 'basic' });
  await addServer('oauth', { kind: 'oauth', issuer: issuer.origin, scopes: ['use'] });
  await addKey('every server');
  await addKey('keyed alone', { servers: ['keyed'], ratePerMinute: 5 });
  await addKey('no tool', { tools: [] });
  await addKey('until noon', { expiresAtMs: startMs });
  await addKey('revoked');
  await addKey('rotated');
  const { value, hash, hint } = newSecret('hrk_');
  secrets['successor'] = value;
  await opened.registry.commit(handrailItself, (snapshot) =>
    revokeKey(snapshot, keyIds['revoked']!, { nowMs: startMs }),
  );
  await opened.registry.commit(handrailItself, (snapshot) =>
    rotateKey(snapshot, keyIds['rotated']!, { hash, hint }, 60_000, { nowMs: startMs }),
  );
});
afterAll(async () => {
  await outbound.close();
  await issuer.close();
  await opened.close();
});
beforeEach(() => {
  nowMs = startMs;
  used.length = 0;
  identify = createIdentify({
    snapshot: () => opened.registry.snapshot,
    tokens: createTokenCheck(
      outbound.fetch,
      () => '',
      () => nowMs,
    ),
    granted: createGrantedTokens({
      grants: opened.store.grants,
      viewOf: (slug) => opened.registry.snapshot.view(slug),
      people: {
        known: () => null,
        personAtVersion: () => Promise.resolve(null),
        seq: () => 0,
        onChange: () => () => {},
      },
      now: () => nowMs,
    }),
    uses: { note: (keyId, atMs) => void used.push([keyId, atMs]) },
    publicUrl: () => publicUrl,
    now: () => nowMs,
  });
});

interface Shown {
  readonly authorization?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

async function ask(slug: string, { authorization, headers = {}, query = {} }: Shown = {}) {
  return identify.identify(opened.registry.snapshot.serverBySlug.get(slug)!, {
    authorization,
    header: (name) => headers[name],
    query: (name) => query[name],
  });
}

const bearer = (key: string): Shown => ({ authorization: `Bearer ${secrets[key]}` });
const basic = (text: string): Shown => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

describe('an open server', () => {
  it.each([
    ['nobody', {}],
    ['a key that is not asked for', { authorization: 'Bearer whatever' }],
  ])('takes %s for anyone', async (_who, shown) => {
    expect(await ask('open', shown)).toBe(anonymous);
    expect(used).toEqual([]);
  });
});

describe('a server that asks for a key', () => {
  it.each([
    ['anonymous', 'keyed', () => ({}), 'unauthenticated', 'send it as "Authorization: Bearer …"'],
    ['anonymous at a named header', 'named', () => ({}), 'unauthenticated', 'where its operator said'],
    [
      'an unknown key',
      'keyed',
      () => ({ authorization: 'Bearer hrk_no' }),
      'unauthenticated',
      'unknown, expired or revoked',
    ],
    [
      'no key behind Bearer',
      'keyed',
      () => ({ authorization: 'Bearer ' }),
      'unauthenticated',
      'needs an access key',
    ],
    [
      'a key that expired this moment',
      'keyed',
      () => bearer('until noon'),
      'unauthenticated',
      'unknown, expired or revoked',
    ],
    ['a revoked key', 'keyed', () => bearer('revoked'), 'unauthenticated', 'unknown, expired or revoked'],
    [
      'a key of another server',
      'other',
      () => bearer('keyed alone'),
      'forbidden',
      'does not give access to this server',
    ],
    [
      'a key in the query where it is not allowed',
      'keyed',
      () => ({ query: { key: secrets['every server']! } }),
      'unauthenticated',
      'needs an access key',
    ],
    [
      'a key in a header that nobody named',
      'keyed',
      () => ({ headers: { 'x-team-key': secrets['every server']! } }),
      'unauthenticated',
      'needs an access key',
    ],
    [
      'a key as a basic password',
      'keyed',
      () => basic(`ann:${secrets['every server']}`),
      'unauthenticated',
      'needs an access key',
    ],
    [
      'the beginning of a key',
      'keyed',
      () => ({ authorization: `Bearer ${secrets['every server']!.slice(0, -1)}` }),
      'unauthenticated',
      'unknown, expired or revoked',
    ],
  ])('refuses %s', async (_who, slug, shown, code, why) => {
    await expect(ask(slug, shown())).rejects.toMatchObject({
      code,
      message: expect.stringContaining(why) as unknown,
    });
    expect(used).toEqual([]);
  });

  it.each([
    ['the right key', 'keyed', () => bearer('every server'), 'every server'],
    [
      'the right key behind another case',
      'keyed',
      () => ({ authorization: `bearer ${secrets['every server']}` }),
      'every server',
    ],
    ['a key for it alone', 'keyed', () => bearer('keyed alone'), 'keyed alone'],
    [
      'a key in the header it names',
      'named',
      () => ({ headers: { 'x-team-key': secrets['every server']! } }),
      'every server',
    ],
    ['a key as Bearer where a header is named', 'named', () => bearer('every server'), 'every server'],
    [
      'a key in the query where that is allowed',
      'queried',
      () => ({ query: { key: secrets['every server']! } }),
      'every server',
    ],
  ])('lets in %s and notes its use', async (_who, slug, shown, label) => {
    expect(await ask(slug, shown())).toMatchObject({ id: `key:${keyIds[label]}`, kind: 'key', label });
    expect(used).toEqual([[keyIds[label], startMs]]);
  });

  it('knows a key by its first name through rotations, and both while they overlap', async () => {
    const [old, successor] = [await ask('keyed', bearer('rotated')), await ask('keyed', bearer('successor'))];
    expect(old.id).toBe(`key:${keyIds['rotated']}`);
    expect(successor.id).toBe(old.id);
    nowMs = startMs + 60_000;
    await expect(ask('keyed', bearer('rotated'))).rejects.toMatchObject({ code: 'unauthenticated' });
    expect((await ask('keyed', bearer('successor'))).id).toBe(old.id);
  });

  it('refuses a key that is revoked after it was good', async () => {
    await addKey('soon gone');
    await ask('keyed', bearer('soon gone'));
    await opened.registry.commit(handrailItself, (snapshot) =>
      revokeKey(snapshot, keyIds['soon gone']!, { nowMs }),
    );
    await expect(ask('keyed', bearer('soon gone'))).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('hands on what the key is held to', async () => {
    expect(await ask('keyed', bearer('keyed alone'))).toMatchObject({ ratePerMinute: 5 });
    expect(await ask('keyed', bearer('no tool'))).toMatchObject({ toolIds: new Set() });
    expect(await ask('keyed', bearer('every server'))).not.toHaveProperty('toolIds');
  });
});

describe('a server that needs basic authentication', () => {
  it.each([
    ['anonymous', () => ({}), 'needs basic authentication'],
    ['a key as Bearer', () => bearer('every server'), 'needs basic authentication'],
    ['no colon', () => basic(secrets['every server']!), 'needs basic authentication'],
    ['what is not base64', () => ({ authorization: 'Basic {"a":1}' }), 'needs basic authentication'],
    ['an empty password', () => basic('ann:'), 'unknown, expired or revoked'],
    ['the key as the user', () => basic(`${secrets['every server']}:`), 'unknown, expired or revoked'],
    ['a wrong password', () => basic('ann:wrong'), 'unknown, expired or revoked'],
  ])('refuses %s, and says so as browsers understand', async (_who, shown, why) => {
    await expect(ask('basic', shown())).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining(why) as unknown,
      details: { challenge: 'Basic realm="handrail", charset="UTF-8"' },
    });
  });

  it.each(['ann', '', 'ann@example.com', 'änn'])(
    'lets in the user "%s" with a key as password',
    async (user) => {
      expect(await ask('basic', basic(`${user}:${secrets['every server']}`))).toMatchObject({
        label: 'every server',
      });
    },
  );
});

describe('a server that asks for an OAuth token', () => {
  const resource = `${publicUrl}/mcp/oauth`;

  it.each([
    ['anonymous', () => undefined, 'unauthenticated', 'needs an OAuth access token'],
    ['an access key', () => secrets['every server'], 'unauthenticated', 'not a token'],
    [
      'a token for another server',
      () => issuer.sign({ aud: `${publicUrl}/mcp/other`, scope: 'use' }),
      'unauthenticated',
      'made for another server',
    ],
    [
      'a token of another issuer',
      () => issuer.sign({ aud: resource, scope: 'use', iss: 'https://evil.example' }),
      'unauthenticated',
      'another issuer',
    ],
    [
      'a token that has expired',
      () => issuer.sign({ aud: resource, scope: 'use', exp: startMs / 1_000 - 60 }),
      'unauthenticated',
      'expired',
    ],
    [
      'a token without the scope',
      () => issuer.sign({ aud: resource, scope: 'look' }),
      'forbidden',
      'lacks a scope',
    ],
  ])('refuses %s', async (_who, token, code, why) => {
    const shown = await token();
    await expect(
      ask('oauth', shown === undefined ? {} : { authorization: `Bearer ${shown}` }),
    ).rejects.toMatchObject({
      code,
      message: expect.stringContaining(why) as unknown,
      details: {
        challenge: expect.stringContaining('/.well-known/oauth-protected-resource/mcp/oauth') as unknown,
      },
    });
  });

  it('lets in a token that was made for it', async () => {
    const token = await issuer.sign({ aud: resource, scope: 'look use', name: 'Ann' });
    expect(await ask('oauth', { authorization: `Bearer ${token}` })).toMatchObject({
      kind: 'oauth',
      label: 'Ann',
    });
  });

  it.each([
    ['default', [`${publicUrl}/mcp/default`, `${publicUrl}/mcp`]],
    ['oauth', [`${publicUrl}/mcp/oauth`]],
  ])('knows the addresses of "%s"', (slug, resources) => {
    const server = opened.registry.snapshot.serverBySlug.get(slug)!;
    expect(audienceOf(server, { kind: 'oauth', issuer: issuer.origin }, publicUrl).resources).toEqual(
      resources,
    );
  });
});

it('calls an admin who tries a tool by name', () => {
  expect(
    adminCaller({
      id: 'admin_1',
      name: 'Ann',
      role: 'viewer',
      groups: ['group_1'],
      via: 'session',
      csrf: '',
    }),
  ).toEqual({
    id: 'admin:admin_1',
    kind: 'admin',
    label: 'Ann',
    person: { id: 'admin_1', role: 'viewer', groups: ['group_1'] },
  });
});

it('a person is who their grant says, whatever the grant leaves out', () => {
  const now = { id: 'person_1', name: 'Ann', version: 2, role: 'viewer', groups: ['group_1'] } as const;
  expect(personCaller(now)).toEqual({
    id: 'person:person_1',
    kind: 'person',
    label: 'Ann',
    person: { id: 'person_1', role: 'viewer', groups: ['group_1'] },
  });
});
