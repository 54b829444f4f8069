import { expect, test } from 'vitest';
import { formatsOf } from './format.ts';

test('formats sizes and durations with a suitable unit', () => {
  const { bytes, duration } = formatsOf('en');
  expect(bytes(999)).toBe('999 B');
  expect(bytes(1500)).toBe('1.5 kB');
  expect(duration(4.25)).toBe('4.3 ms');
  expect(duration(1500)).toBe('1.5 s');
});

test('says how long ago in words', () => {
  expect(formatsOf('en').ago(0, 120_000)).toBe('2 min. ago');
  expect(formatsOf('es').ago(0, 7_200_000)).toBe('hace 2 h');
});
