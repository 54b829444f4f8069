import type { ToolLine } from '../../api/resources.ts';

/** The filters of a table of tools. */
export interface ToolFilter {
  readonly search: string;
  readonly api: string | null;
  readonly tag: string | null;
  readonly method: string | null;
  readonly state: 'enabled' | 'disabled' | 'pending' | null;
}

/**
 * The matching tools. Search results come first, in order; then tools that contain every typed word, such as disabled
 * ones.
 */
export function filterTools(
  tools: readonly ToolLine[],
  { search, api, tag, method, state }: ToolFilter,
  found: readonly string[] = [],
): ToolLine[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = new Map(found.map((id, at) => [id, at]));
  const fitting = tools.filter(
    (tool) =>
      (api === null || tool.api === api) &&
      (tag === null || tool.tags.includes(tag)) &&
      (method === null || tool.method === method) &&
      (state === null ||
        (state === 'pending' ? tool.pendingChange : tool.enabled === (state === 'enabled'))) &&
      (words.length === 0 ||
        rank.has(tool.id) ||
        hasAll(
          `${tool.name} ${tool.title ?? ''} ${tool.summary} ${tool.path} ${tool.api}`.toLowerCase(),
          words,
        )),
  );
  if (words.length === 0 || rank.size === 0) return fitting;
  const placeOf = ({ id }: ToolLine) => rank.get(id) ?? rank.size;
  return fitting.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/**
 * The results of a repeated search in the order of the first one: a tool that is switched off, and so no longer found,
 * keeps its place under the user's pointer.
 */
export function keepPlaces(before: readonly string[], now: readonly string[]): readonly string[] {
  const known = new Set(before);
  const added = now.filter((id) => !known.has(id));
  return added.length === 0 ? before : [...before, ...added];
}

function hasAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

/** The distinct values of a column, most frequent first. */
export function valuesOf(values: Iterable<string>): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([value]) => value);
}
