import { expect, test } from 'vitest';
import { slugOf } from './slug-of.ts';

test('makes an address of a name', () => {
  expect(slugOf('  Información del Tiempo! ')).toBe('informacion-del-tiempo');
  expect(slugOf('日本')).toBe('');
  expect(slugOf('a'.repeat(39) + ' b')).toBe('a'.repeat(39));
});
