import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessKey } from '../../../src/domain/access-key.ts';
import { person } from '../../../src/domain/person.ts';
import { apiFields } from '../../../src/domain/api.ts';
import { serverFields } from '../../../src/domain/server.ts';
import { installationSettings, settingsFields } from '../../../src/domain/settings.ts';
import { storedNouns } from '../../../src/domain/stored/read-stored.ts';
import { toolFields } from '../../../src/domain/tool.ts';
import { problemsIn } from '../../../src/lib/schema/problems.ts';
import { type AnySchema, object, omit, partial } from '../../../src/lib/schema/schema.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import {
  fullPerson,
  fullApi,
  fullKey,
  fullServer,
  fullSettings,
  fullTool,
  policies,
  schemes,
} from '../../support/nouns/examples.ts';
import { type Mutation, mutationsOf } from '../../support/nouns/mutations.ts';

let running: TestGateway;
beforeAll(async () => {
  running = await startGateway();
  await running.request('POST', '/api/v1/apis', { slug: 'base', baseUrl: 'https://api.example.com' });
  await running.request('POST', '/api/v1/tools', {
    api: 'base',
    name: 'get_pet',
    description: 'x',
    operation: { method: 'GET', path: '/' },
  });
  await running.request('POST', '/api/v1/servers', { slug: 'standing', tools: [] });
  await running.request('POST', '/api/v1/keys', { name: 'standing' });
});
afterAll(() => running.close());

function only(fields: Readonly<Record<string, unknown>>, document: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).filter(([name]) => name in fields));
}

interface Problems {
  readonly detail: string;
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
}

interface Faulty {
  readonly what: string;
  readonly status: number;
  readonly body: string;
}

/** Sends every document, and tells which answers are neither a refusal with a place and a sentence nor plain success. */
async function sendAll(
  method: 'POST' | 'PATCH',
  path: string,
  mutations: readonly Mutation[],
  bodyOf: (mutation: Mutation, n: number) => unknown,
): Promise<{ refused: number; taken: Mutation[]; faulty: Faulty[] }> {
  let refused = 0;
  const taken: Mutation[] = [];
  const faulty: Faulty[] = [];
  for (const [n, mutation] of mutations.entries()) {
    const answer = await running.request(method, path, bodyOf(mutation, n));
    const told = answer.statusCode >= 400 ? answer.json<Problems>() : null;
    if (told === null) taken.push(mutation);
    // What is nested too deeply, or has a key twice, is refused before it is looked at.
    else if (answer.statusCode === 400 && told.detail.length > 10) refused++;
    else if (
      [404, 409, 422].includes(answer.statusCode) &&
      /^[A-Z].{10,}/s.test(told.detail) &&
      (answer.statusCode !== 422 ||
        told.problems!.every(({ path: at, message }) => /^(?:\/|$)/.test(at) && message !== ''))
    )
      refused++;
    else
      faulty.push({
        what: `${mutation.path}: ${mutation.what}`,
        status: answer.statusCode,
        body: answer.body,
      });
  }
  return { refused, taken, faulty };
}

// A field that a noun needs and a request may leave out has a default; what may be cleared is cleared by null.
const isLeftOut = ({ what }: Mutation) => what === 'it is missing' || what === 'null for it';

const bodies: readonly (readonly [string, string, AnySchema, object, (n: number) => object])[] = [
  ...schemes.map(
    (auth) =>
      [
        `an API with ${auth.kind}`,
        '/apis',
        object(omit(apiFields, 'otherBaseUrls')),
        only(omit(apiFields, 'otherBaseUrls'), fullApi(auth)),
        (n: number) => ({ slug: `${auth.kind}-${n}` }),
      ] as const,
  ),
  ['a tool', '/tools', object(toolFields), only(toolFields, fullTool), (n) => ({ name: `tool_${n}` })],
  ...policies.map(
    (policy) =>
      [
        `a server with ${policy.kind}`,
        '/servers',
        object(omit(serverFields, 'tools', 'overrides', 'resources')),
        only(omit(serverFields, 'tools', 'overrides', 'resources'), {
          ...fullServer(policy),
          ...(policy.kind === 'oauth' && { policy: { ...policy, toolScopes: { 'pets:read': ['get_pet'] } } }),
        }),
        (n: number) => ({ slug: `${policy.kind}-${n}`, tools: [] }),
      ] as const,
  ),
];

describe('what is posted with one thing wrong', () => {
  test.each(bodies)('is refused for %s', async (_what, path, schema, example, names) => {
    const mutations = mutationsOf(schema, example).filter(({ path: at }) => at !== '');
    const { refused, taken, faulty } = await sendAll('POST', `/api/v1${path}`, mutations, (mutation, n) => {
      const [, field] = mutation.path.split('/');
      const own = Object.entries({ ...(path === '/tools' && { api: 'base' }), ...names(n) });
      const given = Object.fromEntries(own.filter(([name]) => name !== field));
      return Object.defineProperties(
        { ...given },
        Object.getOwnPropertyDescriptors({ ...(mutation.document as object), ...given }),
      );
    });
    expect(faulty).toEqual([]);
    expect(refused).toBeGreaterThan(40);
    expect(
      taken.filter((mutation) => !isLeftOut(mutation)).map(({ path: at, what }) => `${at}: ${what}`),
    ).toEqual([]);
  });

  test.each([
    ['a key', '/keys', object(partial({ ...omit(accessKey.fields, 'id') })), { name: fullKey.name }],
    [
      'a person',
      '/people',
      object(partial({ ...omit(person.fields, 'id') })),
      { name: fullPerson.name, role: 'viewer' },
    ],
  ])('is refused for %s', async (_what, path, schema, example) => {
    const { refused, faulty } = await sendAll(
      'POST',
      `/api/v1${path}`,
      mutationsOf(schema, example),
      ({ document }) => document,
    );
    expect(faulty).toEqual([]);
    expect(refused).toBeGreaterThan(20);
  });
});

