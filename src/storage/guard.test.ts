import { describe, expect, it } from 'vitest';
import { HandrailError } from '../domain/errors.ts';
import { countLeases } from './counted-leases.ts';
import { createGuard } from './guard.ts';

it.each([
  ['unavailable', false, 1],
  ['store_unreadable', false, 1],
  // An answer, though not the one that was hoped for.
  ['conflict', true, 0],
] as const)('takes %s for what it says about the store', async (code, isUp, failures) => {
  const guard = createGuard(
    () => new HandrailError(code, 'No.'),
    async () => {},
  );
  let isAway = true;
  const part = guard.guarded({
    ask: async () => {
      if (isAway) throw new Error('from a driver');
    },
  });
  expect(guard.counts).toEqual({ isUp: true, failures: 0, stalledMs: 0 });
  await expect(part.ask()).rejects.toMatchObject({ code, message: 'No.' });
  expect(guard.counts).toEqual({ isUp, failures, stalledMs: 0 });
  isAway = false;
  await part.ask();
  expect(guard.counts).toEqual({ isUp: true, failures, stalledMs: 0 });
});

describe('writes that do not get through', () => {
  const refusal = (code: 'unavailable' | 'conflict') => new HandrailError(code, 'No.');
  let nowMs = 0;
  let pings = 0;
  let isAway = false;
  const ping = async () => {
    pings++;
    if (isAway) throw refusal('unavailable');
  };
  const guardAt = () => {
    nowMs = 1_000;
    pings = 0;
    isAway = true;
    return createGuard(
      (thrown) => thrown,
      ping,
      () => nowMs,
    );
  };

  it('are reported while they wait and after they failed, until one does', async () => {
    const guard = guardAt();
    let fail!: (error: Error) => void;
    const write = guard.writing(() => new Promise<void>((_resolve, reject) => (fail = reject)));
    nowMs += 9_000;
    expect(guard.counts).toMatchObject({ isUp: true, stalledMs: 9_000 });
    nowMs += 1_000;
    expect(guard.counts).toMatchObject({ isUp: false, stalledMs: 10_000 });
    await guard.probe();
    expect(pings).toBe(0);
    fail(refusal('unavailable'));
    await expect(write).rejects.toThrow('No.');
    await guard.probe();
    expect([pings, guard.counts.stalledMs]).toEqual([1, 10_000]);
    isAway = false;
    await guard.probe();
    expect([pings, guard.counts.isUp, guard.counts.stalledMs]).toEqual([2, true, 0]);
    await guard.probe();
    expect(pings).toBe(2);
  });

  it('are not those that were refused for what they contain', async () => {
    const guard = guardAt();
    await expect(guard.writing(() => Promise.reject(refusal('conflict')))).rejects.toThrow('No.');
    nowMs += 60_000;
    expect(guard.counts).toMatchObject({ isUp: true, stalledMs: 0 });
  });

  it('count from the last one that did', async () => {
    const guard = guardAt();
    void guard.writing(() => new Promise(() => {}));
    nowMs += 60_000;
    await guard.writing(async () => {});
    nowMs += 500;
    expect(guard.counts).toMatchObject({ isUp: true, stalledMs: 500 });
  });
});

it('counts what becomes of asking for leases', async () => {
  const answers = [true, false, false];
  const leases = countLeases({
    claim: async () => {
      const answer = answers.shift();
      if (answer === undefined) throw new Error('away');
      return answer;
    },
    release: async () => {},
  });
  for (let asked = 0; asked < 3; asked++) await leases.claim('watch', 'me', 1_000);
  await expect(leases.claim('watch', 'me', 1_000)).rejects.toThrow('away');
  expect(leases.counts).toEqual({ got: 1, taken: 2, failed: 1 });
});
