import { afterEach, describe, expect, test } from 'vitest';
import type { AccessKey } from '../../src/domain/access-key.ts';
import type { AdminSession } from '../../src/domain/admin.ts';
import type { Api } from '../../src/domain/api.ts';
import type { AuditEntry } from '../../src/domain/audit.ts';
import type { CallRecord } from '../../src/domain/call.ts';
import type { Credential } from '../../src/domain/credential.ts';
import type { Server } from '../../src/domain/server.ts';
import type { Tool } from '../../src/domain/tool.ts';
import type { StoreOptions } from '../../src/storage/open-store.ts';
import { openStore } from '../../src/storage/open-store.ts';
import type { AuditFilter, RegistryChange, Store } from '../../src/storage/ports.ts';
import { RollupSums } from '../../src/storage/roll-up.ts';
import { bundle } from './bundle.ts';
import { startChild } from './child.ts';
import { writeCalls } from './write-calls.ts';

const version = { revision: 1, createdAtMs: 1_700_000_000_000, updatedAtMs: 1_700_000_000_000 };

const api = (id: string, slug = id): Api => ({
  id,
  slug,
  name: slug,
  baseUrl: 'https://api.example.com',
  headers: {},
  auth: { kind: 'none' },
  limits: {},
  enabled: true,
  ...version,
});

const tool = (id: string, apiId: string, name = id): Tool => ({
  id,
  apiId,
  name,
  description: 'Says "hello" — with ünïcode, \u0000 and \ud800',
  tags: [],
  annotations: {},
  operation: { method: 'GET', path: '/', parameters: [] },
  reply: {},
  limits: {},
  enabled: true,
  ...version,
});

const server = (id: string, slug = id): Server => ({
  id,
  slug,
  name: slug,
  tools: [{ all: true }],
  overrides: {},
  policy: { kind: 'open' },
  ratePerMinute: 0,
  enabled: true,
  ...version,
});

const credential = (id: string, apiId: string): Credential => ({
  id,
  apiId,
  name: 'key',
  kind: 'bearer',
  fields: ['token'],
  origins: ['https://api.example.com'],
  sealed: 'v1.abc',
  ...version,
});

const key = (id: string, hash = id): AccessKey => ({ id, name: id, hash, hint: 'hr_', ...version });

const put = {
  api: (entity: Api): RegistryChange => ({ op: 'put', kind: 'api', entity }),
  tool: (entity: Tool): RegistryChange => ({ op: 'put', kind: 'tool', entity }),
  server: (entity: Server): RegistryChange => ({ op: 'put', kind: 'server', entity }),
  credential: (entity: Credential): RegistryChange => ({ op: 'put', kind: 'credential', entity }),
  key: (entity: AccessKey): RegistryChange => ({ op: 'put', kind: 'key', entity }),
};

/** A call record with this number in its id and time. */
export const callRecord = (number: number, changes: Partial<CallRecord> = {}): CallRecord => ({
  id: `call_${String(number).padStart(8, '0')}`,
  toolId: 'tool_1',
  toolName: 'weather_get',
  apiSlug: 'demo',
  serverSlug: 'default',
  surface: 'mcp',
  callerId: 'anonymous',
  callerLabel: 'anonymous',
  clientName: 'inspector',
  clientVersion: '2.0',
  startedAtMs: 1_700_000_000_000 + number,
  durationMs: 12.5,
  upstreamMs: 10.25,
  upstreamStatus: 200,
  outcome: 'ok',
  message: null,
  tries: 1,
  cached: false,
  requestBytes: 10,
  replyBytes: 5_000_000_000,
  argumentsText: '{"city":"Paris"}',
  replyText: '{"sky":"clear"}',
  requestLine: 'GET https://api.example.com/weather?city=Paris',
  outputTokens: 3,
  steps: [{ name: 'send', startMs: 0.5, durationMs: 11, note: 'HTTP 200' }],
  ...changes,
});

