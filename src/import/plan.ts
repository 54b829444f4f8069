import type { Api, ApiContent, ApiSource, ImportSelection, ParameterRules } from '../domain/api.ts';
import {
  fidelityOf,
  type ApiDescription,
  type DescribedOperation,
  type Fidelity,
  type ImportNote,
  type ProposedCredential,
} from '../domain/description.ts';
import { newId } from '../domain/ids.ts';
import { fitToolName } from '../domain/names.ts';
import { contentOf, type Tool, type ToolContent } from '../domain/tool.ts';
import { slugFrom } from '../lib/slug.ts';
import { sameJson } from '../lib/same-json.ts';
import { diff, merge, type FieldChange } from './merge.ts';
import { isSelected } from './select.ts';

/** What stands in the registry before an import. */
export interface CurrentState {
  /** The API that the import goes into; null for a new one. */
  readonly api: Api | null;
  readonly tools: readonly Tool[];
  readonly isSlugTaken: (slug: string) => boolean;
}

export interface PlanOptions {
  readonly slug?: string;
  readonly baseUrl?: string;
  readonly selection?: ImportSelection;
  readonly rules?: ParameterRules;
  readonly approveChanges?: boolean;
  readonly watchEveryMs?: number;
  readonly documentHash: string;
  readonly sourceUrl?: string;
  readonly nowMs: number;
}

/** One line of the fidelity report. */
export interface ReportLine {
  readonly operation: string;
  /** The tool's name; null when it was not imported or not chosen. */
  readonly tool: string | null;
  readonly tags: readonly string[];
  readonly fidelity: Fidelity;
  readonly selected: boolean;
  readonly at: string;
  readonly notes: readonly ImportNote[];
}

/** A tool that an import adds. */
export interface AddedTool {
  readonly name: string;
  readonly operation: string;
  readonly tool: Tool;
}

/** A tool that an import changes. */
export interface ChangedTool {
  readonly name: string;
  readonly operation: string;
  /** Exactly what changed in the document since the last import. */
  readonly fields: readonly FieldChange[];
  /** Where a hand edit stands against a change upstream. */
  readonly kept: readonly string[];
  /** It waits for an operator's approval. */
  readonly pending: boolean;
  readonly tool: Tool;
}

/** The add, change and remove list shown before an import is applied. */
export interface ImportPlan {
  readonly api: Api;
  readonly isNewApi: boolean;
  /** What changed about the API itself. */
  readonly apiFields: readonly FieldChange[];
  readonly writesApi: boolean;
  readonly added: readonly AddedTool[];
  readonly changed: readonly ChangedTool[];
  readonly removed: readonly { readonly name: string; readonly operation: string; readonly tool: Tool }[];
  readonly unchanged: readonly { readonly name: string; readonly operation: string }[];
  readonly report: readonly ReportLine[];
  readonly notes: readonly ImportNote[];
  readonly proposedCredential?: ProposedCredential;
}

/** The base URL of an API whose document names no server: nothing answers there, and its name says why. */
export const unsetBaseUrl = 'https://base-url-not-set.invalid';

/** Compares a description with what stands, and says what applying it would do. Pure but for new ids. */
export function planImport(
  description: ApiDescription,
  current: CurrentState,
  options: PlanOptions,
): ImportPlan {
  const selection = options.selection ?? current.api?.source?.selection;
  const chosen = description.operations.filter((operation) => isSelected(operation, selection));
  const own = description.kind === 'handrail';
  // Our own export says everything about a tool, however it came to be.
  const imported = own ? current.tools : current.tools.filter((tool) => tool.source !== undefined);
  const matches = matchTools(chosen, imported);
  const names = giveNames(chosen, matches, current.tools);
  const apiPlan = planApi(description, current, options, selection);
  const approve = options.approveChanges ?? current.api?.source?.approveChanges ?? false;

  const added: AddedTool[] = [];
  const changed: ChangedTool[] = [];
  const unchanged: { name: string; operation: string }[] = [];
  for (const operation of chosen) {
    if (!operation.content) continue;
    const fresh: ToolContent = { ...operation.content, name: names.get(operation)! };
    const tool = matches.get(operation);
    if (!tool) {
      added.push({
        name: fresh.name,
        operation: operation.key,
        tool: newTool(fresh, operation, own, apiPlan.api.id, options.nowMs),
      });
      continue;
    }
    const change = own
      ? planReplacement(tool, fresh, operation, options.nowMs)
      : planChange(tool, fresh, operation.key, approve, options.nowMs);
    if (change) changed.push(change);
    else unchanged.push({ name: tool.name, operation: operation.key });
  }
  const kept = new Set(matches.values());
  const removed = (own ? [] : imported)
    .filter((tool) => !kept.has(tool) && !isLeftByFailure(tool, chosen))
    .map((tool) => ({ name: tool.name, operation: tool.source!.operationKey, tool }));

  const selected = new Set(chosen);
  const nameOf = (operation: DescribedOperation): string | null => {
    if (!operation.content || !selected.has(operation)) return null;
    return matches.get(operation)?.name ?? names.get(operation)!;
  };
  return {
    ...apiPlan,
    added,
    changed,
    removed,
    unchanged,
    report: description.operations.map((operation) => ({
      operation: operation.key,
      tool: nameOf(operation),
      tags: operation.content?.tags ?? [],
      fidelity: fidelityOf(operation),
      selected: selected.has(operation),
      at: operation.at,
      notes: operation.notes,
    })),
    notes: [...description.notes, ...apiPlan.notes],
    ...(description.proposedCredential && { proposedCredential: description.proposedCredential }),
  };
}

