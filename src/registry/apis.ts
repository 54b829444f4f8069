import { type Api, demoBaseUrl, parseBaseUrl } from '../domain/api.ts';
import { type AuthScheme, authOrigins, secretFields } from '../domain/auth-scheme.ts';
import { HandrailError } from '../domain/errors.ts';
import { newId } from '../domain/ids.ts';
import { checkSlug } from '../domain/names.ts';
import type { Tool } from '../domain/tool.ts';
import { checkCompiles, isSettableHeader } from '../pipeline/compile.ts';
import type { RegistryChange } from '../storage/ports.ts';
import type { Decision } from './registry.ts';
import { parseApiEgress } from '../upstream/connections/egress.ts';
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
    for (const toolId of snapshot.toolsByApi.get(api.id)?.values() ?? [])
      checkCompiles(api, snapshot.tools.get(toolId)!);
  }
  return { changes, result: api };
}

/** Deletes an API with its tools, credentials and every mention of them. */
export function deleteApi(snapshot: Snapshot, idOrSlug: string, moment: Moment): Decision<Api> {
  const api = findApi(snapshot, idOrSlug);
  const toolIds = new Set(snapshot.toolsByApi.get(api.id)?.values());
  const changes: RegistryChange[] = [...dropToolReferences(snapshot, toolIds, api.id, moment)];
  for (const id of toolIds) changes.push({ op: 'delete', kind: 'tool', id });
  for (const credential of snapshot.credentials.values()) {
    if (credential.apiId === api.id) changes.push({ op: 'delete', kind: 'credential', id: credential.id });
  }
  changes.push({ op: 'delete', kind: 'api', id: api.id });
  return { changes, result: api };
}

/** The changes that make APIs remember which of their operations a person does not want, so that no import brings them back. */
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
  if (api.egressAllow !== undefined) parseApiEgress(api.egressAllow);
  checkAuth(api.auth, '/auth');
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

const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const hmacPart =
  /^(?:method|path|query|target|host|body|body-sha256|timestamp|nonce|key-id|header:.+|text:[^]*)$/;

function checkAuth(auth: AuthScheme, path: string): void {
  const refuse = (where: string, message: string): never => {
    throw new HandrailError('invalid_input', `The way to authenticate cannot be used: ${message}.`, {
      problems: [{ path: `${path}${where}`, message }],
    });
  };
  const checkHeader = (name: string | undefined, where: string): void => {
    if (name !== undefined && !headerName.test(name))
      refuse(where, `${JSON.stringify(name)} is not a header name`);
  };
  switch (auth.kind) {
    case 'all':
      auth.schemes.forEach((inner, i) => checkAuth(inner, `${path}/schemes/${i}`));
      return;
    case 'api-key':
      if (auth.in === 'header') checkHeader(auth.name, '/name');
      return;
    case 'headers':
      for (const name of auth.names) checkHeader(name, '/names');
      return;
    case 'login':
      if (auth.place.in === 'header') checkHeader(auth.place.name, '/place/name');
      parseBaseUrl(auth.url);
      return;
    case 'oauth2':
      if (auth.issuer === undefined && auth.tokenUrl === undefined)
        refuse('', 'it needs an issuer or a token URL');
      for (const url of [auth.issuer, auth.tokenUrl, auth.authorizationUrl])
        if (url !== undefined) parseBaseUrl(url);
      return;
    case 'hmac':
      if (auth.place.in !== 'header') refuse('/place/in', 'a signature travels in a header');
      checkHeader(auth.place.name, '/place/name');
      checkHeader(auth.timestampHeader, '/timestampHeader');
      checkHeader(auth.nonceHeader, '/nonceHeader');
      checkHeader(auth.keyIdHeader, '/keyIdHeader');
      for (const part of auth.parts)
        if (!hmacPart.test(part))
          refuse('/parts', `${JSON.stringify(part)} is not a part that can be signed`);
      return;
    default:
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

// Where a credential of this scheme is sent besides the API itself, and what kind it is.
function authHosts({ auth }: Api): string {
  return JSON.stringify([auth.kind, authOrigins(auth), secretFields(auth)]);
}
