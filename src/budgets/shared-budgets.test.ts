import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Caller } from '../domain/call.ts';
import { concurrencyPolicy } from '../upstream/policies/concurrency.ts';
import { createLookUpLimit } from '../upstream/policies/rate-limit.ts';
import type { Server } from '../domain/server.ts';
import { createMemoryLedger, type MemoryLedger } from './memory-ledger.ts';
import { createSharedBudgets, type SharedBudgets } from './shared-budgets.ts';
import { createTroubles } from './open-budgets.ts';
import type { Reply } from '../pipeline/reply/reply.ts';
import type { SendContext } from '../pipeline/send.ts';
import type { SignedRequest } from '../pipeline/request/signed-request.ts';

const minuteMs = 60_000;

/** Processes that share limits, in one process: each has what a gateway has. */
function startProcesses(
  count: number,
  ledger: MemoryLedger = createMemoryLedger(Date.now),
  now: () => number = Date.now,
) {
  const state = { away: false, answersAfterMs: 2 };
  const troubles: unknown[] = [];
  const processes = Array.from({ length: count }, (_, at) =>
    createSharedBudgets(
      {
        members: () => count,
        async ask(asks) {
          await new Promise((resolve) => setTimeout(resolve, state.answersAfterMs));
          if (state.away) throw new Error('away');
          return ledger.ask(`process ${at}`, count, asks);
        },
      },
      now,
      createTroubles({ warn: (said: unknown) => troubles.push(said), info: () => {} }, now).noticedBy('asks'),
    ),
  );
  return { state, troubles, processes };
}

/** What a limit of so many calls a minute lets through, for one caller on one process. */
function limitOf(budgets: SharedBudgets, perMinute: number) {
  const admit = createLookUpLimit(Date.now, budgets);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that the limit reads
  const server = { id: 'server', slug: 'server', ratePerMinute: perMinute } as Server;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that the limit reads
  const caller = { id: 'caller' } as Caller;
  return async (): Promise<boolean> => {
    try {
      await admit(server, caller, 'look-up');
      return true;
    } catch {
      return false;
    }
  };
}

