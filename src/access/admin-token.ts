import { HandrailError } from '../domain/errors.ts';
import type { MetaStore } from '../storage/ports.ts';
import { hashSecret, newSecret, sameHash } from './secrets.ts';

const metaName = 'admin_token_hash';

/** Knows the admin token by its hash. */
export interface AdminTokens {
  /** Throws unless the Authorization header carries the admin token. */
  check(authorization: string | undefined): void;
  /** A token that was made just now and must be shown once; null when there was one already. */
  readonly made: string | null;
}

/** Takes the token from the configuration, or makes one at first start and keeps its hash. */
export async function loadAdminTokens(meta: MetaStore, configured: string | undefined): Promise<AdminTokens> {
  let made: string | null = null;
  let hash: string;
  if (configured !== undefined) {
    hash = hashSecret(configured);
  } else {
    const fresh = newSecret('hra_');
    hash = (await meta.get(metaName)) ?? (await meta.setIfAbsent(metaName, fresh.hash));
    if (hash === fresh.hash) made = fresh.value;
  }
  return {
    made,
    check(authorization) {
      const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
      if (token === undefined) {
        throw new HandrailError('unauthenticated', 'The admin API needs the admin token: send it as "Authorization: Bearer …".');
      }
      if (!sameHash(hashSecret(token), hash)) {
        throw new HandrailError('unauthenticated', 'The admin token is wrong. "handrail admin-token --reset" makes a new one.');
      }
    },
  };
}

/** Replaces the stored token and returns the new one, to be shown once. */
export async function resetAdminToken(meta: MetaStore): Promise<string> {
  const fresh = newSecret('hra_');
  await meta.set(metaName, fresh.hash);
  return fresh.value;
}
