import { expect, test } from 'vitest';
import { waterfallOf } from './waterfall.ts';
import fc from '../../../../../test/support/property.ts';

test('a record without steps shows the upstream’s share', () => {
  expect(waterfallOf({ steps: [], durationMs: 10, upstreamMs: 5 })).toEqual([
    { name: 'upstream', durationMs: 5, start: 0, width: 0.5 },
  ]);
  expect(waterfallOf({ steps: [], durationMs: 3, upstreamMs: null })).toEqual([
    { name: 'total', durationMs: 3, start: 0, width: 1 },
  ]);
});

test('no span exceeds the chart, whatever the clock said', () => {
  const step = fc.record({ name: fc.constant('send'), startMs: fc.nat(1000), durationMs: fc.nat(1000) });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1 }), fc.nat(1000), (steps, durationMs) => {
      for (const { start, width } of waterfallOf({ steps, durationMs, upstreamMs: null }))
        expect(start + width).toBeLessThanOrEqual(1.000001);
    }),
  );
});
