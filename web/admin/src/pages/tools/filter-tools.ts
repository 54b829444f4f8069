import type { ToolLine } from '../../api/resources.ts';

/** What a table of tools is narrowed to. */
export interface ToolFilter {
  readonly search: string;
  readonly tag: string | null;
  readonly method: string | null;
  readonly state: 'enabled' | 'disabled' | 'pending' | null;
}

/** The tools that fit; every typed word has to be found somewhere in the line. */
export function filterTools(
  tools: readonly ToolLine[],
  { search, tag, method, state }: ToolFilter,
): ToolLine[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter(
    (tool) =>
      (tag === null || tool.tags.includes(tag)) &&
      (method === null || tool.method === method) &&
      (state === null ||
        (state === 'pending' ? tool.pendingChange : tool.enabled === (state === 'enabled'))) &&
      (words.length === 0 ||
        hasAll(
          `${tool.name} ${tool.title ?? ''} ${tool.summary} ${tool.path} ${tool.api}`.toLowerCase(),
          words,
        )),
  );
}

function hasAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

/** The values a column takes, most frequent first. */
export function valuesOf(values: Iterable<string>): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([value]) => value);
}
