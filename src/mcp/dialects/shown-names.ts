import type { ListedTool, ServerView } from '../../registry/snapshot.ts';
import type { Dialect } from './dialects.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

/** The names that a dialect shows, in both directions. */
export interface ShownNames {
  /** Shown name → tool. */
  readonly byShown: ReadonlyMap<string, ListedTool>;
  /** Own name → shown name, only where they differ. */
  readonly renamed: ReadonlyMap<string, string>;
}

const kept = new WeakCache<ServerView, Map<string, ShownNames>>();

/** The names of a server's tools in a dialect: their own if they fit, else shortened and still unique. */
export function shownNames(view: ServerView, dialect: Dialect): ShownNames {
  const limit = dialect.maxNameLength(view.server.slug);
  let perView = kept.get(view);
  if (!perView) kept.set(view, (perView = new Map()));
  let names = perView.get(String(limit));
  if (!names) perView.set(String(limit), (names = shortenAll(view, limit)));
  return names;
}

function shortenAll(view: ServerView, limit: number): ShownNames {
  const renamed = new Map<string, string>();
  let byShown: Map<string, ListedTool> | undefined;
  for (const tool of view.tools) {
    if (tool.name.length <= limit) continue;
    byShown ??= new Map(
      view.tools.filter((other) => other.name.length <= limit).map((other) => [other.name, other]),
    );
    // The hash covers the whole name, so a tool keeps its short name whatever other tools are added or removed.
    const hash = hashText(tool.name);
    let shown = `${tool.name.slice(0, limit - 7)}_${hash.slice(0, 6)}`;
    for (let n = 2; byShown.has(shown); n++)
      shown = `${tool.name.slice(0, limit - 10 - String(n).length)}_${hash}_${n}`;
    byShown.set(shown, tool);
    renamed.set(tool.name, shown);
  }
  return { byShown: byShown ?? view.byName, renamed };
}

/** A short hash of a text, eight hexadecimal digits of FNV-1a: distinguishes names, but isn't secure. */
function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
