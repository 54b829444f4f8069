import { type Caller, mayUseTool } from '../domain/call.ts';
import type { ListedTool, ServerView } from './snapshot.ts';

/** The tool that a server shows to this caller under a name. */
export function findCallable(view: ServerView, caller: Caller, name: string): ListedTool | undefined {
  const listed = view.byName.get(name);
  return listed !== undefined && mayUseTool(caller, listed.compiled.tool.id) ? listed : undefined;
}

/** The tools of a server that this caller may call, in the server's order. */
export function toolsFor(view: ServerView, caller: Caller): readonly ListedTool[] {
  if (caller.toolIds === undefined) return view.tools;
  return view.tools.filter((listed) => mayUseTool(caller, listed.compiled.tool.id));
}
