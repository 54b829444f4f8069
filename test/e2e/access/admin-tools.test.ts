import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { adminTools } from '../../../src/http/admin/admin-tools.ts';
import { adminRoutes } from '../../../src/http/admin/mount.ts';
import { adminToken, type RunningGateway, startGateway } from '../../support/running-gateway.ts';

const description = {
  openapi: '3.1.0',
  info: { title: 'Trees', version: '1' },
  servers: [{ url: 'https://trees.example.com' }],
  paths: {
    '/trees': {
      get: { operationId: 'list_trees', responses: { 200: { description: 'ok' } } },
      post: { operationId: 'plant_tree', responses: { 200: { description: 'ok' } } },
    },
  },
};

let running: RunningGateway;
const clients: Client[] = [];

beforeAll(async () => {
  running = await startGateway();
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await running.stop();
});

async function tokenFor(role: string, scopes?: readonly string[]): Promise<string> {
  const made = await running.admin('POST', '/api-tokens', { name: 'agent', role, ...(scopes && { scopes }) });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body.token;
}

async function connect(token: string): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${running.url}/mcp/_admin`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  clients.push(client);
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError = false } = await client.callTool({ name, arguments: args });
  const [part] = content as { text: string }[];
  return { text: part!.text, isError, value: isError ? null : JSON.parse(part!.text) };
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name).toSorted();

it('does what an agent is asked to: imports, publishes what reads for a team, and tells the token cost', async () => {
  await running.admin('POST', '/groups', { name: 'support' });
  const client = await connect(await tokenFor('editor'));
  const text = JSON.stringify(description);
  const plan = await call(client, 'runImport', { text, dryRun: true });
  expect(plan.value.imports[0]).toMatchObject({ applied: false, added: [{}, {}] });
  const imported = await call(client, 'runImport', { text });
  const { api } = imported.value.imports[0];
  const index = await call(client, 'listToolIndex', {});
  const reading = index.value.items.filter(
    (tool: { api: string; kind: string }) => tool.api === api && tool.kind === 'read',
  );
  const published = await call(client, 'createServer', {
    slug: 'support',
    tools: reading.map(({ id }: { id: string }) => ({ tool: id })),
    access: [{ group: 'support' }],
  });
  expect(published.value).toMatchObject({ toolCount: 1, policy: { kind: 'sign-in' } });
  expect((await call(client, 'getServerCost', { server: 'support' })).text).toMatch(/\d/);
  const { body } = await running.admin('GET', '/audit');
  expect(JSON.stringify(body.items)).toContain('server.create');
  expect(JSON.stringify(body.items)).toContain('agent');
});

it('says what was wrong, as the admin API does', async () => {
  const client = await connect(await tokenFor('editor'));
  expect(await call(client, 'getApi', { api: 'nothing' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('nothing'),
  });
  expect(await call(client, 'createServer', { slug: 'x', tools: '*', policy: 'open' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('There is no argument policy'),
  });
  expect(await call(client, 'runImport', { text: '{}', approveChanges: false })).toMatchObject({
    isError: true,
  });
  expect(await call(client, 'getApi', { api: '..' })).toMatchObject({ isError: true });
  expect(await call(client, 'getApi', { api: '../people' })).toMatchObject({ isError: true });
  expect((await running.admin('GET', '/servers/x')).status).toBe(404);
});

it('shows each caller what its role and scopes allow, and refuses the rest', async () => {
  const editor = await connect(await tokenFor('editor'));
  const viewer = await connect(await tokenFor('viewer'));
  const scoped = await connect(await tokenFor('editor', ['servers:read']));
  const [all, seen, narrow] = await Promise.all([editor, viewer, scoped].map(namesOf));
  expect(all).toContain('runImport');
  expect(seen).toContain('listServers');
  expect(seen).not.toContain('runImport');
  expect(narrow).toContain('listServers');
  expect(narrow).not.toContain('createServer');
  expect(narrow).not.toContain('listApis');
  // One after the other, so that what was prepared for one is not what the next gets.
  expect(await namesOf(editor)).toEqual(all);
  for (const [client, name] of [
    [viewer, 'runImport'],
    [scoped, 'createServer'],
  ] as const)
    await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(/nknown tool|not found/);
});

it.each([
  ['nothing', () => Promise.resolve({})],
  ['a wrong token', () => Promise.resolve({ authorization: 'Bearer hrt_wrong' })],
  [
    'an access key',
    async () => ({
      authorization: `Bearer ${(await running.admin('POST', '/keys', { name: 'key' })).body.key}`,
    }),
  ],
  ['the admin token', () => Promise.resolve({ authorization: `Bearer ${adminToken}` })],
  ['a cookie', () => Promise.resolve({ cookie: 'handrail=hrs_forged' })],
])('admits no one with %s', async (_, headersOf) => {
  const response = await fetch(`${running.url}/mcp/_admin`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...((await headersOf()) as Record<string, string>),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  expect([401, 403]).toContain(response.status);
  expect(await response.text()).not.toContain('listApis');
});

it('ends with its token', async () => {
  const made = (await running.admin('POST', '/api-tokens', { name: 'gone', role: 'viewer' })).body;
  const client = await connect(made.token);
  expect((await namesOf(client)).length).toBeGreaterThan(3);
  await running.admin('POST', `/api-tokens/${made.id}/revoke`);
  await expect(client.listTools()).rejects.toThrow(/token/i);
});

// What decides who may do what, and every secret. Tags, because new routes get one of these too.
const never = [
  'session',
  'me',
  'people',
  'groups',
  'sign-in',
  'identity-providers',
  'api-tokens',
  'connected-apps',
  'keys',
  'credentials',
  'settings',
  'models',
  'audit',
  'profiles',
  'set-aside',
];
const neverFields = [
  'policy',
  'allowAddresses',
  'egressAllow',
  'forwardHeaders',
  'allowHeaders',
  'sharedCredential',
  'agreeOrigins',
  'approveChanges',
  'watchEveryMs',
  'piiRules',
  'enabled',
  'annotations',
  'explorerReadOnly',
  'clientModes',
  'code',
];

it('offers no route unless its contract says so, and nothing that changes who may do what', () => {
  const routes = adminRoutes(running.gateway.context);
  const offered = adminTools(routes);
  expect(routes.length).toBeGreaterThan(100);
  expect(offered.map(({ contract }) => contract.id).toSorted()).toEqual(
    routes.flatMap(({ contract }) => (contract.tool === undefined ? [] : [contract.id])).toSorted(),
  );
  for (const { contract } of routes) {
    const { tag, id, path, method, access, tool } = contract;
    if (tool === undefined) continue;
    expect(never, id).not.toContain(tag);
    expect(path, id).not.toMatch(/credential|token|key|secret|egress|people|group|setting|origin/);
    expect(method, id).not.toBe('DELETE');
    expect(['viewer', 'editor'], id).toContain(access);
    expect(contract.stream, id).toBeUndefined();
    expect(contract.person, id).toBeUndefined();
  }
  for (const { contract, definition } of offered) {
    const { properties } = definition.inputSchema;
    if (contract.method === 'GET') continue;
    for (const field of neverFields)
      expect(Object.keys(properties ?? {}), `${contract.id} ${field}`).not.toContain(field);
    // Whoever changes something can change only what was listed, also when the route gets more fields.
    if (contract.method === 'PATCH' || contract.id === 'createServer' || contract.id === 'runImport')
      expect(contract.tool, contract.id).toHaveProperty('fields');
  }
  // Every other write has no body of its own, or one that changes nothing.
  expect(
    offered.flatMap(({ contract }) => (contract.method === 'GET' ? [] : [contract.id])).toSorted(),
  ).toEqual(['countChoiceCost', 'createServer', 'previewRequest', 'refreshApi', 'runImport', 'updateServer']);
});

it('has names, texts and schemas that a client can use, and fields that there are', () => {
  for (const { contract, definition } of adminTools(adminRoutes(running.gateway.context))) {
    expect(definition.name).toMatch(/^[a-zA-Z]{3,40}$/);
    expect(definition.description!.length).toBeGreaterThan(10);
    const { tool, body } = contract;
    if (typeof tool !== 'object') continue;
    const known = Object.keys(
      z.toJSONSchema(body!, { io: 'input', unrepresentable: 'any' }).properties ?? {},
    );
    expect(known, contract.id).toEqual(expect.arrayContaining([...tool.fields]));
  }
});
