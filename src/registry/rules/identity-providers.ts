import { accessErrors } from '../../domain/error-messages/access.ts';
import { asParsed } from '../../domain/fields/addresses.ts';
import { type IdentityProvider, maxIdentityProviders } from '../../domain/identity-provider.ts';
import { newId } from '../../domain/ids.ts';
import type { RegistryChange } from '../../storage/ports.ts';
import type { Decision } from '../registry.ts';
import type { Snapshot } from '../snapshot.ts';
import { fresh, missing, type Moment, revise } from './find-and-revise.ts';

/** What an owner enters for a new identity provider, including the client secret. */
export type NewIdentityProvider = Omit<
  IdentityProvider,
  'id' | 'revision' | 'createdAtMs' | 'updatedAtMs' | 'sealed'
> & { readonly clientSecret?: string | undefined };

/** What an owner changes; null removes a value. */
export type IdentityProviderPatch = {
  readonly [F in keyof NewIdentityProvider]?:
    | NewIdentityProvider[F]
    | (undefined extends NewIdentityProvider[F] ? null : never)
    | undefined;
};

/** Seals a client secret; passed in so that the rules are otherwise pure. */
export type SealProviderSecret = (row: Pick<IdentityProvider, 'id' | 'issuer'>, secret: string) => string;

/** Adds an identity provider. */
export function createIdentityProvider(
  snapshot: Snapshot,
  { clientSecret, ...fields }: NewIdentityProvider,
  seal: SealProviderSecret,
  moment: Moment,
): Decision<IdentityProvider> {
  if (snapshot.identityProviders.size >= maxIdentityProviders)
    throw accessErrors.tooManyProviders({ max: maxIdentityProviders });
  const row = {
    ...fresh(newId('idp', moment.nowMs), moment),
    ...fields,
    issuer: fields.issuer,
  };
  requireFreeSlug(snapshot, row);
  return put({ ...row, ...(clientSecret !== undefined && { sealed: seal(row, clientSecret) }) });
}

/** Edits an identity provider. The secret stays with the issuer it was entered for. */
export function updateIdentityProvider(
  snapshot: Snapshot,
  reference: string,
  { clientSecret, ...patch }: IdentityProviderPatch,
  expectedRevision: number | undefined,
  seal: SealProviderSecret,
  moment: Moment,
): Decision<IdentityProvider> {
  const current = findIdentityProvider(snapshot, reference);
  const given = Object.fromEntries(
    Object.entries(patch)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value ?? undefined]),
  );
  const issuer = patch.issuer ?? current.issuer;
  const moved = asParsed(issuer) !== asParsed(current.issuer);
  if (moved && clientSecret === undefined && current.sealed !== undefined)
    throw accessErrors.clientSecretNeeded({
      problems: [{ path: '/clientSecret', message: 'must be entered again for another issuer' }],
    });
  const sealed =
    clientSecret === undefined
      ? current.sealed
      : clientSecret === null
        ? undefined
        : seal({ id: current.id, issuer }, clientSecret);
  const next = revise(current, { ...given, sealed }, expectedRevision, moment);
  requireFreeSlug(snapshot, next);
  return put(next);
}

/** Deletes an identity provider. The people who signed in with it stay, and can't sign in any more. */
export function deleteIdentityProvider(snapshot: Snapshot, reference: string): Decision<IdentityProvider> {
  const provider = findIdentityProvider(snapshot, reference);
  return { changes: [{ op: 'delete', kind: 'identity-provider', id: provider.id }], result: provider };
}

/** Finds an identity provider by ID or slug, or throws `not_found`. */
export function findIdentityProvider(snapshot: Snapshot, reference: string): IdentityProvider {
  const byId = snapshot.identityProviders.get(reference);
  if (byId !== undefined) return byId;
  for (const provider of snapshot.identityProviders.values())
    if (provider.slug === reference) return provider;
  return missing('identity provider', reference);
}

/** Seals every client secret for which `reseal` returns a new text. */
export function resealIdentityProviders(
  snapshot: Snapshot,
  reseal: (provider: IdentityProvider, sealed: string) => string | null,
): Decision<number> {
  const changes: RegistryChange[] = [];
  for (const provider of snapshot.identityProviders.values()) {
    const sealed = provider.sealed === undefined ? null : reseal(provider, provider.sealed);
    if (sealed !== null)
      changes.push({ op: 'put', kind: 'identity-provider', entity: { ...provider, sealed } });
  }
  return { changes, result: changes.length };
}

function put(provider: IdentityProvider): Decision<IdentityProvider> {
  return { changes: [{ op: 'put', kind: 'identity-provider', entity: provider }], result: provider };
}

function requireFreeSlug(snapshot: Snapshot, { id, slug }: IdentityProvider): void {
  for (const other of snapshot.identityProviders.values())
    if (other.slug === slug && other.id !== id)
      throw accessErrors.providerTaken(
        { slug },
        { problems: [{ path: '/slug', message: 'is taken' }], current: other.id },
      );
}
