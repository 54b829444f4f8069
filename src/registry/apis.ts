import { type Api, demoBaseUrl, parseBaseUrl } from '../domain/api.ts';
import { HandrailError } from '../domain/errors.ts';
import { newId } from '../domain/ids.ts';
import { checkSlug } from '../domain/names.ts';
import { checkCompiles, isSettableHeader } from '../pipeline/compile.ts';
import type { RegistryChange } from '../storage/ports.ts';
import type { Decision } from './registry.ts';
import { findApi, fresh, type Moment, revise } from './rules.ts';
import { dropToolReferences } from './servers.ts';
import type { Snapshot } from './snapshot.ts';

/** What an operator says about a new API; the rest has defaults. */
export type NewApi = Pick<Api, 'slug' | 'baseUrl'> &
  Partial<Omit<Api, 'id' | 'revision' | 'createdAtMs' | 'updatedAtMs'>>;

/** The fields of an API that can be edited. */
export type ApiPatch = Partial<Omit<Api, 'id' | 'builtIn' | 'revision' | 'createdAtMs' | 'updatedAtMs'>>;

/** Registers an API. */
export function createApi(snapshot: Snapshot, input: NewApi, moment: Moment): Decision<Api> {
  const api: Api = {
    name: input.slug,
    headers: {},
    auth: { kind: 'none' },
    limits: {},
    enabled: true,
    ...input,
    ...fresh(newId('api', moment.nowMs), moment),
  };
  checkApi(snapshot, api);
  return { changes: [{ op: 'put', kind: 'api', entity: api }], result: api };
}

/** Edits an API. A stored secret does not follow it to another host: it must be entered again. */
export function updateApi(
  snapshot: Snapshot,
  idOrSlug: string,
  patch: ApiPatch,
  expectedRevision: number | undefined,
  moment: Moment,
): Decision<Api> {
  const current = findApi(snapshot, idOrSlug);
  if (current.builtIn && (patch.baseUrl !== undefined || patch.slug !== undefined)) {
    throw new HandrailError(
      'forbidden',
      'The built-in demo API has a fixed address and slug; delete it if you do not want it.',
    );
  }
  const api = revise(current, patch, expectedRevision, moment);
  checkApi(snapshot, api);
  const changes: RegistryChange[] = [{ op: 'put', kind: 'api', entity: api }];
  if (secretsWouldTravel(current, api)) {
    for (const credential of snapshot.credentials.values()) {
      if (credential.apiId === api.id) changes.push({ op: 'delete', kind: 'credential', id: credential.id });
    }
  }
  if (api.baseUrl !== current.baseUrl) {
    for (const toolId of snapshot.toolsByApi.get(api.id) ?? [])
      checkCompiles(api, snapshot.tools.get(toolId)!);
  }
  return { changes, result: api };
}

/** Deletes an API with its tools, credentials and every mention of them. */
export function deleteApi(snapshot: Snapshot, idOrSlug: string, moment: Moment): Decision<Api> {
  const api = findApi(snapshot, idOrSlug);
  const toolIds = snapshot.toolsByApi.get(api.id) ?? new Set<string>();
  const changes: RegistryChange[] = [...dropToolReferences(snapshot, toolIds, api.id, moment)];
  for (const id of toolIds) changes.push({ op: 'delete', kind: 'tool', id });
  for (const credential of snapshot.credentials.values()) {
    if (credential.apiId === api.id) changes.push({ op: 'delete', kind: 'credential', id: credential.id });
  }
  changes.push({ op: 'delete', kind: 'api', id: api.id });
  return { changes, result: api };
}

function checkApi(snapshot: Snapshot, api: Api): void {
  checkSlug(api.slug, 'API');
  const holder = snapshot.apiBySlug.get(api.slug);
  if (holder !== undefined && holder.id !== api.id) {
    throw new HandrailError('conflict', `An API with the slug "${api.slug}" exists already.`, {
      problems: [{ path: '/slug', message: 'is taken' }],
      current: holder.id,
    });
  }
  const base = parseBaseUrl(api.baseUrl);
  if (base.origin === demoBaseUrl && !api.builtIn) {
    throw new HandrailError('invalid_input', 'This address is reserved for the built-in demo API.', {
      problems: [{ path: '/baseUrl', message: 'is reserved' }],
    });
  }
  for (const [name, value] of Object.entries(api.headers)) {
    const path = `/headers/${name}`;
    if (!isSettableHeader(name))
      throw headerRefused(path, `the header ${JSON.stringify(name)} cannot be set`);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw headerRefused(
        path,
        `the value of ${JSON.stringify(name)} holds a character that a header cannot carry`,
      );
  }
}

function headerRefused(path: string, message: string): HandrailError {
  return new HandrailError('invalid_input', `The API cannot be saved: ${message}.`, {
    problems: [{ path, message }],
  });
}

/** Whether a stored secret would go somewhere its owner did not enter it for. */
function secretsWouldTravel(before: Api, after: Api): boolean {
  return (
    new URL(before.baseUrl).origin !== new URL(after.baseUrl).origin || authHosts(before) !== authHosts(after)
  );
}

function authHosts(api: Api): string {
  const { auth } = api;
  if (auth.kind === 'login') return auth.url;
  return auth.kind === 'oauth2' ? [auth.issuer, auth.tokenUrl].join(' ') : auth.kind;
}
