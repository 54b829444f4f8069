import { WeakCache } from '../lib/weak-cache.ts';
import type { AccessKey } from '../domain/access-key.ts';
import type { Api } from '../domain/api.ts';
import type { ComposedTool } from '../domain/composed-tool.ts';
import { defaultLimits, type Limits } from '../domain/limits.ts';
import { fitToolName, isBuiltInToolName } from '../domain/names.ts';
import type { Server, ToolSelector } from '../domain/server.ts';
import { isGone, isApproved, type Tool } from '../domain/tool.ts';
import type { SetAsideRow } from '../domain/stored/read-stored.ts';
import { LayeredMap } from '../lib/layered-map.ts';
import { sameJson } from '../lib/json/same-json.ts';
import { compileComposed } from '../pipeline/compile-composed.ts';
import { compile } from '../pipeline/compile.ts';
import type { CompiledTool } from '../pipeline/compiled-tool.ts';
import type { RegistryChange, RegistryState } from '../storage/ports.ts';
import { SetAside } from './set-aside.ts';
import { settingsOf } from './settings.ts';
import type { ListedTool, ServerView, Snapshot } from './snapshot.ts';

type Mutable<M> = M extends ReadonlyMap<infer K, infer V> ? LayeredMap<K, V> : never;

/** The maps of a snapshot; `freeze` adds `view`. */
type Parts = Omit<Snapshot, 'view'>;

/** Those that a draft forks before it writes to them. */
type Maps = Omit<Parts, 'seq' | 'setAside'>;

/** Builds the snapshot of a registry that was just loaded. */
export function buildSnapshot(state: RegistryState): Snapshot {
  const byId = <T extends { readonly id: string }>(rows: readonly T[]): LayeredMap<string, T> =>
    LayeredMap.of([...rows].sort((a, b) => (a.id < b.id ? -1 : 1)).map((row) => [row.id, row]));
  const apis = byId(state.apis);
  const tools = byId(state.tools.filter((tool) => !isGone(tool)));
  const servers = byId(state.servers);
  const keys = byId(state.keys);
  const toolsByApi = LayeredMap.of<string, LayeredMap<string, string>>();
  const compiled = LayeredMap.of<string, CompiledTool>();
  const settings = LayeredMap.of<string, string>(state.settings.map(({ id, value }) => [id, value]));
  const defaults = limitsFor(settings);
  for (const tool of tools.values()) {
    if (!toolsByApi.has(tool.apiId)) toolsByApi.set(tool.apiId, LayeredMap.of());
    toolsByApi.get(tool.apiId)!.set(tool.name, tool.id);
    const ready = compileIfServed(apis.get(tool.apiId), tool, defaults);
    if (ready !== null) compiled.set(tool.id, ready);
  }
  const givenNames = LayeredMap.of<string, LayeredMap<string, string>>();
  for (const { serverId, toolId, name } of state.givenNames) {
    if (!givenNames.has(serverId)) givenNames.set(serverId, LayeredMap.of());
    givenNames.get(serverId)!.set(toolId, name);
  }
  return freeze({
    seq: state.seq,
    apis,
    tools,
    gone: byId(state.tools.filter(isGone)),
    servers,
    composedTools: byId(state.composedTools),
    keys,
    credentials: byId(state.credentials),
    models: byId(state.models),
    checks: byId(state.checks),
    settings,
    apiBySlug: LayeredMap.of([...apis.values()].map((api) => [api.slug, api])),
    serverBySlug: LayeredMap.of([...servers.values()].map((server) => [server.slug, server])),
    keyByHash: LayeredMap.of([...keys.values()].map((key) => [key.hash, key])),
    toolsByApi,
    givenNames,
    compiled,
    setAside: SetAside.of(state.setAside),
  });
}