describe('what is patched with one thing wrong', () => {
  const patches: readonly (readonly [string, string, AnySchema, object])[] = [
    ...schemes.map(
      (auth) =>
        [
          `an API with ${auth.kind}`,
          '/apis/base',
          object(partial(omit(apiFields, 'otherBaseUrls'))),
          only(omit(apiFields, 'otherBaseUrls'), fullApi(auth)),
        ] as const,
    ),
    ['a tool', '/tools/get_pet', object(partial(toolFields)), only(toolFields, fullTool)],
    ...policies.map(
      (policy) =>
        [
          `a server with ${policy.kind}`,
          '/servers/standing',
          object(partial(omit(serverFields, 'tools', 'overrides', 'resources'))),
          only(omit(serverFields, 'tools', 'overrides', 'resources'), fullServer(policy)),
        ] as const,
    ),
    ['the settings', '/settings', object(partial(settingsFields)), only(settingsFields, fullSettings)],
  ];

  test.each(patches)('is refused for %s', async (_what, path, schema, example) => {
    const mutations = mutationsOf(schema, example).filter(({ path: at }) => at !== '');
    const { refused, taken, faulty } = await sendAll('PATCH', `/api/v1${path}`, mutations, (mutation) => {
      // Only the field that is wrong, as an editor would send it.
      const [, field = ''] = mutation.path.split('/');
      const name = field.replaceAll('~1', '/').replaceAll('~0', '~');
      return Object.defineProperty({}, name, {
        value: (mutation.document as Record<string, unknown>)[name],
        enumerable: true,
      });
    });
    expect(faulty).toEqual([]);
    expect(refused).toBeGreaterThan(20);
    expect(
      taken.filter((mutation) => !isLeftOut(mutation)).map(({ path: at, what }) => `${at}: ${what}`),
    ).toEqual([]);
  });
});

describe('what the rules of a noun forbid', () => {
  const api = { slug: 'forbidden', baseUrl: 'https://api.example.com' };
  const hmac = {
    kind: 'hmac',
    algorithm: 'sha256',
    encoding: 'hex',
    separator: '',
    place: { in: 'header', name: 'X-S' },
  };
  test.each([
    ['an address that a probe cannot ask', { probe: { path: 'http://[', everyMs: 60_000 } }, '/probe/path'],
    [
      'a probe of somebody else',
      { probe: { path: 'https://other.example.com/', everyMs: 60_000 } },
      '/probe/path',
    ],
    ['an address without a scheme', { baseUrl: 'api.example.com' }, '/baseUrl'],
    ['an address with a password', { baseUrl: 'https://a:b@api.example.com' }, '/baseUrl'],
    ['the address of the demo', { baseUrl: 'http://demo.handrail.invalid' }, '/baseUrl'],
    ['a header that frames the message', { headers: { Host: 'a' } }, '/headers/Host'],
    [
      'a header for the next proxy',
      { headers: { 'Proxy-Authorization': 'a' } },
      '/headers/Proxy-Authorization',
    ],
    ['a header value on two lines', { headers: { 'X-A': 'a\r\nb' } }, '/headers/X-A'],
    ['an egress list that cannot be read', { egressAllow: ['10.0.0.0/99'] }, '/egressAllow/0'],
    ['a way to sign in that nobody knows', { auth: { kind: 'magic' } }, '/auth/kind'],
    ['a signature of nothing', { auth: { ...hmac, parts: [] } }, '/auth/parts'],
    ['a signature of something unknown', { auth: { ...hmac, parts: ['moon'] } }, '/auth/parts/0'],
    [
      'a signature that is no header',
      { auth: { ...hmac, parts: ['body'], place: { in: 'query', name: 's' } } },
      '/auth/place/in',
    ],
    ['a key in the Host header', { auth: { kind: 'api-key', in: 'header', name: 'Host' } }, '/auth/name'],
    ['OAuth without an address', { auth: { kind: 'oauth2', grant: 'client_credentials' } }, '/auth'],
    [
      'one of several schemes that is wrong',
      { auth: { kind: 'all', schemes: [{ kind: 'bearer' }, { ...hmac, parts: ['x'] }] } },
      '/auth/schemes/1/parts/0',
    ],
  ])('%s', async (_what, field, path) => {
    const posted = await running.request('POST', '/api/v1/apis', { ...api, ...field });
    expect([posted.statusCode, posted.json<Problems>().problems?.[0]?.path]).toEqual([422, path]);
    const document = { handrail: 1, apis: [{ name: 'Forbidden', tools: [], ...api, ...field }] };
    const imported = await running.request('POST', '/api/v1/imports', { text: JSON.stringify(document) });
    expect(imported.statusCode).toBe(422);
    expect(imported.json<Problems>().problems?.[0]?.path).toBe(`/apis/0${path}`);
  });
});

test('what was taken can be read again', () => {
  const { snapshot } = running.gateway.registry;
  const all = [
    ...[...snapshot.apis.values()].map((entity) => problemsIn(storedNouns.api, entity)),
    ...[...snapshot.tools.values()].map((entity) => problemsIn(storedNouns.tool, entity)),
    ...[...snapshot.servers.values()].map((entity) => problemsIn(storedNouns.server, entity)),
    ...[...snapshot.keys.values()].map((entity) => problemsIn(storedNouns.key, entity)),
  ];
  expect(all.flat()).toEqual([]);
  expect(
    problemsIn(installationSettings, JSON.parse(snapshot.settings.get('installation') ?? '{"revision":0}')),
  ).toEqual([]);
});
