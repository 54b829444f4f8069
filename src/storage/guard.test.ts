import { expect, it } from 'vitest';
import { HandrailError } from '../domain/errors.ts';
import { countLeases } from './counted-leases.ts';
import { createGuard } from './guard.ts';

it.each([
  ['unavailable', false, 1],
  ['store_unreadable', false, 1],
  // An answer, though not the one that was hoped for.
  ['conflict', true, 0],
] as const)('takes %s for what it says about the store', async (code, isUp, failures) => {
  const guard = createGuard(() => new HandrailError(code, 'No.'));
  let isAway = true;
  const part = guard.guarded({
    ask: async () => {
      if (isAway) throw new Error('from a driver');
    },
  });
  expect(guard.counts).toEqual({ isUp: true, failures: 0 });
  await expect(part.ask()).rejects.toMatchObject({ code, message: 'No.' });
  expect(guard.counts).toEqual({ isUp, failures });
  isAway = false;
  await part.ask();
  expect(guard.counts).toEqual({ isUp: true, failures });
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
