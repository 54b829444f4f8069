import type { DescribedOperation } from '../../domain/description.ts';
import { newId } from '../../domain/ids.ts';
import {
  contentOf,
  type Tool,
  tool as toolSchema,
  type ToolContent,
  type Waiting,
  waitingOf,
} from '../../domain/tool.ts';
import { sameJson } from '../../lib/json/same-json.ts';
import { fits } from '../../lib/schema/problems.ts';
import type { ChangedTool } from './import-plan.ts';
import { importedContent } from './match-tools.ts';
import { diff } from '../../domain/field-changes.ts';
import { merge } from './merge.ts';
import { unmask } from '../formats/handrail/unmask.ts';

/** Creates the tool for an operation. */
export function newTool(
  content: ToolContent,
  operation: DescribedOperation,
  own: boolean,
  apiId: string,
  nowMs: number,
  wait = false,
): Tool {
  const tool = {
    ...content,
    reply: {},
    limits: {},
    enabled: true,
    ...(!own && { source: { operationKey: operation.key, ...(wait && { standing: 'new' as const }) } }),
    ...operation.settings,
  };
  return {
    ...(own ? unmask(tool, null, () => {}) : tool),
    id: newId('tool', nowMs),
    apiId,
    revision: 1,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/** What our own export, which describes a tool completely, changes about an existing one. */
export function planReplacement(
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
  const after = unmask({ ...fresh, ...operation.settings }, before, () => {});
  const fields = diff(before, after);
  if (fields.length === 0) return null;
  const cleared = Object.fromEntries(Object.keys(before).map((key) => [key, undefined])) as Partial<Tool>;
  const next = revised(tool, { ...cleared, ...after }, nowMs);
  return { name: next.name, operation: operation.key, fields, kept: [], pending: false, tool: next };
}

/** What a newer version of the document changes about a tool; null if nothing. Manual edits win. */
export function planChange(
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
  const wait = (): ChangedTool | null => {
    if (sameKey && sameJson(tool.source!.pending, fresh)) return null;
    const waiting = revised(tool, { source: { operationKey, imported: base, pending: fresh } }, nowMs);
    return { name: tool.name, operation: operationKey, fields, kept: [], pending: true, tool: waiting };
  };
  if (approve && meaning) return wait();
  const kept: string[] = [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each part of a merge is taken from one of three of this type; the commit parses the result
  const merged = merge(base, fresh, contentOf(tool), kept) as ToolContent;
  const edited = !sameJson(merged, fresh);
  const next = revised(
    tool,
    { ...clearedContent(tool), ...merged, source: { operationKey, ...(edited && { imported: fresh }) } },
    nowMs,
  );
  // Manual and upstream changes may be incompatible: then someone decides, without blocking the rest of the import.
  if (tool.source!.pending === undefined && !fits(toolSchema, next)) return wait();
  return { name: next.name, operation: operationKey, fields, kept, pending: false, tool: next };
}

// Clears fields such as a title that the document dropped.
function clearedContent(tool: Tool): Partial<Tool> {
  const cleared: Record<string, undefined> = {};
  for (const key of Object.keys(contentOf(tool))) cleared[key] = undefined;
  return cleared;
}

function revised(tool: Tool, patch: Partial<Tool>, nowMs: number): Tool {
  const next: Record<string, unknown> = {
    ...tool,
    ...patch,
    revision: tool.revision + 1,
    updatedAtMs: nowMs,
  };
  for (const key of Object.keys(next)) if (next[key] === undefined) delete next[key];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a tool without some optional fields; the commit parses the result
  return next as unknown as Tool;
}

/** Plans an import's changes to an existing tool, considering its standing too. Null if nothing changes. */
export function planKnown(
  tool: Tool,
  fresh: ToolContent,
  operationKey: string,
  approve: boolean,
  nowMs: number,
): ChangedTool | null {
  const { standing, goneAtMs: _gone, ...source } = tool.source!;
  if (standing === undefined) return planChange(tool, fresh, operationKey, approve, nowMs);
  // It was not approved yet, so nothing that is being served changes.
  const isHeld = standing === 'new' || standing === 'returned';
  const change = planChange({ ...tool, source }, fresh, operationKey, approve && !isHeld, nowMs);
  if (isHeld) return change && { ...change, tool: withSource(change.tool, { standing }) };
  // The document has the tool again, so there is nothing left to decide.
  if (change !== null) return change;
  return {
    name: tool.name,
    operation: operationKey,
    fields: [],
    kept: [],
    pending: false,
    tool: revised(tool, { source }, nowMs),
  };
}

/** Restores a tool that its document has again: as it was when dropped, with the document's changes since. */
export function restoreTool(
  tool: Tool,
  fresh: ToolContent,
  operationKey: string,
  wait: boolean,
  nowMs: number,
): Tool {
  const { standing: _gone, goneAtMs: _goneAtMs, ...source } = tool.source!;
  const before = { ...tool, source };
  const back =
    planChange(before, fresh, operationKey, false, nowMs)?.tool ?? revised(before, { source }, nowMs);
  return wait ? withSource(back, { standing: 'returned' }) : back;
}

/** Marks a tool that its document dropped: remembered, or still served until the removal is approved. */
export function dropTool(tool: Tool, wait: boolean, nowMs: number): Tool {
  const { goneAtMs: _gone, ...source } = tool.source!;
  return revised(
    tool,
    {
      source: wait ? { ...source, standing: 'leaving' } : { ...source, standing: 'gone', goneAtMs: nowMs },
    },
    nowMs,
  );
}

/** Approves a tool's pending change. Null if there is none. */
export function approveWaiting(tool: Tool, nowMs: number): Tool | null {
  switch (waitingOf(tool)) {
    case 'new':
    case 'returned': {
      const { standing: _waited, ...source } = tool.source!;
      const approved = revised(tool, { source }, nowMs);
      return source.pending === undefined ? approved : approvePending(approved, nowMs);
    }
    case 'leaving':
      return dropTool(tool, false, nowMs);
    case 'changed':
      return approvePending(tool, nowMs);
    default:
      return null;
  }
}

/**
 * Rejects a tool's pending change: a new tool stays, switched off; a tool that would be removed stays as it is.
 * Null if there is none.
 */
export function rejectWaiting(tool: Tool, nowMs: number): Tool | null {
  switch (waitingOf(tool)) {
    case 'new':
    case 'returned': {
      const { standing: _waited, ...source } = tool.source!;
      return revised(tool, { source, enabled: false }, nowMs);
    }
    case 'leaving':
      return revised(tool, { source: { ...tool.source!, standing: 'kept' } }, nowMs);
    case 'changed':
      return dismissPending(tool, nowMs);
    default:
      return null;
  }
}

function withSource(tool: Tool, patch: Partial<NonNullable<Tool['source']>>): Tool {
  return { ...tool, source: { ...tool.source!, ...patch } };
}

/** Applies a pending version: merged like any import, manual edits win. Null if there is none. */
export function approvePending(tool: Tool, nowMs: number): Tool | null {
  if (tool.source?.pending === undefined) return null;
  const { pending, ...source } = tool.source;
  return planChange({ ...tool, source }, pending, source.operationKey, false, nowMs)?.tool ?? null;
}

/** What approving a pending version would change, and which manual edits would win. Null if there is none. */
export function pendingOf(
  tool: Tool,
): (Pick<ChangedTool, 'fields' | 'kept'> & { readonly waiting: Waiting }) | null {
  const waiting = waitingOf(tool);
  if (waiting === null) return null;
  const approved = approvePending(tool, tool.updatedAtMs);
  if (approved === null) return { waiting, fields: [], kept: [] };
  const kept: string[] = [];
  merge(importedContent(tool), tool.source!.pending, contentOf(tool), kept);
  return { waiting, fields: diff(contentOf(tool), contentOf(approved)), kept };
}

/** Rejects a pending version: the tool stays as it is until the document changes again. */
export function dismissPending(tool: Tool, nowMs: number): Tool | null {
  const pending = tool.source?.pending;
  if (!tool.source || pending === undefined) return null;
  return revised(tool, { source: { operationKey: tool.source.operationKey, imported: pending } }, nowMs);
}
