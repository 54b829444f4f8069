import { describe, expect, it } from 'vitest';
import { tokensOf } from './script-tokens.ts';

const kinds = (script: string) =>
  tokensOf(script)
    .filter(({ kind }) => kind !== 'space')
    .map(({ kind, text }) => `${kind} ${text}`);

describe('the tokens of a script', () => {
  it.each([
    [
      'words and names',
      'const a = await b',
      ['keyword const', 'name a', 'mark =', 'keyword await', 'name b'],
    ],
    ['texts that hold quotes', `'it\\'s' + "a 'b'"`, [`text 'it\\'s'`, 'mark +', `text "a 'b'"`]],
    ['a text that is not closed ends with its line', `'open\nx`, [`text 'open`, 'name x']],
    [
      'a template with a script in it',
      '`a${ {b: 1}.b }c`',
      ['text `a${', 'mark {', 'name b', 'mark :', 'number 1', 'mark }', 'mark .', 'name b', 'text }c`'],
    ],
    ['remarks', 'x // y\n/* z', ['name x', 'remark // y', 'remark /* z']],
    [
      'an expression, and a division',
      'a / b; x = /[/]\\//g',
      ['name a', 'mark /', 'name b', 'mark ;', 'name x', 'mark =', 'text /[/]\\//g'],
    ],
    [
      'marks of two characters',
      'a?.b => ...c',
      ['name a', 'mark ?.', 'name b', 'mark =>', 'mark ...', 'name c'],
    ],
  ])('are %s', (_, script, expected) => {
    expect(kinds(script)).toEqual(expected);
  });

  it.each(['`${`${', '}}}`', '/', '"\\', '\u0000', '🙂 é', "/*'", '`\\'])(
    'leave out nothing of %j',
    (script) => {
      expect(
        tokensOf(script)
          .map(({ text }) => text)
          .join(''),
      ).toBe(script);
    },
  );
});
