import type { Caller } from '../../domain/call.ts';
import { suggestion } from '../../lib/text/nearest-names.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { Dialect } from '../dialects/dialects.ts';
import { shownNames } from '../dialects/shown-names.ts';
import { toolsFor } from '../../registry/callable-tools.ts';

/**
 * ` Did you mean …?` for a name that no tool has, from the tools that this caller may call; empty if none is similar.
 * Tools the caller may not call are treated as nonexistent.
 */
export function suggestTool(view: ServerView, caller: Caller, name: string, dialect?: Dialect): string {
  const renamed = dialect?.rules ? shownNames(view, dialect).renamed : null;
  const names = toolsFor(view, caller).map((listed) => renamed?.get(listed.name) ?? listed.name);
  return suggestion(name, names);
}
