import type { ToolLine } from '../../../api/resources.ts';
import type { ToolRule } from './tool-rules.ts';

/** A branch of the tree: an API, or its tools with a certain tag or without one. */
export interface Branch {
  readonly kind: 'api' | 'tag';
  readonly key: string;
  readonly name: string | null;
  /** The rule that selects it including future tools; absent for tools without a tag. */
  readonly rule?: ToolRule;
  /** Its visible tools. */
  readonly tools: readonly ToolLine[];
}

/** A row of the tree. */
export type TreeLine =
  | { readonly kind: 'branch'; readonly branch: Branch; readonly isOpen: boolean }
  | { readonly kind: 'tool'; readonly tool: ToolLine; readonly level: 1 | 2 };

/**
 * The rows of the tree API › tag › tool. A tool is listed under its first tag, and APIs in the order of their tools.
 * Collapsed branches hide their tools.
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
    // A single branch with everything adds no information.
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

/** Groups in order of first appearance. */
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

/** Groups by name, the unnamed one last. */
function byName(groups: ReadonlyMap<string | null, ToolLine[]>): Map<string | null, ToolLine[]> {
  return new Map(
    [...groups].toSorted(([one], [other]) =>
      one === null ? 1 : other === null ? -1 : one.localeCompare(other),
    ),
  );
}

/** The total tokens of a list of tools. */
export function tokensOf(tools: Iterable<Pick<ToolLine, 'estimatedTokens'>>): number {
  let sum = 0;
  for (const tool of tools) sum += tool.estimatedTokens;
  return sum;
}
