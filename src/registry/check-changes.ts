import type { ComposedTool } from '../domain/composed-tool.ts';
import { registryErrors } from '../domain/error-messages/registry.ts';
import { type ErrorDetails } from '../domain/errors.ts';
import { givenName, nounNames, storedNouns, invalidInputError } from '../domain/stored/read-stored.ts';
import type { Server } from '../domain/server.ts';
import { modelNameKey } from '../domain/models/model.ts';
import { isGone } from '../domain/tool.ts';
import { createPace } from '../lib/timing/pace.ts';
import { sameJson } from '../lib/json/same-json.ts';
import { problemsIn } from '../lib/schema/problems.ts';
import type { RegistryChange } from '../storage/ports.ts';
import { composedOf, nameIn, toolsNamed } from './build-snapshot.ts';
import { checkPiiPatterns } from './rules/pii-patterns.ts';
import { setAsideError } from './set-aside.ts';
import type { Snapshot } from './snapshot.ts';

type Put = Extract<RegistryChange, { readonly op: 'put' }>;

/** Rejects a change that would store something unreadable. Yields to the event loop in between. */
export async function checkForms(changes: readonly RegistryChange[]): Promise<void> {
  const pace = createPace();
  for (const change of changes) {
    if (change.op !== 'put') continue;
    await pace();
    const schema = change.kind === 'given-name' ? givenName : storedNouns[change.kind];
    const problems = problemsIn(schema, change.entity);
    if (problems.length > 0) throw invalidInputError(`${subjectOf(change)} cannot be saved`, problems);
  }
}

/**
 * Rejects changes that would make the registry inconsistent: duplicate names, a tool without its API, or an
 * entity in place of a row that can't be read. `after` is the registry with the changes applied.
 */
export async function checkTogether(
  before: Snapshot,
  after: Snapshot,
  changes: readonly RegistryChange[],
): Promise<void> {
  const pace = createPace();
  for (const change of changes) {
    await pace();
    if (change.op === 'put') checkPut(before, after, change);
    else if (change.kind === 'api') checkNothingLeft(after, change.id);
  }
}

function checkPut(before: Snapshot, after: Snapshot, change: Put): void {
  if (change.kind !== 'given-name') {
    const held = before.setAside.find(change.kind, change.entity.id);
    if (held !== undefined) throw setAsideError(`${subjectOf(change)} cannot be saved`, held);
  }
  switch (change.kind) {
    case 'api':
    case 'server':
      checkSlug(before, after, change);
      checkPiiPatterns(`${subjectOf(change)} cannot be saved`, change.entity.piiRules ?? []);
      if (change.kind === 'server') checkChosenTools(before, after, change.entity);
      return;
    case 'tool':
      checkToolPlace(before, after, change.entity);
      return;
    case 'composed-tool':
      checkComposed(before, after, change.entity);
      return;
    case 'credential':
      requireApi(after, change.entity.apiId, subjectOf(change));
      return;
    case 'model':
      checkModelName(after, change.entity);
      return;
    case 'check':
      requireServer(after, change.entity);
      return;
    default:
  }
}

// An index of `after` only knows the last of two entities with the same name: the previous owner may still have
// it.
function checkSlug(
  before: Snapshot,
  after: Snapshot,
  change: Extract<Put, { kind: 'api' | 'server' }>,
): void {
  const { slug, id } = change.entity;
  const [what, all, bySlug] =
    change.kind === 'api'
      ? (['An API', 'apis', 'apiBySlug'] as const)
      : (['A server', 'servers', 'serverBySlug'] as const);
  const unread = after.setAside.bySlug(change.kind, slug);
  if (unread !== undefined) throw setAsideError(`The slug "${slug}" is taken`, unread, '/slug');
  for (const holder of [before[bySlug].get(slug), after[bySlug].get(slug)]) {
    if (holder !== undefined && holder.id !== id && after[all].get(holder.id)?.slug === slug)
      throw registryErrors.slugTaken({ noun: what, slug }, takenBy(holder.id, '/slug'));
  }
}

function checkToolPlace(
  before: Snapshot,
  after: Snapshot,
  tool: Extract<Put, { kind: 'tool' }>['entity'],
): void {
  const { id, apiId, name } = tool;
  requireApi(after, apiId, `The tool "${name}"`);
  // A removed tool doesn't keep its name.
  if (isGone(tool)) return;
  const unread = after.setAside.toolNamed(apiId, name);
  if (unread !== undefined) throw setAsideError(`The name "${name}" is taken`, unread, '/name');
  for (const { toolsByApi } of [before, after]) {
    const holder = toolsByApi.get(apiId)?.get(name);
    const other = holder === undefined || holder === id ? undefined : after.tools.get(holder);
    if (other !== undefined && other.name === name && other.apiId === apiId)
      throw registryErrors.apiToolTaken({ api: after.apis.get(apiId)!.slug, name }, takenBy(holder, '/name'));
  }
}

