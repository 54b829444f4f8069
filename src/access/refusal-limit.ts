import { HandrailError } from '../domain/errors.ts';
import { networkOf } from '../lib/network/address-list.ts';

/** Ends the patience with whoever keeps asking without being let in. Those who are let in never meet it. */
export interface RefusalLimit {
  /** Counts a refusal, and throws `rate_limited` when the address, or everybody together, has had its share of the minute. */
  refuse(address: string): void;
  /** Throws the same before work is done for a proof that has to be looked at elsewhere. Counts nothing. */
  check(address: string): void;
}

const windowMs = 60_000;
const maxAddresses = 10_000;

/** Makes the limit of one process, in refusals a minute. */
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
    throw new HandrailError(
      'rate_limited',
      `Too many requests were refused. Come again in ${Math.ceil(retryAfterMs / 1000)} s, with what lets you in.`,
      { retryAfterMs },
    );
  }

  return {
    check,
    refuse(address) {
      check(address);
      all++;
      const network = networkOf(address);
      // So many at once are a flood, which the limit for all ends.
      if (byNetwork.size < maxAddresses || byNetwork.has(network))
        byNetwork.set(network, (byNetwork.get(network) ?? 0) + 1);
    },
  };
}
