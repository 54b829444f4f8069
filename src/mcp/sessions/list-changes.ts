import type { Caller } from '../../domain/call.ts';
import type { ListMode } from '../../domain/server.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import { resourceDefinition, resourcesFor } from '../operator/operator-resources.ts';
import { toolsFor } from '../../registry/callable-tools.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

/** Which lists of a server changed, and which of its resources. */
export interface ChangedLists {
  readonly tools?: boolean;
  readonly prompts?: boolean;
  readonly resources?: boolean;
  readonly resourceUris?: readonly string[];
}

/** A server as one caller may see it. */
export interface CallerView {
  readonly view: ServerView;
  readonly caller: Caller;
  /** How tools are listed for it; absent while that is being determined. */
  readonly mode?: ListMode | undefined;
}

/** What changed for a client. Tools its caller may not call don't count. */
export function compareViews(before: CallerView, after: CallerView): ChangedLists {
  const sameFilter = toolFilterKey(before.caller) === toolFilterKey(after.caller);
  if (before.view === after.view && sameFilter && before.mode === after.mode) return {};
  const { server: was } = before.view;
  const { server: is } = after.view;
  return {
    ...(!sameList(before, after) && { tools: true }),
    ...(!sameJson(was.prompts, is.prompts) && { prompts: true }),
    ...(!sameJson(
      resourcesFor(before.view, before.caller).map(resourceDefinition),
      resourcesFor(after.view, after.caller).map(resourceDefinition),
    ) && { resources: true }),
  };
}

const filterKeys = new WeakCache<ReadonlySet<string>, string>();

/** Identifies what a caller may call; the same for all who may call everything. */
export function toolFilterKey({ toolIds }: Caller): string {
  if (!toolIds) return '';
  let key = filterKeys.get(toolIds);
  if (key === undefined) {
    key = `only ${[...toolIds].toSorted().join()}`;
    filterKeys.set(toolIds, key);
  }
  return key;
}

// A server in search or code mode lists the same tools whatever it contains.
function sameList(before: CallerView, after: CallerView): boolean {
  if (before.mode !== after.mode) return false;
  if (after.mode === 'search') return true;
  const { server: was } = before.view;
  const { server: is } = after.view;
  if (after.mode === 'code') return was.code?.may === is.code?.may;
  return (
    was.dialect === is.dialect && was.listOutputSchemas === is.listOutputSchemas && sameTools(before, after)
  );
}

// Compiled tools are reused from one snapshot to the next unless their tool or API changed.
function sameTools(before: CallerView, after: CallerView): boolean {
  const was = toolsFor(before.view, before.caller);
  const is = toolsFor(after.view, after.caller);
  if (was === is) return true;
  if (was.length !== is.length) return false;
  return was.every((tool, i) => {
    const other = is[i]!;
    return (
      tool === other ||
      (tool.name === other.name && tool.description === other.description && tool.compiled === other.compiled)
    );
  });
}

function sameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** The notifications for a change, as method and params. */
export function changeNotifications(
  changed: ChangedLists,
): { method: string; params?: Record<string, unknown> }[] {
  const notifications: { method: string; params?: Record<string, unknown> }[] = [];
  if (changed.tools) notifications.push({ method: 'notifications/tools/list_changed' });
  if (changed.prompts) notifications.push({ method: 'notifications/prompts/list_changed' });
  if (changed.resources) notifications.push({ method: 'notifications/resources/list_changed' });
  for (const uri of changed.resourceUris ?? []) {
    notifications.push({ method: 'notifications/resources/updated', params: { uri } });
  }
  return notifications;
}
