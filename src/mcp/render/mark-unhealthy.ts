import type { ListedTool, ServerView } from '../../registry/snapshot.ts';

const mark = 'Unavailable at the moment: the API behind this tool does not answer. ';

const marked = new WeakMap<
  ServerView,
  { readonly unhealthy: ReadonlySet<string>; readonly view: ServerView }
>();

/**
 * The server with the tools of unhealthy APIs marked in their descriptions, unless their operator wants them shown as
 * they are. They stay callable: whoever calls learns from the answer, and the call may find the API well again.
 */
export function markUnhealthy(
  view: ServerView | undefined,
  unhealthy: ReadonlySet<string>,
): ServerView | undefined {
  if (view === undefined || unhealthy.size === 0) return view;
  const held = marked.get(view);
  if (held?.unhealthy === unhealthy) return held.view;
  const made = withMarks(view, unhealthy);
  marked.set(view, { unhealthy, view: made });
  return made;
}

function withMarks(view: ServerView, unhealthy: ReadonlySet<string>): ServerView {
  let changed = false;
  const tools = view.tools.map((listed): ListedTool => {
    const { api } = listed.compiled;
    if (!unhealthy.has(api.id) || api.listUnhealthy === true) return listed;
    changed = true;
    return { ...listed, description: mark + listed.description };
  });
  return changed ? { ...view, tools, byName: new Map(tools.map((listed) => [listed.name, listed])) } : view;
}
