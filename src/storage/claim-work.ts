import { randomUUID } from 'node:crypto';
import type { LeaseStore } from './ports.ts';

/**
 * Whether this process is the one that does some scheduled work now: of those on one store, one gets it, keeps it while it
 * keeps asking, and loses it `forMs` after it last asked. While the store is unavailable, no one gets it.
 */
export type ClaimWork = (name: string, forMs: number) => Promise<boolean>;

/** Creates the claims of one process; if it is the only one, every claim succeeds without a request. */
export function createClaims(leases: LeaseStore, hasOthers: boolean): ClaimWork {
  if (!hasOthers) return async () => true;
  const owner = randomUUID();
  return (name, forMs) => leases.claim(`work:${name}`, owner, forMs);
}
