import { afterEach, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { serveHttp } from '../support/servers/http-server.ts';

const document = (paths: Record<string, unknown>) => ({
  openapi: '3.1.0',
  info: { title: 'Shelf', version: '1' },
  servers: [{ url: 'http://127.0.0.1:9' }],
  paths,
});
const list = {
  get: {
    operationId: 'list',
    parameters: [
      { name: 'X-Tenant', in: 'header', schema: { type: 'string' } },
      { name: 'X-Trace-Note', in: 'header', schema: { type: 'string' } },
      { name: 'limit', in: 'query', schema: { type: 'integer' } },
    ],
    responses: { 200: { description: 'ok' } },
  },
};

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function startWatched(): Promise<{ at: TestGateway; url: string; serve: (body: unknown) => void }> {
  let body: unknown = document({ '/books': list });
  const upstream = await serveHttp((_req, res) => {
    res
      .writeHead(body === null ? 503 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(body));
  });
  const at = await startGateway({ egressAllow: ['127.0.0.1'] });
  open.push(() => at.close(), upstream.close);
  return { at, url: `${upstream.origin}/openapi.json`, serve: (next) => (body = next) };
}

const visible = async (at: TestGateway) => {
  const { inputSchema } = (await at.request('GET', '/api/v1/tools/list')).json();
  return Object.keys((inputSchema as { properties: object }).properties);
};

test('a refresh hides and fixes the same header parameters as the import did', async () => {
  const { at, url, serve } = await startWatched();
  const imported = await at.request('POST', '/api/v1/imports', {
    url,
    headers: 'hide',
    fix: { 'x-tenant': 'acme' },
  });
  expect(imported.statusCode).toBe(200);
  expect(await visible(at)).toEqual(['limit']);
  serve(document({ '/books': list, '/books/{id}': { get: { operationId: 'one', responses: {} } } }));
  const refreshed = await at.request('POST', '/api/v1/apis/shelf/refresh', {});
  expect(refreshed.json().imports[0]).toMatchObject({ added: [{ tool: 'one' }], changed: [] });
  expect(await visible(at)).toEqual(['limit']);
  const { source } = (await at.request('GET', '/api/v1/apis/shelf')).json();
  expect(source.rules).toEqual({ headers: 'hide', fix: { 'x-tenant': 'acme' } });
});

test('importing again keeps the values that were fixed, adds to them, and takes away what it is told to', async () => {
  const { at, url } = await startWatched();
  const fixing = async (fix: Record<string, string | null>) => {
    expect((await at.request('POST', '/api/v1/imports', { url, fix })).statusCode).toBe(200);
    const { source } = (await at.request('GET', '/api/v1/apis/shelf')).json();
    return [source.rules?.fix, (await visible(at)).toSorted()];
  };
  expect(await fixing({ 'x-tenant': 'acme' })).toEqual([{ 'x-tenant': 'acme' }, ['X-Trace-Note', 'limit']]);
  expect(await fixing({ limit: '10' })).toEqual([{ 'x-tenant': 'acme', limit: '10' }, ['X-Trace-Note']]);
  expect(await fixing({ 'X-Tenant': 'other' })).toEqual([
    { limit: '10', 'X-Tenant': 'other' },
    ['X-Trace-Note'],
  ]);
  expect(await fixing({ 'x-tenant': null, limit: null })).toEqual([
    undefined,
    ['X-Tenant', 'X-Trace-Note', 'limit'],
  ]);
});

test('tells the last look at an address and what came of it', async () => {
  const { at, url, serve } = await startWatched();
  await at.request('POST', '/api/v1/imports', { url, watchEveryMs: 3_600_000 });
  const lastLook = async () => (await at.request('GET', '/api/v1/apis/shelf')).json().source.lastLook;
  expect(await lastLook()).toBeUndefined();
  await at.request('POST', '/api/v1/apis/shelf/refresh', { dryRun: true });
  expect(await lastLook()).toMatchObject({ result: 'unchanged', added: 0 });
  serve(document({}));
  await at.request('POST', '/api/v1/apis/shelf/refresh', { dryRun: true });
  expect(await lastLook()).toMatchObject({ result: 'found', removed: 1 });
  serve(null);
  expect((await at.request('POST', '/api/v1/apis/shelf/refresh', {})).statusCode).toBeGreaterThanOrEqual(400);
  expect(await lastLook()).toMatchObject({ result: 'failed', message: expect.stringContaining('HTTP 503') });
});

test('watching is switched on and off where there is an address', async () => {
  const { at, url } = await startWatched();
  await at.request('POST', '/api/v1/imports', { url });
  const patch = (body: object) => at.request('PATCH', '/api/v1/apis/shelf', body);
  expect((await patch({ watchEveryMs: 900_000, approveChanges: true })).json().source).toMatchObject({
    watchEveryMs: 900_000,
    approveChanges: true,
  });
  const stopped = (await patch({ watchEveryMs: null })).json().source;
  expect(stopped).toMatchObject({ approveChanges: true, url });
  expect(stopped).not.toHaveProperty('watchEveryMs');
  await at.request('POST', '/api/v1/apis', { slug: 'by-hand', baseUrl: 'https://example.com' });
  const refused = await at.request('PATCH', '/api/v1/apis/by-hand', { watchEveryMs: 900_000 });
  expect(refused.statusCode).toBe(422);
  expect(refused.json().detail).toContain('not imported from a URL');
});

test('null takes optional fields of a server and an API away', async () => {
  const { at } = await startWatched();
  await at.request('POST', '/api/v1/apis', {
    slug: 'one',
    baseUrl: 'https://example.com',
    description: 'An API',
    probe: { path: '/up', everyMs: 60_000 },
    forwardHeaders: ['x-tenant'],
  });
  const api = await at.request('PATCH', '/api/v1/apis/one', {
    description: null,
    probe: null,
    forwardHeaders: null,
  });
  expect(api.statusCode).toBe(200);
  for (const field of ['description', 'probe', 'forwardHeaders'])
    expect(api.json()).not.toHaveProperty(field);

  const full = {
    description: 'A server',
    instructions: 'Be brief.',
    dialect: 'portable',
    pageSize: 5,
    prompts: [{ name: 'p', text: 'Say {{word}}', arguments: [{ name: 'word' }] }],
    resources: [{ uri: 'docs://a', name: 'A', text: 'a' }],
  };
  await at.request('POST', '/api/v1/servers', { slug: 'two', tools: [], ...full });
  const nothing = Object.fromEntries(Object.keys(full).map((field) => [field, null]));
  const server = await at.request('PATCH', '/api/v1/servers/two', nothing);
  expect(server.statusCode).toBe(200);
  for (const field of Object.keys(full)) expect(server.json()).not.toHaveProperty(field);
  expect((await at.request('PATCH', '/api/v1/servers/two', { name: null })).statusCode).toBe(422);
  expect((await at.request('PATCH', '/api/v1/servers/two', { dialect: 'klingon' })).statusCode).toBe(422);
});

test('what is the same for a whole API is offered once, set once, and parts of its address are settings', async () => {
  const at = await startGateway({});
  open.push(() => at.close());
  const version = {
    name: 'api-version',
    in: 'query',
    required: true,
    schema: { type: 'string', default: 'v7' },
  };
  const one = {
    parameters: [version, { name: 'q', in: 'query', schema: { type: 'string' } }],
    responses: {},
  };
  const text = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Cloud', version: '1' },
    servers: [
      {
        url: 'https://{tenant}.cloud.example/{stage}',
        variables: { tenant: { default: 'demo' }, stage: { default: 'live', enum: ['live', 'test'] } },
      },
    ],
    paths: { '/a': { get: one }, '/b': { get: one }, '/c': { post: one } },
  });
  const plan = (await at.request('POST', '/api/v1/imports', { text, dryRun: true })).json().imports[0];
  expect(plan.constants).toEqual([
    { name: 'api-version', in: 'query', operations: 3, of: 3, required: true, suggestion: 'v7' },
  ]);
  expect(plan.serverTemplate.variables.stage).toEqual({ value: 'live', allowed: ['live', 'test'] });
  const codes = plan.notes.map(({ code }: { code: string }) => code);
  expect(codes).toEqual(expect.arrayContaining(['set_once', 'server_variable', 'authentication_unknown']));

  const body = {
    text,
    fix: { 'API-Version': 'v8' },
    variables: { tenant: 'acme' },
    auth: { kind: 'bearer' },
  };
  expect((await at.request('POST', '/api/v1/imports', body)).statusCode).toBe(200);
  const api = async () => (await at.request('GET', '/api/v1/apis/cloud')).json();
  expect(await api()).toMatchObject({ baseUrl: 'https://acme.cloud.example/live', auth: { kind: 'bearer' } });
  const tool = (await at.request('GET', '/api/v1/tools/get_a')).json();
  expect(Object.keys(tool.inputSchema.properties)).toEqual(['q']);
  expect(tool.operation.parameters[0]).toMatchObject({ name: 'api-version', fixed: 'v8' });

  const patched = await at.request('PATCH', '/api/v1/apis/cloud', { serverVariables: { stage: 'test' } });
  expect(patched.json().baseUrl).toBe('https://acme.cloud.example/test');
  for (const [serverVariables, said] of [
    [{ stage: 'other' }, 'must be one of live, test'],
    [{ region: 'eu' }, 'does not exist; it has tenant, stage'],
  ] as const) {
    const refused = await at.request('PATCH', '/api/v1/apis/cloud', { serverVariables });
    expect([refused.statusCode, JSON.stringify(refused.json())]).toEqual([
      422,
      expect.stringContaining(said),
    ]);
  }
  const again = (await at.request('POST', '/api/v1/imports', { text })).json().imports[0];
  expect([again.changed, (await api()).baseUrl]).toEqual([[], 'https://acme.cloud.example/test']);
  await at.request('PATCH', '/api/v1/apis/cloud', { baseUrl: 'https://elsewhere.example' });
  expect((await api()).serverTemplate).toBeUndefined();
});

