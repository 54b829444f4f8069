import { registryErrors } from '../../domain/error-messages/registry.ts';
import { type Problem } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import { reservedSlugs } from '../../domain/names.ts';
import {
  defaultServer,
  defaultServerSlug,
  type OAuthPolicy,
  type Server,
  type ServerPolicy,
  resource as resourceSchema,
  type ServerResource,
} from '../../domain/server.ts';
import { sameJson } from '../../lib/json/same-json.ts';
import type { RegistryChange } from '../../storage/ports.ts';
import { composedOf } from '../build-snapshot.ts';
import type { Decision } from '../registry.ts';
import { findServer, fresh, type Moment, revise } from './find-and-revise.ts';
import { requireFreeToolName } from './reserved-names.ts';
import type { Snapshot } from '../snapshot.ts';
import { invalidInputError } from '../../domain/stored/read-stored.ts';
import type { Tool } from '../../domain/tool.ts';
import { fits } from '../../lib/schema/problems.ts';
import { parseUriTemplate, type UriTemplate } from '../../lib/text/uri-template.ts';
import { asParsed } from '../../domain/fields/addresses.ts';

/** What an operator enters for a new server. */
export type NewServer = Pick<Server, 'slug' | 'tools'> &
  Partial<Omit<Server, 'id' | 'revision' | 'createdAtMs' | 'updatedAtMs'>>;

/** The fields of a server that can be edited. */
export type ServerPatch = Partial<Omit<Server, 'id' | 'revision' | 'createdAtMs' | 'updatedAtMs'>>;

/** What the address we serve on allows and suggests. */
export interface ServingRules {
  /** The policy of a server whose creator names none. */
  readonly defaultPolicy: ServerPolicy;
  /** False if an open server would be reachable by others and the operator has not allowed that. */
  readonly openAllowed: boolean;
}

const operatorRatePerMinute = 60;

/** Publishes a server. */
export function createServer(
  snapshot: Snapshot,
  input: NewServer,
  rules: ServingRules,
  moment: Moment,
): Decision<Server> {
  requireFreeSlug(input.slug);
  const server: Server = {
    name: input.slug,
    overrides: {},
    policy: rules.defaultPolicy,
    ratePerMinute: operatorRatePerMinute,
    enabled: true,
    ...input,
    ...(input.icons && { icons: parseIcons(input.icons) }),
    ...fresh(newId('srv', moment.nowMs), moment),
  };
  checkPolicy(server, rules);
  checkOverrides(server, undefined);
  checkTexts(snapshot, server, undefined);
  return { changes: [{ op: 'put', kind: 'server', entity: server }], result: server };
}

/** Creates the default server, which has every tool, if it doesn't exist; null if its row can't be read. */
export function ensureDefaultServer(
  snapshot: Snapshot,
  rules: ServingRules,
  moment: Moment,
): Decision<Server | null> {
  const known = snapshot.serverBySlug.get(defaultServerSlug);
  if (known !== undefined) return { changes: [], result: known };
  // A server that can't be read may have been closed to the public, so it isn't created again.
  if (snapshot.setAside.bySlug('server', defaultServerSlug) !== undefined)
    return { changes: [], result: null };
  const server: Server = {
    ...fresh(newId('srv', moment.nowMs), moment),
    ...defaultServer(rules.defaultPolicy),
  };
  return { changes: [{ op: 'put', kind: 'server', entity: server }], result: server };
}

/** Edits a server. */
export function updateServer(
  snapshot: Snapshot,
  idOrSlug: string,
  patch: ServerPatch,
  expectedRevision: number | undefined,
  rules: ServingRules,
  moment: Moment,
): Decision<Server> {
  const current = findServer(snapshot, idOrSlug);
  if (patch.slug !== undefined && patch.slug !== current.slug) {
    if (current.slug === defaultServerSlug) throw registryErrors.defaultServerSlug();
    requireFreeSlug(patch.slug);
  }
  if (current.slug === defaultServerSlug && patch.tools !== undefined) {
    throw registryErrors.defaultServerTools();
  }
  // Texts that were saved before aren't checked again when something else is edited.
  const hasNewIcons = patch.icons !== undefined && !sameJson(patch.icons, current.icons);
  const parsed = hasNewIcons ? { ...patch, icons: parseIcons(patch.icons) } : patch;
  const server = revise(current, parsed, expectedRevision, moment);
  checkPolicy(server, rules);
  checkOverrides(server, current);
  checkTexts(snapshot, server, current);
  return { changes: [{ op: 'put', kind: 'server', entity: server }], result: server };
}

