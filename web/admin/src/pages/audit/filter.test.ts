import { expect, test } from 'vitest';
import { queryOf, readFilter, writeFilter } from './filter.ts';

test('a filter survives the URL and drops unknown parts', () => {
  const filter = { actor: 'admin_1', kind: 'tool', subject: 'tool_1', range: '24h', search: 'a b' };
  expect(readFilter(new URLSearchParams(`${writeFilter(filter).toString()}&nonsense=1`))).toEqual(filter);
  expect(writeFilter({ search: '' }).toString()).toBe('');
});

test('a range becomes the whole minute at which it begins', () => {
  const nowMs = Date.parse('2026-05-02T12:00:30.500Z');
  expect(queryOf({ kind: 'key', range: '24h' }, nowMs)).toEqual({
    kind: 'key',
    from: '2026-05-01T12:00:00.000Z',
  });
  expect(queryOf({ range: 'for ever' }, nowMs)).toEqual({});
});
