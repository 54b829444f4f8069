import { accessErrors } from '../domain/error-messages/access.ts';
import { networkOf } from '../lib/network/address-list.ts';

interface Failures {
  count: number;
  /** No further attempt before this time. */
  notBeforeMs: number;
  lastMs: number;
}

/** Slows down password guessing without ever locking an account. */
export interface SignInPace {
  /**
   * Counts an attempt before its secret is checked, so that concurrent attempts count as well. Throws `rate_limited` while
   * the address, or this account, has to wait.
   */
  attempt(address: string, account: string): void;
  /**
   * Counts an attempt at the second factor of someone whose password is known. Codes are short, so it waits longer than
   * for a password: only someone who has the password can make the owner wait.
   */
  attemptCode(address: string, personId: string): void;
  /** Resets the count of an address and an account after a successful attempt. */
  succeeded(address: string, account: string): void;
  /** The password was right, and a second factor is still needed: takes back this attempt, and no earlier one. */
  halfSucceeded(address: string, account: string): void;
}

const freeAttempts = 4;
const maxAddressWaitMs = 15 * 60_000;
// Guessing from many addresses is slowed down too, but never so much that the account's owner cannot sign in.
const freeAccountAttempts = 20;
const maxAccountWaitMs = 10_000;
const forgetAfterMs = 60 * 60_000;
const maxKept = 10_000;

/** Creates the limits of one process. */
export function createSignInPace(now: () => number): SignInPace {
  const byAddress = new Map<string, Failures>();
  const byAccount = new Map<string, Failures>();
  const byPerson = new Map<string, Failures>();

  const waitMs = (kept: Map<string, Failures>, key: string): number => {
    const failures = kept.get(key);
    if (failures === undefined) return 0;
    if (now() - failures.lastMs > forgetAfterMs) {
      kept.delete(key);
      return 0;
    }
    return Math.max(0, failures.notBeforeMs - now());
  };

  const add = (kept: Map<string, Failures>, key: string, free: number, maxWaitMs: number): void => {
    const failures = kept.get(key) ?? { count: 0, notBeforeMs: 0, lastMs: 0 };
    failures.count++;
    failures.lastMs = now();
    if (failures.count > free) {
      failures.notBeforeMs =
        now() + Math.min(maxWaitMs, 1_000 * 2 ** Math.min(20, failures.count - free - 1));
    }
    // Moves it to the end; the one that failed longest ago is dropped when there are too many.
    kept.delete(key);
    kept.set(key, failures);
    if (kept.size > maxKept) kept.delete(kept.keys().next().value!);
  };

  const requireNoWait = (leftMs: number): void => {
    if (leftMs > 0)
      throw accessErrors.tooManyAttempts({ seconds: Math.ceil(leftMs / 1000) }, { retryAfterMs: leftMs });
  };

  return {
    attempt(address, account) {
      requireNoWait(Math.max(waitMs(byAddress, networkOf(address)), waitMs(byAccount, account)));
      add(byAddress, networkOf(address), freeAttempts, maxAddressWaitMs);
      add(byAccount, account, freeAccountAttempts, maxAccountWaitMs);
    },
    attemptCode(address, personId) {
      requireNoWait(Math.max(waitMs(byAddress, networkOf(address)), waitMs(byPerson, personId)));
      add(byAddress, networkOf(address), freeAttempts, maxAddressWaitMs);
      add(byPerson, personId, freeAttempts, maxAddressWaitMs);
    },
    succeeded(address, account) {
      byAddress.delete(networkOf(address));
      byAccount.delete(account);
      byPerson.delete(account);
    },
    halfSucceeded(address, account) {
      byAccount.delete(account);
      const failures = byAddress.get(networkOf(address));
      if (failures === undefined) return;
      failures.count--;
      failures.notBeforeMs = 0;
    },
  };
}