test('overlays are applied to the document, kept for refreshes, and taken away when asked', async () => {
  const { at, url, serve } = await startWatched();
  const overlays = [
    {
      name: 'agents.yaml',
      text: [
        'overlay: 1.0.0',
        'info: { title: For agents, version: "1" }',
        'actions:',
        "  - { target: '$.paths.*.get', update: { description: Said by the overlay. } }",
        '  - { target: "$.paths.*.*.parameters[?@.in==\'header\']", remove: true }',
        '  - { target: "$.paths[\'/none\']", remove: true }',
      ].join('\n'),
    },
  ];
  const imported = await at.request('POST', '/api/v1/imports', { url, overlays });
  expect(imported.statusCode).toBe(200);
  expect(imported.json().imports[0].notes.map(({ code }: { code: string }) => code)).toContain(
    'overlay_unused',
  );
  const described = async (tool: string) =>
    (await at.request('GET', `/api/v1/tools/${tool}`)).json().description as string;
  expect([await described('list'), await visible(at)]).toEqual(['Said by the overlay.', ['limit']]);

  serve(document({ '/books': list, '/books/{id}': { get: { operationId: 'one', responses: {} } } }));
  await at.request('POST', '/api/v1/apis/shelf/refresh', {});
  expect(await described('one')).toBe('Said by the overlay.');
  expect((await at.request('GET', '/api/v1/apis/shelf')).json().source.overlays).toEqual(['agents.yaml']);

  // The same document from a file belongs to the API of its title.
  const text = JSON.stringify(document({ '/books': list, '/shelves': list }));
  const again = (await at.request('POST', '/api/v1/imports', { text, dryRun: true })).json();
  expect(again.imports[0].changed).toEqual([]);

  const without = await at.request('POST', '/api/v1/imports', { url, overlays: [] });
  expect(without.statusCode).toBe(200);
  expect(await visible(at)).toEqual(['limit', 'X-Tenant', 'X-Trace-Note']);
});

test.each([
  [
    'an overlay that cannot be read',
    { text: JSON.stringify(document({})), overlays: [{ name: 'o', text: 'overlay: 9' }] },
    'version',
  ],
  [
    'an overlay beside another kind of document',
    { text: 'curl https://x.example', overlays: [{ name: 'o', text: 'overlay: 1.0.0' }] },
    'OpenAPI',
  ],
  ['an overlay as a document', { text: 'overlay: 1.0.0\nactions: []' }, '--overlay'],
])('%s is refused with a sentence', async (_what, body, said) => {
  const at = await startGateway({});
  open.push(() => at.close());
  const reply = await at.request('POST', '/api/v1/imports', body);
  expect(reply.statusCode).toBe(422);
  expect(JSON.stringify(reply.json())).toContain(said);
});
