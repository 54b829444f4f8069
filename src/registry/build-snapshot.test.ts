import { describe, expect, it } from 'vitest';
import { api, put, server, tool } from '../../test/support/store-contract/entities.ts';
import type { Server } from '../domain/server.ts';
import type { Tool } from '../domain/tool.ts';
import type { RegistryChange, RegistryState } from '../storage/ports.ts';
import { applyChanges, buildSnapshot } from './build-snapshot.ts';
import type { Snapshot } from './snapshot.ts';

const pets = api('api_pets');
const shop = api('api_shop');
const find: Tool = { ...tool('tool_1', pets.id, 'find'), tags: ['read'] };
const sell: Tool = { ...tool('tool_2', shop.id, 'sell'), tags: ['write'] };
const list: Tool = { ...tool('tool_3', shop.id, 'list'), tags: ['read'] };
const withRules = (id: string, tools: Server['tools'], rest: Partial<Server> = {}): Server => ({
  ...server(id),
  tools,
  ...rest,
});
const everything = withRules('everything', [{ all: true }]);
const onlyPets = withRules('only-pets', [{ apiId: pets.id }]);

const state: RegistryState = {
  seq: 7,
  apis: [pets, shop],
  tools: [find, sell, list],
  servers: [everything, onlyPets],
  composedTools: [],
  credentials: [],
  keys: [],
  settings: [],
  models: [],
  checks: [],
  givenNames: [],
  setAside: [],
};

const namesIn = (snapshot: Snapshot, slug: string) =>
  snapshot.view(slug)?.tools.map(({ name }) => name) ?? null;

describe('a server shows', () => {
  it.each<[string, Server['tools'], Partial<Server>, readonly string[] | null]>([
    ['everything', [{ all: true }], {}, ['find', 'sell', 'list']],
    ['the tools of an API', [{ apiId: shop.id }], {}, ['sell', 'list']],
    ['those of an API with a tag', [{ apiId: shop.id, tag: 'read' }], {}, ['list']],
    ['those with a tag', [{ tag: 'read' }], {}, ['find', 'list']],
    ['one tool', [{ toolId: list.id }], {}, ['list']],
    ['in the order of its rules', [{ toolId: list.id }, { all: true }], {}, ['list', 'find', 'sell']],
    ['nothing that is not there', [{ toolId: 'tool_none' }, { apiId: 'api_none' }, { tag: 'none' }], {}, []],
    ['nothing without a rule', [], {}, []],
    [
      'a tool under the name it gives',
      [{ all: true }],
      { overrides: { [find.id]: { name: 'seek' } } },
      ['seek', 'sell', 'list'],
    ],
    ['nothing at all while it is disabled', [{ all: true }], { enabled: false }, null],
  ])('%s', (_what, rules, rest, names) => {
    const snapshot = buildSnapshot({ ...state, servers: [withRules('one', rules, rest)] });
    expect(namesIn(snapshot, 'one')).toEqual(names);
  });

  it('no tool that is disabled, of a disabled API or without its API', () => {
    const tools = [{ ...find, enabled: false }, sell, list, tool('tool_4', 'api_none', 'stray')];
    const snapshot = buildSnapshot({ ...state, tools, apis: [pets, { ...shop, enabled: false }] });
    expect(namesIn(snapshot, 'everything')).toEqual([]);
    expect(snapshot.tools.size).toBe(4);
  });

  it('one of two tools whose names were made the same in the store', () => {
    const snapshot = buildSnapshot({ ...state, tools: [find, { ...sell, name: 'find' }] });
    expect(namesIn(snapshot, 'everything')).toEqual(['find']);
  });
});

describe('a change', () => {
  const before = buildSnapshot(state);
  const views = { all: before.view('everything'), pets: before.view('only-pets') };

  it.each<[string, RegistryChange, { all: boolean; pets: boolean; compiled: readonly string[] }]>([
    [
      'of a tool',
      put.tool({ ...sell, description: 'Sells.' }),
      { all: false, pets: true, compiled: [find.id, list.id] },
    ],
    [
      'of an API',
      put.api({ ...pets, baseUrl: 'https://b.example.com' }),
      { all: false, pets: false, compiled: [sell.id, list.id] },
    ],
    [
      'of a server',
      put.server({ ...onlyPets, name: 'Pets' }),
      { all: true, pets: false, compiled: [find.id, sell.id, list.id] },
    ],
    [
      'of nothing that is shown',
      put.tool({ ...tool('tool_9', 'api_none'), enabled: false }),
      { all: true, pets: true, compiled: [find.id, sell.id, list.id] },
    ],
    [
      'that deletes a tool',
      { op: 'delete', kind: 'tool', id: find.id },
      { all: false, pets: false, compiled: [sell.id, list.id] },
    ],
    [
      'of the limits of the installation',
      {
        op: 'put',
        kind: 'setting',
        entity: { id: 'installation', value: '{"limits":{"retries":2},"revision":1}' },
      },
      { all: false, pets: false, compiled: [] },
    ],
    [
      'of another setting',
      {
        op: 'put',
        kind: 'setting',
        entity: { id: 'installation', value: '{"retentionDays":9,"revision":1}' },
      },
      { all: true, pets: true, compiled: [find.id, sell.id, list.id] },
    ],
  ])('%s keeps what it does not touch', (_what, change, kept) => {
    const after = applyChanges(before, [change], 8);
    expect({
      all: after.view('everything') === views.all,
      pets: after.view('only-pets') === views.pets,
      compiled: [find.id, sell.id, list.id].filter(
        (id) => after.compiled.get(id) === before.compiled.get(id),
      ),
    }).toEqual(kept);
    expect(after.seq).toBe(8);
  });

  it('leaves the snapshot that it came from as it was', () => {
    applyChanges(
      before,
      [put.tool({ ...find, name: 'seek' }), { op: 'delete', kind: 'api', id: shop.id }],
      8,
    );
    expect(namesIn(before, 'everything')).toEqual(['find', 'sell', 'list']);
    expect(before.apiBySlug.get(shop.slug)).toBe(shop);
    expect(before.toolsByApi.get(pets.id)?.get('find')).toBe(find.id);
  });

  it.each<[string, readonly RegistryChange[], (after: Snapshot) => unknown, unknown]>([
    [
      'two servers swap slugs',
      [
        put.server({ ...everything, slug: onlyPets.slug }),
        put.server({ ...onlyPets, slug: everything.slug }),
      ],
      ({ serverBySlug }) => [serverBySlug.get(everything.slug)?.id, serverBySlug.get(onlyPets.slug)?.id],
      [onlyPets.id, everything.id],
    ],
    [
      'two tools swap names',
      [put.tool({ ...sell, name: 'list' }), put.tool({ ...list, name: 'sell' })],
      ({ toolsByApi }) => Object.fromEntries(toolsByApi.get(shop.id)!),
      { list: sell.id, sell: list.id },
    ],
    [
      'a tool moves to another API',
      [put.tool({ ...sell, apiId: pets.id })],
      ({ toolsByApi }) => [toolsByApi.get(shop.id)?.has('sell'), toolsByApi.get(pets.id)?.get('sell')],
      [false, sell.id],
    ],
    [
      'a server and its slug go',
      [{ op: 'delete', kind: 'server', id: onlyPets.id }],
      (after) => [after.serverBySlug.has(onlyPets.slug), after.view(onlyPets.slug)],
      [false, undefined],
    ],
  ])('in which %s', (_what, changes, found, expected) => {
    expect(found(applyChanges(before, changes, 8))).toEqual(expected);
  });
});
