import { referencesIn } from '../../domain/secret-references.ts';
import { authOrigins, optionalSecretFields, secretFields } from '../../domain/secret-fields.ts';
import type { Api } from '../../domain/api.ts';
import type { Credential } from '../../domain/credential.ts';
import { documentOrigin, unagreedOrigin } from '../../domain/places/document-origins.ts';
import { HandrailError } from '../../domain/errors.ts';
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

/** Seals fields for a row; kept out of the rules so that they stay pure but for it. */
export type Seal = (
  row: Pick<Credential, 'id' | 'apiId' | 'callerId' | 'origins'>,
  fields: Readonly<Record<string, string>>,
) => string;

/** Stores a credential, in place of the one that the same caller (or everybody) had for this API. */
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

/** Replaces what is inside a credential by what an authorization server gave; its origins stay as they were entered. */
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

/** Forgets a credential. */
export function deleteCredential(snapshot: Snapshot, id: string): Decision<Credential> {
  const credential = findCredential(snapshot, id);
  return { changes: [{ op: 'delete', kind: 'credential', id: credential.id }], result: credential };
}

/** Seals every credential that `reseal` gives a new text for; one commit, so that no reader sees half of it. */
export function resealCredentials(
  snapshot: Snapshot,
  reseal: (credential: Credential) => string | null,
): Decision<number> {
  const changes: RegistryChange[] = [];
  for (const credential of snapshot.credentials.values()) {
    const sealed = reseal(credential);
    // The same secret: its revision stays, so that tokens fetched with it stay good.
    if (sealed !== null) changes.push({ op: 'put', kind: 'credential', entity: { ...credential, sealed } });
  }
  return { changes, result: changes.length };
}

/** Finds a credential by id, or says that it is missing. */
export function findCredential(snapshot: Snapshot, id: string): Credential {
  return snapshot.credentials.get(id) ?? missing('credential', id);
}

/**
 * Everywhere a credential of this API is sent as things stand: the API, where it signs in, the origins that operators wrote
 * into tools, and those of its document that somebody agreed to.
 */
function originsOf(snapshot: Snapshot, api: Api): readonly string[] {
  const origins = new Set([new URL(api.baseUrl).origin, ...authOrigins(api.auth)]);
  for (const tool of allToolsOf(snapshot, api.id)) {
    const own = tool.operation.baseUrl;
    if (own !== undefined && URL.canParse(own) && unagreedOrigin(api, tool) === null)
      origins.add(new URL(own).origin);
  }
  return [...origins];
}

/**
 * Lets an API's secrets go to origins that its document names for operations, or no longer. Credentials that stand are
 * sealed anew for where they may go then; `reseal` gives null for one that cannot be opened, which stays as it is.
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
    throw new HandrailError(
      'invalid_input',
      `${agree ? 'No operation of the document of' : 'Nobody agreed that secrets of'} "${current.slug}" ${agree ? 'is sent' : 'go'} to ${origin.slice(0, 200)}${known.length > 0 ? `; there is ${known.slice(0, 10).join(', ')}` : ''}.`,
      { problems: [{ path: '/origin', message: agree ? 'is not in the document' : 'was not agreed to' }] },
    );
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
    // The same secret: its revision stays, so that tokens fetched with it stay good.
    if (sealed !== null)
      changes.push({ op: 'put', kind: 'credential', entity: { ...credential, origins: next, sealed } });
  }
  return { changes, result: api };
}

function checkFields(api: Api, fields: Readonly<Record<string, string>>): void {
  if (api.auth.kind === 'none') {
    throw new HandrailError(
      'invalid_input',
      `The API "${api.slug}" needs no credential: say first how it authenticates (its "auth").`,
    );
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
  throw new HandrailError(
    'invalid_input',
    `A credential for "${api.slug}" (${api.auth.kind}) takes the fields ${[...known].join(', ')}: ${problems.map((one) => `${one.path.slice(8)} ${one.message}`).join('; ')}.`,
    { problems },
  );
}
