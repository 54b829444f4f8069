import { describe, expect, test } from 'vitest';
import { RollupSums } from '../../../src/storage/roll-up.ts';

import { callRecord } from '../call-record.ts';
import type { StorePlace } from './place.ts';

const byFirst = ([a]: readonly unknown[], [b]: readonly unknown[]) => (String(a) < String(b) ? -1 : 1);

/** The promises of roll-ups. */
export function describeRollups({ name, openEmpty }: StorePlace): void {
  describe(`roll-ups on ${name}`, () => {
    const day = 86_400_000;
    const start = Math.floor(1_700_000_000_000 / day) * day;
    const span = { fromMs: start, toMs: start + day };

    test('add up what was recorded, by minute, hour and day', async () => {
      const { rollups } = await openEmpty();
      const records = [
        callRecord(1, { startedAtMs: start + 1, durationMs: 1, outcome: 'ok' }),
        callRecord(2, { startedAtMs: start + 2, durationMs: 100, outcome: 'upstream_timeout' }),
        callRecord(3, {
          startedAtMs: start + 3_600_000,
          durationMs: 1e9,
          outcome: 'waiting',
          toolName: 'other',
        }),
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
      expect(groups.map((group) => [group.name, group.calls, group.errors]).sort(byFirst)).toEqual([
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
        (await rollups.find({ dimension, width: 'day', ...span }))
          .map((row) => [row.name, row.calls])
          .sort(byFirst);
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
}