/** Deletes a server and its composed tools. */
export function deleteServer(snapshot: Snapshot, idOrSlug: string): Decision<Server> {
  const server = findServer(snapshot, idOrSlug);
  if (server.slug === defaultServerSlug) {
    throw registryErrors.defaultServerKept();
  }
  const changes: RegistryChange[] = [];
  for (const toolId of snapshot.givenNames.get(server.id)?.keys() ?? []) {
    changes.push({ op: 'delete', kind: 'given-name', serverId: server.id, toolId });
  }
  for (const { id } of composedOf(snapshot, server.id))
    changes.push({ op: 'delete', kind: 'composed-tool', id });
  for (const check of snapshot.checks.values())
    if (check.serverId === server.id) changes.push({ op: 'delete', kind: 'check', id: check.id });
  changes.push({ op: 'delete', kind: 'server', id: server.id });
  return { changes, result: server };
}

/** The sealed secret that was entered for exactly the issuer, address and client that a policy names, if any. */
export function keptClientSecret(policy: OAuthPolicy, before: ServerPolicy | undefined): string | undefined {
  if (before?.kind !== 'oauth' || before.issuer !== policy.issuer) return undefined;
  const isSame =
    before.introspection?.url === policy.introspection?.url &&
    before.introspection?.clientId === policy.introspection?.clientId;
  return isSame ? before.introspection?.sealed : undefined;
}

/** Seals every introspection secret for which `reseal` returns a new text. */
export function resealClientSecrets(
  snapshot: Snapshot,
  reseal: (policy: OAuthPolicy, sealed: string, name: string) => string | null,
): Decision<number> {
  const changes: RegistryChange[] = [];
  for (const server of snapshot.servers.values()) {
    const { policy } = server;
    if (policy.kind !== 'oauth' || policy.introspection?.sealed === undefined) continue;
    const sealed = reseal(
      policy,
      policy.introspection.sealed,
      `the introspection of the server ${server.slug}`,
    );
    if (sealed === null) continue;
    const entity = { ...server, policy: { ...policy, introspection: { ...policy.introspection, sealed } } };
    changes.push({ op: 'put', kind: 'server', entity });
  }
  return { changes, result: changes.length };
}

/** The changes that remove tools (and an API) that are about to be deleted from every server. */
export function dropToolReferences(
  snapshot: Snapshot,
  toolIds: ReadonlySet<string>,
  apiId: string | null,
  moment: Moment,
): RegistryChange[] {
  const changes: RegistryChange[] = [];
  for (const server of snapshot.servers.values()) {
    const tools = server.tools.filter(
      (rule) => !('toolId' in rule && toolIds.has(rule.toolId)) && !('apiId' in rule && rule.apiId === apiId),
    );
    const overrides = Object.fromEntries(Object.entries(server.overrides).filter(([id]) => !toolIds.has(id)));
    const resources = server.resources?.filter(({ toolId }) => toolId === undefined || !toolIds.has(toolId));
    if (
      tools.length !== server.tools.length ||
      resources?.length !== server.resources?.length ||
      Object.keys(overrides).length !== Object.keys(server.overrides).length
    ) {
      changes.push({
        op: 'put',
        kind: 'server',
        entity: revise(server, { tools, overrides, ...(resources && { resources }) }, undefined, moment),
      });
    }
    for (const toolId of snapshot.givenNames.get(server.id)?.keys() ?? []) {
      if (toolIds.has(toolId))
        changes.push({ op: 'delete', kind: 'given-name', serverId: server.id, toolId });
    }
  }
  return changes;
}

// Texts that were saved before aren't checked again when something else is edited.
function checkTexts(snapshot: Snapshot, server: Server, before: Server | undefined): void {
  if (!sameJson(server.resources, before?.resources)) checkResources(snapshot, server.resources ?? []);
}