// Tools that were listed before aren't checked again: one that is gone may come back.
function checkComposed(before: Snapshot, after: Snapshot, composed: ComposedTool): void {
  const { id, serverId, name, tools } = composed;
  const server = after.servers.get(serverId);
  if (server === undefined) {
    const unread = after.setAside.find('server', serverId);
    if (unread !== undefined)
      throw setAsideError(`The composed tool "${name}" cannot be saved`, unread, '/serverId');
    throw invalidInputError(`The composed tool "${name}" cannot be saved`, [
      { path: '/serverId', message: 'refers to a server that does not exist' },
    ]);
  }
  const unread = after.setAside.composedNamed(serverId, name);
  if (unread !== undefined && unread.id !== id)
    throw setAsideError(`The name "${name}" is taken`, unread, '/name');
  const holder =
    composedOf(after, serverId).find((other) => other.name === name && other.id !== id) ??
    toolsNamed(after, server, name).find((tool) => nameIn(after, server, tool) === name);
  if (holder !== undefined)
    throw registryErrors.serverToolTaken({ server: server.slug, name }, takenBy(holder.id, '/name'));
  const known = new Set(before.composedTools.get(id)?.tools);
  const lost = tools.findIndex((toolId) => !after.tools.has(toolId) && !known.has(toolId));
  if (lost !== -1)
    throw invalidInputError(`The composed tool "${name}" cannot be saved`, [
      { path: `/tools/${lost}`, message: 'refers to a tool that does not exist' },
    ]);
}

function requireApi(after: Snapshot, apiId: string, what: string): void {
  if (after.apis.has(apiId)) return;
  const unread = after.setAside.find('api', apiId);
  if (unread !== undefined) throw setAsideError(`${what} cannot be saved`, unread, '/apiId');
  throw invalidInputError(`${what} cannot be saved`, [
    { path: '/apiId', message: 'refers to an API that does not exist' },
  ]);
}

// Tools that a server already selected aren't checked again: one that can't be read now may be repaired.
function checkChosenTools(before: Snapshot, after: Snapshot, server: Server): void {
  const chosen = before.servers.get(server.id)?.tools ?? [];
  server.tools.forEach((rule, index) => {
    const gone =
      ('toolId' in rule &&
        !after.tools.has(rule.toolId) &&
        !after.gone.has(rule.toolId) &&
        !after.setAside.has('tool', rule.toolId)) ||
      ('apiId' in rule && !after.apis.has(rule.apiId) && !after.setAside.has('api', rule.apiId));
    if (gone && !chosen.some((known) => sameJson(known, rule))) {
      throw registryErrors.unknownToolInServer(
        { entry: index + 1 },
        { problems: [{ path: `/tools/${index}`, message: 'does not exist' }] },
      );
    }
  });
}

function checkModelName(after: Snapshot, { id, name }: Extract<Put, { kind: 'model' }>['entity']): void {
  const unread = after.setAside.modelNamed(name);
  if (unread !== undefined) throw setAsideError(`The name "${name}" is taken`, unread, '/name');
  const key = modelNameKey(name);
  for (const other of after.models.values()) {
    if (other.id !== id && modelNameKey(other.name) === key)
      throw registryErrors.modelTaken({ name: other.name }, takenBy(other.id, '/name'));
  }
}

function requireServer(after: Snapshot, { serverId, name }: Extract<Put, { kind: 'check' }>['entity']): void {
  if (after.servers.has(serverId) || after.setAside.has('server', serverId)) return;
  throw invalidInputError(`The check ${JSON.stringify(name)} cannot be saved`, [
    { path: '/serverId', message: 'refers to a server that does not exist' },
  ]);
}

/** A row that can't be read is never deleted along with something else. */
function checkNothingLeft(after: Snapshot, apiId: string): void {
  const [left] = after.setAside.belongingTo(apiId);
  if (left !== undefined) throw setAsideError('The API cannot be deleted', left);
}

function takenBy(current: string | undefined, path: string): ErrorDetails {
  return { problems: [{ path, message: 'is taken' }], current };
}

function subjectOf(change: Put): string {
  const { entity } = change;
  const name = 'slug' in entity ? entity.slug : 'name' in entity ? entity.name : entity.id;
  // The name itself may be what is wrong.
  return typeof name === 'string'
    ? `The ${nounNames[change.kind]} ${JSON.stringify(name.slice(0, 80))}`
    : `The ${nounNames[change.kind]}`;
}
