import { randomUUID } from 'node:crypto';
import type { LeaseStore } from './ports.ts';

/**
 * Whether this process is the one that does some scheduled work now: of those on one store, one gets it, keeps it while it
 * goes on asking, and loses it `forMs` after it asked last. A store that cannot be asked gives it to nobody.
 */
export type ClaimWork = (name: string, forMs: number) => Promise<boolean>;

/** Makes the claims of one process; where there is no other, everything is its own and nothing is asked. */
export function createClaims(leases: LeaseStore, hasOthers: boolean): ClaimWork {
  if (!hasOthers) return async () => true;
  const owner = randomUUID();
  return (name, forMs) => leases.claim(`work:${name}`, owner, forMs);
}
