import { describe, expect, it } from 'vitest';
import { createWorkQueue } from './work-queue.ts';

function held() {
  let release = (): void => {};
  const promise = new Promise<void>((resolve) => (release = resolve));
  return { promise, release };
}

describe('a work queue', () => {
  it('runs so many at once, the others in order, and refuses when too many wait', async () => {
    const queue = createWorkQueue({ running: 2, waiting: 2 });
    const begun: number[] = [];
    const works = [0, 1, 2, 3].map(held);
    const runs = works.map(({ promise }, i) =>
      queue.run(async () => {
        begun.push(i);
        await promise;
        return i;
      }),
    );
    expect(queue.run(async () => 4)).toBeNull();
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    works[1]!.release();
    await runs[1];
    await expect.poll(() => begun).toEqual([0, 1, 2]);
    for (const { release } of works) release();
    expect(await Promise.all(runs.map(async (run) => run))).toEqual([0, 1, 2, 3]);
    expect(await queue.run(async () => 5)).toBe(5);
  });

  it('gives the turn on after work that failed, and after a wait that was ended', async () => {
    const queue = createWorkQueue({ running: 1, waiting: 5 });
    await expect(queue.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const first = held();
    const running = queue.run(() => first.promise);
    const canceled = queue.run(async () => 'never', { signal: AbortSignal.abort(new Error('gone')) });
    const last = queue.run(async () => 'last');
    first.release();
    await running;
    await expect(canceled).rejects.toThrow('gone');
    expect(await last).toBe('last');
  });

  it('lets callers take turns with each other, and none take all', async () => {
    const queue = createWorkQueue({ running: 2, runningEach: 1, waiting: 7, waitingEach: 4 });
    const begun: string[] = [];
    const works = new Map<string, ReturnType<typeof held>>();
    const runs: (Promise<void> | null)[] = [];
    const ask = (caller: string, name: string): boolean => {
      const work = held();
      works.set(name, work);
      const run = queue.run(
        async () => {
          begun.push(name);
          await work.promise;
        },
        { caller },
      );
      runs.push(run);
      return run !== null;
    };
    expect(['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map((name) => ask('a', name))).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(['b1', 'b2', 'b3'].map((name) => ask('b', name))).toEqual([true, true, true]);
    expect(ask('c', 'c1')).toBe(true);
    // All that may wait does.
    expect(ask('d', 'd1')).toBe(false);
    await expect.poll(() => begun).toEqual(['a1', 'b1']);
    for (const [ended, next] of [
      ['b1', 'b2'],
      ['b2', 'c1'],
      ['c1', 'b3'],
      ['a1', 'a2'],
    ] as const) {
      works.get(ended)!.release();
      await expect.poll(() => begun.at(-1)).toBe(next);
    }
    for (const { release } of works.values()) release();
    await Promise.all(runs.map(async (run) => run));
    expect(begun.slice(6)).toEqual(['a3', 'a4', 'a5']);
  });
});
