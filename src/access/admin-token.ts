import { handrailItself } from '../domain/audit.ts';
import { accessErrors } from '../domain/error-messages/access.ts';
import { adminTokenId } from '../domain/settings.ts';
import { deleteSetAside } from '../registry/rules/delete-set-aside.ts';
import type { Registry } from '../registry/registry.ts';
import { hashSecret, newSecret, sameHash } from './secrets.ts';

/** Checks the admin token against its hash. */
export interface AdminTokens {
  /** Throws unless the Authorization header carries the admin token. */
  check(authorization: string | undefined): void;
  /** A token that was just created and must be shown once; null if there already was one. */
  readonly made: string | null;
}

/** Uses the token from the configuration, or creates one at first start and stores its hash. */
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
        throw accessErrors.adminTokenMissing();
      }
      const hash = configuredHash ?? registry.snapshot.settings.get(adminTokenId) ?? '';
      if (!sameHash(hashSecret(token), hash)) {
        throw accessErrors.adminTokenWrong();
      }
    },
  };
}

/** Replaces the stored token and returns the new one, to be shown once. Running gateways use it immediately. */
export async function resetAdminToken(registry: Registry): Promise<string> {
  const fresh = newSecret('hra_');
  // A reset also replaces a row that cannot be read.
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
    const exists = snapshot.settings.has(adminTokenId) || snapshot.setAside.has('setting', adminTokenId);
    if (exists) return { changes: [], result: null };
    return {
      changes: [{ op: 'put', kind: 'setting', entity: { id: adminTokenId, value: fresh.hash } }],
      result: fresh.value,
    };
  });
}
