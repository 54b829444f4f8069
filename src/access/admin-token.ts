import { handrailItself } from '../domain/audit.ts';
import { HandrailError } from '../domain/errors.ts';
import { adminTokenId } from '../domain/settings.ts';
import { deleteSetAside } from '../registry/rules/delete-set-aside.ts';
import type { Registry } from '../registry/registry.ts';
import { hashSecret, newSecret, sameHash } from './secrets.ts';

/** Knows the admin token by its hash. */
export interface AdminTokens {
  /** Throws unless the Authorization header carries the admin token. */
  check(authorization: string | undefined): void;
  /** A token that was made just now and must be shown once; null when there was one already. */
  readonly made: string | null;
}

/** Takes the token from the configuration, or makes one at first start and keeps its hash. */
export async function loadAdminTokens(
  registry: Registry,
  configured: string | undefined,
): Promise<AdminTokens> {
  const configuredHash = configured === undefined ? undefined : hashSecret(configured);
  const made = configuredHash === undefined ? await makeFirst(registry) : null;
  return {
    made,
    check(authorization) {
      const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
      if (token === undefined) {
        throw new HandrailError(
          'unauthenticated',
          'The admin API needs the admin token: send it as "Authorization: Bearer …".',
        );
      }
      const hash = configuredHash ?? registry.snapshot.settings.get(adminTokenId) ?? '';
      if (!sameHash(hashSecret(token), hash)) {
        throw new HandrailError(
          'unauthenticated',
          'The admin token is wrong. "handrail admin-token --reset" makes a new one.',
        );
      }
    },
  };
}

/** Replaces the stored token and returns the new one, to be shown once. Serving processes take it at once. */
export async function resetAdminToken(registry: Registry): Promise<string> {
  const fresh = newSecret('hra_');
  // Whoever resets the token means its row, also one that cannot be read.
  await registry.commit<unknown>(handrailItself, (snapshot) =>
    snapshot.setAside.has('setting', adminTokenId)
      ? deleteSetAside(snapshot, 'setting', adminTokenId)
      : { changes: [], result: null },
  );
  return registry.commit(handrailItself, () => ({
    changes: [{ op: 'put', kind: 'setting', entity: { id: adminTokenId, value: fresh.hash } }],
    result: fresh.value,
  }));
}

function makeFirst(registry: Registry): Promise<string | null> {
  const fresh = newSecret('hra_');
  return registry.commit<string | null>(handrailItself, (snapshot) => {
    const isThere = snapshot.settings.has(adminTokenId) || snapshot.setAside.has('setting', adminTokenId);
    if (isThere) return { changes: [], result: null };
    return {
      changes: [{ op: 'put', kind: 'setting', entity: { id: adminTokenId, value: fresh.hash } }],
      result: fresh.value,
    };
  });
}
