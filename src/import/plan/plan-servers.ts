import type { DescribedServer, ImportNote } from '../../domain/description.ts';
import { defaultServerSlug, type Server, type ServerPolicy, type ToolSelector } from '../../domain/server.ts';
import {
  createServer,
  keptClientSecret,
  type ServerPatch,
  type ServingRules,
  updateServer,
} from '../../registry/rules/servers.ts';
import type { Decision } from '../../registry/registry.ts';
import type { Moment } from '../../registry/rules/find-and-revise.ts';
import { goneToolsOf, type Snapshot } from '../../registry/snapshot.ts';
import type { RegistryChange } from '../../storage/ports.ts';
import { diff, type FieldChange } from '../../domain/field-changes.ts';
import { planComposedTools } from './plan-composed.ts';

/** What an import does to one server. */
export interface PlannedServer {
  readonly slug: string;
  readonly change: 'added' | 'changed' | 'unchanged';
  readonly fields: readonly FieldChange[];
  readonly notes: readonly ImportNote[];
}

/** Updates servers from an export. The snapshot already contains the export's APIs. */
export function planServers(
  snapshot: Snapshot,
  described: readonly DescribedServer[],
  rules: ServingRules,
  moment: Moment,
): Decision<PlannedServer[]> {
  const changes: RegistryChange[] = [];
  const result = described.map((server) => {
    const planned = planServer(snapshot, server, rules, moment);
    changes.push(...planned.changes);
    return planned.result;
  });
  return { changes, result };
}

function planServer(
  snapshot: Snapshot,
  described: DescribedServer,
  rules: ServingRules,
  moment: Moment,
): Decision<PlannedServer> {
  const { slug, givenNames, composedTools = [], ...said } = described;
  const notes: ImportNote[] = [];
  const find = toolFinder(snapshot, slug, notes);
  const policy = readPolicy(said.policy, find, snapshot.serverBySlug.get(slug)?.policy);
  const closed = policy.kind === 'open' && said.enabled && !rules.openAllowed;
  if (closed)
    notes.push({
      code: 'policy_closed',
      message: `The server "${slug}" was open to everyone, which is not allowed at this address: it now requires a key.`,
    });
  const content = {
    ...said,
    tools: said.tools.flatMap((rule) => readSelector(snapshot, rule, find)),
    overrides: byToolId(said.overrides, find),
    policy: closed ? rules.defaultPolicy : policy,
    ...(said.resources && {
      resources: said.resources.flatMap(({ tool, ...resource }) => {
        if (tool === undefined) return [resource];
        const toolId = find(tool);
        return toolId === undefined ? [] : [{ ...resource, toolId }];
      }),
    }),
  };
  const known = snapshot.serverBySlug.get(slug);
  if (!known) {
    const { changes, result } = createServer(snapshot, { ...content, slug }, rules, moment);
    const names = putNames(snapshot, result.id, byToolId(givenNames, find));
    const composed = planComposedTools(snapshot, result, composedTools, find, notes, moment);
    return {
      changes: [...changes, ...names, ...composed.changes],
      result: { slug, change: 'added', fields: [], notes },
    };
  }
  const names = putNames(snapshot, known.id, byToolId(givenNames, find));
  const composed = planComposedTools(snapshot, known, composedTools, find, notes, moment);
  const own = diff(contentOfServer(known), content);
  const changes =
    own.length === 0
      ? []
      : updateServer(snapshot, slug, patchFor(known, content), undefined, rules, moment).changes;
  const all = [...changes, ...names, ...composed.changes];
  const fields = [...own, ...composed.result];
  return {
    changes: all,
    result: { slug, change: all.length === 0 ? 'unchanged' : 'changed', fields, notes },
  };
}

type ServerContent = Omit<Server, 'id' | 'slug' | 'revision' | 'createdAtMs' | 'updatedAtMs'>;

function contentOfServer(server: Server): ServerContent {
  const {
    id: _id,
    slug: _slug,
    revision: _revision,
    createdAtMs: _created,
    updatedAtMs: _updated,
    ...rest
  } = server;
  return rest;
}

// Fields missing from the export are removed. The default server's tool selection is fixed.
function patchFor(known: Server, content: ServerContent): ServerPatch {
  const cleared = Object.fromEntries(Object.keys(contentOfServer(known)).map((key) => [key, undefined]));
  const { tools, ...rest } = content;
  const patch: ServerPatch = { ...cleared, ...rest, tools };
  if (known.slug !== defaultServerSlug) return patch;
  const { tools: _tools, ...others } = patch;
  return others;
}

type FindTool = (reference: string) => string | undefined;

function toolFinder(snapshot: Snapshot, server: string, notes: ImportNote[]): FindTool {
  return (reference) => {
    const slash = reference.indexOf('/');
    const api = snapshot.apiBySlug.get(reference.slice(0, slash));
    const name = reference.slice(slash + 1);
    const id =
      api &&
      (snapshot.toolsByApi.get(api.id)?.get(name) ??
        goneToolsOf(snapshot, api.id).find((tool) => tool.name === name)?.id);
    if (id === undefined)
      notes.push({
        code: 'server_tool_missing',
        message: `The server "${server}" mentions the tool ${reference}, which does not exist here: that mention was left out.`,
      });
    return id;
  };
}

function readSelector(
  snapshot: Snapshot,
  rule: DescribedServer['tools'][number],
  find: FindTool,
): ToolSelector[] {
  if ('tool' in rule) {
    const toolId = find(rule.tool);
    return toolId === undefined ? [] : [{ toolId }];
  }
  if (!('api' in rule)) return [rule];
  const api = snapshot.apiBySlug.get(rule.api);
  return api === undefined ? [] : [{ apiId: api.id, ...(rule.tag !== undefined && { tag: rule.tag }) }];
}

function readPolicy(policy: ServerPolicy, find: FindTool, before: ServerPolicy | undefined): ServerPolicy {
  if (policy.kind !== 'oauth') return policy;
  const { toolScopes, introspection, ...rest } = policy;
  const byScope = Object.entries(toolScopes ?? {}).map(
    ([scope, tools]) => [scope, tools.flatMap((tool) => find(tool) ?? [])] as const,
  );
  const read = { ...rest, ...(toolScopes && { toolScopes: Object.fromEntries(byScope) }) };
  if (introspection === undefined) return read;
  // Exports contain no secret; the one entered here stays.
  const { sealed: _given, ...asked } = introspection;
  const sealed = keptClientSecret(policy, before);
  return { ...read, introspection: { ...asked, ...(sealed !== undefined && { sealed }) } };
}

function byToolId<T>(byReference: Readonly<Record<string, T>>, find: FindTool): Record<string, T> {
  const byId: Record<string, T> = {};
  for (const [reference, value] of Object.entries(byReference)) {
    const id = find(reference);
    if (id !== undefined) byId[id] = value;
  }
  return byId;
}

function putNames(
  snapshot: Snapshot,
  serverId: string,
  names: Readonly<Record<string, string>>,
): RegistryChange[] {
  return Object.entries(names)
    .filter(([toolId, name]) => snapshot.givenNames.get(serverId)?.get(toolId) !== name)
    .map(([toolId, name]) => ({ op: 'put', kind: 'given-name', entity: { serverId, toolId, name } }));
}
