import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/storage/ports.ts';
import { writeCalls } from '../write-calls.ts';

import { put, server } from './entities.ts';
import { callRecord } from '../call-record.ts';
import type { StorePlace } from './place.ts';

/** The promises of call records. */
export function describeCalls({ name, openEmpty }: StorePlace): void {
  describe(`call records on ${name}`, () => {
    test('come back as they were added', async () => {
      const { calls } = await openEmpty();
      const full = callRecord(1, {
        parentId: 'call_00000000',
        cached: true,
        message: 'tool\'s "text" \\ % _ é 😀',
      });
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
        parentId: 'call_00000001',
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
      const waiting = callRecord(4, { toolName: 'wait', outcome: 'waiting' });
      await writeCalls(calls, [callRecord(1), odd, callRecord(3), waiting]);
      const ids = async (filter: Parameters<Store['calls']['find']>[0]) => {
        const found = (await calls.find(filter, 10)).calls.map((call) => call.id);
        expect((await calls.count(filter)).count).toBe(found.length);
        return found;
      };
      for (const filter of [
        { parentId: 'call_00000001' },
        { parentId: 'call_00000001', toolName: 'send', fromMs: odd.startedAtMs },
        { toolName: 'send' },
        { toolId: 'tool_2' },
        { apiSlug: 'mail' },
        { serverSlug: 'team' },
        { callerId: 'key:1' },
        { clientName: 'other' },
        { surface: 'rest' },
        { outcome: 'upstream_status' },
        { outcome: 'error' },
        { outcome: 'api' },
        { outcome: 'api', serverSlug: 'team' },
        { upstreamStatus: 500 },
        { fromMs: odd.startedAtMs, toMs: odd.startedAtMs + 1 },
        { toolName: 'send', serverSlug: 'team', outcome: 'error', fromMs: odd.startedAtMs },
      ] as const) {
        expect(await ids(filter)).toEqual([odd.id]);
      }
      expect(await ids({ outcome: 'ok' })).toEqual([callRecord(3).id, callRecord(1).id]);
      expect(await ids({ outcome: 'waiting' })).toEqual([waiting.id]);
      expect(await ids({ toolName: 'wait', outcome: 'error' })).toEqual([]);
      expect(await ids({ outcome: 'agent' })).toEqual([]);
      expect(await ids({ outcome: 'refused' })).toEqual([]);
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

    test('lose their contents from the oldest on, and nothing else', async () => {
      const { calls } = await openEmpty();
      const contents = { message: 'one\ntwo', readText: 'some', replyOutline: '{}', readTokens: 2 };
      const records = Array.from({ length: 2_600 }, (_, i) => callRecord(i, i % 3 === 0 ? contents : {}));
      for (let at = 0; at < records.length; at += 100) await writeCalls(calls, records.slice(at, at + 100));
      const beforeMs = callRecord(2_500).startedAtMs;
      const dropAll = async (fromMs: number) => {
        for (let next: number | null = fromMs, steps = 0; next !== null; steps++) {
          if (steps > 1_000) throw new Error('It never ends.');
          next = await calls.dropContents(next, beforeMs);
        }
      };
      await dropAll(0);
      await dropAll(0);
      const none = { argumentsText: null, replyText: null, readText: null, replyOutline: null };
      for (const number of [0, 1, 1_500, 2_499]) {
        const message = number % 3 === 0 ? 'one' : null;
        expect(await calls.get(callRecord(number).id)).toEqual({ ...records[number]!, ...none, message });
      }
      for (const number of [2_500, 2_599])
        expect(await calls.get(callRecord(number).id)).toEqual(records[number]);
      expect((await calls.count({ text: 'Paris' })).count).toBe(2_600);
      expect((await calls.count({ text: 'clear' })).count).toBe(100);
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
}
