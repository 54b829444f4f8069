import { describe, expect, it } from 'vitest';
import { manualTicks } from '../../../test/support/timing/manual-ticks.ts';
import { createSlicedWork, type Steps } from './sliced-work.ts';

describe('work in slices', () => {
  it('does a bounded amount of work in each tick, and lets jobs take turns', async () => {
    const ticks = manualTicks();
    const work = createSlicedWork(10, ticks.schedule);
    const log: string[] = [];
    function* job(name: string, steps: number): Steps<string> {
      for (let n = 0; n < steps; n++) {
        log.push(name);
        yield 4;
      }
      return name;
    }
    const jobs = [work.run(job('a', 7)), work.run(job('b', 2)), work.run(job('c', 3))];
    const perTick: string[] = [];
    while (ticks.run()) perTick.push(log.splice(0).join(''));
    expect(await Promise.all(jobs)).toEqual(['a', 'b', 'c']);
    // A job that ends early leaves the rest of its slice to the next one.
    expect(perTick).toEqual(['aaa', 'bbc', 'aaa', 'cca', '']);
  });

  it('does one piece of work that cannot be divided in each tick', async () => {
    const ticks = manualTicks();
    const work = createSlicedWork(10, ticks.schedule);
    const log: number[] = [];
    const jobs = [1, 2, 3].map((n) => work.runWhole(() => log.push(n)));
    const perTick: number[][] = [];
    while (ticks.run()) perTick.push(log.splice(0));
    await Promise.all(jobs);
    expect(perTick).toEqual([[1], [2], [3]]);
  });

  it('ends a job that throws, and no other', async () => {
    const ticks = manualTicks();
    const work = createSlicedWork(10, ticks.schedule);
    // oxlint-disable-next-line require-yield -- it never gets that far
    function* failing(): Steps<void> {
      throw new Error('broken');
    }
    function* fine(): Steps<number> {
      yield 20;
      return 1;
    }
    const jobs = [work.run(failing()), work.run(fine())];
    const settled = Promise.allSettled(jobs);
    while (ticks.run());
    expect(await settled).toEqual([
      { status: 'rejected', reason: new Error('broken') },
      { status: 'fulfilled', value: 1 },
    ]);
  });

  it('wakes those who wait for some slices, at the latest when there is no more work', async () => {
    const ticks = manualTicks();
    const work = createSlicedWork(1, ticks.schedule);
    function* long(): Steps<void> {
      for (let n = 0; n < 4; n++) yield 1;
    }
    await work.afterSlices(1);
    void work.run(long());
    const woken: number[] = [];
    for (const count of [2, 100]) void work.afterSlices(count).then(() => woken.push(count));
    const after: number[][] = [];
    while (ticks.run()) {
      await Promise.resolve();
      after.push([...woken]);
    }
    expect(after).toEqual([[], [2], [2], [2], [2, 100]]);
  });
});