// An operation that this version of the document describes but that could not be read is not gone.
function isLeftByFailure(tool: Tool, chosen: readonly DescribedOperation[]): boolean {
  return chosen.some(
    (operation) => operation.content === null && operation.key === tool.source!.operationKey,
  );
}

/** Finds for each operation the tool it became before: by its key, by its key without parameter names, by its name. */
function matchTools(
  operations: readonly DescribedOperation[],
  tools: readonly Tool[],
): Map<DescribedOperation, Tool> {
  const matches = new Map<DescribedOperation, Tool>();
  const free = new Set(tools);
  const pass = (
    keyOfTool: (tool: Tool) => string,
    keyOfOperation: (operation: DescribedOperation) => string,
  ): void => {
    const index = new Map<string, Tool>();
    for (const tool of free) if (!index.has(keyOfTool(tool))) index.set(keyOfTool(tool), tool);
    for (const operation of operations) {
      if (!operation.content || matches.has(operation)) continue;
      const tool = index.get(keyOfOperation(operation));
      if (!tool || !free.has(tool)) continue;
      matches.set(operation, tool);
      free.delete(tool);
    }
  };
  pass(
    (tool) => tool.source?.operationKey ?? `[${tool.id}]`,
    (operation) => operation.key,
  );
  pass(
    (tool) => plainKey(tool.source?.operationKey ?? `[${tool.id}]`),
    (operation) => plainKey(operation.key),
  );
  pass(
    (tool) => importedContent(tool).name,
    (operation) => fitToolName(operation.wantedName),
  );
  return matches;
}

function plainKey(key: string): string {
  return key.replace(/\{[^{}]*\}/g, '{}');
}

function importedContent(tool: Tool): ToolContent {
  return tool.source?.imported ?? contentOf(tool);
}

/** A known operation keeps the name it got; new ones get names that no tool of the API has. */
function giveNames(
  operations: readonly DescribedOperation[],
  matches: ReadonlyMap<DescribedOperation, Tool>,
  tools: readonly Tool[],
): Map<DescribedOperation, string> {
  const names = new Map<DescribedOperation, string>();
  const taken = new Set(tools.map((tool) => tool.name));
  for (const [operation, tool] of matches) {
    const before = importedContent(tool).name;
    const wanted = fitToolName(operation.wantedName);
    if (before === wanted || isNumbered(before, wanted)) {
      names.set(operation, before);
      taken.add(before);
    }
  }
  for (const operation of operations) {
    if (!operation.content || names.has(operation)) continue;
    const own = matches.get(operation);
    const name = fitToolName(
      operation.wantedName,
      (candidate) => taken.has(candidate) && candidate !== own?.name,
    );
    names.set(operation, name);
    taken.add(name);
  }
  return names;
}

// `list_2` was made from `list` because that was taken.
function isNumbered(name: string, wanted: string): boolean {
  const number = /_(\d+)$/.exec(name);
  return (
    number !== null &&
    wanted.startsWith(name.slice(0, -number[0].length).slice(0, 50)) &&
    name.length - number[0].length <= wanted.length
  );
}

