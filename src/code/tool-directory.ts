import { type Caller, mayUseTool } from '../domain/call.ts';
import { suggestion } from '../lib/text/nearest-names.ts';
import type { ListedTool, ServerView } from '../registry/snapshot.ts';
import { WeakCache } from '../lib/weak-cache.ts';

/** The tools of a server by the names that scripts use. */
export interface ToolDirectory {
  /** The API names that `Object.keys(tools)` returns. */
  readonly apis: readonly string[];
  /** The tool with this name, in any API if `api` is null; undefined if there is none. */
  find(api: string | null, name: string): ListedTool | undefined;
  /** `tools.github.repos_get`. */
  pathOf(listed: ListedTool): string;
}

const directories = new WeakCache<ServerView, ToolDirectory>();

/** The directory of a server, created once per state of the server. */
export function directoryOf(view: ServerView): ToolDirectory {
  return directories.of(view, makeDirectory);
}

/** ` Did you mean …?` for an unknown name, from the tools that this caller may call. */
export function suggestPath(view: ServerView, caller: Caller, name: string): string {
  const names = view.tools.filter(({ compiled }) => mayUseTool(caller, compiled.tool.id));
  return suggestion(
    name,
    names.map((listed) => listed.name),
  );
}

function makeDirectory(view: ServerView): ToolDirectory {
  const apiNames = new Map<string, string>();
  const apiTaken = new Set<string>();
  const byApi = new Map<string, Map<string, ListedTool>>();
  const paths = new Map<ListedTool, string>();
  const anywhere = new Map<string, ListedTool>();

  function namesOf(slug: string): Map<string, ListedTool> {
    const known = byApi.get(slug);
    if (known !== undefined) return known;
    const name = freeName(identifier(slug), (taken) => apiTaken.has(taken));
    apiTaken.add(name);
    apiNames.set(slug, name);
    const names = new Map<string, ListedTool>();
    byApi.set(slug, names);
    return names;
  }

  // Real tool names first, so that no derived name takes one of them.
  for (const listed of view.tools) {
    namesOf(listed.compiled.api.slug).set(listed.name, listed);
    anywhere.set(listed.name, listed);
  }
  for (const listed of view.tools) {
    const { slug } = listed.compiled.api;
    const names = namesOf(slug);
    const own = identifier(listed.name);
    const name = own === listed.name ? own : freeName(own, (taken) => names.has(taken));
    names.set(name, listed);
    if (!anywhere.has(name)) anywhere.set(name, listed);
    paths.set(listed, `tools.${apiNames.get(slug)}.${name}`);
  }
  const bySpelling = new Map<string, Map<string, ListedTool>>();
  for (const [slug, names] of byApi) {
    bySpelling.set(slug, names);
    bySpelling.set(apiNames.get(slug)!, names);
  }

  return {
    apis: [...apiNames.values()],
    find(api, name) {
      const names = api === null ? anywhere : (bySpelling.get(api) ?? bySpelling.get(identifier(api)));
      return names?.get(name) ?? names?.get(plainName(name)) ?? names?.get(identifier(plainName(name)));
    },
    pathOf: (listed) =>
      paths.get(listed) ?? `tools.${listed.compiled.api.slug}[${JSON.stringify(listed.name)}]`,
  };
}

// The same replacements as when operation names became tool names.
function plainName(name: string): string {
  return name
    .slice(0, 200)
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/_{2,}/g, '_')
    .replace(/^_|_$/g, '');
}

function identifier(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_$]/g, '_');
  return /^\d/.test(plain) ? `_${plain}` : plain;
}

function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(wanted)) return wanted;
  for (let n = 2; ; n++) if (!isTaken(`${wanted}_${n}`)) return `${wanted}_${n}`;
}
