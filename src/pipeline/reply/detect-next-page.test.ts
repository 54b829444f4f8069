import { expect, it } from 'vitest';
import { mayHaveNextPage } from './detect-next-page.ts';

const object = (text: string) => Buffer.from(`{${text}}`);
const long = `"text":"${'a fox, an axe, extra '.repeat(200)}"`;

it.each([
  ['a short object', '"items":[],"next":"b"'],
  ['an object with a longer name', '"items":[],"nextPageToken":"b"'],
  ['an object with a capital', '"NextMarker":"b"'],
  ['the beginning of a long object', `"next":"b",${long}`],
  ['the end of a long object', `${long},"paging":{"cursors":{"next":"b"}}`],
])('finds it in %s', (_, text) => {
  expect(mayHaveNextPage(object(text))).toBe(true);
});

it.each([
  ['a list', Buffer.from('["next"]')],
  ['nothing', Buffer.alloc(0)],
  ['a short object without it', object('"exit":"text","extra":1')],
  ['the middle of a long object', object(`${long},"next":1,${long}`)],
  ['an object that ends too early', object('"nex')],
])('does not in %s', (_, body) => {
  expect(mayHaveNextPage(body)).toBe(false);
});
