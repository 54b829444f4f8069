import { describe, expect, it } from 'vitest';
import { createIdleLook } from './release-when-idle.ts';

const mb = 2 ** 20;

/** A process whose requests and heap the test sets, and how often its memory was released. */
function idleProcess(heapTotal: number, heapUsed: number) {
  const state = { requests: 0, released: 0 };
  const look = createIdleLook(
    () => state.requests,
    () => ({ heapTotal: heapTotal * mb, heapUsed: heapUsed * mb }),
    async () => {
      state.released++;
    },
  );
  return { state, look };
}

describe('memory of an idle gateway', () => {
  it('is released once for each quiet period', async () => {
    const { state, look } = idleProcess(67, 40);
    await look();
    await look();
    expect(state.released).toBe(1);
    state.requests++;
    await look();
    expect(state.released).toBe(1);
    await look();
    await look();
    expect(state.released).toBe(2);
  });

  it('stays where there is little to gain, or much to look through', async () => {
    for (const [total, used] of [
      [38, 33],
      [400, 300],
    ] as const) {
      const { state, look } = idleProcess(total, used);
      await look();
      expect(state.released).toBe(0);
    }
  });
});
