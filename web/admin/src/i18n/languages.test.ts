import { expect, test } from 'vitest';
import { en } from './en.ts';
import { es } from './es.ts';
import { fill, type Text } from './fill.ts';

const forms = (text: Text): string[] => (typeof text === 'string' ? [text] : [text.one, text.other]);
const places = (text: Text): string[] =>
  [...new Set(forms(text).flatMap((form) => form.match(/\{\w+\}/g) ?? []))].toSorted();

test('Spanish has the same keys as English', () => {
  expect(Object.keys(es).toSorted()).toEqual(Object.keys(en).toSorted());
});

test('no text is empty', () => {
  for (const table of [en, es]) {
    const empty = Object.entries(table).filter(([, text]) => forms(text).some((form) => form.trim() === ''));
    expect(empty).toEqual([]);
  }
});

test('both languages use the same placeholders', () => {
  const keys = Object.keys(en) as (keyof typeof en)[];
  expect(keys.map((key) => [key, places(es[key])])).toEqual(keys.map((key) => [key, places(en[key])]));
});

test('selects the plural form and formats numbers for the language', () => {
  expect(fill({ one: '{count} tool', other: '{count} tools' }, { count: 1 })).toBe('1 tool');
  expect(fill({ one: '{count} herramienta', other: '{count} herramientas' }, { count: 12345 }, 'es')).toBe(
    '12.345 herramientas',
  );
});

test('leaves a placeholder without a value unchanged', () => {
  expect(fill('Hello {name}')).toBe('Hello {name}');
});
