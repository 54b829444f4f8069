import { randomUUID } from 'node:crypto';
import type { LeaseStore } from './ports.ts';

/**
 * Whether this process should do some scheduled work now: of the processes on one store, one gets it, keeps it while it
 * keeps asking, and loses it `forMs` after it last asked. While the store is unavailable, no process gets it.
 */
export type ClaimWork = (name: string, forMs: number) => Promise<boolean>;

/** Makes the claims of one process; where there is no other, everything is its own and nothing is asked. */
export function createClaims(leases: LeaseStore, hasOthers: boolean): ClaimWork {
  if (!hasOthers) return async () => true;
  const owner = randomUUID();
  return (name, forMs) => leases.claim(`work:${name}`, owner, forMs);
}
