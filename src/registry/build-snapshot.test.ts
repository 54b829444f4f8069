import { describe, expect, it } from 'vitest';
import { cachesAreOn } from '../../test/support/caches-are-on.ts';
import { api, key, put, server, tool } from '../../test/support/store-contract/entities.ts';
import type { Server } from '../domain/server.ts';
import type { Tool } from '../domain/tool.ts';
import type { RegistryChange, RegistryState } from '../storage/ports.ts';
import { endedCallers } from '../access/ended-callers.ts';
import fc from '../../test/support/property.ts';
import { applyChanges, buildSnapshot, toolsNamed } from './build-snapshot.ts';
import { planNames } from './give-names.ts';
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
  identityProviders: [],
  apiTokens: [],
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

  it
    .runIf(cachesAreOn)
    .each<[string, RegistryChange, { all: boolean; pets: boolean; compiled: readonly string[] }]>([
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

describe('after any changes', () => {
  const toolIds = ['tool_1', 'tool_2', 'tool_3', 'tool_4', 'tool_5'];
  const rules = fc.constantFrom<Server['tools']>(
    [{ all: true }],
    [{ apiId: pets.id }],
    [{ apiId: shop.id, tag: 'read' }],
    [{ tag: 'read' }],
    [{ toolId: 'tool_2' }, { apiId: pets.id }],
    [],
  );
  const change: fc.Arbitrary<RegistryChange> = fc.oneof(
    fc
      .record({
        id: fc.constantFrom(...toolIds),
        apiId: fc.constantFrom(pets.id, shop.id),
        name: fc.constantFrom('find', 'Find', 'sell', 'list', 'run_code'),
        tags: fc.constantFrom(['read'], ['write'], []),
        enabled: fc.boolean(),
        isGone: fc.constantFrom(true, false, false, false),
      })
      .map(({ id, apiId, name, tags, enabled, isGone }) =>
        put.tool({
          ...tool(id, apiId, name),
          tags,
          enabled,
          ...(isGone && { source: { operationKey: id, standing: 'gone' as const } }),
        }),
      ),
    fc.constantFrom(...toolIds).map((id): RegistryChange => ({ op: 'delete', kind: 'tool', id })),
    fc
      .tuple(fc.constantFrom('one', 'two'), rules, fc.boolean())
      .map(([id, tools, isRenaming]) =>
        put.server(withRules(id, tools, isRenaming ? { overrides: { tool_1: { name: 'first' } } } : {})),
      ),
    fc.boolean().map((enabled) => put.api({ ...shop, enabled })),
    fc.constantFrom(...toolIds).map((toolId): RegistryChange => ({
      op: 'put',
      kind: 'given-name',
      entity: { serverId: server('one').id, toolId, name: `given_${toolId}` },
    })),
  );

  it('shows what a snapshot shows that was built from the rows', () => {
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 12 }), (commits) => {
        let now = buildSnapshot(state);
        for (const changes of commits) {
          // Two tools of an API never have the same name: such a change is refused before it gets here.
          const next = applyChanges(now, changes, now.seq + 1);
          const isRefused = [...next.tools.values()].some(
            ({ id, apiId, name }) => next.toolsByApi.get(apiId)?.get(name) !== id,
          );
          if (isRefused) continue;
          now = next;
          for (const slug of now.serverBySlug.keys()) now.view(slug);
        }
        const rows = <T>(map: ReadonlyMap<string, T>): T[] => [...map.values()];
        const again = buildSnapshot({
          ...state,
          apis: rows(now.apis),
          tools: [...rows(now.tools), ...rows(now.gone)],
          servers: rows(now.servers),
          givenNames: [...now.givenNames].flatMap(([serverId, names]) =>
            [...names].map(([toolId, name]) => ({ serverId, toolId, name })),
          ),
        });
        expect(now.compiled.size).toBe(again.compiled.size);
        for (const name of ['toolsByName', 'serversByRule', 'toolsByGivenName'] as const)
          expect(new Map(now[name])).toEqual(new Map(again[name]));
        for (const [slug, one] of again.serverBySlug) {
          expect(namesIn(now, slug)).toEqual(namesIn(again, slug));
          for (const name of ['find', 'SELL', 'first', 'given_tool_2', 'run_code'])
            expect(toolsNamed(now, one, name).map(({ id }) => id)).toEqual(
              toolsNamed(again, one, name).map(({ id }) => id),
            );
        }
      }),
    );
  });
});

describe.runIf(cachesAreOn)('what a change looks at', () => {
  /** How often anything was read of any tool, server or key while a change was made and its views were shown again. */
  function steps(size: number, changesOf: (snapshot: Snapshot) => readonly RegistryChange[]): number {
    let reads = 0;
    const counted = <T extends object>(row: T): T =>
      new Proxy(row, {
        get(target, field, receiver) {
          reads++;
          return Reflect.get(target, field, receiver) as unknown;
        },
      });
    const many = <T>(make: (n: string) => T): T[] =>
      Array.from({ length: size }, (_, n) => make(String(n).padStart(6, '0')));
    const apis = many((n) => counted({ ...api(`api_${n}`), slug: `api-${n}` }));
    const before = buildSnapshot({
      ...state,
      apis,
      tools: apis.flatMap(({ id }, n) =>
        [0, 1, 2].map((k) => counted(tool(`tool_${String(n).padStart(6, '0')}${k}`, id, `tool_${n}_${k}`))),
      ),
      servers: [
        everything,
        ...apis.map(({ id }, n) => counted({ ...withRules(`srv_${id}`, [{ apiId: id }]), slug: `s-${n}` })),
      ],
      keys: many((n) => counted(key(`key_${n}`, n))),
    });
    for (const slug of before.serverBySlug.keys()) before.view(slug);
    const changes = changesOf(before);
    reads = 0;
    const draft = applyChanges(before, changes, 8);
    const after = applyChanges(before, [...changes, ...planNames(before, draft, changes)], 8);
    for (const slug of ['everything', 's-3', 's-new']) after.view(slug);
    endedCallers(after, before, changes);
    return reads;
  }

  const last = (snapshot: Snapshot): Tool => [...snapshot.tools.values()].at(-2)!;

  it.each<[string, (snapshot: Snapshot) => readonly RegistryChange[]]>([
    ['an edited tool', (snapshot) => [put.tool({ ...last(snapshot), description: 'Edited.' })]],
    ['a renamed tool', (snapshot) => [put.tool({ ...last(snapshot), name: 'tool_0_0' })]],
    ['a disabled tool', (snapshot) => [put.tool({ ...last(snapshot), enabled: false })]],
    ['a new tool', (snapshot) => [put.tool(tool('tool_zzz', last(snapshot).apiId, 'tool_0_1'))]],
    ['a deleted tool', (snapshot) => [{ op: 'delete', kind: 'tool', id: last(snapshot).id }]],
    [
      'an edited API',
      (snapshot) => [put.api({ ...snapshot.apis.get(last(snapshot).apiId)!, name: 'Edited' })],
    ],
    [
      'a published server',
      (snapshot) => [
        put.server({ ...withRules('srv_new', [{ apiId: last(snapshot).apiId }]), slug: 's-new' }),
      ],
    ],
    ['a new key', () => [put.key(key('key_new'))]],
    ['a revoked key', (snapshot) => [put.key({ ...snapshot.keys.get('key_000003')!, revokedAtMs: 5 })]],
  ])('is the same with many tools, servers and keys, for %s', (_what, changesOf) => {
    const few = steps(10, changesOf);
    // A tool is found in a list by halving it.
    expect(steps(500, changesOf)).toBeLessThanOrEqual(few * 1.5);
  });
});
