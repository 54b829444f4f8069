import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BudgetAsk } from '../../../src/budgets/ledger.ts';
import type { BudgetLedger } from '../../../src/budgets/store-coordinator.ts';

/** Several ways to one ledger that is empty, and how to end them. */
interface OpenLedger<T> {
  readonly ways: readonly T[];
  close(): Promise<void>;
}

/** What every ledger of shared limits has to do, whoever keeps it. */
export function describeGrants(
  keptBy: string,
  open: () => Promise<OpenLedger<Pick<BudgetLedger, 'ask'>>>,
): void {
  describe(`limits that ${keptBy} keeps`, () => {
    let at: readonly Pick<BudgetLedger, 'ask'>[];
    let close: () => Promise<void>;
    beforeEach(async () => {
      ({ ways: at, close } = await open());
    });
    afterEach(() => close());

    it('are granted once, however many ask at once and in whichever order', async () => {
      const granted = { a: 0, b: 0 };
      await Promise.all(
        at.map(async (ledger, number) => {
          for (let round = 0; round < 30; round++) {
            const keys = number % 2 === 0 ? (['a', 'b'] as const) : (['b', 'a'] as const);
            const spent = round === 0 ? [] : [[0, 1] as const];
            const answers = await ledger.ask(
              `member ${number}`,
              at.length,
              keys.map((key) => rate(key, 20, { spent, want: 1 })),
            );
            for (const [place, key] of keys.entries()) granted[key] += answers[place]!.granted;
            if (answers.every((answer) => answer.granted === 0)) break;
          }
        }),
      );
      // Each unit that was granted was told as spent in the next round.
      for (const units of Object.values(granted)) {
        expect(units).toBeGreaterThanOrEqual(17);
        expect(units).toBeLessThanOrEqual(20);
      }
    });

    it('are all granted by the time that many have asked for one at a time', async () => {
      const taken = await Promise.all(
        at.map(async (ledger, number) => {
          let held = 0;
          for (let round = 0; round < 60; round++) {
            const [answer] = await ledger.ask(`member ${number}`, at.length, [turns('all', 40, held, 1)]);
            held += answer!.granted;
          }
          return held;
        }),
      );
      expect(taken.reduce((sum, units) => sum + units, 0)).toBe(40);
    });

    it('come back when turns are given back, and tell others how much to keep', async () => {
      const [first, second] = at;
      expect(await first!.ask('a', 2, [turns('few', 4, 0, 4)])).toEqual([
        { granted: 2, retryInMs: 0, mayHold: 4 },
      ]);
      expect((await first!.ask('a', 2, [turns('few', 4, 2, 2)]))[0]!.granted).toBe(1);
      expect((await first!.ask('a', 2, [turns('few', 4, 3, 1)]))[0]!.granted).toBe(1);
      const [none] = await second!.ask('b', 2, [turns('few', 4, 0, 1)]);
      expect(none!.granted).toBe(0);
      expect(none!.retryInMs).toBeGreaterThan(0);
      expect((await first!.ask('a', 2, [turns('few', 4, 4, 0)]))[0]!.mayHold).toBe(2);
      await first!.ask('a', 2, [turns('few', 4, 2, 0)]);
      expect((await second!.ask('b', 2, [turns('few', 4, 0, 1)]))[0]!.granted).toBe(1);
    });

    it('count what was spent before, wherever it was told', async () => {
      const [first, second] = at;
      await first!.ask('a', 2, [rate('told', 10, { spent: [[1_000, 9]], want: 0 })]);
      expect((await second!.ask('b', 2, [rate('told', 10, { want: 10 })]))[0]!.granted).toBe(1);
      const [none] = await first!.ask('a', 2, [rate('told', 10, { want: 10 })]);
      expect(none!.granted).toBe(0);
      // What is long past counts no more.
      await first!.ask('a', 2, [rate('past', 10, { spent: [[60_000, 10]], want: 0 })]);
      expect((await second!.ask('b', 1, [rate('past', 10, { want: 10 })]))[0]!.granted).toBe(5);
    });

    it('are answered in their order, many at once', async () => {
      const [first] = at;
      const asks = Array.from({ length: 500 }, (_, number) => turns(`many ${number}`, number + 1, 0, 1_000));
      const answers = await first!.ask('a', 1, asks);
      expect(answers.map(({ granted }) => granted)).toEqual(asks.map(({ most }) => most));
    });
  });
}

/** What a ledger that machines share knows of who they are. */
export function describeMembers(keptBy: string, open: () => Promise<OpenLedger<BudgetLedger>>): void {
  it(`knows who shares the limits that ${keptBy} keeps, until they leave or are not heard of any more`, async () => {
    const {
      ways: [first],
      close,
    } = await open();
    const ledger = first!;
    expect(await ledger.join('a', 600_000)).toBe(1);
    expect(await ledger.join('b', 600_000)).toBe(2);
    expect(await ledger.join('a', 600_000)).toBe(2);
    await ledger.leave('b');
    expect(await ledger.join('a', 600_000)).toBe(1);
    await ledger.join('c', 1);
    await expect.poll(() => ledger.join('a', 600_000)).toBe(1);
    await close();
  });
}

const rate = (key: string, most: number, of: Partial<BudgetAsk>): BudgetAsk => ({
  key,
  most,
  windowMs: 60_000,
  spent: [],
  held: 0,
  want: most,
  ...of,
});

const turns = (key: string, most: number, held: number, want: number): BudgetAsk => ({
  key,
  most,
  windowMs: 0,
  spent: [],
  held,
  want,
});