/** The snapshot after some changes. Shares everything they don't touch, including compiled tools and views. */
export function applyChanges(
  before: Snapshot,
  changes: readonly RegistryChange[],
  seq: number,
  setAside: readonly SetAsideRow[] = [],
): Snapshot {
  const next = new Draft(before);
  const touchedApis = new Set<string>();
  const touchedTools = new Set<string>();
  for (const change of changes) {
    next.apply(change);
    if (change.kind === 'api') touchedApis.add(change.op === 'put' ? change.entity.id : change.id);
    if (change.kind === 'tool') touchedTools.add(change.op === 'put' ? change.entity.id : change.id);
  }
  // Different default limits change every tool.
  if (limitsChanged(before.settings, next.read('settings'))) {
    for (const id of next.read('tools').keys()) touchedTools.add(id);
  }
  for (const apiId of touchedApis) {
    for (const toolId of next.read('toolsByApi').get(apiId)?.values() ?? []) touchedTools.add(toolId);
  }
  next.recompile(touchedTools);
  const after = freeze({ ...next.parts(), seq, setAside: before.setAside.after(changes, setAside) });
  keepViews(before, after, touchedTools, serversOfComposed(before, changes));
  return after;
}

/** Copies a map of the snapshot the first time it is written to. */
class Draft {
  readonly #before: Snapshot;
  readonly #copies: { -readonly [K in keyof Maps]?: Mutable<Maps[K]> } = {};

  constructor(before: Snapshot) {
    this.#before = before;
  }

  read<K extends keyof Maps>(name: K): Maps[K] {
    const copies: Partial<Maps> = this.#copies;
    return copies[name] ?? this.#before[name];
  }

