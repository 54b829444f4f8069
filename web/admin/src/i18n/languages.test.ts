import { expect, test } from 'vitest';
import { en } from './en.ts';
import { es } from './es.ts';
import { fill, type Text } from './fill.ts';

const forms = (text: Text): string[] => (typeof text === 'string' ? [text] : [text.one, text.other]);
const places = (text: Text): string[] =>
  [...new Set(forms(text).flatMap((form) => form.match(/\{\w+\}/g) ?? []))].toSorted();

test('Spanish has every text that English has, and no other', () => {
  expect(Object.keys(es).toSorted()).toEqual(Object.keys(en).toSorted());
});

test('no text is empty', () => {
  for (const table of [en, es]) {
    const empty = Object.entries(table).filter(([, text]) => forms(text).some((form) => form.trim() === ''));
    expect(empty).toEqual([]);
  }
});

test('both languages fill the same places', () => {
  const keys = Object.keys(en) as (keyof typeof en)[];
  expect(keys.map((key) => [key, places(es[key])])).toEqual(keys.map((key) => [key, places(en[key])]));
});

test('chooses the form by number and writes numbers the way the language does', () => {
  expect(fill({ one: '{count} tool', other: '{count} tools' }, { count: 1 })).toBe('1 tool');
  expect(fill({ one: '{count} herramienta', other: '{count} herramientas' }, { count: 12345 }, 'es')).toBe(
    '12.345 herramientas',
  );
});

test('leaves a place alone that was not given', () => {
  expect(fill('Hello {name}')).toBe('Hello {name}');
});
