import type { ServerView } from '../registry/snapshot.ts';

/** Which lists of a server changed, and which of its resources. */
export interface ChangedLists {
  readonly tools?: boolean;
  readonly prompts?: boolean;
  readonly resources?: boolean;
  readonly resourceUris?: readonly string[];
}

/** What a client would see differently between two states of a server. */
export function compareViews(before: ServerView, after: ServerView): ChangedLists {
  if (before === after) return {};
  return {
    ...(!sameTools(before, after) && { tools: true }),
    ...(!sameJson(before.server.prompts, after.server.prompts) && { prompts: true }),
    ...(!sameJson(before.server.resources, after.server.resources) && { resources: true }),
  };
}

// Compiled tools are kept from one snapshot to the next unless their tool or API changed.
function sameTools(before: ServerView, after: ServerView): boolean {
  if (before.tools === after.tools) return true;
  if (before.tools.length !== after.tools.length) return false;
  return before.tools.every((tool, i) => {
    const other = after.tools[i]!;
    return (
      tool === other ||
      (tool.name === other.name && tool.description === other.description && tool.compiled === other.compiled)
    );
  });
}

function sameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** Whether anything changed at all. */
export function anyChange(changed: ChangedLists): boolean {
  return Boolean(changed.tools || changed.prompts || changed.resources || changed.resourceUris?.length);
}

/** The notifications that tell of a change, as method and params. */
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
