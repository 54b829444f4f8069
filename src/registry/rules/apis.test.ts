import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedRegistry, openTestRegistry } from '../../../test/support/opened-registry.ts';
import type { Api } from '../../domain/api.ts';
import { type ApiPatch, createApi, deleteApi, type NewApi, updateApi } from './apis.ts';
import { setCredential } from './credentials.ts';
import { createTool, deleteTool } from './tools.ts';

const moment = { nowMs: 2_000 };
const bearer = { kind: 'bearer' } as const;
let opened: OpenedRegistry;

beforeEach(async () => {
  opened = await openTestRegistry();
});
afterEach(() => opened.close());

const create = (input: Partial<NewApi> = {}) =>
  opened.decide((snapshot) =>
    createApi(snapshot, { slug: 'shop', baseUrl: 'https://shop.example.com', ...input }, moment),
  );
const update = (patch: ApiPatch, revision?: number) =>
  opened.decide((snapshot) => updateApi(snapshot, 'shop', patch, revision, moment));
const addCredential = (fields: Record<string, string>) =>
  opened.decide((snapshot) => setCredential(snapshot, { api: 'shop', fields }, () => 'sealed', moment));

describe('a new API', () => {
  it('has a name, no authentication and no limits of its own, and is enabled', async () => {
    expect(await create()).toMatchObject({
      name: 'shop',
      headers: {},
      auth: { kind: 'none' },
      limits: {},
      enabled: true,
      revision: 1,
    });
  });

  it.each([
    ['a slug that is taken', {}, 'conflict', '/slug'],
    ['a slug that cannot be one', { slug: 'No Slug' }, 'invalid_input', '/slug'],
    ['no address', { slug: 'b', baseUrl: '' }, 'invalid_input', '/baseUrl'],
    ['an address that is no web address', { slug: 'b', baseUrl: 'ftp://x' }, 'invalid_input', '/baseUrl'],
    [
      'a header of the connection',
      { slug: 'b', headers: { Host: 'evil.example' } },
      'invalid_input',
      '/headers/Host',
    ],
    [
      'a probe that is no path',
      { slug: 'b', probe: { path: 'http://[', everyMs: 60_000 } },
      'invalid_input',
      '/probe/path',
    ],
    [
      'an address list that cannot be read',
      { slug: 'b', egressAllow: ['not an address'] },
      'invalid_input',
      '/egressAllow/0',
    ],
  ])('is refused with %s', async (_what, input, code, path) => {
    await create();
    await expect(create(input)).rejects.toMatchObject({
      code,
      details: { problems: [expect.objectContaining({ path })] },
    });
    expect(opened.registry.snapshot.apis.size).toBe(1);
  });
});

describe('an edit', () => {
  it.each([
    ['of an older revision', { name: 'x' }, 9, 'stale'],
    ['to an address that is none', { baseUrl: 'nowhere' }, undefined, 'invalid_input'],
  ])('%s is refused', async (_what, patch, revision, code) => {
    await create();
    await expect(update(patch, revision)).rejects.toMatchObject({ code });
  });

  it.each([
    ['its address', { baseUrl: 'https://demo.example.com' }],
    ['its slug', { slug: 'other' }],
  ])('of the demo’s API does not move %s', async (_what, patch) => {
    await create({ builtIn: true });
    await expect(update(patch)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await update({ enabled: false })).toMatchObject({ enabled: false });
  });

  const login = (url: string): Api['auth'] => ({
    kind: 'login',
    url,
    method: 'POST',
    payloadIn: 'json',
    payloadFields: ['user'],
    tokenPath: 'token',
    place: { in: 'header', name: 'Authorization', prefix: 'Bearer ' },
  });

  it.each([
    ['another path of the same host', bearer, { baseUrl: 'https://shop.example.com/v2' }, true],
    ['another name', bearer, { name: 'The shop' }, true],
    ['another host', bearer, { baseUrl: 'https://evil.example.com' }, false],
    ['another port', bearer, { baseUrl: 'https://shop.example.com:8443' }, false],
    ['no encryption', bearer, { baseUrl: 'http://shop.example.com' }, false],
    ['another kind of authentication', bearer, { auth: { kind: 'basic' } }, false],
    [
      'another place to log in',
      login('https://login.example.com/a'),
      { auth: login('https://evil.example.com/a') },
      false,
    ],
    [
      'another path to log in at',
      login('https://login.example.com/a'),
      { auth: login('https://login.example.com/b') },
      true,
    ],
  ] as const)(
    'to %s: the stored secret goes along only where it was entered for',
    async (_what, auth, patch, stays) => {
      await create({ auth });
      await addCredential(auth.kind === 'login' ? { user: 'ann' } : { token: 'secret' });
      await update(patch);
      expect(opened.registry.snapshot.credentials.size).toBe(stays ? 1 : 0);
    },
  );
});

describe('a deleted API', () => {
  it('takes its tools and credentials with it, and nobody else’s', async () => {
    await create({ auth: bearer });
    await create({ slug: 'other' });
    await addCredential({ token: 'secret' });
    for (const api of ['shop', 'other'])
      await opened.decide((snapshot) =>
        createTool(
          snapshot,
          { api, name: 'list', description: '', operation: { method: 'GET', path: '/', parameters: [] } },
          moment,
        ),
      );
    await opened.decide((snapshot) => deleteApi(snapshot, 'shop', moment));
    const { apis, tools, credentials, view } = opened.registry.snapshot;
    expect([...apis.values()].map((api) => api.slug)).toEqual(['other']);
    expect([tools.size, credentials.size]).toEqual([1, 0]);
    expect(view('default')!.tools.map((tool) => tool.compiled.api.slug)).toEqual(['other']);
  });
});

it('remembers which imported operations somebody does not want', async () => {
  await create({ source: { kind: 'openapi', importedAtMs: 1_000, documentHash: 'a'.repeat(64) } });
  const made = await opened.decide((snapshot) =>
    createTool(
      snapshot,
      {
        api: 'shop',
        name: 'list',
        description: '',
        operation: { method: 'GET', path: '/', parameters: [] },
        source: { operationKey: 'GET /' },
      },
      moment,
    ),
  );
  await opened.decide((snapshot) => deleteTool(snapshot, made.id, moment));
  expect(opened.registry.snapshot.apiBySlug.get('shop')?.source?.leftOut).toEqual(['GET /']);
});
