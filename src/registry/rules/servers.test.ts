import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedRegistry, openRules, openTestRegistry } from '../../../test/support/opened-registry.ts';
import { createApi, deleteApi } from './apis.ts';
import {
  createServer,
  deleteServer,
  ensureDefaultServer,
  type NewServer,
  type ServerPatch,
  type ServingRules,
  updateServer,
} from './servers.ts';
import { createTool, deleteTool } from './tools.ts';

const moment = { nowMs: 2_000 };
const reachable: ServingRules = { defaultPolicy: { kind: 'key' }, openAllowed: false };
let opened: OpenedRegistry;
let apiId: string;
let toolId: string;
let otherId: string;

beforeEach(async () => {
  opened = await openTestRegistry();
  const add = (name: string, method = 'GET') =>
    opened.decide((snapshot) =>
      createTool(
        snapshot,
        { api: 'shop', name, description: '', operation: { method, path: '/', parameters: [] } },
        moment,
      ),
    );
  apiId = (
    await opened.decide((snapshot) =>
      createApi(snapshot, { slug: 'shop', baseUrl: 'https://shop.example.com' }, moment),
    )
  ).id;
  toolId = (await add('list')).id;
  otherId = (await add('buy', 'POST')).id;
});
afterEach(() => opened.close());

const create = (input: Partial<NewServer>, rules = openRules) =>
  opened.decide((snapshot) =>
    createServer(snapshot, { slug: 'team', tools: [{ all: true }], ...input }, rules, moment),
  );
const update = (slug: string, patch: ServerPatch, revision?: number, rules = openRules) =>
  opened.decide((snapshot) => updateServer(snapshot, slug, patch, revision, rules, moment));

describe('a new server', () => {
  it('is named by its slug, enabled, limited, and as open as its place proposes', async () => {
    expect(await create({}, reachable)).toMatchObject({
      slug: 'team',
      name: 'team',
      enabled: true,
      ratePerMinute: 60,
      policy: { kind: 'key' },
      revision: 1,
      createdAtMs: 2_000,
    });
  });

  it.each([
    ['a slug that is taken', { slug: 'default' }, openRules, 'conflict', '/slug'],
    ['a slug that is an address already', { slug: 'tools' }, openRules, 'conflict', '/slug'],
    ['a slug that cannot be one', { slug: 'No Slug' }, openRules, 'invalid_input', '/slug'],
    [
      'an open server where others can reach it',
      { policy: { kind: 'open' } },
      reachable,
      'invalid_input',
      '/policy',
    ],
    [
      'a tool that does not exist',
      { tools: [{ all: true }, { toolId: 'tool_gone' }] },
      openRules,
      'invalid_input',
      '/tools/1',
    ],
    [
      'an API that does not exist',
      { tools: [{ apiId: 'api_gone' }] },
      openRules,
      'invalid_input',
      '/tools/0',
    ],
    [
      'a name that no client takes',
      { overrides: { tool_1: { name: 'no spaces' } } },
      openRules,
      'invalid_input',
      '/overrides/tool_1/name',
    ],
  ] as const)('is refused with %s', async (_what, input, rules, code, path) => {
    await expect(create(input, rules)).rejects.toMatchObject({
      code,
      details: { problems: [expect.objectContaining({ path })] },
    });
    expect(opened.registry.snapshot.serverBySlug.has('team')).toBe(false);
  });

  it.each([
    ['open and disabled', { policy: { kind: 'open' }, enabled: false }, reachable],
    ['open where that is wanted', { policy: { kind: 'open' } }, { ...reachable, openAllowed: true }],
  ] as const)('may be %s', async (_what, input, rules) => {
    expect(await create(input, rules)).toMatchObject({ policy: { kind: 'open' } });
  });
});

describe('an edit', () => {
  beforeEach(() => create({ description: 'For the team' }));

  it('is the next revision; what is taken away is gone', async () => {
    const server = await update('team', { name: 'The team', description: undefined }, 1);
    expect(server).toMatchObject({ name: 'The team', revision: 2, updatedAtMs: 2_000 });
    expect(server).not.toHaveProperty('description');
  });

  it.each([
    ['of an older revision', 'team', { name: 'x' }, 7, openRules, 'stale'],
    ['of what is not there', 'nothing', { name: 'x' }, undefined, openRules, 'not_found'],
    ['to a slug that is taken', 'team', { slug: 'default' }, undefined, openRules, 'conflict'],
    [
      'that opens it to everyone',
      'team',
      { policy: { kind: 'open' } },
      undefined,
      reachable,
      'invalid_input',
    ],
    ['of the default server’s slug', 'default', { slug: 'other' }, undefined, openRules, 'forbidden'],
    ['of the default server’s choice', 'default', { tools: [] }, undefined, openRules, 'forbidden'],
  ] as const)('%s is refused', async (_what, slug, patch, revision, rules, code) => {
    await expect(update(slug, patch, revision, rules)).rejects.toMatchObject({ code });
  });
});

describe('the default server', () => {
  it('is made once', async () => {
    const again = await opened.decide((snapshot) => ensureDefaultServer(snapshot, reachable, moment));
    expect(again).toMatchObject({ slug: 'default', policy: { kind: 'open' }, createdAtMs: 1_000 });
  });

  it('cannot be deleted', async () => {
    await expect(opened.decide((snapshot) => deleteServer(snapshot, 'default'))).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('Disable it instead') as unknown,
    });
  });
});

describe('what a server says about a tool', () => {
  beforeEach(() =>
    create({
      tools: [{ toolId }, { apiId }, { tag: 'x' }],
      overrides: { [toolId]: { name: 'show' }, [otherId]: { description: 'Buys.' } },
      resources: [
        { uri: 'shop://list', name: 'list', toolId },
        { uri: 'shop://terms', name: 'terms', text: 'Be kind.' },
      ],
    }),
  );

  it('goes with the tool', async () => {
    await opened.decide((snapshot) => deleteTool(snapshot, toolId, moment));
    expect(opened.registry.snapshot.serverBySlug.get('team')).toMatchObject({
      tools: [{ apiId }, { tag: 'x' }],
      overrides: { [otherId]: { description: 'Buys.' } },
      resources: [{ uri: 'shop://terms' }],
      revision: 2,
    });
  });

  it('goes with the API', async () => {
    await opened.decide((snapshot) => deleteApi(snapshot, 'shop', moment));
    expect(opened.registry.snapshot.serverBySlug.get('team')).toMatchObject({
      tools: [{ tag: 'x' }],
      overrides: {},
      resources: [{ uri: 'shop://terms' }],
    });
  });
});

describe('a resource of a tool', () => {
  it.each([
    ['a tool that does not exist', { toolId: 'tool_gone' }, 'refers to a tool that does not exist'],
    ['a tool that changes something', { toolId: 'buy' }, 'not a GET tool'],
    [
      'a variable that the tool does not have',
      { toolId: 'list', uri: 'shop://{gone}' },
      'has the variable {gone}',
    ],
  ])('cannot be %s', async (_what, resource, why) => {
    const ids: Record<string, string> = { list: toolId, buy: otherId };
    const made = {
      uri: 'shop://list',
      name: 'list',
      ...resource,
      toolId: ids[resource.toolId] ?? resource.toolId,
    };
    await expect(create({ resources: [made] })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(why) as unknown,
    });
  });
});