function newTool(
  content: ToolContent,
  operation: DescribedOperation,
  own: boolean,
  apiId: string,
  nowMs: number,
): Tool {
  return {
    ...content,
    id: newId('tool', nowMs),
    apiId,
    reply: {},
    limits: {},
    enabled: true,
    ...(!own && { source: { operationKey: operation.key } }),
    ...operation.settings,
    revision: 1,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

function planReplacement(
  tool: Tool,
  fresh: ToolContent,
  operation: DescribedOperation,
  nowMs: number,
): ChangedTool | null {
  const {
    id: _id,
    apiId: _apiId,
    revision: _revision,
    createdAtMs: _created,
    updatedAtMs: _updated,
    ...before
  } = tool;
  const after = { ...fresh, ...operation.settings };
  const fields = diff(before, after);
  if (fields.length === 0) return null;
  const cleared = Object.fromEntries(Object.keys(before).map((key) => [key, undefined])) as Partial<Tool>;
  const next = revised(tool, { ...cleared, ...after }, nowMs);
  return { name: next.name, operation: operation.key, fields, kept: [], pending: false, tool: next };
}

function planChange(
  tool: Tool,
  fresh: ToolContent,
  operationKey: string,
  approve: boolean,
  nowMs: number,
): ChangedTool | null {
  const base = importedContent(tool);
  const sameKey = tool.source!.operationKey === operationKey;
  const fields = diff(base, fresh);
  if (fields.length === 0 && sameKey && tool.source!.pending === undefined) return null;
  const meaning = fields.some((field) => !/^\/(title|tags|deprecated)(\/|$)/.test(field.path));
  if (approve && meaning) {
    if (sameKey && sameJson(tool.source!.pending, fresh)) return null;
    const waiting = revised(tool, { source: { operationKey, imported: base, pending: fresh } }, nowMs);
    return { name: tool.name, operation: operationKey, fields, kept: [], pending: true, tool: waiting };
  }
  const kept: string[] = [];
  const merged = merge(base, fresh, contentOf(tool), kept) as ToolContent;
  const edited = !sameJson(merged, fresh);
  const next = revised(
    tool,
    { ...clearedContent(tool), ...merged, source: { operationKey, ...(edited && { imported: fresh }) } },
    nowMs,
  );
  return { name: next.name, operation: operationKey, fields, kept, pending: false, tool: next };
}

// A title that the document dropped must not linger.
function clearedContent(tool: Tool): Partial<Tool> {
  const cleared: Record<string, undefined> = {};
  for (const key of Object.keys(contentOf(tool))) cleared[key] = undefined;
  return cleared as Partial<Tool>;
}

function revised(tool: Tool, patch: Partial<Tool>, nowMs: number): Tool {
  const next: Record<string, unknown> = {
    ...tool,
    ...patch,
    revision: tool.revision + 1,
    updatedAtMs: nowMs,
  };
  for (const key of Object.keys(next)) if (next[key] === undefined) delete next[key];
  return next as unknown as Tool;
}

/** Lets a waiting version in: merged like any import, hand edits stand. Null when nothing waits. */
export function approvePending(tool: Tool, nowMs: number): Tool | null {
  const pending = tool.source?.pending;
  if (!tool.source || pending === undefined) return null;
  return (
    planChange(
      { ...tool, source: { ...tool.source, pending: undefined as never } },
      pending,
      tool.source.operationKey,
      false,
      nowMs,
    )?.tool ?? null
  );
}

/** What letting a waiting version in would change, and which hand edits would stand. Null when nothing waits. */
export function pendingOf(tool: Tool): Pick<ChangedTool, 'fields' | 'kept'> | null {
  const approved = approvePending(tool, tool.updatedAtMs);
  if (approved === null) return null;
  const kept: string[] = [];
  merge(importedContent(tool), tool.source!.pending, contentOf(tool), kept);
  return { fields: diff(contentOf(tool), contentOf(approved)), kept };
}

/** Turns a waiting version down: the tool stays as it is until the document changes again. */
export function dismissPending(tool: Tool, nowMs: number): Tool | null {
  const pending = tool.source?.pending;
  if (!tool.source || pending === undefined) return null;
  return revised(tool, { source: { operationKey: tool.source.operationKey, imported: pending } }, nowMs);
}

type ApiPlan = Pick<ImportPlan, 'api' | 'isNewApi' | 'apiFields' | 'writesApi'> & {
  readonly notes: readonly ImportNote[];
};

function planApi(
  description: ApiDescription,
  current: CurrentState,
  options: PlanOptions,
  selection: ImportSelection | undefined,
): ApiPlan {
  const [first, ...others] = description.baseUrls;
  const notes: ImportNote[] = [];
  const baseUrl = options.baseUrl ?? first ?? current.api?.baseUrl ?? unsetBaseUrl;
  if (baseUrl === unsetBaseUrl) {
    notes.push({
      code: 'base_url_unset',
      message:
        'The document names no server that can be called: set the base URL (--base-url on the command line, or edit the API).',
    });
  }
  const fresh: ApiContent = {
    name: description.name,
    ...(description.description !== undefined && { description: description.description }),
    baseUrl,
    ...(others.length > 0 && { otherBaseUrls: others }),
    headers: description.headers,
    auth: description.auth,
  };
  const source: ApiSource = {
    kind: description.kind,
    ...((options.sourceUrl ?? current.api?.source?.url) !== undefined && {
      url: options.sourceUrl ?? current.api!.source!.url!,
    }),
    documentHash: options.documentHash,
    importedAtMs: options.nowMs,
    ...keep('watchEveryMs', options.watchEveryMs ?? current.api?.source?.watchEveryMs),
    ...keep('approveChanges', options.approveChanges ?? current.api?.source?.approveChanges),
    ...keep('selection', selection),
    ...keep('rules', options.rules ?? current.api?.source?.rules),
    imported: fresh,
  };
  if (!current.api) {
    const api: Api = {
      id: newId('api', options.nowMs),
      slug: options.slug ?? freeSlug(description.wantedSlug, current.isSlugTaken),
      ...fresh,
      limits: {},
      enabled: true,
      ...(description.kind === 'handrail' ? description.settings : { source }),
      revision: 1,
      createdAtMs: options.nowMs,
      updatedAtMs: options.nowMs,
    };
    return { api, isNewApi: true, apiFields: [], writesApi: true, notes };
  }
  if (description.kind === 'handrail') return replaceApi(current.api, fresh, description, options, notes);
  return planKnownApi(current.api, fresh, source, options, notes);
}

function planKnownApi(
  api: Api,
  fresh: ApiContent,
  source: ApiSource,
  options: PlanOptions,
  notes: ImportNote[],
): ApiPlan {
  const base = api.source?.imported ?? contentOfApi(api);
  const apiFields = diff(base, fresh);
  // Where calls go and how they sign in is the operator's: a document must not move a stored secret to another host.
  const wanted: ApiContent = {
    ...fresh,
    baseUrl: options.baseUrl ?? api.baseUrl,
    auth: api.auth.kind === 'none' ? fresh.auth : api.auth,
  };
  for (const field of apiFields) {
    if (options.baseUrl === undefined && field.path === '/baseUrl')
      notes.push({
        code: 'server_changed',
        message: `The document now names ${fresh.baseUrl}; calls still go to ${api.baseUrl}. Edit the API to change that.`,
      });
    if (field.path.startsWith('/auth') && api.auth.kind !== 'none')
      notes.push({
        code: 'authentication_changed',
        message: 'The document now asks for another way of signing in; edit the API to change it.',
      });
  }
  const merged = merge(base, wanted, contentOfApi(api), []) as ApiContent;
  const next: Api = {
    ...api,
    ...merged,
    baseUrl: wanted.baseUrl,
    auth: wanted.auth,
    source,
    revision: api.revision + 1,
    updatedAtMs: options.nowMs,
  };
  const { importedAtMs: _now, ...newSource } = source;
  const { importedAtMs: _then, ...oldSource } = api.source ?? { importedAtMs: 0 };
  const writesApi = !sameJson(contentOfApi(next), contentOfApi(api)) || !sameJson(newSource, oldSource);
  return { api: writesApi ? next : api, isNewApi: false, apiFields, writesApi, notes };
}

function replaceApi(
  api: Api,
  fresh: ApiContent,
  description: ApiDescription,
  options: PlanOptions,
  notes: ImportNote[],
): ApiPlan {
  const next: Record<string, unknown> = { ...api };
  for (const key of ['description', 'otherBaseUrls', 'source']) delete next[key];
  // As with any import, a document does not move stored secrets to another host.
  Object.assign(next, fresh, description.settings, {
    baseUrl: options.baseUrl ?? api.baseUrl,
    auth: api.auth,
  });
  if (fresh.baseUrl !== next['baseUrl']) {
    notes.push({
      code: 'server_changed',
      message: `The export names ${fresh.baseUrl}; calls still go to ${api.baseUrl}. Edit the API to change that.`,
    });
  }
  const apiFields = diff(api, next);
  if (apiFields.length === 0) return { api, isNewApi: false, apiFields, writesApi: false, notes };
  const changed = { ...next, revision: api.revision + 1, updatedAtMs: options.nowMs } as unknown as Api;
  return { api: changed, isNewApi: false, apiFields, writesApi: true, notes };
}

function contentOfApi(api: Api): ApiContent {
  return {
    name: api.name,
    ...(api.description !== undefined && { description: api.description }),
    baseUrl: api.baseUrl,
    ...(api.otherBaseUrls !== undefined && { otherBaseUrls: api.otherBaseUrls }),
    headers: api.headers,
    auth: api.auth,
  };
}

function keep<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}

function freeSlug(wanted: string, isTaken: (slug: string) => boolean): string {
  const slug = slugFrom(wanted);
  if (!isTaken(slug)) return slug;
  for (let n = 2; ; n++) {
    const numbered = `${slug.slice(0, 36)}-${n}`;
    if (!isTaken(numbered)) return numbered;
  }
}
