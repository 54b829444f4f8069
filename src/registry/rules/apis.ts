import type { Api } from '../../domain/api.ts';
import { registryErrors } from '../../domain/error-messages/registry.ts';
import { asParsed } from '../../domain/fields/addresses.ts';
import { filledAddress, withVariables } from '../../domain/fields/server-template.ts';
import { newId } from '../../domain/ids.ts';
import { authOrigins, secretFields } from '../../domain/secret-fields.ts';
import type { Tool } from '../../domain/tool.ts';
import type { RegistryChange } from '../../storage/ports.ts';
import type { Decision } from '../registry.ts';
import { findApi, fresh, type Moment, revise } from './find-and-revise.ts';
import { dropToolReferences } from './servers.ts';
import { allToolsOf, type Snapshot } from '../snapshot.ts';

/** What an operator enters for a new API; the rest has defaults. */
export type NewApi = Pick<Api, 'slug' | 'baseUrl'> &
  Partial<Omit<Api, 'id' | 'revision' | 'createdAtMs' | 'updatedAtMs'>>;

/** The fields of an API that can be edited. */
export type ApiPatch = Partial<
  Omit<Api, 'id' | 'builtIn' | 'serverTemplate' | 'revision' | 'createdAtMs' | 'updatedAtMs'>
> & {
  /** Values for the variables of its address, which is rebuilt from them. */
  readonly serverVariables?: Readonly<Record<string, string>>;
};

/** Registers an API. */
export function createApi(_snapshot: Snapshot, input: NewApi, moment: Moment): Decision<Api> {
  const api: Api = {
    name: input.slug,
    headers: {},
    auth: { kind: 'none' },
    limits: {},
    enabled: true,
    ...input,
    baseUrl: asParsed(input.baseUrl),
    ...fresh(newId('api', moment.nowMs), moment),
  };
  return { changes: [{ op: 'put', kind: 'api', entity: api }], result: api };
}

/** Edits an API. A stored secret doesn't follow it to another host: it must be entered again. */
export function updateApi(
  snapshot: Snapshot,
  idOrSlug: string,
  patch: ApiPatch,
  expectedRevision: number | undefined,
  moment: Moment,
): Decision<Api> {
  const current = findApi(snapshot, idOrSlug);
  if (current.builtIn && (patch.baseUrl !== undefined || patch.slug !== undefined)) {
    throw registryErrors.demoFixed();
  }
  const api = revise(current, withAddress(current, patch), expectedRevision, moment);
  const changes: RegistryChange[] = [{ op: 'put', kind: 'api', entity: api }];
  if (secretsWouldTravel(current, api)) {
    for (const credential of snapshot.credentials.values()) {
      if (credential.apiId === api.id) changes.push({ op: 'delete', kind: 'credential', id: credential.id });
    }
  }
  return { changes, result: api };
}

// Variables define the address; an address written by hand no longer follows them.
function withAddress(current: Api, { serverVariables, ...given }: ApiPatch): Partial<Api> {
  const patch = given.baseUrl === undefined ? given : { ...given, baseUrl: asParsed(given.baseUrl) };
  if (serverVariables !== undefined) {
    const serverTemplate = withVariables(current.serverTemplate, serverVariables);
    const baseUrl = filledAddress(serverTemplate);
    return { ...patch, serverTemplate, ...(baseUrl !== null && { baseUrl }) };
  }
  const isWritten = patch.baseUrl !== undefined && patch.baseUrl !== current.baseUrl;
  return isWritten && current.serverTemplate !== undefined ? { ...patch, serverTemplate: undefined } : patch;
}

/** Deletes an API with its tools, credentials and every reference to them. */
export function deleteApi(snapshot: Snapshot, idOrSlug: string, moment: Moment): Decision<Api> {
  const api = findApi(snapshot, idOrSlug);
  const toolIds = new Set(allToolsOf(snapshot, api.id).map(({ id }) => id));
  const changes: RegistryChange[] = [...dropToolReferences(snapshot, toolIds, api.id, moment)];
  for (const id of toolIds) changes.push({ op: 'delete', kind: 'tool', id });
  for (const credential of snapshot.credentials.values()) {
    if (credential.apiId === api.id) changes.push({ op: 'delete', kind: 'credential', id: credential.id });
  }
  changes.push({ op: 'delete', kind: 'api', id: api.id });
  return { changes, result: api };
}

/**
 * The changes that make APIs remember which of their operations an operator removed, so that no import brings
 * them back.
 */
export function leaveOut(snapshot: Snapshot, tools: Iterable<Tool>, moment: Moment): RegistryChange[] {
  const keys = new Map<string, string[]>();
  for (const { apiId, source } of tools) {
    if (source !== undefined) keys.set(apiId, [...(keys.get(apiId) ?? []), source.operationKey]);
  }
  return [...keys].flatMap(([apiId, unwanted]): RegistryChange[] => {
    const api = snapshot.apis.get(apiId);
    if (api?.source === undefined) return [];
    const leftOut = [...new Set([...(api.source.leftOut ?? []), ...unwanted])];
    const entity = revise(api, { source: { ...api.source, leftOut } }, undefined, moment);
    return [{ op: 'put', kind: 'api', entity }];
  });
}

/** Whether a stored secret would be sent somewhere it wasn't entered for. */
export function secretsWouldTravel(before: Api, after: Api): boolean {
  // An invalid address is rejected when the change is checked.
  if (!URL.canParse(after.baseUrl)) return true;
  return (
    new URL(before.baseUrl).origin !== new URL(after.baseUrl).origin || authHosts(before) !== authHosts(after)
  );
}

// Where a credential of this scheme is sent in addition to the API itself, and its kind.
function authHosts({ auth }: Api): string {
  return JSON.stringify([auth.kind, authOrigins(auth), secretFields(auth)]);
}
