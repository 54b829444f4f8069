import { expect, it } from 'vitest';
import { table } from './show.ts';

it('keeps escape sequences in names from the terminal', () => {
  expect(table(['NAME'], [['\u001b]0;title\u0007Ada\u001b[2J\nowner']])).toEqual([
    'NAME',
    ']0;title Ada [2J owner',
  ]);
});
