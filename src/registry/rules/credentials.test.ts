import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedRegistry, openTestRegistry } from '../../../test/support/opened-registry.ts';
import type { Api } from '../../domain/api.ts';
import { createApi } from './apis.ts';
import {
  deleteCredential,
  type NewCredential,
  refillCredential,
  resealCredentials,
  setCredential,
} from './credentials.ts';
import { createTool } from './tools.ts';

const moment = { nowMs: 2_000 };
let opened: OpenedRegistry;

beforeEach(async () => {
  opened = await openTestRegistry();
  const schemes: Record<string, Api['auth']> = {
    none: { kind: 'none' },
    bearer: { kind: 'bearer' },
    basic: { kind: 'basic' },
    headers: { kind: 'headers', names: ['X-App', 'X-Key'] },
    tls: { kind: 'mutual-tls' },
    oauth: { kind: 'oauth2', grant: 'client_credentials', tokenUrl: 'https://login.example.com/token' },
  };
  for (const [slug, auth] of Object.entries(schemes))
    await opened.decide((snapshot) =>
      createApi(snapshot, { slug, baseUrl: `https://${slug}.example.com`, auth }, moment),
    );
});
afterEach(() => opened.close());

// Sealing is another file's; here it is only seen what for.
const sealed: unknown[] = [];
const set = (input: NewCredential) =>
  opened.decide((snapshot) =>
    setCredential(
      snapshot,
      input,
      (row, fields) => {
        sealed.push([row, fields]);
        return `sealed ${sealed.length}`;
      },
      moment,
    ),
  );

describe('the fields of a credential', () => {
  it.each([
    ['bearer', { token: 't' }],
    ['basic', { username: 'u', password: 'p' }],
    ['headers', { 'X-App': 'a', 'X-Key': 'k' }],
    ['tls', { certificatePem: 'a\nb', privateKeyPem: 'c\nd' }],
    ['oauth', { clientId: 'i', clientSecret: 's' }],
  ])('of %s are %o', async (api, fields) => {
    expect(await set({ api, fields })).toMatchObject({
      fields: Object.keys(fields).toSorted(),
    });
  });

  it.each([
    ['none', { token: 't' }, 'is set to need no credential', undefined],
    ['bearer', {}, 'token is required', '/fields/token'],
    ['bearer', { token: '' }, 'token is required', '/fields/token'],
    ['bearer', { token: 't', extra: 'x' }, 'extra is not known', '/fields/extra'],
    ['bearer', { token: 'a\nInjected: b' }, 'token must be a single line', '/fields/token'],
    ['basic', { username: 'u' }, 'password is required', '/fields/password'],
    ['headers', { 'X-App': 'a' }, 'X-Key is required', '/fields/X-Key'],
  ])('of %s cannot be %o', async (api, fields, why, path) => {
    await expect(set({ api, fields })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(why) as unknown,
      ...(path !== undefined && { details: { problems: [expect.objectContaining({ path })] } }),
    });
    expect(opened.registry.snapshot.credentials.size).toBe(0);
  });

  it('are sealed for the row that holds them, and are not in it', async () => {
    const credential = await set({ api: 'bearer', callerId: 'key:1', fields: { token: 'hunter2' } });
    expect(sealed.at(-1)).toEqual([
      {
        id: credential.id,
        apiId: credential.apiId,
        callerId: 'key:1',
        origins: ['https://bearer.example.com'],
      },
      { token: 'hunter2' },
    ]);
    expect(JSON.stringify(credential)).not.toContain('hunter2');
  });
});

it.each([
  ['the shared one replaces the shared one', undefined, undefined, 1],
  ['a caller’s replaces the caller’s', 'key:1', 'key:1', 1],
  ['a caller’s stands beside the shared one', undefined, 'key:1', 2],
  ['two callers have one each', 'key:1', 'key:2', 2],
])('%s', async (_what, first, second, count) => {
  for (const callerId of [first, second])
    await set({ api: 'bearer', fields: { token: 't' }, ...(callerId !== undefined && { callerId }) });
  expect(opened.registry.snapshot.credentials.size).toBe(count);
});

it('is bound to every place that it is sent to as things stand', async () => {
  await opened.decide((snapshot) =>
    createTool(
      snapshot,
      {
        api: 'oauth',
        name: 'upload',
        description: '',
        operation: { method: 'PUT', path: '/', parameters: [], baseUrl: 'https://files.example.com/v1' },
      },
      moment,
    ),
  );
  const credential = await set({ api: 'oauth', fields: { clientId: 'i', clientSecret: 's' } });
  expect(credential.origins.toSorted()).toEqual([
    'https://files.example.com',
    'https://login.example.com',
    'https://oauth.example.com',
  ]);
});

it('keeps its origins when an authorization server refills it', async () => {
  const before = await set({ api: 'oauth', fields: { clientId: 'i', clientSecret: 's' } });
  const after = await opened.decide((snapshot) =>
    refillCredential(snapshot, before.id, { clientId: 'i', refreshToken: 'r' }, () => 'sealed anew', moment),
  );
  expect(after).toMatchObject({
    origins: before.origins,
    fields: ['clientId', 'refreshToken'],
    sealed: 'sealed anew',
    revision: 2,
  });
});

it('keeps its revision when it is only sealed with another key', async () => {
  const [one, two] = [
    await set({ api: 'bearer', fields: { token: 't' } }),
    await set({ api: 'basic', fields: { username: 'u', password: 'p' } }),
  ];
  const count = await opened.decide((snapshot) =>
    resealCredentials(snapshot, ({ id }) => (id === one.id ? 'anew' : null)),
  );
  const { credentials } = opened.registry.snapshot;
  expect([count, credentials.get(one.id), credentials.get(two.id)]).toEqual([
    1,
    { ...one, sealed: 'anew' },
    two,
  ]);
});

it('is gone when it is deleted, and not twice', async () => {
  const { id } = await set({ api: 'bearer', fields: { token: 't' } });
  await opened.decide((snapshot) => deleteCredential(snapshot, id));
  await expect(opened.decide((snapshot) => deleteCredential(snapshot, id))).rejects.toMatchObject({
    code: 'not_found',
  });
});
