import { expect, test } from 'vitest';
import { changesOf, changesSince, clashesOf } from './merge.ts';

const base = { name: 'a', description: 'b', tags: ['x'] };

test('a field that was changed back is not a change', () => {
  expect(changesOf(base, { name: 'a', tags: ['x'] })).toEqual({});
  expect(changesOf(base, { name: 'z', tags: ['x'] })).toEqual({ name: 'z' });
});

test('what was edited while a save was under way is kept', () => {
  expect(changesSince<Partial<typeof base>>({ name: 'z' }, { name: 'z', tags: ['y'] })).toEqual({
    tags: ['y'],
  });
  expect(changesSince({ name: 'z' }, { name: 'later' })).toEqual({ name: 'later' });
  expect(changesSince({ tags: ['y'] }, { tags: ['y'] })).toEqual({});
});

test('two people who changed different fields do not clash', () => {
  expect(clashesOf(base, { ...base, description: 'theirs' }, { name: 'mine' })).toEqual([]);
});

test('two people who changed the same field to different values clash', () => {
  expect(clashesOf(base, { ...base, name: 'theirs' }, { name: 'mine' })).toEqual([
    { field: 'name', base: 'a', theirs: 'theirs', mine: 'mine' },
  ]);
});

test('two people who changed the same field to the same value do not clash', () => {
  expect(clashesOf(base, { ...base, tags: ['y'] }, { tags: ['y'] })).toEqual([]);
});
