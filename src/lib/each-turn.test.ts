import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eachTurn } from './each-turn.ts';

describe('a turn at a time', () => {
  it('handles what one turn brings when it ends, in order and once', async () => {
    const handled: number[] = [];
    const add = eachTurn((item: number) => handled.push(item));
    add(1);
    add(2);
    expect(handled).toEqual([]);
    await nextTurn();
    expect(handled).toEqual([1, 2]);
    await nextTurn();
    expect(handled).toEqual([1, 2]);
  });

  it('leaves what is added while it handles to the next turn', async () => {
    const turns: number[][] = [];
    const add = eachTurn((item: number) => {
      turns.at(-1)!.push(item);
      if (item < 3) add(item + 1);
    });
    add(1);
    for (let turn = 0; turn < 4; turn++) {
      turns.push([]);
      await nextTurn();
    }
    expect(turns.filter((items) => items.length > 0)).toEqual([[1], [2], [3]]);
  });
});
