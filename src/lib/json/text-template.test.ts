import { expect, it } from 'vitest';
import { splitTemplate } from './text-template.ts';

it.each([
  ['', [{ text: '' }]],
  ['a {{ b }} c', [{ text: 'a ' }, { expression: 'b' }, { text: ' c' }]],
  ['{{a}}{{b}}', [{ text: '' }, { expression: 'a' }, { text: '' }, { expression: 'b' }, { text: '' }]],
  ['{{ never closed', [{ text: '{{ never closed' }]],
  ['empty {{ }} stays', [{ text: 'empty {{ }}' }, { text: ' stays' }]],
])('takes %j apart', (template, parts) => {
  expect(splitTemplate(template)).toEqual(parts);
});
