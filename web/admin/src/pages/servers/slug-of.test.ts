import { expect, test } from 'vitest';
import { slugOf } from './slug-of.ts';

test('turns a name into a slug', () => {
  expect(slugOf('  Información del Tiempo! ')).toBe('informacion-del-tiempo');
  expect(slugOf('日本')).toBe('');
  expect(slugOf('a'.repeat(39) + ' b')).toBe('a'.repeat(39));
});
