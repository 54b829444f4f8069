import { describe, expect, test } from 'vitest';
import type { JournalledRun } from '../../../src/storage/ports.ts';
import type { StorePlace } from './place.ts';

const run = (id: string, startedAtMs = 1_000): JournalledRun => ({
  id,
  head: '{"serverSlug":"shop"}',
  process: 'host 1',
  startedAtMs,
});
const effect = (callId: string, beganAtMs = 1_001) => ({ callId, tool: 'tools.shop.order', beganAtMs });

/** The promises of the journal of scripts. */
export function describeScriptJournal({ name, makeEmpty, open, openEmpty }: StorePlace): void {
  describe(`the journal of scripts on ${name}`, () => {
    test('keeps what a run is about to do and what became of it, also after it is opened again', async () => {
      const place = await makeEmpty();
      const { scriptJournal: journal } = await open(place);
      await journal.intend(run('call_1'), effect('call_2', 1_001));
      await journal.intend(run('call_1'), effect('call_3', 1_002));
      await journal.settle('call_2', 'done');
      for (const { scriptJournal } of [{ scriptJournal: journal }, await open(place)]) {
        expect(await scriptJournal.unended()).toEqual([run('call_1')]);
        expect(await scriptJournal.effectsOf('call_1')).toEqual([
          { ...effect('call_2', 1_001), state: 'done' },
          { ...effect('call_3', 1_002), state: null },
        ]);
      }
    });

    test('knows the runs that have no end, the oldest first, and each until it ends', async () => {
      const { scriptJournal: journal } = await openEmpty();
      await journal.intend(run('call_2', 2_000), effect('call_21'));
      await journal.intend(run('call_1', 1_000), effect('call_11'));
      expect((await journal.unended()).map(({ id }) => id)).toEqual(['call_1', 'call_2']);
      await journal.end('call_1', 3_000);
      expect((await journal.unended()).map(({ id }) => id)).toEqual(['call_2']);
      expect(await journal.effectsOf('call_3')).toEqual([]);
    });

    test('gives a run to one of many that want to take it over, over two stores', async () => {
      const place = await makeEmpty();
      const stores = [await open(place), await open(place)];
      await stores[0]!.scriptJournal.intend(run('call_1'), effect('call_2'));
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          stores[n % 2]!.scriptJournal.claim('call_1', 'host 1', `host ${n + 2}`),
        ),
      );
      expect(claims.filter(Boolean)).toHaveLength(1);
      const [taken] = await stores[1]!.scriptJournal.unended();
      expect(taken!.process).toBe(`host ${claims.indexOf(true) + 2}`);
      expect(await stores[0]!.scriptJournal.claim('call_1', 'host 1', 'host 20')).toBe(false);
    });

    test('removes runs that have ended and are old, with what they did, and no others', async () => {
      const { scriptJournal: journal } = await openEmpty();
      for (const [id, startedAtMs] of [
        ['call_1', 1_000],
        ['call_2', 1_000],
        ['call_3', 9_000],
      ] as const)
        await journal.intend(run(id, startedAtMs), effect(`${id}1`));
      await journal.end('call_1', 1_500);
      await journal.end('call_3', 9_500);
      await journal.removeBefore(5_000);
      expect(await journal.effectsOf('call_1')).toEqual([]);
      expect(await journal.effectsOf('call_3')).toHaveLength(1);
      expect((await journal.unended()).map(({ id }) => id)).toEqual(['call_2']);
      expect(await journal.effectsOf('call_2')).toHaveLength(1);
    });
  });
}
