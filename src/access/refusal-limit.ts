import { accessErrors } from '../domain/error-messages/access.ts';
import { networkOf } from '../lib/network/address-list.ts';

/** Limits rejected requests per address and in total. Authenticated requests are never affected. */
export interface RefusalLimit {
  /** Counts a rejected request; throws `rate_limited` if the address, or all together, reached the limit for this minute. */
  refuse(address: string): void;
  /** Throws the same before credentials are checked remotely. Counts nothing. */
  check(address: string): void;
}

const windowMs = 60_000;
const maxAddresses = 10_000;

/** Creates the limit of one process, in rejected requests per minute. */
export function createRefusalLimit(options: {
  readonly perAddress: number;
  readonly total: number;
  readonly now: () => number;
}): RefusalLimit {
  const { perAddress, total, now } = options;
  const byNetwork = new Map<string, number>();
  let all = 0;
  let sinceMs = now();

  function check(address: string): void {
    const nowMs = now();
    if (nowMs - sinceMs >= windowMs || nowMs < sinceMs) {
      byNetwork.clear();
      all = 0;
      sinceMs = nowMs;
    }
    if (all < total && (byNetwork.get(networkOf(address)) ?? 0) < perAddress) return;
    const retryAfterMs = sinceMs + windowMs - nowMs;
    throw accessErrors.tooManyRejections({ seconds: Math.ceil(retryAfterMs / 1000) }, { retryAfterMs });
  }

  return {
    check,
    refuse(address) {
      check(address);
      all++;
      const network = networkOf(address);
      // This many addresses are an attack, which the total limit stops.
      if (byNetwork.size < maxAddresses || byNetwork.has(network))
        byNetwork.set(network, (byNetwork.get(network) ?? 0) + 1);
    },
  };
}
