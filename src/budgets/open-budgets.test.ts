import { describe, expect, it } from 'vitest';
import { createTroubles } from './open-budgets.ts';

describe('a ledger that is away', () => {
  function start() {
    const said: string[] = [];
    const clock = { nowMs: 0 };
    const troubles = createTroubles(
      {
        warn: (_: unknown, text?: string) => said.push(text!.slice(0, 31)),
        info: (text: unknown) => said.push(String(text)),
      },
      () => clock.nowMs,
    );
    const [asks, members] = [troubles.noticedBy('asks'), troubles.noticedBy('members')];
    return { said, clock, troubles, asks, members };
  }

  it('is told of once, whoever notices, and once when everybody has it back', () => {
    const { said, clock, troubles, asks, members } = start();
    asks.ended();
    expect([said, troubles.isAway()]).toEqual([[], false]);
    for (let i = 0; i < 3; i++) for (const each of [asks, members]) each.began(new Error('away'));
    asks.ended();
    expect([said, troubles.isAway()]).toEqual([['shared limits cannot be asked f'], true]);
    for (let i = 0; i < 20; i++, clock.nowMs += 2_000) members.ended();
    expect(said).toEqual(['shared limits cannot be asked f', 'shared limits can be asked for again']);
    expect(troubles.isAway()).toBe(false);
    members.began(new Error('away'));
    expect(said).toHaveLength(3);
  });

  it('is one trouble while it comes and goes', () => {
    const { said, clock, troubles, asks, members } = start();
    for (let i = 0; i < 50; i++, clock.nowMs += 2_000) {
      asks.began(new Error('slow'));
      expect(troubles.isAway()).toBe(true);
      asks.ended();
      members.ended();
      expect(troubles.isAway()).toBe(false);
    }
    expect(said).toEqual(['shared limits cannot be asked f']);
  });
});
