import { registryErrors } from '../domain/error-messages/registry.ts';
import { fitToolName } from '../domain/names.ts';
import type { Server } from '../domain/server.ts';
import type { RegistryChange } from '../storage/ports.ts';
import { sameJson } from '../lib/json/same-json.ts';
import type { Tool } from '../domain/tool.ts';
import {
  composedOf,
  foldName,
  membersOf,
  nameIn,
  selects,
  serversSelecting,
  toolsNamed,
} from './build-snapshot.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Keeps tool names unique within each server: returns the assigned names that must be written together with `changes`. A
 * tool keeps the name it has; a later one becomes `{api}_{name}`, and that is stored, so an assigned name never changes.
 * Looks only at servers that changed, and at servers of tools that are new or are called or selected differently.
 */
export function planNames(
  before: Snapshot,
  after: Snapshot,
  changes: readonly RegistryChange[],
): RegistryChange[] {
  const toolsOf = new Map<string, Set<string>>();
  for (const change of changes) {
    if (change.kind !== 'tool' || change.op !== 'put') continue;
    const { id } = change.entity;
    const tool = after.tools.get(id);
    if (tool === undefined || isNamedAlike(before.tools.get(id), tool)) continue;
    for (const server of serversSelecting(after, tool)) {
      if (!toolsOf.has(server.id)) toolsOf.set(server.id, new Set());
      toolsOf.get(server.id)!.add(id);
    }
  }
  const changedServers = new Set<string>();
  for (const change of changes) {
    const server =
      change.kind === 'server' && change.op === 'put' ? after.servers.get(change.entity.id) : undefined;
    if (server === undefined) continue;
    changedServers.add(server.id);
    toolsOf.set(server.id, new Set(membersOf(after, server).map((tool) => tool.id)));
  }
  const planned: RegistryChange[] = [];
  for (const [serverId, toolIds] of toolsOf) {
    const server = after.servers.get(serverId)!;
    // Those of a changed server are in the order of its rules.
    const ids = changedServers.has(serverId) ? [...toolIds] : [...toolIds].toSorted();
    planned.push(...planServer(before, after, server, ids));
  }
  return planned;
}

/** Whether a tool has the name that it had, on the servers that it was on. */
function isNamedAlike(old: Tool | undefined, tool: Tool): boolean {
  return (
    old !== undefined && old.name === tool.name && old.apiId === tool.apiId && sameJson(old.tags, tool.tags)
  );
}

function planServer(
  before: Snapshot,
  after: Snapshot,
  server: Server,
  toolIds: readonly string[],
): RegistryChange[] {
  const planned: RegistryChange[] = [];
  const taken = new Map<string, string>();
  const old = before.servers.get(server.id);
  const heldBefore = (name: string): Tool | undefined => old && toolsNamed(before, old, name)[0];
  // They were there first, or could not have been saved.
  const composed = new Map(composedOf(after, server.id).map(({ name, id }) => [foldName(name), id]));
  const holderOf = (wanted: string): string | undefined => {
    const name = foldName(wanted);
    if (taken.has(name)) return taken.get(name);
    if (composed.has(name)) return composed.get(name);
    const holder = heldBefore(name)?.id;
    const tool = holder === undefined ? undefined : after.tools.get(holder);
    // What was held may have been renamed, deleted or unselected by this very change.
    return tool !== undefined && selects(server, tool) && foldName(nameIn(after, server, tool)) === name
      ? holder
      : undefined;
  };
  const hadName = (id: string): boolean => {
    const tool = before.tools.get(id);
    return (
      old !== undefined &&
      tool !== undefined &&
      selects(old, tool) &&
      heldBefore(nameIn(before, old, tool))?.id === id
    );
  };
  const selected = toolIds.flatMap((id) => after.tools.get(id) ?? []).filter((tool) => selects(server, tool));
  // Tools that already have a name come first, so they don't lose it to a newcomer.
  const named = new Set(selected.filter(({ id }) => hadName(id)));
  const members = [...named, ...selected.filter((tool) => !named.has(tool))];
  for (const tool of members) {
    const override = server.overrides[tool.id]?.name;
    const given = after.givenNames.get(server.id)?.get(tool.id);
    const renamed = before.tools.get(tool.id) !== undefined && before.tools.get(tool.id)!.name !== tool.name;
    const wanted = override ?? (given !== undefined && !renamed ? given : tool.name);
    const holder = holderOf(wanted);
    if (holder === undefined || holder === tool.id) {
      taken.set(foldName(wanted), tool.id);
      if (given !== undefined && renamed)
        planned.push({ op: 'delete', kind: 'given-name', serverId: server.id, toolId: tool.id });
      continue;
    }
    if (override !== undefined) {
      throw registryErrors.serverToolTaken(
        { server: server.slug, name: override },
        { problems: [{ path: `/overrides/${tool.id}/name`, message: 'is taken' }] },
      );
    }
    const apiSlug = after.apis.get(tool.apiId)?.slug ?? 'api';
    const name = fitToolName(`${apiSlug}_${tool.name}`, (candidate) => {
      const other = holderOf(candidate);
      return other !== undefined && other !== tool.id;
    });
    taken.set(foldName(name), tool.id);
    planned.push({ op: 'put', kind: 'given-name', entity: { serverId: server.id, toolId: tool.id, name } });
  }
  return planned;
}