describe('a limit that processes share', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Lets processes be called in a rhythm for some minutes; tells when calls were let through. */
  async function callFor(
    minutes: number,
    tries: readonly (() => Promise<boolean>)[],
    everyMs: number,
  ): Promise<number[]> {
    const passed: number[] = [];
    const from = Date.now();
    const running: Promise<void>[] = [];
    for (let atMs = 0; atMs < minutes * minuteMs; atMs += everyMs) {
      for (const attempt of tries)
        running.push(
          (async () => {
            if (await attempt()) passed.push(Date.now() - from);
          })(),
        );
      await vi.advanceTimersByTimeAsync(everyMs);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(running);
    return passed;
  }

  const inEachMinute = (passed: readonly number[], minutes: number) =>
    Array.from(
      { length: minutes },
      (_, minute) => passed.filter((atMs) => Math.floor(atMs / minuteMs) === minute).length,
    );

  it.each([
    { called: 'all of them, much too often', which: [0, 1, 2, 3, 4, 5], everyMs: 100 },
    { called: 'all of them, a little too often', which: [0, 1, 2, 3, 4, 5], everyMs: 4_500 },
    { called: 'one of them', which: [3], everyMs: 100 },
    { called: 'two of them', which: [0, 5], everyMs: 700 },
  ])('lets 60 to 66 through in each minute when $called is called', async ({ which, everyMs }) => {
    const { processes } = startProcesses(6);
    const tries = which.map((at) => limitOf(processes[at]!, 60));
    const passed = await callFor(5, tries, everyMs);
    for (const calls of inEachMinute(passed, 5)) {
      expect(calls).toBeGreaterThanOrEqual(60);
      expect(calls).toBeLessThanOrEqual(66);
    }
  });

  it.each([1, 2, 5, 59, 600, 6_000])(
    'is never passed by more than a tenth in any minute: %i',
    async (most) => {
      const { processes } = startProcesses(4);
      const passed = await callFor(
        3,
        processes.map((each) => limitOf(each, most)).flatMap((one) => [one, one, one]),
        250,
      );
      let oldest = 0;
      for (let newest = 0; newest < passed.length; newest++) {
        while (passed[newest]! - passed[oldest]! >= minuteMs) oldest++;
        expect(newest - oldest + 1).toBeLessThanOrEqual(most * 1.1);
      }
      expect(passed.length).toBeGreaterThanOrEqual(Math.min(most * 2, 4_000));
    },
  );

  it('leaves each its share, at once, while nobody can be asked, and is whole again afterwards', async () => {
    const { state, processes, troubles } = startProcesses(6);
    state.away = true;
    const tries = processes.map((each) => limitOf(each, 60));
    expect(inEachMinute(await callFor(2, tries, 500), 2)).toEqual([60, 60]);
    // Each says so once, not with every call.
    expect(troubles).toHaveLength(6);
    state.away = false;
    await vi.advanceTimersByTimeAsync(2 * minuteMs);
    expect(inEachMinute(await callFor(1, [tries[2]!], 100), 1)[0]).toBeGreaterThanOrEqual(60);
  });

  it('does not make calls wait for a ledger that hangs', async () => {
    const { state, processes } = startProcesses(2);
    state.answersAfterMs = 3_600_000;
    const tries = processes.map((each) => limitOf(each, 4));
    const first = Promise.all(tries.map((attempt) => attempt()));
    await vi.advanceTimersByTimeAsync(300);
    expect(await first).toEqual([true, true]);
    // Nothing but the turn itself passes.
    expect(await Promise.all(tries.map((attempt) => attempt()))).toEqual([true, true]);
    expect(await Promise.all(tries.map((attempt) => attempt()))).toEqual([false, false]);
  });
});

