import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../domain/json-schema.ts';
import { fillBodyTemplate, parseBodyTemplate } from './body-template.ts';
import fc from '../../../test/support/property.ts';

const fill = (template: string, values: Record<string, JsonValue>) =>
  fillBodyTemplate(parseBodyTemplate(template), values);

describe('a body template', () => {
  it('knows its placeholders', () => {
    expect(parseBodyTemplate('{"a":"{{x}}","b":{{ y }}}').placeholders).toEqual(['x', 'y']);
  });

  it.each([
    ['{"a":"{{x}}"}', { x: 'say "hi"\n' }, { a: 'say "hi"\n' }],
    ['{"a":{{x}}}', { x: 'text' }, { a: 'text' }],
    ['{"a":{{x}},"b":"n={{x}}"}', { x: 3 }, { a: 3, b: 'n=3' }],
    ['{"a":{{x}}}', { x: [1, { b: 'c' }] }, { a: [1, { b: 'c' }] }],
    ['{"a":"{{x}}"}', { x: ['q"'] }, { a: '["q\\""]' }],
    ['{"a":{{x}},"b":"{{x}}"}', {}, { a: null, b: '' }],
    ['{"a\\"{{x}}":1}', { x: 'k' }, { 'a"k': 1 }],
    ['{"a":"{{x}}"}', { x: '$1 $& {{y}}' }, { a: '$1 $& {{y}}' }],
  ])('%s filled with %j is the JSON %j', (template, values, expected) => {
    expect(JSON.parse(fill(template, values as Record<string, JsonValue>))).toEqual(expected);
  });

  it('stays valid JSON whatever is put in', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const filled = JSON.parse(
          fill('{"raw":{{v}},"quoted":"<{{t}}>"}', { v: value as JsonValue, t: text }),
        ) as { raw: unknown; quoted: string };
        expect(filled.raw).toEqual(JSON.parse(JSON.stringify(value)));
        expect(filled.quoted).toBe(`<${JSON.parse(JSON.stringify(text)) as string}>`);
      }),
    );
  });
});