function requireFreeSlug(slug: string): void {
  if (!reservedSlugs.includes(slug)) return;
  throw registryErrors.slugReserved({ slug }, { problems: [{ path: '/slug', message: 'is reserved' }] });
}

function checkPolicy(server: Server, rules: ServingRules): void {
  if (server.policy.kind === 'open' && server.access !== undefined)
    throw registryErrors.openWithRules({
      problems: [{ path: '/access', message: 'needs a policy that identifies callers' }],
    });
  if (server.policy.kind !== 'open' || !server.enabled || rules.openAllowed) return;
  throw registryErrors.openNotAllowed({
    problems: [{ path: '/policy', message: 'open is not allowed on this address' }],
  });
}

function checkOverrides(server: Server, before: Server | undefined): void {
  for (const [toolId, { name }] of Object.entries(server.overrides))
    if (name !== before?.overrides[toolId]?.name) requireFreeToolName(name, `/overrides/${toolId}/name`);
}

/** Rejects resources whose tools could not be read at their URIs. */
function checkResources(snapshot: Snapshot, resources: NonNullable<Server['resources']>): void {
  const problems = resources.flatMap((resource, at) => resourceProblems(snapshot, resource, at));
  if (problems.length > 0) throw invalidInputError('The resources cannot be saved', problems);
}

const problem = (path: string, message: string): Problem => ({ path, message });

function resourceProblems(snapshot: Snapshot, resource: ServerResource, at: number): Problem[] {
  const path = `/resources/${at}`;
  // Problems of a resource by itself are reported when the server is checked as a whole.
  if (resource.toolId === undefined || !fits(resourceSchema, resource)) return [];
  const tool = snapshot.tools.get(resource.toolId) ?? snapshot.gone.get(resource.toolId);
  if (!tool) return [problem(`${path}/toolId`, 'refers to a tool that does not exist')];
  return toolProblems(tool, parseUriTemplate(resource.uri), path);
}

function toolProblems(tool: Tool, template: UriTemplate, path: string): Problem[] {
  const { method, parameters } = tool.operation;
  if (method !== 'GET')
    return [
      problem(
        `${path}/toolId`,
        `refers to ${tool.name}, which is not a GET tool: reading a resource must not change anything`,
      ),
    ];
  const shown = parameters.filter(({ hidden, fixed }) => !hidden && fixed === undefined);
  const extra = template.names.filter((name) => !shown.some((parameter) => parameter.name === name));
  const missing = shown.filter(
    (parameter) =>
      parameter.required && parameter.default === undefined && !template.names.includes(parameter.name),
  );
  return [
    ...extra.map((name) =>
      problem(`${path}/uri`, `has the variable {${name}}, but ${tool.name} has no such argument`),
    ),
    ...missing.map(({ name }) =>
      problem(`${path}/uri`, `needs the variable {${name}}, because ${tool.name} requires it`),
    ),
  ];
}

type Icons = NonNullable<Server['icons']>;

/** A server's icons with normalized URLs; rejects anything that isn't an image or contains a password. */
export function parseIcons(icons: Icons): Icons {
  const problems: Problem[] = [];
  const parsed = icons.map((icon, at) => {
    const fault = iconFault(icon);
    if (fault !== null) problems.push({ path: `/icons/${at}/src`, message: fault });
    // An image in a data URL may be long, and is only parsed when it is shown.
    return /^data:/i.test(icon.src) ? icon : { ...icon, src: asParsed(icon.src) };
  });
  if (problems.length > 0) throw invalidInputError('The icons cannot be saved', problems);
  return parsed;
}

function iconFault({ src, mimeType }: Icons[number]): string | null {
  // Anything else is reported when the server is checked as a whole.
  if (!URL.canParse(src)) return null;
  if (/^data:/i.test(src)) {
    const head = src
      .slice('data:'.length, Math.max(0, src.indexOf(',')))
      .split(';', 1)[0]!
      .trim();
    const type = head === '' ? (mimeType ?? '') : head;
    return /^image\//i.test(type) ? null : 'must be an image, such as data:image/png;base64,…';
  }
  const { username, password } = new URL(src);
  return username === '' && password === '' ? null : 'must not contain a user name or password';
}
