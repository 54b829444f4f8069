import { RecentValues, WeakCache } from '../lib/weak-cache.ts';
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
import { addId, idsIn, indexIds, removeId } from './id-index.ts';
import { SetAside } from './set-aside.ts';
import { settingsOf } from './settings.ts';
import type { CompiledTools, ListedTool, ServerView, Snapshot } from './snapshot.ts';

type Mutable<M> = M extends ReadonlyMap<infer K, infer V> ? LayeredMap<K, V> : never;

/** The maps of a snapshot; `freeze` adds what is computed from them. */
type Parts = Omit<Snapshot, 'view' | 'compiled'>;

/** Those that a draft forks before it writes to them. */
type Maps = Omit<Parts, 'seq' | 'setAside' | 'limits'>;

/** How names are compared: a model mixes up names that differ only in case, and some clients treat them as one. */
export const foldName = (name: string): string => name.toLowerCase();

const byAge = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);

/** The rows by age, which is the order in which stores return them. */
function sorted<T extends { readonly id: string }>(rows: readonly T[]): readonly T[] {
  for (let i = 1; i < rows.length; i++) if (rows[i]!.id < rows[i - 1]!.id) return [...rows].sort(byAge);
  return rows;
}

/** Builds the snapshot of a registry that was just loaded. */
export function buildSnapshot(state: RegistryState): Snapshot {
  const byId = <T extends { readonly id: string }>(rows: readonly T[]): LayeredMap<string, T> =>
    LayeredMap.of(sorted(rows).map((row) => [row.id, row]));
  const apis = byId(state.apis);
  const tools = byId(state.tools.filter((tool) => !isGone(tool)));
  const servers = byId(state.servers);
  const keys = byId(state.keys);
  const composedTools = byId(state.composedTools);
  const namesByApi = new Map<string, [name: string, id: string][]>();
  const enabledByApi = LayeredMap.of<string, number>();
  for (const tool of tools.values()) {
    const names = namesByApi.get(tool.apiId);
    if (names === undefined) namesByApi.set(tool.apiId, [[tool.name, tool.id]]);
    else names.push([tool.name, tool.id]);
    if (isReady(tool)) enabledByApi.set(tool.apiId, (enabledByApi.get(tool.apiId) ?? 0) + 1);
  }
  const givenNames = LayeredMap.of<string, LayeredMap<string, string>>();
  const toolsByGivenName = LayeredMap.of<string, readonly string[]>();
  for (const { serverId, toolId, name } of state.givenNames) {
    if (!givenNames.has(serverId)) givenNames.set(serverId, LayeredMap.of());
    givenNames.get(serverId)!.set(toolId, name);
    addId(toolsByGivenName, givenNameKey(serverId, name), toolId);
  }
  const settings = LayeredMap.of<string, string>(state.settings.map(({ id, value }) => [id, value]));
  return freeze({
    seq: state.seq,
    apis,
    tools,
    gone: byId(state.tools.filter(isGone)),
    servers,
    composedTools,
    keys,
    credentials: byId(state.credentials),
    models: byId(state.models),
    checks: byId(state.checks),
    identityProviders: byId(state.identityProviders),
    apiTokens: byId(state.apiTokens),
    settings,
    apiBySlug: LayeredMap.of([...apis.values()].map((api) => [api.slug, api])),
    serverBySlug: LayeredMap.of([...servers.values()].map((server) => [server.slug, server])),
    keyByHash: LayeredMap.of([...keys.values()].map((key) => [key.hash, key])),
    toolsByApi: LayeredMap.of(
      [...namesByApi].map(([apiId, names]) => [apiId, LayeredMap.of<string, string>(names)] as const),
    ),
    toolsByName: indexIds(tools.values(), nameKeysOf),
    serversByRule: indexIds(servers.values(), ruleKeysOf),
    composedByServer: indexIds(composedTools.values(), serverKeysOf),
    keysByCaller: indexIds(keys.values(), callerKeysOf),
    enabledByApi,
    givenNames,
    toolsByGivenName,
    limits: limitsFor(settings),
    setAside: SetAside.of(state.setAside),
  });
}