describe('turns that processes share', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Sends that take a while, through the policy of one process; tells how many run at most, all together. */
  function senders(processes: readonly SharedBudgets[], most: number, takesMs: number) {
    const counts = { running: 0, most: 0, done: processes.map(() => 0) };
    const sends = processes.map((budgets, at) => {
      const send = concurrencyPolicy(
        Date.now,
        { running: 0, waiting: 0 },
        budgets,
      )(async () => {
        counts.most = Math.max(counts.most, ++counts.running);
        await new Promise((resolve) => setTimeout(resolve, takesMs));
        counts.running--;
        counts.done[at]!++;
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nobody reads it
        return {} as Reply;
      });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that the policy reads
      const context = {
        tool: { tool: { id: 'tool' }, api: { id: 'api', slug: 'api' } },
        limits: { maxConcurrent: most, maxQueued: 10_000 },
        deadlineMs: Date.now() + 3_600_000,
        signal: { aborted: false },
      } as unknown as SendContext;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nobody reads it
      return () => send({} as SignedRequest, context);
    });
    return { counts, sends };
  }

  it.each([
    { most: 1, bound: 1 },
    { most: 3, bound: 3 },
    { most: 10, bound: 10 },
    { most: 100, bound: 110 },
  ])(
    'are at most $bound together where $most is the limit, and everybody gets some',
    async ({ most, bound }) => {
      const { processes } = startProcesses(3);
      const { counts, sends } = senders(processes, most, 200);
      const running = sends.flatMap((send) => Array.from({ length: most * 10 }, () => send()));
      await vi.advanceTimersByTimeAsync(20_000);
      for (const done of counts.done) expect(done).toBeGreaterThan(0);
      await vi.advanceTimersByTimeAsync(60_000);
      await Promise.all(running);
      expect(counts.most).toBeGreaterThanOrEqual(most);
      expect(counts.most).toBeLessThanOrEqual(bound);
    },
  );

  it.each([2, 100, 400])(
    'go on where timers end before the clock says so, with a ledger that takes %i ms',
    async (answersAfterMs) => {
      // As where a turn of the event loop takes long: its timers count from when it began.
      const behind = () => Math.floor(Date.now() / 70) * 70;
      const { state, processes } = startProcesses(6, createMemoryLedger(Date.now), behind);
      state.answersAfterMs = answersAfterMs;
      const { counts, sends } = senders(processes, 4, 300);
      const running = sends.flatMap((send) => Array.from({ length: 10 }, () => send()));
      await vi.advanceTimersByTimeAsync(30_000);
      expect(counts.done).toEqual([10, 10, 10, 10, 10, 10]);
      expect(counts.most).toBe(4);
      await Promise.all(running);
    },
  );

  it.each([
    { state: 'take long', takesMs: 3_000, answersAfterMs: 2 },
    { state: 'wait for a ledger that takes its time', takesMs: 50, answersAfterMs: 400 },
    { state: 'take long and wait for it', takesMs: 3_000, answersAfterMs: 900 },
  ])('are not more than the limit where calls $state', async ({ takesMs, answersAfterMs }) => {
    const { state, processes } = startProcesses(6);
    state.answersAfterMs = answersAfterMs;
    const { counts, sends } = senders(processes, 4, takesMs);
    const running: Promise<Reply>[] = [];
    for (let i = 0; i < 12; i++) {
      running.push(...sends.map((send) => send()));
      await vi.advanceTimersByTimeAsync(130);
    }
    await vi.advanceTimersByTimeAsync(600_000);
    await Promise.all(running);
    expect(counts.most).toBe(4);
    // Long after everybody has given back what they had.
    running.push(...sends.map((send) => send()));
    await vi.advanceTimersByTimeAsync(60_000);
    await Promise.all(running);
    expect(counts.most).toBe(4);
  });

  it.each([
    { ledger: 'away', away: true, answersAfterMs: 2 },
    { ledger: 'hanging', away: false, answersAfterMs: 3_600_000 },
  ])("are each process's share while the ledger is $ledger", async ({ away, answersAfterMs }) => {
    const { state, processes } = startProcesses(3);
    const { counts, sends } = senders(processes, 6, 1_000);
    const running = sends.flatMap((send) => Array.from({ length: 20 }, () => send()));
    Object.assign(state, { away, answersAfterMs });
    await vi.advanceTimersByTimeAsync(30_000);
    await Promise.all(running);
    expect(counts).toMatchObject({ most: 6, done: [20, 20, 20] });
  });

  it('are kept for the next burst while nobody else wants them, so that it does not wait for the ledger', async () => {
    const { processes } = startProcesses(2);
    const { counts, sends } = senders(processes, 256, 30);
    const burst = async () => {
      const running = sends.flatMap((send) => Array.from({ length: 64 }, () => send()));
      const atOnce = counts.running;
      await vi.advanceTimersByTimeAsync(130);
      await Promise.all(running);
      return atOnce;
    };
    await burst();
    // The ledger is asked twice a second, also between two bursts.
    for (let i = 0; i < 50; i++) expect(await burst()).toBe(128);
  });

  it('all go to the one that needs them', async () => {
    const { processes } = startProcesses(4);
    const { counts, sends } = senders(processes, 12, 100);
    const running = Array.from({ length: 60 }, () => sends[2]!());
    await vi.advanceTimersByTimeAsync(10_000);
    await Promise.all(running);
    expect(counts.most).toBe(12);
  });

  it('reach calls that came while the ledger was late with something else', async () => {
    const { state, processes } = startProcesses(2);
    const { counts, sends } = senders(processes, 4, 10);
    state.answersAfterMs = 600;
    const other = limitOf(processes[0]!, 4)();
    await vi.advanceTimersByTimeAsync(300);
    const running = Array.from({ length: 6 }, () => sends[0]!());
    state.answersAfterMs = 2;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(counts.done[0]).toBe(6);
    await Promise.all([other, ...running]);
  });
});
