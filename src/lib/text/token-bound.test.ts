import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.ts';
import { countTokens } from '../../listing/tokens/count-tokens.ts';
import { tokenBound } from './token-bound.ts';

const rows = Array.from({ length: 200 }, (_, n) => ({ id: n * 7_919, name: `Thing ${n}`, price: n / 7 }));

describe('the bound on tokens', () => {
  it.each([
    ['nothing', ''],
    [
      'prose',
      'The quick brown fox jumps over the lazy dog, and nobody in the whole village minds. '.repeat(50),
    ],
    ['JSON', JSON.stringify(rows)],
    ['indented JSON', JSON.stringify(rows, null, 4)],
    ['escaped JSON', JSON.stringify(JSON.stringify(JSON.stringify(rows)))],
    ['a table', rows.map(({ id, name, price }) => `${id},${name},${price}`).join('\n')],
    ['XML', rows.map(({ id, name }) => `<row id="${id}"><name>${name}</name></row>`).join('\r\n')],
    ['ids', rows.map(({ id }) => `f${id.toString(16)}-4a7c-${id.toString(36)}b1`).join(' ')],
    ['base64', Buffer.from(Array.from({ length: 3_000 }, (_, n) => (n * n * 31) % 251)).toString('base64')],
    ['hex', Buffer.from(Array.from({ length: 3_000 }, (_, n) => (n * n * 31) % 251)).toString('hex')],
    ['capitals', 'THE ERROR_CODE IS INVALID_ARGUMENT_VALUE '.repeat(50)],
    ['code', 'export function takeAll(fromHere: readonly string[]): void { for (;;) return; }\n'.repeat(50)],
    ['Japanese', '天気予報は東京で明日晴れになるでしょう。会議に出席できます。'.repeat(50)],
    ['Russian', 'Съешь же ещё этих мягких французских булок, да выпей чаю. '.repeat(50)],
    ['Arabic', 'نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر '.repeat(50)],
    ['Hindi', 'ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण '.repeat(50)],
    ['Amharic', 'ሰማይ አይታረስ ንጉሥ አይከሰስ። ብላ ካለኝ እንደአባቴ በቆመጠኝ። '.repeat(50)],
    ['pictures', '😀🎉👩‍👩‍👧‍👦🏳️‍🌈🦄'.repeat(100)],
    ['empty lines', '\n'.repeat(3_000)],
  ])('is at least what the tokenizer counts: %s', (_name, text) => {
    expect(tokenBound(text)).toBeGreaterThanOrEqual(countTokens(text));
  });

  it('is at least that for JSON of any words, numbers and signs', () => {
    const value = fc.array(
      fc.dictionary(fc.string({ maxLength: 8 }), fc.oneof(fc.uuid(), fc.integer(), fc.double(), fc.lorem())),
      {
        minLength: 20,
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(value, (each) => {
        const text = JSON.stringify(each);
        expect(tokenBound(text)).toBeGreaterThanOrEqual(countTokens(text));
      }),
      { numRuns: 200 },
    );
  });

  it('lets prose through that is well within it', () => {
    const text =
      'It is a truth universally acknowledged that a single man must be in want of a wife. '.repeat(50);
    expect(tokenBound(text)).toBeLessThan(countTokens(text) * 1.6);
  });
});