/** Proves that a store keeps the promises of src/storage/ports.ts; `makeEmpty` makes a new, empty place for one. */
export function describeStore(name: string, makeEmpty: () => Promise<StoreOptions>): void {
  const opened: Store[] = [];
  const open = async (place: StoreOptions): Promise<Store> => {
    const store = await openStore(place);
    opened.push(store);
    return store;
  };
  const openEmpty = async () => open(await makeEmpty());
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });

  describe(`the registry on ${name}`, () => {
    test('is empty at sequence number 0 when new', async () => {
      const store = await openEmpty();
      expect(store.kind).toBe(name.toLowerCase() === 'sqlite' ? 'sqlite' : 'postgres');
      expect(await store.registry.load()).toEqual({
        seq: 0,
        apis: [],
        tools: [],
        servers: [],
        credentials: [],
        keys: [],
        admins: [],
        settings: [],
        givenNames: [],
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
        put.key(key('key_1')),
        { op: 'put', kind: 'setting', entity: { id: 'egress', value: '["10.0.0.0/8"]' } },
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
          credentials: [
            credential('cred_1', 'api_1'),
            { ...credential('cred_2', 'api_1'), callerId: 'key:1' },
          ],
          keys: [key('key_1')],
          admins: [],
          settings: [{ id: 'egress', value: '["10.0.0.0/8"]' }],
          givenNames: [{ serverId: 'srv_1', toolId: 'tool_2', name: 'demo_weather' }],
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
        [put.api(api('api_2', 'demo')), 'Another API has this slug already.'],
        [put.tool(tool('tool_2', 'api_1', 'get')), 'Another tool of this API has this name already.'],
        [put.server(server('srv_2', 'main')), 'Another server has this slug already.'],
        [put.key(key('key_2', 'hash')), 'This access key exists already.'],
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
      expect(await registry.changesSince(3)).toEqual({ seq: 3, changes: [] });
      expect(await registry.changesSince(1)).toEqual({
        seq: 3,
        changes: [
          { op: 'delete', kind: 'server', id: 'srv_1' },
          put.tool(tool('tool_1', 'api_1', 'renamed')),
          { op: 'put', kind: 'given-name', entity: named },
        ],
      });
      await registry.commit(3, [{ op: 'delete', kind: 'given-name', serverId: 'srv_1', toolId: 'tool_1' }]);
      expect(await registry.changesSince(3)).toEqual({
        seq: 4,
        changes: [{ op: 'delete', kind: 'given-name', serverId: 'srv_1', toolId: 'tool_1' }],
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

  describe(`call records on ${name}`, () => {
    test('come back as they were added', async () => {
      const { calls } = await openEmpty();
      const full = callRecord(1, { cached: true, message: 'tool\'s "text" \\ % _ é 😀' });
      const bare = callRecord(2, {
        toolId: null,
        apiSlug: null,
        clientName: null,
        clientVersion: null,
        upstreamMs: null,
        upstreamStatus: null,
        outcome: 'unknown_tool',
        argumentsText: null,
        replyText: null,
        requestLine: null,
      });
      await writeCalls(calls, [full, bare]);
      await writeCalls(calls, []);
      expect(await calls.get(full.id)).toEqual(full);
      expect(await calls.get(bare.id)).toEqual(bare);
      expect(await calls.get('call_none')).toBeNull();
    });

    test('are left alone when a batch is sent again', async () => {
      const { calls } = await openEmpty();
      const batch = [callRecord(1), callRecord(2)];
      await writeCalls(calls, batch);
      await writeCalls(calls, batch);
      await writeCalls(calls, [callRecord(3)]);
      expect((await calls.count({})).count).toBe(3);
    });

    test('keep text that a database cannot hold, with its unstorable characters replaced', async () => {
      const { calls } = await openEmpty();
      await writeCalls(calls, [
        callRecord(1, { toolName: 'a\u0000b', argumentsText: 'lone \ud800 surrogate, 😀 pair' }),
      ]);
      expect(await calls.get(callRecord(1).id)).toMatchObject({
        toolName: 'a\ufffdb',
        argumentsText: 'lone \ufffd surrogate, 😀 pair',
      });
      // What cannot be stored can be looked for all the same.
      expect((await calls.count({ toolName: 'a\u0000b', text: 'lone \ud800' })).count).toBe(1);
      expect(await calls.get('call_\u0000')).toBeNull();
    });

    test('are paged newest first without gap or repetition, also within one millisecond', async () => {
      const { calls } = await openEmpty();
      const records = Array.from({ length: 25 }, (_, i) =>
        callRecord(i, { startedAtMs: 1_700_000_000_000 + Math.floor(i / 10) }),
      );
      await writeCalls(calls, records);
      const seen: string[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < 10; pages++) {
        const page = await calls.find({}, 7, cursor);
        seen.push(...page.calls.map((call) => call.id));
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      expect(seen).toEqual(records.map((r) => r.id).toReversed());
      expect((await calls.find({}, 25)).nextCursor).toBeNull();
    });

    test('refuse a cursor that no page gave', async () => {
      const { calls } = await openEmpty();
      for (const cursor of ['', 'x', Buffer.from("1:' or 1=1").toString('base64url')]) {
        await expect(calls.find({}, 5, cursor)).rejects.toMatchObject({ code: 'invalid_request' });
      }
    });

    test('are found by every filter, alone and together', async () => {
      const { calls } = await openEmpty();
      const odd = callRecord(2, {
        toolName: 'send',
        toolId: 'tool_2',
        apiSlug: 'mail',
        serverSlug: 'team',
        callerId: 'key:1',
        clientName: 'other',
        surface: 'rest',
        outcome: 'upstream_status',
        upstreamStatus: 500,
      });
      await writeCalls(calls, [callRecord(1), odd, callRecord(3)]);
      const ids = async (filter: Parameters<Store['calls']['find']>[0]) => {
        const found = (await calls.find(filter, 10)).calls.map((call) => call.id);
        expect((await calls.count(filter)).count).toBe(found.length);
        return found;
      };
      for (const filter of [
        { toolName: 'send' },
        { toolId: 'tool_2' },
        { apiSlug: 'mail' },
        { serverSlug: 'team' },
        { callerId: 'key:1' },
        { clientName: 'other' },
        { surface: 'rest' },
        { outcome: 'upstream_status' },
        { outcome: 'error' },
        { upstreamStatus: 500 },
        { fromMs: odd.startedAtMs, toMs: odd.startedAtMs + 1 },
        { toolName: 'send', serverSlug: 'team', outcome: 'error', fromMs: odd.startedAtMs },
      ] as const) {
        expect(await ids(filter)).toEqual([odd.id]);
      }
      expect(await ids({ outcome: 'ok' })).toEqual([callRecord(3).id, callRecord(1).id]);
      expect(await ids({ toolName: 'send', serverSlug: 'default' })).toEqual([]);
    });

    test('are found by text in any of the searched columns, letter case ignored, wildcards taken literally', async () => {
      const { calls } = await openEmpty();
      await writeCalls(calls, [
        callRecord(1, { toolName: 'Needle_one' }),
        callRecord(2, { argumentsText: '{"q":"NEEDLE"}' }),
        callRecord(3, { replyText: 'a needle' }),
        callRecord(4, { requestLine: 'GET https://x/Needle' }),
        callRecord(5, { message: 'needle missing' }),
        callRecord(6, { replyText: '100% sure_thing \\ [x] * ? ÉCOLE straße' }),
      ]);
      const found = async (text: string) => (await calls.find({ text }, 10)).calls.map((call) => call.id);
      expect(await found('nEEdle')).toHaveLength(5);
      for (const text of [
        '100%',
        '0% SURE',
        'sure_thing',
        '\\ [',
        '[x] * ?',
        'école',
        'ÉCOLE',
        'É',
        '* ? É',
        'STRASS',
        'Straß',
      ]) {
        expect([text, await found(text)]).toEqual([text, text === 'STRASS' ? [] : [callRecord(6).id]]);
      }
      for (const text of ['1%0', 'needle%x', 'sure-thing', 'n_edle', '[É]', '*É'])
        expect(await found(text)).toEqual([]);
      expect(await found('')).toHaveLength(6);
      await expect(calls.find({ text: 'x'.repeat(1_001) }, 10)).rejects.toMatchObject({
        code: 'invalid_request',
      });
    });

    test('are searched through to the oldest, however many lie between', async () => {
      const { calls } = await openEmpty();
      const records = Array.from({ length: 1_300 }, (_, i) =>
        callRecord(i, {
          startedAtMs: 1_700_000_000_000 + Math.floor(i / 3),
          replyText: i % 400 === 0 ? 'needle' : 'hay',
        }),
      );
      await writeCalls(calls, records);
      const wanted = [1_200, 800, 400, 0].map((i) => callRecord(i).id);
      const first = await calls.find({ text: 'needle', toMs: 1_700_000_000_500 }, 3);
      const second = await calls.find({ text: 'needle', toMs: 1_700_000_000_500 }, 3, first.nextCursor!);
      expect([...first.calls, ...second.calls].map((call) => call.id)).toEqual(wanted);
      expect(second.nextCursor).toBeNull();
      expect((await calls.count({ text: 'needle' })).count).toBe(4);
      expect((await calls.count({ text: 'needle', fromMs: records[400]!.startedAtMs })).count).toBe(3);
    });

    test('are purged from the oldest on, at most as many as asked', async () => {
      const { calls } = await openEmpty();
      await writeCalls(
        calls,
        Array.from({ length: 20 }, (_, i) => callRecord(i)),
      );
      const before = callRecord(15).startedAtMs;
      expect(await calls.purge(before, 10)).toBe(10);
      expect(await calls.get(callRecord(9).id)).toBeNull();
      expect(await calls.get(callRecord(10).id)).not.toBeNull();
      expect(await calls.purge(before, 10)).toBe(5);
      expect(await calls.purge(before, 10)).toBe(0);
      expect((await calls.count({})).count).toBe(5);
    });

    test('can be added while the registry is written to', async () => {
      const { calls, registry } = await openEmpty();
      await Promise.all([
        ...Array.from({ length: 10 }, (_, b) =>
          writeCalls(
            calls,
            Array.from({ length: 250 }, (_unused, i) => callRecord(b * 250 + i)),
          ),
        ),
        (async () => {
          for (let seq = 0; seq < 10; seq++)
            expect(await registry.commit(seq, [put.server(server(`srv_${seq}`))])).toBe(seq + 1);
        })(),
      ]);
      expect((await calls.count({})).count).toBe(2_500);
      expect((await registry.load()).seq).toBe(10);
    });
  });

  describe(`roll-ups on ${name}`, () => {
    const day = 86_400_000;
    const start = Math.floor(1_700_000_000_000 / day) * day;
    const span = { fromMs: start, toMs: start + day };

    test('add up what was recorded, by minute, hour and day', async () => {
      const { rollups } = await openEmpty();
      const records = [
        callRecord(1, { startedAtMs: start + 1, durationMs: 1, outcome: 'ok' }),
        callRecord(2, { startedAtMs: start + 2, durationMs: 100, outcome: 'upstream_timeout' }),
        callRecord(3, { startedAtMs: start + 3_600_000, durationMs: 1e9, outcome: 'ok', toolName: 'other' }),
      ];
      const sums = new RollupSums();
      for (const batch of [records.slice(0, 2), records.slice(2)]) {
        const ofBatch = new RollupSums();
        for (const record of batch) ofBatch.add(record);
        sums.absorb(ofBatch);
        await rollups.add(sums.take());
      }
      const counts = async (width: 'minute' | 'hour' | 'day') =>
        (await rollups.find({ dimension: 'all', width, ...span })).map(({ calls: all, errors }) => [
          all,
          errors,
        ]);
      expect(await counts('minute')).toEqual([
        [2, 1],
        [1, 0],
      ]);
      expect(await counts('hour')).toEqual([
        [2, 1],
        [1, 0],
      ]);
      expect(await counts('day')).toEqual([[3, 1]]);
      const [whole] = await rollups.find({ dimension: 'all', width: 'day', ...span });
      expect(whole!.histogram.reduce((sum, count) => sum + count, 0)).toBe(3);
      expect([whole!.histogram[0], whole!.histogram.at(-1)]).toEqual([1, 1]);
      expect(whole!.outputTokens).toBe(9);
    });

    test('are grouped by name, and found by name and by having errors', async () => {
      const { rollups } = await openEmpty();
      const sums = new RollupSums();
      sums.add(callRecord(1, { startedAtMs: start, toolName: 'a', outcome: 'ok' }));
      sums.add(callRecord(2, { startedAtMs: start + 60_000, toolName: 'a', outcome: 'ok' }));
      sums.add(callRecord(3, { startedAtMs: start, toolName: 'b', outcome: 'internal' }));
      await rollups.add(sums.take());
      const groups = await rollups.sumByName({ dimension: 'tool', width: 'minute', ...span });
      expect(groups.map((group) => [group.name, group.calls, group.errors]).sort()).toEqual([
        ['a', 2, 0],
        ['b', 1, 1],
      ]);
      const failed = await rollups.findErrors({ dimension: 'tool', width: 'hour', ...span });
      expect(failed).toEqual([{ name: 'b', label: 'b', startMs: start, errors: 1 }]);
      const named = await rollups.find({ dimension: 'tool', width: 'minute', ...span, name: 'a' });
      expect(named).toHaveLength(2);
    });

    test('take every name: one that is cut within a character, and a client that is called null', async () => {
      const { rollups } = await openEmpty();
      const sums = new RollupSums();
      const callerId = `${'x'.repeat(199)}😀`;
      sums.add(callRecord(1, { startedAtMs: start, callerId, clientName: null }));
      sums.add(callRecord(2, { startedAtMs: start, callerId, clientName: 'null' }));
      await rollups.add(sums.take());
      const named = async (dimension: 'caller' | 'client') =>
        (await rollups.find({ dimension, width: 'day', ...span })).map((row) => [row.name, row.calls]).sort();
      expect(await named('caller')).toEqual([[`${'x'.repeat(199)}\ufffd`, 2]]);
      expect(await named('client')).toEqual([
        ['', 1],
        ['null', 1],
      ]);
    });

    test('are purged by width', async () => {
      const { rollups } = await openEmpty();
      const sums = new RollupSums();
      sums.add(callRecord(1, { startedAtMs: start }));
      await rollups.add(sums.take());
      await rollups.purge('minute', start + day);
      expect(await rollups.find({ dimension: 'all', width: 'minute', ...span })).toEqual([]);
      expect(await rollups.find({ dimension: 'all', width: 'day', ...span })).toHaveLength(1);
    });
  });

  describe(`counting call records on ${name}`, () => {
    test('stops at what it was told, and says so', async () => {
      const { calls } = await openEmpty();
      await writeCalls(
        calls,
        [1, 2, 3, 4, 5].map((n) => callRecord(n)),
      );
      expect(await calls.count({}, 3)).toEqual({ count: 3, exact: false });
      expect(await calls.count({}, 5)).toEqual({ count: 5, exact: true });
    });
  });

  describe(`the audit log on ${name}`, () => {
    const entry = (number: number, changes: Partial<AuditEntry> = {}): AuditEntry => ({
      id: `audit_${String(number).padStart(26, '0')}`,
      atMs: number,
      actorId: 'admin_1',
      actorLabel: 'Ada \ud800',
      address: null,
      action: 'tool.update',
      subjectKind: 'tool',
      subjectId: 'tool_1',
      subjectLabel: null,
      before: '{"name":"a"}',
      after: null,
      ...changes,
    });

    test('is written with the change it tells about, or not at all', async () => {
      const store = await openEmpty();
      expect(await store.registry.commit(0, [put.api(api('api_1'))], [entry(1)])).toBe(1);
      expect(await store.registry.commit(0, [put.api(api('api_2'))], [entry(2)])).toBeNull();
      await expect(
        store.registry.commit(1, [put.api(api('api_3', 'api_1'))], [entry(3)]),
      ).rejects.toMatchObject({ code: 'conflict' });
      const { entries } = await store.audit.find({}, 10);
      expect(entries).toEqual([{ ...entry(1), actorLabel: 'Ada \ufffd' }]);
    });

    test('is read newest first, page by page, by actor, action, subject and time', async () => {
      const store = await openEmpty();
      await store.audit.add([1, 2, 3, 4, 5].map((n) => entry(n, { actorId: n % 2 ? 'odd' : 'even' })));
      const first = await store.audit.find({}, 2);
      expect(first.entries.map((each) => each.atMs)).toEqual([5, 4]);
      const second = await store.audit.find({}, 3, first.nextCursor!);
      expect(second.entries.map((each) => each.atMs)).toEqual([3, 2, 1]);
      expect(second.nextCursor).toBeNull();
      const times = async (filter: AuditFilter) =>
        (await store.audit.find(filter, 10)).entries.map((each) => each.atMs);
      expect(await times({ actorId: 'odd', fromMs: 2, toMs: 5 })).toEqual([3]);
      expect(await times({ action: 'tool.delete' })).toEqual([]);
      expect(await times({ subjectKind: 'tool', subjectId: 'tool_1', toMs: 2 })).toEqual([1]);
    });

    test('is searched by words, which are taken as they stand', async () => {
      const store = await openEmpty();
      await store.audit.add([
        entry(1, { actorLabel: 'Ada', after: '{"name":"100%_sure"}' }),
        entry(2, { actorLabel: 'Bob', subjectLabel: 'Weather in Berlin', after: '{"name":"100 is sure"}' }),
      ]);
      const times = async (search: string) =>
        (await store.audit.find({ search }, 10)).entries.map((each) => each.atMs);
      expect(await times('berlin bob')).toEqual([2]);
      expect(await times('100%_')).toEqual([1]);
      expect(await times('TOOL.update')).toEqual([2, 1]);
      expect(await times('ada berlin')).toEqual([]);
    });

    test('names everybody who stands in it, as they were called last', async () => {
      const store = await openEmpty();
      await store.audit.add([
        entry(1, { actorLabel: 'Ada' }),
        entry(2, { actorId: 'token', actorLabel: 'admin token' }),
        entry(3, { actorLabel: 'Countess' }),
      ]);
      expect((await store.audit.actors()).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
        { id: 'admin_1', label: 'Countess' },
        { id: 'token', label: 'admin token' },
      ]);
    });
  });

  describe(`sessions on ${name}`, () => {
    const session = (hash: string, adminId = 'admin_1'): AdminSession => ({
      hash,
      adminId,
      createdAtMs: 1,
      lastSeenAtMs: 1,
      expiresAtMs: 1_000,
      address: '127.0.0.1',
      userAgent: 'a browser',
    });

    test('are kept, touched, and ended one by one, all at once or when they expire', async () => {
      const { sessions } = await openEmpty();
      for (const each of [session('a'), session('b'), session('c', 'admin_2')]) await sessions.add(each);
      await sessions.touch('b', 500);
      expect((await sessions.listOf('admin_1')).map((each) => each.hash)).toEqual(['b', 'a']);
      expect(await sessions.get('a')).toEqual(session('a'));
      await sessions.removeAllOf('admin_1', 'b');
      expect(await sessions.get('a')).toBeNull();
      await sessions.remove('b');
      expect(await sessions.get('b')).toBeNull();
      await sessions.removeExpired(999);
      expect(await sessions.get('c')).not.toBeNull();
      await sessions.removeExpired(1_000);
      expect(await sessions.get('c')).toBeNull();
    });
  });

  describe(`facts on ${name}`, () => {
    test('are set, replaced and deleted by name', async () => {
      const { meta } = await openEmpty();
      expect(await meta.get('a')).toBeNull();
      await meta.set('a', '1');
      await meta.set('a', '2');
      expect(await meta.get('a')).toBe('2');
      await meta.delete('a');
      await meta.delete('a');
      expect(await meta.get('a')).toBeNull();
    });

    test('let the first of racing processes decide', async () => {
      const place = await makeEmpty();
      const stores = [await open(place), await open(place)];
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, i) => stores[i % 2]!.meta.setIfAbsent('key', `value ${i}`)),
      );
      expect(new Set(results).size).toBe(1);
      expect(await stores[0]!.meta.get('key')).toBe(results[0]);
    });
  });

  describe(`the life of a store on ${name}`, () => {
    test('answers a ping', async () => {
      await expect((await openEmpty()).ping()).resolves.toBeUndefined();
    });

    test(
      'five processes that start at once on an empty place all come up',
      { timeout: 120_000 },
      async () => {
        const place = await makeEmpty();
        const program = await bundle('test/support/store-program.ts');
        const children = Array.from({ length: 5 }, () =>
          startChild(program, ['open', JSON.stringify(place)]),
        );
        for (const child of children)
          expect(await child.ended).toEqual({ code: 0, signal: null, errors: '' });
        expect((await (await open(place)).registry.load()).seq).toBe(0);
      },
    );

    test(
      'keeps every acknowledged commit of a process that is killed in the middle of its work',
      { timeout: 120_000 },
      async () => {
        const place = await makeEmpty();
        const program = await bundle('test/support/store-program.ts');
        let acknowledged = 0;
        for (let kill = 0; kill < 10; kill++) {
          const child = startChild(program, ['commit', JSON.stringify(place)]);
          // The moment differs from round to round: after 1, 4, 7 … further commits.
          const until = acknowledged + 1 + kill * 3;
          for await (const line of child.lines) {
            acknowledged = Number(line);
            if (acknowledged >= until) break;
          }
          child.kill();
          await child.ended;
          const store = await openStore(place);
          const state = await store.registry.load();
          await store.close();
          // One more may have been written than the process lived to say.
          expect(state.seq).toBeGreaterThanOrEqual(acknowledged);
          expect(state.servers.map((s) => s.id).toSorted()).toEqual(
            Array.from({ length: state.seq }, (_, i) => `srv_${i + 1}`).toSorted(),
          );
          acknowledged = state.seq;
        }
        expect(acknowledged).toBeGreaterThanOrEqual(10);
      },
    );
  });
}
