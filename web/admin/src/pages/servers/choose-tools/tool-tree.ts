import type { ToolLine } from '../../../api/resources.ts';
import type { ToolRule } from './tool-rules.ts';

/** A branch of the tree: an API, or the tools of it that have a tag, or none. */
export interface Branch {
  readonly kind: 'api' | 'tag';
  readonly key: string;
  readonly name: string | null;
  /** What chooses it with whatever joins it later; absent for tools without a tag. */
  readonly rule?: ToolRule;
  /** The tools below it that are shown. */
  readonly tools: readonly ToolLine[];
}

/** A line of the tree as it is drawn. */
export type TreeLine =
  | { readonly kind: 'branch'; readonly branch: Branch; readonly isOpen: boolean }
  | { readonly kind: 'tool'; readonly tool: ToolLine; readonly level: 1 | 2 };

/**
 * The lines of the tree API › tag › tool; a tool stands below its first tag, APIs in the order in which
 * their tools come. Branches that are closed hide theirs.
 */
export function treeLines(tools: readonly ToolLine[], isOpen: (branch: Branch) => boolean): TreeLine[] {
  const lines: TreeLine[] = [];
  for (const [api, ofApi] of grouped(tools, (tool) => tool.api)) {
    const branch: Branch = {
      kind: 'api',
      key: JSON.stringify([api]),
      name: api,
      rule: { api },
      tools: ofApi,
    };
    const apiIsOpen = isOpen(branch);
    lines.push({ kind: 'branch', branch, isOpen: apiIsOpen });
    if (!apiIsOpen) continue;
    const tags = byName(grouped(ofApi, (tool) => tool.tags[0] ?? null));
    // One branch that holds everything says nothing.
    if (tags.size === 1 && tags.has(null)) {
      for (const tool of ofApi) lines.push({ kind: 'tool', tool, level: 1 });
      continue;
    }
    for (const [tag, ofTag] of tags) {
      const below: Branch = {
        kind: 'tag',
        key: JSON.stringify([api, tag]),
        name: tag,
        tools: ofTag,
        ...(tag !== null && { rule: { api, tag } }),
      };
      const tagIsOpen = isOpen(below);
      lines.push({ kind: 'branch', branch: below, isOpen: tagIsOpen });
      if (tagIsOpen) for (const tool of ofTag) lines.push({ kind: 'tool', tool, level: 2 });
    }
  }
  return lines;
}

/** Groups in the order in which they come. */
function grouped<Key extends string | null>(
  tools: readonly ToolLine[],
  keyOf: (tool: ToolLine) => Key,
): Map<Key, ToolLine[]> {
  const groups = new Map<Key, ToolLine[]>();
  for (const tool of tools) {
    const group = groups.get(keyOf(tool));
    if (group) group.push(tool);
    else groups.set(keyOf(tool), [tool]);
  }
  return groups;
}

/** Groups by name, those without one last. */
function byName(groups: ReadonlyMap<string | null, ToolLine[]>): Map<string | null, ToolLine[]> {
  return new Map(
    [...groups].toSorted(([one], [other]) =>
      one === null ? 1 : other === null ? -1 : one.localeCompare(other),
    ),
  );
}

/** What the tools of a list cost together. */
export function tokensOf(tools: Iterable<Pick<ToolLine, 'estimatedTokens'>>): number {
  let sum = 0;
  for (const tool of tools) sum += tool.estimatedTokens;
  return sum;
}
