import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { batchPerTick } from './batch-per-tick.ts';

describe('a turn at a time', () => {
  it('handles what one turn brings when it ends, in order and once', async () => {
    const handled: number[] = [];
    const add = batchPerTick((item: number) => handled.push(item));
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
    const add = batchPerTick((item: number) => {
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

  it('handles the others of a turn when one of them throws', async () => {
    const handled: number[] = [];
    const add = batchPerTick((item: number) => {
      if (item === 2) throw new Error('two');
      handled.push(item);
    });
    const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
    const others = process.rawListeners('uncaughtException').slice(0, -1) as ((error: Error) => void)[];
    for (const other of others) process.off('uncaughtException', other);
    for (const item of [1, 2, 3, 4]) add(item);
    const error = await thrown;
    for (const other of others) process.on('uncaughtException', other);
    while (handled.length < 3) await nextTurn();
    expect(error).toEqual(new Error('two'));
    expect(handled).toEqual([1, 3, 4]);
  });
});
