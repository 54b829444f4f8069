import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStoreCoordinator } from './store-coordinator.ts';

const silent = { began: () => {}, ended: () => {} };

describe('who shares the limits of a ledger', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function join(answers: readonly (number | 'away')[], atLeast = 1) {
    let at = 0;
    const left: string[] = [];
    const coordinator = createStoreCoordinator(
      {
        async join() {
          const answer = answers[at++] ?? answers.at(-1)!;
          if (answer === 'away') throw new Error('away');
          return answer;
        },
        leave: async (member) => void left.push(member),
        ask: async () => [],
      },
      silent,
      () => atLeast,
    );
    return { coordinator, left };
  }

  it('is still known for a moment when the ledger has lost its memory, and then as it is told', async () => {
    const { coordinator } = join([3, 3, 3, 1, 2, 2]);
    await coordinator.start();
    const seen = [coordinator.members()];
    for (let i = 0; i < 5; i++) {
      await vi.advanceTimersByTimeAsync(2_000);
      seen.push(coordinator.members());
    }
    expect(seen).toEqual([3, 3, 3, 3, 3, 2]);
    await coordinator.stop();
  });

  it('is what is known of this machine until the ledger was heard, and what was last known while it is away', async () => {
    const { coordinator, left } = join(['away', 6, 'away'], 2);
    expect(coordinator.members()).toBe(2);
    await coordinator.start();
    expect(coordinator.members()).toBe(2);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(coordinator.members()).toBe(6);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(coordinator.members()).toBe(6);
    // Nobody waits for a ledger that is away to take leave of it.
    await coordinator.stop();
    expect(left).toEqual([]);
  });
});
