import { describe, expect, it } from 'vitest';
import { createTurns } from './turns.ts';

function held() {
  let release = (): void => {};
  const promise = new Promise<void>((resolve) => (release = resolve));
  return { promise, release };
}

describe('turns', () => {
  it('runs so many at once, the others in order, and refuses when too many wait', async () => {
    const turns = createTurns(2, 2);
    const begun: number[] = [];
    const works = [0, 1, 2, 3].map(held);
    const runs = works.map(({ promise }, i) =>
      turns.run(async () => {
        begun.push(i);
        await promise;
        return i;
      }),
    );
    expect(turns.run(async () => 4)).toBeNull();
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    works[1]!.release();
    await runs[1];
    await expect.poll(() => begun).toEqual([0, 1, 2]);
    for (const { release } of works) release();
    expect(await Promise.all(runs.map(async (run) => run))).toEqual([0, 1, 2, 3]);
    expect(await turns.run(async () => 5)).toBe(5);
  });

  it('gives the turn on after work that failed, and after a wait that was ended', async () => {
    const turns = createTurns(1, 5);
    await expect(turns.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const first = held();
    const running = turns.run(() => first.promise);
    const cancelled = turns.run(async () => 'never', AbortSignal.abort(new Error('gone')));
    const last = turns.run(async () => 'last');
    first.release();
    await running;
    await expect(cancelled).rejects.toThrow('gone');
    expect(await last).toBe('last');
  });
});
