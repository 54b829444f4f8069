import { describe, expect, test } from 'vitest';
import type { RegistryChange } from '../../../src/storage/ports.ts';

import { fullApiToken, fullCheck, fullIdentityProvider, fullModel } from '../nouns/examples.ts';
import { api, composedTool, credential, key, put, server, tool } from './entities.ts';
import type { StorePlace } from './place.ts';

/** The promises of the registry, and of watching it. */
export function describeRegistry({ name, makeEmpty, open, openEmpty }: StorePlace): void {
  describe(`the registry on ${name}`, () => {
    test('is empty at sequence number 0 when new', async () => {
      const store = await openEmpty();
      expect(store.kind).toBe(name.toLowerCase() === 'sqlite' ? 'sqlite' : 'postgres');
      expect(await store.registry.load()).toEqual({
        seq: 0,
        apis: [],
        tools: [],
        servers: [],
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
      });
    });

    test('gives back every kind of entity as it was put, also after it is opened again', async () => {
      const place = await makeEmpty();
      const first = await open(place);
      const changes: RegistryChange[] = [
        // Tools before their API: order within a commit does not matter.
        put.tool(tool('tool_2', 'api_1')),
        put.tool(tool('tool_1', 'api_1')),
        put.credential(credential('cred_1', 'api_1')),
        put.credential({ ...credential('cred_2', 'api_1'), callerId: 'key:1' }),
        put.api(api('api_1')),
        put.server(server('srv_1')),
        put.composedTool(composedTool('comp_1', 'srv_1')),
        put.key(key('key_1')),
        { op: 'put', kind: 'model', entity: fullModel },
        { op: 'put', kind: 'check', entity: fullCheck },
        { op: 'put', kind: 'identity-provider', entity: fullIdentityProvider },
        { op: 'put', kind: 'api-token', entity: fullApiToken },
        {
          op: 'put',
          kind: 'setting',
          entity: { id: 'installation', value: '{"egressAllow":["10.0.0.0/8"],"revision":1}' },
        },
        {
          op: 'put',
          kind: 'given-name',
          entity: { serverId: 'srv_1', toolId: 'tool_2', name: 'demo_weather' },
        },
      ];
      expect(await first.registry.commit(0, changes)).toBe(1);
      for (const store of [first, await open(place)]) {
        expect(await store.registry.load()).toEqual({
          seq: 1,
          apis: [api('api_1')],
          tools: [tool('tool_1', 'api_1'), tool('tool_2', 'api_1')],
          servers: [server('srv_1')],
          composedTools: [composedTool('comp_1', 'srv_1')],
          credentials: [
            credential('cred_1', 'api_1'),
            { ...credential('cred_2', 'api_1'), callerId: 'key:1' },
          ],
          keys: [key('key_1')],
          settings: [{ id: 'installation', value: '{"egressAllow":["10.0.0.0/8"],"revision":1}' }],
          models: [fullModel],
          checks: [fullCheck],
          identityProviders: [fullIdentityProvider],
          apiTokens: [fullApiToken],
          givenNames: [{ serverId: 'srv_1', toolId: 'tool_2', name: 'demo_weather' }],
          setAside: [],
        });
      }
    });

    test('refuses a commit against an outdated sequence number and writes nothing of it', async () => {
      const { registry } = await openEmpty();
      expect(await registry.commit(0, [put.api(api('api_1'))])).toBe(1);
      expect(await registry.commit(0, [put.api(api('api_2'))])).toBeNull();
      expect(await registry.commit(2, [put.api(api('api_2'))])).toBeNull();
      expect((await registry.load()).apis.map((a) => a.id)).toEqual(['api_1']);
    });

    test('lets exactly one of many racing commits through, over two stores', async () => {
      const place = await makeEmpty();
      const [one, two] = [await open(place), await open(place)];
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (i % 2 ? one : two).registry.commit(0, [put.server(server(`srv_${i}`))]),
        ),
      );
      expect(results.filter((seq) => seq !== null)).toEqual([1]);
      expect((await one.registry.load()).servers).toHaveLength(1);
    });

    test('loses no change when two stores retry against each other', async () => {
      const place = await makeEmpty();
      const stores = [await open(place), await open(place)];
      await Promise.all(
        stores.map(async ({ registry }, writer) => {
          for (let i = 0; i < 20; i++) {
            for (;;) {
              const { seq } = await registry.load();
              if ((await registry.commit(seq, [put.server(server(`srv_${writer}_${i}`))])) !== null) break;
            }
          }
        }),
      );
      const state = await stores[0]!.registry.load();
      expect(state.seq).toBe(40);
      expect(state.servers).toHaveLength(40);
    });

    test('names a slug or tool name that is taken, and keeps nothing of that commit', async () => {
      const { registry } = await openEmpty();
      await registry.commit(0, [
        put.api(api('api_1', 'demo')),
        put.tool(tool('tool_1', 'api_1', 'get')),
        put.server(server('srv_1', 'main')),
        put.key(key('key_1', 'hash')),
      ]);
      const refusals: [RegistryChange, string][] = [
        [put.api(api('api_2', 'demo')), 'Another API already has this slug.'],
        [put.tool(tool('tool_2', 'api_1', 'get')), 'Another tool of this API already has this name.'],
        [put.server(server('srv_2', 'main')), 'Another server already has this slug.'],
        [put.key(key('key_2', 'hash')), 'This access key already exists.'],
      ];
      for (const [change, message] of refusals) {
        await expect(registry.commit(1, [put.server(server('srv_9')), change])).rejects.toMatchObject({
          code: 'conflict',
          message,
        });
      }
      const state = await registry.load();
      expect(state.seq).toBe(1);
      expect(state.servers.map((s) => s.id)).toEqual(['srv_1']);
      expect(await registry.commit(1, [put.server(server('srv_9'))])).toBe(2);
    });

    test('lets entities swap unique names, or take over one that is given up, in one commit', async () => {
      const { registry } = await openEmpty();
      await registry.commit(0, [
        put.api(api('api_1', 'a')),
        put.api(api('api_2', 'b')),
        put.api(api('api_3', 'c')),
      ]);
      const swap: RegistryChange[] = [
        put.api(api('api_1', 'b')),
        put.api(api('api_2', 'a')),
        put.api(api('api_4', 'c')),
        { op: 'delete', kind: 'api', id: 'api_3' },
      ];
      expect(await registry.commit(1, swap)).toBe(2);
      expect((await registry.load()).apis.map((a) => [a.id, a.slug])).toEqual([
        ['api_1', 'b'],
        ['api_2', 'a'],
        ['api_4', 'c'],
      ]);
    });

    test('applies the last change when one commit touches an entity twice', async () => {
      const { registry } = await openEmpty();
      await registry.commit(0, [
        put.api(api('api_1', 'a')),
        put.api(api('api_1', 'b')),
        put.api(api('api_2')),
        { op: 'delete', kind: 'api', id: 'api_2' },
      ]);
      expect((await registry.load()).apis.map((a) => a.slug)).toEqual(['b']);
    });

    test('deletes an API only together with its tools and credentials, in any order', async () => {
      const { registry } = await openEmpty();
      await registry.commit(0, [
        put.api(api('api_1')),
        put.tool(tool('tool_1', 'api_1')),
        put.credential(credential('cred_1', 'api_1')),
      ]);
      await expect(registry.commit(1, [{ op: 'delete', kind: 'api', id: 'api_1' }])).rejects.toMatchObject({
        code: 'conflict',
      });
      await expect(registry.commit(1, [put.tool(tool('tool_2', 'api_9'))])).rejects.toMatchObject({
        code: 'conflict',
      });
      const all: RegistryChange[] = [
        { op: 'delete', kind: 'api', id: 'api_1' },
        { op: 'delete', kind: 'tool', id: 'tool_1' },
        { op: 'delete', kind: 'credential', id: 'cred_1' },
      ];
      expect(await registry.commit(1, all)).toBe(2);
      expect(await registry.load()).toMatchObject({ seq: 2, apis: [], tools: [], credentials: [] });
    });

    test('tells what changed since a sequence number, each entity once and as it is now', async () => {
      const { registry } = await openEmpty();
      const named = { serverId: 'srv_1', toolId: 'tool_1', name: 'x' };
      await registry.commit(0, [put.api(api('api_1')), put.server(server('srv_1'))]);
      await registry.commit(1, [
        put.tool(tool('tool_1', 'api_1')),
        { op: 'put', kind: 'given-name', entity: named },
      ]);
      await registry.commit(2, [
        put.tool(tool('tool_1', 'api_1', 'renamed')),
        { op: 'delete', kind: 'server', id: 'srv_1' },
      ]);
      expect(await registry.changesSince(3)).toEqual({ seq: 3, changes: [], setAside: [] });
      expect(await registry.changesSince(1)).toEqual({
        seq: 3,
        changes: [
          { op: 'delete', kind: 'server', id: 'srv_1' },
          put.tool(tool('tool_1', 'api_1', 'renamed')),
          { op: 'put', kind: 'given-name', entity: named },
        ],
        setAside: [],
      });
      await registry.commit(3, [{ op: 'delete', kind: 'given-name', serverId: 'srv_1', toolId: 'tool_1' }]);
      expect(await registry.changesSince(3)).toEqual({
        seq: 4,
        changes: [{ op: 'delete', kind: 'given-name', serverId: 'srv_1', toolId: 'tool_1' }],
        setAside: [],
      });
    });

    test('asks to load again when the feed does not reach back, or the number is from another history', async () => {
      const { registry } = await openEmpty();
      const many = Array.from(
        { length: 12_000 },
        (_, i) => ({ op: 'delete', kind: 'server', id: `srv_${i}` }) as const,
      );
      await registry.commit(0, many);
      expect((await registry.changesSince(0))?.changes).toHaveLength(12_000);
      await registry.commit(1, many);
      expect(await registry.changesSince(0)).toBeNull();
      expect((await registry.changesSince(1))?.changes).toHaveLength(12_000);
      expect(await registry.changesSince(9)).toBeNull();
    });

    test('takes ten thousand tools in one commit', async () => {
      const { registry } = await openEmpty();
      const tools = Array.from({ length: 10_000 }, (_, i) =>
        tool(`tool_${String(i).padStart(5, '0')}`, 'api_1'),
      );
      expect(await registry.commit(0, [put.api(api('api_1')), ...tools.map(put.tool)])).toBe(1);
      expect((await registry.load()).tools).toEqual(tools);
    });
  });

  describe(`watching ${name}`, () => {
    test('calls back when another store commits, and no more once stopped', async () => {
      const place = await makeEmpty();
      const [one, two] = [await open(place), await open(place)];
      let seen = () => {};
      const heard = new Promise<void>((resolve) => (seen = resolve));
      const stop = await one.watch(() => seen());
      await two.registry.commit(0, [put.server(server('srv_1'))]);
      await heard;
      expect((await one.registry.changesSince(0))?.changes).toEqual([put.server(server('srv_1'))]);
      await stop();
      await stop();
      let late = 0;
      seen = () => late++;
      await two.registry.commit(1, [put.server(server('srv_2'))]);
      // A second watcher that hears of the commit proves that the first had its chance.
      const other = await one.watch(() => {});
      await other();
      expect(late).toBe(0);
    });
  });
}