/** The names by which each index finds a row. */
const nameKeysOf = ({ name }: Pick<Tool, 'name'>): readonly string[] => [ownNameKey(name)];
const ruleKeysOf = (server: Pick<Server, 'tools'>): readonly string[] => server.tools.map(ruleKey);
const serverKeysOf = (composed: Pick<ComposedTool, 'serverId'>): readonly string[] => [composed.serverId];
const callerKeysOf = (key: Pick<AccessKey, 'id' | 'subjectId'>): readonly string[] => [
  key.subjectId ?? key.id,
];
const givenNameKey = (serverId: string, name: string): string => `${serverId} ${foldName(name)}`;

function ruleKey(rule: ToolSelector): string {
  if ('all' in rule) return 'all';
  if ('toolId' in rule) return rule.toolId;
  return 'apiId' in rule ? rule.apiId : `tag ${rule.tag}`;
}

/** Whether a tool is served as soon as its API is. */
function isReady(tool: Tool): boolean {
  return tool.enabled && isApproved(tool);
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
  const touchedServers = new Set<string>();
  for (const change of changes) {
    if (change.kind === 'given-name') {
      touchedTools.add(change.op === 'put' ? change.entity.toolId : change.toolId);
    } else {
      const id = change.op === 'put' ? change.entity.id : change.id;
      if (change.kind === 'api') touchedApis.add(id);
      if (change.kind === 'tool') touchedTools.add(id);
      if (change.kind === 'server') touchedServers.add(id);
    }
    next.apply(change);
  }
  for (const id of serversOfComposed(before, changes)) touchedServers.add(id);
  for (const apiId of touchedApis) {
    for (const toolId of next.read('toolsByApi').get(apiId)?.values() ?? []) touchedTools.add(toolId);
  }
  // Different default limits change every tool.
  const limits = limitsChanged(before.settings, next.read('settings'))
    ? limitsFor(next.read('settings'))
    : before.limits;
  const after = freeze({ ...next.parts(), seq, limits, setAside: before.setAside.after(changes, setAside) });
  if (limits === before.limits && after.setAside === before.setAside)
    keepViews(before, after, touchedTools, touchedServers);
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
    const { view: _view, compiled: _compiled, ...parts } = this.#before;
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
        this.#reindex<Server>('serversByRule', this.read('servers'), change, ruleKeysOf);
        replaceIndexed<Server>(
          this.#write('servers'),
          this.#write('serverBySlug'),
          change,
          (server) => server.slug,
        );
        break;
      case 'key':
        this.#reindex<AccessKey>('keysByCaller', this.read('keys'), change, callerKeysOf);
        replaceIndexed<AccessKey>(this.#write('keys'), this.#write('keyByHash'), change, (key) => key.hash);
        break;
      case 'composed-tool':
        this.#reindex<ComposedTool>('composedByServer', this.read('composedTools'), change, serverKeysOf);
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
      case 'identity-provider':
        if (change.op === 'put') this.#write('identityProviders').set(change.entity.id, change.entity);
        else this.#write('identityProviders').delete(change.id);
        break;
      case 'api-token':
        if (change.op === 'put') this.#write('apiTokens').set(change.entity.id, change.entity);
        else this.#write('apiTokens').delete(change.id);
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
    const kept = change.op === 'put' && !isGone(change.entity) ? change.entity : undefined;
    if (old?.name !== kept?.name) {
      if (old !== undefined) for (const key of nameKeysOf(old)) removeId(this.#write('toolsByName'), key, id);
      if (kept !== undefined) for (const key of nameKeysOf(kept)) addId(this.#write('toolsByName'), key, id);
    }
    if (old !== undefined && isReady(old)) this.#countEnabled(old.apiId, -1);
    if (kept !== undefined && isReady(kept)) this.#countEnabled(kept.apiId, 1);
    if (old !== undefined) {
      const names = this.#writeInner('toolsByApi', old.apiId);
      // Two tools in one change may have swapped names: the entry may already be the other tool.
      if (names.get(old.name) === id) names.delete(old.name);
    }
    if (change.op === 'put' && kept === undefined) this.#write('gone').set(id, change.entity);
    else if (this.read('gone').has(id)) this.#write('gone').delete(id);
    if (kept === undefined) {
      tools.delete(id);
    } else {
      tools.set(id, kept);
      this.#writeInner('toolsByApi', kept.apiId).set(kept.name, id);
    }
  }

  #countEnabled(apiId: string, more: number): void {
    const counts = this.#write('enabledByApi');
    counts.set(apiId, (counts.get(apiId) ?? 0) + more);
  }

  /** Keeps an index of rows; called before the rows themselves change. */
  #reindex<T extends { readonly id: string }>(
    name: 'serversByRule' | 'keysByCaller' | 'composedByServer',
    rows: ReadonlyMap<string, T>,
    change: { readonly op: 'put'; readonly entity: T } | { readonly op: 'delete'; readonly id: string },
    keysOf: (row: T) => readonly string[],
  ): void {
    const id = change.op === 'put' ? change.entity.id : change.id;
    const old = rows.get(id);
    const had = new Set(old === undefined ? [] : keysOf(old));
    const has = new Set(change.op === 'put' ? keysOf(change.entity) : []);
    for (const key of had) if (!has.has(key)) removeId(this.#write(name), key, id);
    for (const key of has) if (!had.has(key)) addId(this.#write(name), key, id);
  }

  #applyGivenName(change: Extract<RegistryChange, { kind: 'given-name' }>): void {
    const { serverId, toolId } = change.op === 'put' ? change.entity : change;
    const names = this.#writeInner('givenNames', serverId);
    const old = names.get(toolId);
    if (old !== undefined) removeId(this.#write('toolsByGivenName'), givenNameKey(serverId, old), toolId);
    if (change.op === 'delete') {
      names.delete(toolId);
      return;
    }
    names.set(toolId, change.entity.name);
    addId(this.#write('toolsByGivenName'), givenNameKey(serverId, change.entity.name), toolId);
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

/** The tools of a snapshot, each compiled when it is first asked for. */
class ToolCompiler implements CompiledTools {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get size(): number {
    let size = 0;
    for (const [apiId, count] of this.#parts.enabledByApi)
      if (this.#parts.apis.get(apiId)?.enabled === true) size += count;
    return size;
  }

  get(toolId: string): CompiledTool | undefined {
    const tool = this.#parts.tools.get(toolId);
    const api = tool && servingApi(this.#parts, tool);
    return api && compiledOnce(api, tool, this.#parts.limits);
  }

  has(toolId: string): boolean {
    const tool = this.#parts.tools.get(toolId);
    return tool !== undefined && servingApi(this.#parts, tool) !== undefined;
  }

  *values(): Iterable<CompiledTool> {
    for (const tool of this.#parts.tools.values()) {
      const api = servingApi(this.#parts, tool);
      if (api !== undefined) yield compiledOnce(api, tool, this.#parts.limits);
    }
  }
}

/** The API of a tool, if both are served. */
function servingApi({ apis }: Pick<Parts, 'apis'>, tool: Tool): Api | undefined {
  const api = apis.get(tool.apiId);
  return api !== undefined && api.enabled && isReady(tool) ? api : undefined;
}

interface CompiledOnce {
  readonly api: Api;
  readonly limits: Limits;
  readonly compiled: CompiledTool;
}

// A compiled tool takes several times the memory of a packed one, and only some of many are in use at a time.
const compiledTools = new RecentValues<Tool, CompiledOnce>(2_000);

function compiledOnce(api: Api, tool: Tool, limits: Limits): CompiledTool {
  const known = compiledTools.get(tool);
  if (known?.api === api && known.limits === limits) return known.compiled;
  const compiled = compile(api, tool, limits);
  compiledTools.set(tool, { api, limits, compiled });
  return compiled;
}

/** Compiles a tool with this installation's limits, even if it isn't stored this way. */
export function compileTool(snapshot: Snapshot, api: Api, tool: Tool): CompiledTool {
  return compile(api, tool, snapshot.limits);
}

function limitsFor(settings: Snapshot['settings']): Limits {
  const { limits } = settingsOf(settings);
  return limits === undefined ? defaultLimits : { ...defaultLimits, ...limits };
}

/** What was computed from a snapshot when it was first asked for. */
interface Computed {
  readonly views: LayeredMap<string, ServerView>;
  /** The tools of an API under their own names, for all servers that serve them like this. */
  readonly apiLists: LayeredMap<string, ToolList>;
}

const computedOf = new WeakCache<Snapshot, Computed>();

function freeze(parts: Parts): Snapshot {
  // Every call asks for a view.
  let views: Computed['views'] | undefined;
  const snapshot: Snapshot = {
    ...parts,
    compiled: new ToolCompiler(parts),
    view(slug) {
      views ??= computed(snapshot).views;
      const known = views.get(slug);
      if (known !== undefined) return known;
      const server = parts.serverBySlug.get(slug);
      if (server === undefined || !server.enabled) return undefined;
      const view = buildView(snapshot, server);
      views.set(slug, view);
      return view;
    },
  };
  return snapshot;
}

function computed(snapshot: Snapshot): Computed {
  return computedOf.of(snapshot, () => ({ views: LayeredMap.of(), apiLists: LayeredMap.of() }));
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

/** A tool as a server shows it, compiled while someone looks at more than its name and description. */
class LazyTool implements ListedTool {
  readonly name: string;
  readonly description: string;
  readonly stored: Tool;
  readonly #api: Api;
  readonly #limits: Limits;

  constructor(name: string, description: string, stored: Tool, api: Api, limits: Limits) {
    this.name = name;
    this.description = description;
    this.stored = stored;
    this.#api = api;
    this.#limits = limits;
  }

  get compiled(): CompiledTool {
    return compiledOnce(this.#api, this.stored, this.#limits);
  }

  get source(): Pick<CompiledTool, 'tool' | 'api'> {
    return { tool: this.stored, api: this.#api };
  }
}

/** Tools with different names. */
interface ToolList {
  readonly tools: readonly LazyTool[];
  readonly byName: LayeredMap<string, ListedTool>;
  /** Whether a tool was left out because another one has its name. */
  readonly isComplete: boolean;
}

/** How a server shows a tool; null if it doesn't. */
type ShowTool = (tool: Tool) => LazyTool | null;

function toolShower(snapshot: Snapshot, server: Pick<Server, 'id' | 'overrides'> | null): ShowTool {
  const given = server === null ? undefined : snapshot.givenNames.get(server.id);
  const isDamaged = snapshot.setAside.rows.length > 0;
  return (tool) => {
    const api = servingApi(snapshot, tool);
    if (api === undefined) return null;
    // Another tool may have its own name here, which is why it was assigned a different one.
    if (server !== null && isDamaged && snapshot.setAside.has('given-name', `${server.id}/${tool.id}`))
      return null;
    const override = server?.overrides[tool.id];
    const name = builtInAside(override?.name ?? given?.get(tool.id) ?? tool.name);
    return new LazyTool(name, override?.description ?? tool.description, tool, api, snapshot.limits);
  };
}

function listTools(members: Iterable<Tool>, show: ShowTool): ToolList {
  const tools: LazyTool[] = [];
  const byName = new Map<string, ListedTool>();
  let isComplete = true;
  for (const tool of members) {
    const listed = show(tool);
    if (listed === null) continue;
    // Names are made unique when they are written; a row that was tampered with must not shadow another tool.
    if (byName.has(listed.name)) {
      isComplete = false;
      continue;
    }
    tools.push(listed);
    byName.set(listed.name, listed);
  }
  return { tools, byName: LayeredMap.of(byName), isComplete };
}

// Beyond this, reading everything again is as fast.
const maxFollowed = 200;

/** The list after some tools changed, in the order of their age; null if it has to be read again. */
function followTools(
  list: ToolList,
  after: Snapshot,
  touched: readonly string[],
  show: ShowTool,
  isMember: (tool: Tool) => boolean,
): ToolList | null {
  const isShown = (id: string): boolean => {
    const tool = after.tools.get(id);
    return tool !== undefined && isMember(tool) && servingApi(after, tool) !== undefined;
  };
  const changed = touched.filter(
    (id) => list.tools[placeOf(list.tools, id)]?.stored.id === id || isShown(id),
  );
  if (changed.length === 0) return list;
  if (changed.length > maxFollowed || !list.isComplete) return null;
  const tools = [...list.tools];
  const byName = list.byName.fork();
  for (const id of changed) {
    const at = placeOf(tools, id);
    const old = tools[at]?.stored.id === id ? tools[at] : undefined;
    if (old !== undefined) byName.delete(old.name);
    const tool = after.tools.get(id);
    const listed = tool !== undefined && isMember(tool) ? show(tool) : null;
    if (listed === null) {
      if (old !== undefined) tools.splice(at, 1);
    } else if (old === undefined) tools.splice(at, 0, listed);
    else tools[at] = listed;
  }
  for (const id of changed) {
    const listed = tools[placeOf(tools, id)];
    if (listed?.stored.id !== id) continue;
    if (byName.has(listed.name)) return null;
    byName.set(listed.name, listed);
  }
  return { tools, byName, isComplete: true };
}

/** Where a tool is, or would be, in a list sorted by age. */
function placeOf(tools: readonly LazyTool[], id: string): number {
  let from = 0;
  for (let to = tools.length; from < to;) {
    const middle = (from + to) >>> 1;
    if (tools[middle]!.stored.id < id) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Keeps the views that a change doesn't touch, and adjusts those that show a few of the tools it does. */
function keepViews(
  before: Snapshot,
  after: Snapshot,
  touchedTools: ReadonlySet<string>,
  touchedServers: ReadonlySet<string>,
): void {
  const known = computed(before);
  const views = known.views.fork();
  const apiLists = known.apiLists.fork();
  const toolsOf = new Map<string, string[]>();
  const toolsOfApi = new Map<string, Set<string>>();
  const touch = (snapshot: Snapshot, tool: Tool | undefined): void => {
    if (tool === undefined) return;
    if (apiLists.has(tool.apiId)) {
      if (!toolsOfApi.has(tool.apiId)) toolsOfApi.set(tool.apiId, new Set());
      toolsOfApi.get(tool.apiId)!.add(tool.id);
    }
    for (const { id, slug } of serversSelecting(snapshot, tool)) {
      if (!views.has(slug)) continue;
      const ids = toolsOf.get(id);
      if (ids === undefined) toolsOf.set(id, [tool.id]);
      else if (ids.at(-1) !== tool.id) ids.push(tool.id);
    }
  };
  for (const id of touchedTools) {
    touch(before, before.tools.get(id));
    touch(after, after.tools.get(id));
  }
  for (const id of touchedServers) {
    for (const { servers } of [before, after]) {
      const server = servers.get(id);
      if (server !== undefined) views.delete(server.slug);
    }
    toolsOf.delete(id);
  }
  for (const [apiId, ids] of toolsOfApi) {
    const list = apiLists.get(apiId)!;
    const followed = followTools(
      list,
      after,
      [...ids],
      toolShower(after, null),
      (tool) => tool.apiId === apiId,
    );
    if (followed === null) apiLists.delete(apiId);
    else apiLists.set(apiId, followed);
  }
  computedOf.set(after, { views, apiLists });
  for (const [serverId, ids] of toolsOf) {
    const server = after.servers.get(serverId)!;
    const view = followView(views.get(server.slug)!, after, ids);
    if (view) views.set(server.slug, view);
    else views.delete(server.slug);
  }
}

function followView(
  view: ServerView,
  after: Snapshot,
  touched: readonly string[],
): ServerView | null | undefined {
  const { server } = view;
  const shared = sharedApi(after, server);
  if (!(view instanceof ListView) || server.tools.length !== 1) return null;
  if (shared !== null) {
    const list = computed(after).apiLists.get(shared);
    return list === view.list ? view : list && new ListView(server, list);
  }
  const list = followTools(view.list, after, touched, toolShower(after, server), (tool) =>
    selects(server, tool),
  );
  return list === view.list ? view : list && new ListView(server, list);
}

/** A view with nothing but a list of tools. */
class ListView implements ServerView {
  readonly server: Server;
  readonly list: ToolList;

  constructor(server: Server, list: ToolList) {
    this.server = server;
    this.list = list;
  }

  get tools(): readonly ListedTool[] {
    return this.list.tools;
  }

  get byName(): ReadonlyMap<string, ListedTool> {
    return this.list.byName;
  }
}

/** The API whose own list a server shows as it is; null if the server changes or adds anything. */
function sharedApi(snapshot: Snapshot, server: Server): string | null {
  const [rule] = server.tools;
  if (server.tools.length !== 1 || rule === undefined || !('apiId' in rule) || rule.tag !== undefined)
    return null;
  for (const _ in server.overrides) return null;
  if ((snapshot.givenNames.get(server.id)?.size ?? 0) > 0 || snapshot.setAside.rows.length > 0) return null;
  return rule.apiId;
}

function buildView(snapshot: Snapshot, server: Server): ServerView {
  const shared = sharedApi(snapshot, server);
  const list =
    shared === null
      ? listTools(iterateMembers(snapshot, server), toolShower(snapshot, server))
      : listOfApi(snapshot, shared);
  const composedTools = composedOf(snapshot, server.id);
  if (composedTools.length === 0) return new ListView(server, list);
  const tools: ListedTool[] = [...list.tools];
  const byName = list.byName.fork();
  const served = new Set(list.tools.map(({ stored }) => stored.id));
  for (const composed of composedTools) {
    const compiled = compileIfComplete(snapshot, composed, served);
    if (compiled === null || byName.has(composed.name)) continue;
    const listed: ListedTool = { name: composed.name, description: composed.description, compiled };
    byName.set(composed.name, listed);
    tools.push(listed);
  }
  return { server, tools, byName };
}

function listOfApi(snapshot: Snapshot, apiId: string): ToolList {
  const { apiLists } = computed(snapshot);
  const known = apiLists.get(apiId);
  if (known !== undefined) return known;
  const list = listTools(candidates(snapshot, { apiId }), toolShower(snapshot, null));
  apiLists.set(apiId, list);
  return list;
}

/** The composed tools of a server, oldest first. */
export function composedOf(
  { composedTools, composedByServer }: Pick<Snapshot, 'composedTools' | 'composedByServer'>,
  serverId: string,
): ComposedTool[] {
  return idsIn(composedByServer, serverId).map((id) => composedTools.get(id)!);
}

/** A composed tool, ready to call; null while it is disabled or one of the tools it may call isn't served. */
function compileIfComplete(
  snapshot: Snapshot,
  composed: ComposedTool,
  served: ReadonlySet<string>,
): CompiledTool | null {
  if (!composed.enabled || !composed.tools.every((id) => served.has(id))) return null;
  const parts = composed.tools.map((id) => snapshot.tools.get(id)!);
  return compileComposed(composed, parts, snapshot.limits);
}

/** Every tool that a server selects, enabled or not: in the order of its rules, then by age. */
export function membersOf(snapshot: Snapshot, server: Pick<Server, 'tools'>): readonly Tool[] {
  return [...iterateMembers(snapshot, server)];
}

function* iterateMembers(snapshot: Snapshot, { tools: rules }: Pick<Server, 'tools'>): Iterable<Tool> {
  if (rules.length === 1) {
    yield* candidates(snapshot, rules[0]!);
    return;
  }
  const seen = new Set<Tool>();
  for (const rule of rules) {
    for (const tool of candidates(snapshot, rule)) {
      if (seen.has(tool)) continue;
      seen.add(tool);
      yield tool;
    }
  }
}

/** The tools that a rule selects, by age. */
function candidates(snapshot: Snapshot, rule: ToolSelector): readonly Tool[] {
  const { tools } = snapshot;
  if ('toolId' in rule) {
    const tool = tools.get(rule.toolId);
    return tool === undefined ? [] : [tool];
  }
  if ('apiId' in rule) {
    const ids = [...(snapshot.toolsByApi.get(rule.apiId)?.values() ?? [])];
    return sorted(ids.flatMap((id) => tools.get(id) ?? []).filter((tool) => matchesSelector(rule, tool)));
  }
  const all = [...tools.values()];
  return sorted('all' in rule ? all : all.filter((tool) => matchesSelector(rule, tool)));
}

/** The servers that select a tool. */
export function serversSelecting(
  { servers, serversByRule }: Pick<Snapshot, 'servers' | 'serversByRule'>,
  tool: Tool,
): Server[] {
  const keys = ['all', tool.apiId, tool.id, ...tool.tags.map((tag) => `tag ${tag}`)];
  const ids = new Set<string>();
  for (const key of keys) for (const id of idsIn(serversByRule, key)) ids.add(id);
  return [...ids].map((id) => servers.get(id)!).filter((server) => selects(server, tool));
}

/** The tools of a server that have a name there, compared without case, oldest first. */
export function toolsNamed(snapshot: Snapshot, server: Server, name: string): Tool[] {
  const folded = foldName(name);
  const ids = new Set([
    ...idsIn(snapshot.toolsByName, folded),
    ...idsIn(snapshot.toolsByGivenName, givenNameKey(server.id, name)),
    ...idsIn(overridesOf(server), folded),
  ]);
  return [...ids]
    .toSorted()
    .flatMap((id) => snapshot.tools.get(id) ?? [])
    .filter((tool) => selects(server, tool) && foldName(nameIn(snapshot, server, tool)) === folded);
}

const overrideIndex = new WeakCache<Server, ReadonlyMap<string, readonly string[]>>();

function overridesOf(server: Server): ReadonlyMap<string, readonly string[]> {
  return overrideIndex.of(server, () => {
    const index = LayeredMap.of<string, readonly string[]>();
    for (const [toolId, { name }] of Object.entries(server.overrides))
      if (name !== undefined) addId(index, foldName(builtInAside(name)), toolId);
    return index;
  });
}

/** Whether a server's rules select this tool. */
export function selects(server: Server, tool: Tool): boolean {
  return server.tools.some((rule) => matchesSelector(rule, tool));
}

/** Whether a selector chooses a tool. */
export function matchesSelector(rule: ToolSelector, tool: Tool): boolean {
  if ('all' in rule) return true;
  if ('toolId' in rule) return rule.toolId === tool.id;
  if ('apiId' in rule && rule.apiId !== tool.apiId) return false;
  return rule.tag === undefined || tool.tags.includes(rule.tag);
}

/** A tool's name on a server: the operator's override, the assigned name, or its own. */
export function nameIn(snapshot: Snapshot, server: Server, tool: Tool): string {
  return builtInAside(
    server.overrides[tool.id]?.name ?? snapshot.givenNames.get(server.id)?.get(tool.id) ?? tool.name,
  );
}

/** What `Snapshot.toolsByName` has for a tool's own name. */
export function ownNameKey(name: string): string {
  return foldName(builtInAside(name));
}

// The tool may have been stored before its name was reserved.
function builtInAside(name: string): string {
  return isBuiltInToolName(name) ? fitToolName(name) : name;
}

function limitsChanged(before: Snapshot['settings'], after: Snapshot['settings']): boolean {
  return before !== after && !sameJson(settingsOf(before).limits, settingsOf(after).limits);
}
