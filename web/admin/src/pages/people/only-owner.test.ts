import { expect, test } from 'vitest';
import { isOnlyOwner } from './only-owner.ts';

const ann = { id: 'ann', role: 'owner', state: 'active' } as const;
const ben = { id: 'ben', role: 'owner', state: 'active' } as const;

test.each([
  ['alone', ann, [ann], true],
  ['beside an editor', ann, [ann, { ...ben, role: 'editor' }], true],
  ['beside an owner who was only invited', ann, [ann, { ...ben, state: 'invited' }], true],
  ['beside another owner', ann, [ann, ben], false],
  ['who is only invited', { ...ben, state: 'invited' }, [ann, { ...ben, state: 'invited' }], false],
  ['who is an editor', { ...ben, role: 'editor' }, [ann, { ...ben, role: 'editor' }], false],
] as const)('somebody %s', (_who, person, all, only) => {
  expect(isOnlyOwner(person, all)).toBe(only);
});
