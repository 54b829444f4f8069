import { describe, expect, it } from 'vitest';
import { LayeredMap } from './layered-map.ts';
import fc from '../../test/support/property.ts';

describe('a layered map', () => {
  const step = fc.record({
    kind: fc.constantFrom('set', 'set', 'set', 'delete', 'fork'),
    key: fc.integer({ min: 0, max: 60 }),
    value: fc.integer(),
  });

  it('holds what a plain map would, through any number of forks', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const plain = new Map<number, number>();
        let layered = LayeredMap.of<number, number>();
        for (const { kind, key, value } of steps) {
          if (kind === 'set') {
            plain.set(key, value);
            layered.set(key, value);
          } else if (kind === 'delete') {
            expect(layered.delete(key)).toBe(plain.delete(key));
          } else {
            layered = layered.fork();
          }
          expect(layered.size).toBe(plain.size);
          expect(layered.get(key)).toBe(plain.get(key));
        }
        expect(new Map(layered)).toEqual(plain);
        expect(new Set(layered.keys())).toEqual(new Set(plain.keys()));
      }),
    );
  });

  it('leaves the map it was forked from as it was', () => {
    const before = LayeredMap.of([['a', 1]]);
    const after = before.fork().set('a', 2).set('b', 3);
    after.delete('a');
    expect([...before]).toEqual([['a', 1]]);
    expect([...after]).toEqual([['b', 3]]);
  });

  it('keeps the order in which keys came', () => {
    const map = LayeredMap.of([
      ['a', 1],
      ['b', 2],
    ])
      .fork()
      .set('c', 3)
      .fork()
      .set('a', 9);
    expect([...map.keys()]).toEqual(['a', 'b', 'c']);
    expect([...map.values()]).toEqual([9, 2, 3]);
  });
});
