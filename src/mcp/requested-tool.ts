import type { ListedTool, ServerView } from '../registry/snapshot.ts';
import { isObject } from '../lib/json/plain-object.ts';
import { isCallToolName } from './built-in/built-in-tools.ts';
import { dialects } from './dialects/dialects.ts';
import { shownNames } from './dialects/shown-names.ts';

/** The ID of a JSON-RPC request; null if there is none that could be sent back. */
export function idOf(message: unknown): string | number | null {
  const id = isObject(message) ? message['id'] : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** The tool that a `tools/call` names, directly or through a call tool, whether or not the caller may call it. */
export function requestedTool(message: unknown, view: ServerView): ListedTool | undefined {
  if (!isObject(message) || message['method'] !== 'tools/call' || idOf(message) === null) return undefined;
  const params = isObject(message['params']) ? message['params'] : {};
  const { name, arguments: args } = params;
  if (typeof name !== 'string') return undefined;
  const listed = named(view, name);
  if (listed !== undefined || !isCallToolName(name) || !isObject(args)) return listed;
  return typeof args['name'] === 'string' ? named(view, args['name']) : undefined;
}

function named(view: ServerView, name: string): ListedTool | undefined {
  const own = view.byName.get(name);
  if (own !== undefined) return own;
  for (const dialect of Object.values(dialects)) {
    const shown = shownNames(view, dialect).byShown.get(name);
    if (shown !== undefined) return shown;
  }
  return undefined;
}
