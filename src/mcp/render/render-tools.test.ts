import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.ts';
import { page } from './render-tools.ts';

const turn = (items: readonly string[], cursor?: string, size = 2) =>
  page(items, 'items', (item) => item, cursor, size);

describe('a list in pages', () => {
  it('has everything on one page unless it is asked for less', () => {
    expect(page(['a', 'b', 'c'], 'items', (item) => item, undefined)).toEqual({ items: ['a', 'b', 'c'] });
    expect(turn([])).toEqual({ items: [] });
  });

  it('shows what stays in the list once, whatever else goes between two pages', () => {
    const kept = fc.uniqueArray(fc.tuple(fc.string({ minLength: 1 }), fc.boolean()), {
      maxLength: 12,
      selector: ([name]) => name,
    });
    fc.assert(
      fc.property(kept, fc.integer({ min: 1, max: 4 }), (tools, size) => {
        const before = tools.map(([name]) => name);
        const first = turn(before, undefined, size);
        const last = first.items.at(-1);
        const after = tools.filter(([name, stays]) => stays || name === last).map(([name]) => name);
        const seen = [...first.items];
        for (let cursor = first.nextCursor; cursor !== undefined;) {
          const next = turn(after, cursor, size);
          seen.push(...next.items);
          cursor = next.nextCursor;
        }
        expect(seen).toEqual(before.filter((name) => after.includes(name) || first.items.includes(name)));
      }),
    );
  });

  it('has no place behind something that is gone', () => {
    const { nextCursor } = turn(['a', 'b', 'c']);
    expect(() => turn(['a', 'c'], nextCursor)).toThrow('Unknown cursor');
  });

  it('refuses a cursor it did not give', () => {
    for (const cursor of ['', '0', 'zzz', 'é'])
      expect(() => turn(['a', 'b'], cursor)).toThrow('Unknown cursor');
  });
});
