import { expect, test } from 'vitest';
import { fromLocalField, queryOf, readFilter, toLocalField, writeFilter } from './filter.ts';

test('a filter survives the URL', () => {
  const filter = { tool: 'weather_get', outcome: 'error', range: '24h', text: 'a & b', parent: 'call_1' };
  expect(readFilter(new URLSearchParams(writeFilter(filter).toString()))).toEqual(filter);
});

test('ignores unknown filters', () => {
  expect(readFilter(new URLSearchParams('tab=x&tool='))).toEqual({});
});

test('a range begins on a whole minute', () => {
  expect(queryOf({ range: '1h', tool: 'x' }, Date.UTC(2026, 0, 1, 12, 30, 45))).toEqual({
    tool: 'x',
    from: '2026-01-01T11:30:00.000Z',
  });
});

test('an explicit time wins over a range, and survives its field', () => {
  const from = '2026-01-01T10:00:00.000Z';
  expect(queryOf({ range: '1h', from }, Date.UTC(2026, 0, 1, 12))).toEqual({ from });
  expect(fromLocalField(toLocalField(from))).toBe(from);
  expect(fromLocalField('')).toBeUndefined();
  expect(toLocalField('nonsense')).toBe('');
});
