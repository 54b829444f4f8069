import { describe, expect, it } from 'vitest';
import { largest, sharesOf } from './token-shares.ts';

const tools = [
  { tags: ['orders'], tokens: 10 },
  { tags: ['users', 'admin'], tokens: 30 },
  { tags: [], tokens: 5 },
  { tags: ['orders'], tokens: 25 },
];
const shares = sharesOf(
  tools,
  ({ tokens }) => tokens,
  ({ tags }) => tags,
);

describe('token costs of groups of tools', () => {
  it('are summed per group, largest first', () => {
    expect(shares).toEqual([
      { name: 'orders', tools: 2, tokens: 35 },
      { name: 'users', tools: 1, tokens: 30 },
      { name: 'admin', tools: 1, tokens: 30 },
    ]);
  });

  it.each([
    [5, 3, null],
    [2, 3, null],
    [1, 1, { groups: 2, tools: 2, tokens: 60 }],
  ])('shows %i groups individually', (most, alone, others) => {
    const told = largest(shares, most);
    expect([told.shown.length, told.others]).toEqual([alone, others]);
  });
});