  parts(): Parts {
    // Without its `view`, which would keep every earlier snapshot alive.
    const { view: _view, ...parts } = this.#before;
    return Object.assign(parts, this.#copies);
  }

  #write<K extends keyof Maps>(name: K): Mutable<Maps[K]> {
    const copies: { [Name in K]?: Mutable<Maps[K]> } = this.#copies;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a fork has the type of its original, which TypeScript cannot follow through a key
    return (copies[name] ??= LayeredMap.forkOf<unknown, unknown>(this.#before[name]) as Mutable<Maps[K]>);
  }

  apply(change: RegistryChange): void {
    switch (change.kind) {
      case 'api':
        replaceIndexed<Api>(this.#write('apis'), this.#write('apiBySlug'), change, (api) => api.slug);
        break;
      case 'server':
        replaceIndexed<Server>(
          this.#write('servers'),
          this.#write('serverBySlug'),
          change,
          (server) => server.slug,
        );
        break;
      case 'key':
        replaceIndexed<AccessKey>(this.#write('keys'), this.#write('keyByHash'), change, (key) => key.hash);
        break;
      case 'composed-tool':
        if (change.op === 'put') this.#write('composedTools').set(change.entity.id, change.entity);
        else this.#write('composedTools').delete(change.id);
        break;
      case 'credential':
        if (change.op === 'put') this.#write('credentials').set(change.entity.id, change.entity);
        else this.#write('credentials').delete(change.id);
        break;
      case 'model':
        if (change.op === 'put') this.#write('models').set(change.entity.id, change.entity);
        else this.#write('models').delete(change.id);
        break;
      case 'check':
        if (change.op === 'put') this.#write('checks').set(change.entity.id, change.entity);
        else this.#write('checks').delete(change.id);
        break;
      case 'setting':
        if (change.op === 'put') this.#write('settings').set(change.entity.id, change.entity.value);
        else this.#write('settings').delete(change.id);
        break;
      case 'tool':
        this.#applyTool(change);
        break;
      case 'given-name':
        this.#applyGivenName(change);
        break;
    }
  }

  #applyTool(change: Extract<RegistryChange, { kind: 'tool' }>): void {
    const tools = this.#write('tools');
    const id = change.op === 'put' ? change.entity.id : change.id;
    const old = tools.get(id);
    if (old !== undefined) {
      const names = this.#writeInner('toolsByApi', old.apiId);
      // Two tools in one change may have swapped names: the entry may already be the other tool.
      if (names.get(old.name) === id) names.delete(old.name);
    }
    const gone = change.op === 'put' && isGone(change.entity);
    if (gone) this.#write('gone').set(id, change.entity);
    else if (this.read('gone').has(id)) this.#write('gone').delete(id);
    if (change.op === 'delete' || gone) {
      tools.delete(id);
    } else {
      tools.set(id, change.entity);
      this.#writeInner('toolsByApi', change.entity.apiId).set(change.entity.name, id);
    }
  }

  #applyGivenName(change: Extract<RegistryChange, { kind: 'given-name' }>): void {
    if (change.op === 'delete') this.#writeInner('givenNames', change.serverId).delete(change.toolId);
    else this.#writeInner('givenNames', change.entity.serverId).set(change.entity.toolId, change.entity.name);
  }

  /** A nested map, also forked once by this draft. */
  #writeInner(name: 'toolsByApi' | 'givenNames', key: string): LayeredMap<string, string> {
    const outer = this.#write(name);
    const inner = outer.get(key);
    if (inner instanceof LayeredMap && inner !== this.#before[name].get(key)) return inner;
    const own = LayeredMap.forkOf<string, string>(inner ?? new Map());
    outer.set(key, own);
    return own;
  }

  recompile(toolIds: ReadonlySet<string>): void {
    if (toolIds.size === 0) return;
    const compiled = this.#write('compiled');
    const defaults = limitsFor(this.read('settings'));
    for (const id of toolIds) {
      const tool = this.read('tools').get(id);
      const ready = tool && compileIfServed(this.read('apis').get(tool.apiId), tool, defaults);
      if (ready) compiled.set(id, ready);
      else compiled.delete(id);
    }
  }
}

function replaceIndexed<T extends { readonly id: string }>(
  rows: LayeredMap<string, T>,
  index: LayeredMap<string, T>,
  change: { readonly op: 'put'; readonly entity: T } | { readonly op: 'delete'; readonly id: string },
  keyOf: (entity: T) => string,
): void {
  const id = change.op === 'put' ? change.entity.id : change.id;
  const old = rows.get(id);
  // Two entities in one change may have swapped names: the entry may already be the other one.
  if (old !== undefined && index.get(keyOf(old))?.id === id) index.delete(keyOf(old));
  if (change.op === 'put') {
    rows.set(id, change.entity);
    index.set(keyOf(change.entity), change.entity);
  } else {
    rows.delete(id);
  }
}

function compileIfServed(api: Api | undefined, tool: Tool, defaults: Limits): CompiledTool | null {
  return api !== undefined && api.enabled && tool.enabled && isApproved(tool)
    ? compile(api, tool, defaults)
    : null;
}

/** Compiles a tool with this installation's limits, even if it isn't stored this way. */
export function compileTool(snapshot: Snapshot, api: Api, tool: Tool): CompiledTool {
  return compile(api, tool, limitsFor(snapshot.settings));
}

function limitsFor(settings: Snapshot['settings']): Limits {
  const { limits } = settingsOf(settings);
  return limits === undefined ? defaultLimits : { ...defaultLimits, ...limits };
}

const viewsOf = new WeakCache<Snapshot, Map<string, ServerView>>();

function freeze(parts: Parts): Snapshot {
  const views = new Map<string, ServerView>();
  const snapshot: Snapshot = {
    ...parts,
    view(slug) {
      const known = views.get(slug);
      if (known !== undefined) return known;
      const server = parts.serverBySlug.get(slug);
      if (server === undefined || !server.enabled) return undefined;
      const view = buildView(snapshot, server);
      views.set(slug, view);
      return view;
    },
  };
  viewsOf.set(snapshot, views);
  return snapshot;
}

/** The servers whose composed tools are among the changes. */
function serversOfComposed(before: Snapshot, changes: readonly RegistryChange[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const change of changes) {
    if (change.kind !== 'composed-tool') continue;
    const old = before.composedTools.get(change.op === 'put' ? change.entity.id : change.id);
    if (old !== undefined) ids.add(old.serverId);
    if (change.op === 'put') ids.add(change.entity.serverId);
  }
  return ids;
}

function keepViews(
  before: Snapshot,
  after: Snapshot,
  touchedTools: ReadonlySet<string>,
  touchedServers: ReadonlySet<string>,
): void {
  const kept = viewsOf.get(after);
  for (const [slug, view] of viewsOf.get(before) ?? []) {
    const server = after.serverBySlug.get(slug);
    if (server !== view.server || touchedServers.has(server.id)) continue;
    if (before.givenNames.get(server.id) !== after.givenNames.get(server.id)) continue;
    const shows = (snapshot: Snapshot, id: string): boolean => {
      const tool = snapshot.tools.get(id);
      return tool !== undefined && snapshot.compiled.has(id) && selects(server, tool);
    };
    if (![...touchedTools].some((id) => shows(before, id) || shows(after, id))) kept?.set(slug, view);
  }
}

function buildView(snapshot: Snapshot, server: Server): ServerView {
  const tools: ListedTool[] = [];
  const byName = new Map<string, ListedTool>();
  for (const tool of membersOf(snapshot, server)) {
    const compiled = snapshot.compiled.get(tool.id);
    if (compiled === undefined) continue;
    // Another tool may have its own name here, which is why it was assigned a different one.
    if (snapshot.setAside.has('given-name', `${server.id}/${tool.id}`)) continue;
    const name = nameIn(snapshot, server, tool);
    // Names are made unique when they are written; a row that was tampered with must not shadow another tool.
    if (byName.has(name)) continue;
    const listed: ListedTool = {
      name,
      description: server.overrides[tool.id]?.description ?? tool.description,
      compiled,
    };
    tools.push(listed);
    byName.set(name, listed);
  }
  const composedTools = composedOf(snapshot, server.id);
  const served = new Set(composedTools.length === 0 ? [] : tools.map(({ compiled }) => compiled.tool.id));
  for (const composed of composedTools) {
    const compiled = compileIfComplete(snapshot, composed, served);
    if (compiled === null || byName.has(composed.name)) continue;
    const listed: ListedTool = { name: composed.name, description: composed.description, compiled };
    byName.set(composed.name, listed);
    tools.push(listed);
  }
  return { server, tools, byName };
}

/** The composed tools of a server, oldest first. */
export function composedOf(
  { composedTools }: Pick<Snapshot, 'composedTools'>,
  serverId: string,
): ComposedTool[] {
  return [...composedTools.values()]
    .filter((composed) => composed.serverId === serverId)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** A composed tool, ready to call; null while it is disabled or one of the tools it may call isn't served. */
function compileIfComplete(
  snapshot: Snapshot,
  composed: ComposedTool,
  served: ReadonlySet<string>,
): CompiledTool | null {
  if (!composed.enabled || !composed.tools.every((id) => served.has(id))) return null;
  const parts = composed.tools.map((id) => snapshot.tools.get(id)!);
  return compileComposed(composed, parts, limitsFor(snapshot.settings));
}

/** Every tool that a server selects, enabled or not: in the order of its rules, then by age. */
export function membersOf(snapshot: Snapshot, server: Pick<Server, 'tools'>): readonly Tool[] {
  const ids = new Set<string>();
  for (const rule of server.tools) {
    for (const id of candidates(snapshot, rule)) {
      const tool = snapshot.tools.get(id);
      if (tool !== undefined && matches(rule, tool)) ids.add(id);
    }
  }
  return [...ids].map((id) => snapshot.tools.get(id)!);
}

function candidates(snapshot: Snapshot, rule: ToolSelector): Iterable<string> {
  if ('toolId' in rule) return [rule.toolId];
  if ('apiId' in rule) return [...(snapshot.toolsByApi.get(rule.apiId)?.values() ?? [])].sort();
  return snapshot.tools.keys();
}

/** Whether a server's rules select this tool. */
export function selects(server: Server, tool: Tool): boolean {
  return server.tools.some((rule) => matches(rule, tool));
}

function matches(rule: ToolSelector, tool: Tool): boolean {
  if ('all' in rule) return true;
  if ('toolId' in rule) return rule.toolId === tool.id;
  if ('apiId' in rule && rule.apiId !== tool.apiId) return false;
  return rule.tag === undefined || tool.tags.includes(rule.tag);
}

/** A tool's name on a server: the operator's override, the assigned name, or its own. */
export function nameIn(snapshot: Snapshot, server: Server, tool: Tool): string {
  const name =
    server.overrides[tool.id]?.name ?? snapshot.givenNames.get(server.id)?.get(tool.id) ?? tool.name;
  // The tool may have been stored before its name was reserved.
  return isBuiltInToolName(name) ? fitToolName(name) : name;
}

function limitsChanged(before: Snapshot['settings'], after: Snapshot['settings']): boolean {
  return before !== after && !sameJson(settingsOf(before).limits, settingsOf(after).limits);
}
