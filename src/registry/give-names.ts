import { registryErrors } from '../domain/error-messages/registry.ts';
import { fitToolName } from '../domain/names.ts';
import type { Server } from '../domain/server.ts';
import type { RegistryChange } from '../storage/ports.ts';
import { composedOf, membersOf, nameIn, selects } from './build-snapshot.ts';
import type { Snapshot } from './snapshot.ts';

/** Which tool has which name in one server. Names are folded. */
interface NamesInServer {
  readonly toolByName: Map<string, string>;
  readonly nameByTool: Map<string, string>;
}

/** How names are compared: a model mixes up names that differ only in case, and some clients treat them as one. */
const fold = (name: string): string => name.toLowerCase();

/**
 * Keeps tool names unique within each server. A tool keeps the name it has; a later one becomes `{api}_{name}`,
 * and that is stored, so an assigned name never changes. The book follows the newest snapshot and is updated in
 * place: with ten thousand tools it is too large to rebuild for every change.
 */
export class NameBook {
  readonly #servers = new Map<string, NamesInServer>();

  constructor(snapshot: Snapshot) {
    for (const server of snapshot.servers.values()) this.#servers.set(server.id, readNames(snapshot, server));
  }

  /**
   * The assigned names that must be written together with `changes`, so that no two tools of a server share a
   * name.
   */
  plan(before: Snapshot, after: Snapshot, changes: readonly RegistryChange[]): RegistryChange[] {
    const planned: RegistryChange[] = [];
    const changedServers = new Set(changes.filter((change) => change.kind === 'server').map(changedId));
    const changedTools = [
      ...new Set(changes.filter((change) => change.kind === 'tool').map(changedId)),
    ].sort();
    for (const server of after.servers.values()) {
      const held = this.#servers.get(server.id);
      const toolIds =
        changedServers.has(server.id) || held === undefined
          ? membersOf(after, server).map((tool) => tool.id)
          : changedTools;
      planned.push(...planServer(before, after, server, toolIds, held));
    }
    return planned;
  }

  /** Updates the book to `after`. */
  follow(after: Snapshot, changes: readonly RegistryChange[]): void {
    for (const change of changes) {
      if (change.kind === 'server') this.#forget(changedId(change), after);
      if (change.kind === 'given-name')
        this.#refresh(change.op === 'put' ? change.entity.toolId : change.toolId, after);
      if (change.kind === 'tool') this.#refresh(changedId(change), after);
    }
  }

  #forget(serverId: string, after: Snapshot): void {
    const server = after.servers.get(serverId);
    if (server === undefined) this.#servers.delete(serverId);
    else this.#servers.set(serverId, readNames(after, server));
  }

  #refresh(toolId: string, after: Snapshot): void {
    const tool = after.tools.get(toolId);
    for (const [serverId, held] of this.#servers) {
      const server = after.servers.get(serverId);
      release(held, toolId);
      if (server !== undefined && tool !== undefined && selects(server, tool))
        hold(held, nameIn(after, server, tool), toolId);
    }
  }
}

function planServer(
  before: Snapshot,
  after: Snapshot,
  server: Server,
  toolIds: readonly string[],
  held: NamesInServer | undefined,
): RegistryChange[] {
  const planned: RegistryChange[] = [];
  const taken = new Map<string, string>();
  // They were there first, or could not have been saved.
  const composed = new Map(composedOf(after, server.id).map(({ name, id }) => [fold(name), id]));
  const holderOf = (wanted: string): string | undefined => {
    const name = fold(wanted);
    if (taken.has(name)) return taken.get(name);
    if (composed.has(name)) return composed.get(name);
    const holder = held?.toolByName.get(name);
    const tool = holder === undefined ? undefined : after.tools.get(holder);
    // What was held may have been renamed, deleted or unselected by this very change.
    return tool !== undefined && selects(server, tool) && fold(nameIn(after, server, tool)) === name
      ? holder
      : undefined;
  };
  const members = toolIds.flatMap((id) => after.tools.get(id) ?? []).filter((tool) => selects(server, tool));
  // Tools that already have a name come first, so they don't lose it to a newcomer.
  members.sort(
    (a, b) => Number(held?.nameByTool.has(b.id) ?? false) - Number(held?.nameByTool.has(a.id) ?? false),
  );
  for (const tool of members) {
    const override = server.overrides[tool.id]?.name;
    const given = after.givenNames.get(server.id)?.get(tool.id);
    const renamed = before.tools.get(tool.id) !== undefined && before.tools.get(tool.id)!.name !== tool.name;
    const wanted = override ?? (given !== undefined && !renamed ? given : tool.name);
    const holder = holderOf(wanted);
    if (holder === undefined || holder === tool.id) {
      taken.set(fold(wanted), tool.id);
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
    taken.set(fold(name), tool.id);
    planned.push({ op: 'put', kind: 'given-name', entity: { serverId: server.id, toolId: tool.id, name } });
  }
  return planned;
}

function readNames(snapshot: Snapshot, server: Server): NamesInServer {
  const held: NamesInServer = { toolByName: new Map(), nameByTool: new Map() };
  for (const tool of membersOf(snapshot, server)) hold(held, nameIn(snapshot, server, tool), tool.id);
  return held;
}

function hold(held: NamesInServer, toolName: string, toolId: string): void {
  const name = fold(toolName);
  if (held.toolByName.has(name)) return;
  held.toolByName.set(name, toolId);
  held.nameByTool.set(toolId, name);
}

function release(held: NamesInServer, toolId: string): void {
  const name = held.nameByTool.get(toolId);
  if (name === undefined) return;
  held.nameByTool.delete(toolId);
  held.toolByName.delete(name);
}

function changedId(change: RegistryChange): string {
  if (change.kind === 'given-name') return change.op === 'put' ? change.entity.toolId : change.toolId;
  return change.op === 'put' ? change.entity.id : change.id;
}
