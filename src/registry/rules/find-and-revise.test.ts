import { expect, it } from 'vitest';
import { fresh, missing, revise } from './find-and-revise.ts';

const made = { ...fresh('x_1', { nowMs: 1_000 }), name: 'One', note: 'a note' as string | undefined };

it('something new is its first revision', () => {
  expect(made).toMatchObject({ id: 'x_1', revision: 1, createdAtMs: 1_000, updatedAtMs: 1_000 });
});

it.each([
  ['nobody says which revision', undefined],
  ['it is the one that was seen', 1],
])('is revised when %s', (_when, expected) => {
  expect(revise(made, { name: 'Two' }, expected, { nowMs: 2_000 })).toEqual({
    id: 'x_1',
    name: 'Two',
    note: 'a note',
    revision: 2,
    createdAtMs: 1_000,
    updatedAtMs: 2_000,
  });
  expect(made.name).toBe('One');
});

it.each([0, 2, 99])('is not revised by somebody who saw revision %i', (expected) => {
  expect(() => revise(made, { name: 'Two' }, expected, { nowMs: 2_000 })).toThrow(
    expect.objectContaining({ code: 'stale', details: { current: 1 } }),
  );
});

it('loses a field that is set to nothing', () => {
  expect(revise(made, { note: undefined }, undefined, { nowMs: 2_000 })).not.toHaveProperty('note');
});

it.each([
  ['short', 'There is no tool "short".'],
  ['x'.repeat(500), `There is no tool "${'x'.repeat(100)}".`],
  ['a"b\n', 'There is no tool "a\\"b\\n".'],
])('says what is missing, and no more of it than fits', (reference, message) => {
  expect(() => missing('tool', reference)).toThrow(expect.objectContaining({ code: 'not_found', message }));
});
