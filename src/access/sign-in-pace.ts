import { HandrailError } from '../domain/errors.ts';
import { networkOf } from '../lib/network/address-list.ts';

interface Failures {
  count: number;
  /** No further try before this. */
  notBeforeMs: number;
  lastMs: number;
}

/** Slows down whoever guesses passwords, without ever locking an account for everyone. */
export interface SignInPace {
  /**
   * Counts a try before its secret is looked at, so that many at once are counted as well. Throws `rate_limited` while
   * the address, or this account, has to wait.
   */
  attempt(address: string, account: string): void;
  /** Forgets the tries of an address and an account that turned out to be right. */
  succeeded(address: string, account: string): void;
}

const freeTries = 4;
const longestByAddressMs = 15 * 60_000;
// Guessing from many addresses is slowed too, but never so much that the owner of the account cannot get in.
const freeAccountTries = 20;
const longestByAccountMs = 10_000;
const forgetAfterMs = 60 * 60_000;
const maxKept = 10_000;

/** Makes the pace of one process. */
export function createSignInPace(now: () => number): SignInPace {
  const byAddress = new Map<string, Failures>();
  const byAccount = new Map<string, Failures>();

  const waitMs = (kept: Map<string, Failures>, key: string): number => {
    const failures = kept.get(key);
    if (failures === undefined) return 0;
    if (now() - failures.lastMs > forgetAfterMs) {
      kept.delete(key);
      return 0;
    }
    return Math.max(0, failures.notBeforeMs - now());
  };

  const add = (kept: Map<string, Failures>, key: string, free: number, longestMs: number): void => {
    const failures = kept.get(key) ?? { count: 0, notBeforeMs: 0, lastMs: 0 };
    failures.count++;
    failures.lastMs = now();
    if (failures.count > free) {
      failures.notBeforeMs =
        now() + Math.min(longestMs, 1_000 * 2 ** Math.min(20, failures.count - free - 1));
    }
    // To the end of the line; the one that failed longest ago leaves when there are too many.
    kept.delete(key);
    kept.set(key, failures);
    if (kept.size > maxKept) kept.delete(kept.keys().next().value!);
  };

  return {
    attempt(address, account) {
      const leftMs = Math.max(waitMs(byAddress, networkOf(address)), waitMs(byAccount, account));
      if (leftMs > 0) {
        throw new HandrailError(
          'rate_limited',
          `Too many failed attempts. Try again in ${Math.ceil(leftMs / 1000)} s.`,
          { retryAfterMs: leftMs },
        );
      }
      add(byAddress, networkOf(address), freeTries, longestByAddressMs);
      add(byAccount, account, freeAccountTries, longestByAccountMs);
    },
    succeeded(address, account) {
      byAddress.delete(networkOf(address));
      byAccount.delete(account);
    },
  };
}
