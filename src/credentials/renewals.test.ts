import { expect, it } from 'vitest';
import { createRenewals } from './renewals.ts';
import type { SecretFields } from './seal.ts';
import type { Token } from './token-keeper.ts';

it('keeps the lease and what it renews while an earlier renewal is stored in the middle of it', async () => {
  let revision = 1;
  let isHeld = false;
  const stored: SecretFields[] = [];
  const waiting: { store: () => void; answer: () => void } = { store: () => {}, answer: () => {} };
  const renewals = createRenewals({
    leases: {
      claim: async () => (isHeld = true),
      release: async () => void (isHeld = false),
    },
    sync: async () => {},
    steadyMs: () => 60_000,
    revisionOf: () => revision,
    async saveFields(_id, fields) {
      await new Promise<void>((resolve) => (waiting.store = resolve));
      stored.push(fields);
      revision++;
    },
    log: { error() {}, info() {} },
    now: Date.now,
    onClose: () => {},
  });
  const token = (value: string): Token => ({ value, expiresAtMs: null, obtainedAtMs: 0 });
  const renew = (value: string, answered: Promise<void> = Promise.resolve()) =>
    renewals.obtain({
      credentialId: 'cred_1',
      kept: () => null,
      async renew() {
        await answered;
        return { token: token(value), fields: { refreshToken: value } };
      },
    });

  expect(await renew('first')).toEqual(token('first'));
  const second = renew('second', new Promise((resolve) => (waiting.answer = resolve)));
  await new Promise(setImmediate);
  waiting.store();
  await expect.poll(() => stored).toEqual([{ refreshToken: 'first' }]);
  await new Promise(setImmediate);
  // The authorization server has not answered yet: nobody else may ask it with what is stored.
  expect(isHeld).toBe(true);
  waiting.answer();
  expect(await second).toEqual(token('second'));
  await new Promise(setImmediate);
  expect(isHeld).toBe(true);
  waiting.store();
  await expect.poll(() => stored).toEqual([{ refreshToken: 'first' }, { refreshToken: 'second' }]);
  await expect.poll(() => isHeld).toBe(false);
});
