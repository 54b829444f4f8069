import { referencesIn } from '../../domain/secret-references.ts';
import { authOrigins, optionalSecretFields, secretFields } from '../../domain/secret-fields.ts';
import type { Api } from '../../domain/api.ts';
import type { Credential } from '../../domain/credential.ts';
import { documentOrigin, unagreedOrigin } from '../../domain/places/document-origins.ts';
import { registryErrors } from '../../domain/error-messages/registry.ts';
import { newId } from '../../domain/ids.ts';
import type { RegistryChange } from '../../storage/ports.ts';
import type { Decision } from '../registry.ts';
import { findApi, fresh, missing, type Moment, revise } from './find-and-revise.ts';
import { allToolsOf, type Snapshot } from '../snapshot.ts';

/** A secret as it is entered, before it is sealed. */
export interface NewCredential {
  readonly api: string;
  /** The caller it belongs to; absent for the shared one. */
  readonly callerId?: string;
  readonly name?: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Seals the fields of a row; passed in so that the rules are otherwise pure. */
export type Seal = (
  row: Pick<Credential, 'id' | 'apiId' | 'callerId' | 'origins'>,
  fields: Readonly<Record<string, string>>,
) => string;

/** Stores a credential, replacing the one that the same caller (or everyone) had for this API. */
export function setCredential(
  snapshot: Snapshot,
  input: NewCredential,
  seal: Seal,
  moment: Moment,
): Decision<Credential> {
  const api = findApi(snapshot, input.api);
  checkFields(api, input.fields);
  const changes: RegistryChange[] = [];
  for (const other of snapshot.credentials.values()) {
    if (other.apiId === api.id && other.callerId === input.callerId)
      changes.push({ op: 'delete', kind: 'credential', id: other.id });
  }
  const version = fresh(newId('cred', moment.nowMs), moment);
  const row = {
    id: version.id,
    apiId: api.id,
    ...(input.callerId !== undefined && { callerId: input.callerId }),
    origins: originsOf(snapshot, api),
  };
  const references = referencesIn(input.fields);
  const credential: Credential = {
    ...version,
    ...row,
    ...(references && { references }),
    name: input.name ?? (input.callerId === undefined ? api.name : `${api.name} (${input.callerId})`),
    kind: api.auth.kind,
    fields: Object.keys(input.fields).toSorted(),
    sealed: seal(row, input.fields),
  };
  changes.push({ op: 'put', kind: 'credential', entity: credential });
  return { changes, result: credential };
}

/**
 * Replaces the content of a credential with what an authorization server returned; its origins stay as they
 * were entered.
 */
export function refillCredential(
  snapshot: Snapshot,
  id: string,
  fields: Readonly<Record<string, string>>,
  seal: Seal,
  moment: Moment,
): Decision<Credential> {
  const current = findCredential(snapshot, id);
  // A secret that is elsewhere is never written here.
  const kept = { ...fields, ...current.references };
  const credential = revise(
    current,
    { fields: Object.keys(kept).toSorted(), sealed: seal(current, kept) },
    undefined,
    moment,
  );
  return { changes: [{ op: 'put', kind: 'credential', entity: credential }], result: credential };
}

/** Deletes a credential. */
export function deleteCredential(snapshot: Snapshot, id: string): Decision<Credential> {
  const credential = findCredential(snapshot, id);
  return { changes: [{ op: 'delete', kind: 'credential', id: credential.id }], result: credential };
}

/**
 * Seals every credential for which `reseal` returns a new text, in one commit, so that no reader sees half of
 * it.
 */
export function resealCredentials(
  snapshot: Snapshot,
  reseal: (credential: Credential) => string | null,
): Decision<number> {
  const changes: RegistryChange[] = [];
  for (const credential of snapshot.credentials.values()) {
    const sealed = reseal(credential);
    // The secret is the same: its revision stays, so that tokens obtained with it stay valid.
    if (sealed !== null) changes.push({ op: 'put', kind: 'credential', entity: { ...credential, sealed } });
  }
  return { changes, result: changes.length };
}

/** Finds a credential by ID, or throws `not_found`. */
export function findCredential(snapshot: Snapshot, id: string): Credential {
  return snapshot.credentials.get(id) ?? missing('credential', id);
}

/**
 * Every origin that a credential of this API is currently sent to: the API, where it signs in, origins that
 * operators entered in tools, and those of its document that an operator allowed.
 */
export function originsOf(snapshot: Snapshot, api: Api): readonly string[] {
  const origins = new Set([new URL(api.baseUrl).origin, ...authOrigins(api.auth)]);
  for (const tool of allToolsOf(snapshot, api.id)) {
    const own = tool.operation.baseUrl;
    if (own !== undefined && URL.canParse(own) && unagreedOrigin(api, tool) === null)
      origins.add(new URL(own).origin);
  }
  return [...origins];
}

/**
 * Allows or disallows sending an API's secrets to origins that its document names for operations. Stored
 * credentials are sealed again for their new origins; `reseal` returns null for one that can't be opened, which
 * stays unchanged.
 */
export function agreeToOrigins(
  snapshot: Snapshot,
  reference: string,
  origins: readonly string[],
  agree: boolean,
  reseal: (credential: Credential, origins: readonly string[]) => string | null,
  moment: Moment,
): Decision<Api> {
  const current = findApi(snapshot, reference);
  const offered = new Set(
    allToolsOf(snapshot, current.id).flatMap((tool) => documentOrigin(current, tool) ?? []),
  );
  const before = current.agreedOrigins ?? [];
  for (const origin of origins) {
    if (agree ? offered.has(origin) : before.includes(origin)) continue;
    const known = [...(agree ? offered : before)];
    const values = {
      slug: current.slug,
      origin,
      known: known.length > 0 ? `, only to ${known.slice(0, 10).join(', ')}` : '',
    };
    throw agree
      ? registryErrors.originNotInDocument(values, {
          problems: [{ path: '/origin', message: 'is not in the document' }],
        })
      : registryErrors.originNotAllowed(values, {
          problems: [{ path: '/origin', message: 'is not allowed' }],
        });
  }
  const agreed = agree
    ? [...new Set([...before, ...origins])]
    : before.filter((origin) => !origins.includes(origin));
  if (agreed.length === before.length) return { changes: [], result: current };
  const api = revise(current, { agreedOrigins: agreed.length > 0 ? agreed : undefined }, undefined, moment);
  const changes: RegistryChange[] = [{ op: 'put', kind: 'api', entity: api }];
  for (const credential of snapshot.credentials.values()) {
    if (credential.apiId !== api.id) continue;
    const next = agree
      ? [...new Set([...credential.origins, ...origins])]
      : credential.origins.filter((origin) => !origins.includes(origin));
    const sealed = reseal(credential, next);
    // The secret is the same: its revision stays, so that tokens obtained with it stay valid.
    if (sealed !== null)
      changes.push({ op: 'put', kind: 'credential', entity: { ...credential, origins: next, sealed } });
  }
  return { changes, result: api };
}

export function checkFields(api: Api, fields: Readonly<Record<string, string>>): void {
  if (api.auth.kind === 'none') {
    throw registryErrors.noCredentialNeeded({ slug: api.slug });
  }
  const required = secretFields(api.auth);
  const known = new Set([...required, ...optionalSecretFields(api.auth)]);
  const problems = [
    ...required
      .filter((name) => !fields[name])
      .map((name) => ({ path: `/fields/${name}`, message: 'is required' })),
    ...Object.keys(fields)
      .filter((name) => !known.has(name))
      .map((name) => ({ path: `/fields/${name}`, message: 'is not known' })),
    ...Object.entries(fields)
      .filter(([name, value]) => !name.endsWith('Pem') && /[\0\r\n]/.test(value))
      .map(([name]) => ({ path: `/fields/${name}`, message: 'must be a single line' })),
  ];
  if (problems.length === 0) return;
  throw registryErrors.credentialFields(
    {
      slug: api.slug,
      kind: api.auth.kind,
      fields: [...known].join(', '),
      problems: problems.map((one) => `${one.path.slice(8)} ${one.message}`).join('; '),
    },
    { problems },
  );
}
