import type { ToolSummary } from './api.ts';

/** Tools that belong together by their names. */
export interface ToolGroup {
  name: string;
  tools: ToolSummary[];
}

/** The tools that match all words of a query; a match in the name ranks before one in the description. */
export function searchTools(tools: readonly ToolSummary[], query: string): ToolSummary[] {
  const words = fold(query).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...tools];
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score)
    .map(({ tool }) => tool);
}

function scoreOf(tool: ToolSummary, words: string[]): number {
  const name = fold(tool.name);
  const title = fold(titleOf(tool) ?? '');
  const description = fold(tool.description);
  let score = 0;
  for (const word of words) {
    if (name === word) score += 100;
    else if (name.startsWith(word)) score += 50;
    else if (name.includes(word)) score += 20;
    else if (title.includes(word)) score += 10;
    else if (description.includes(word)) score += 5;
    else return 0;
  }
  return score;
}

/** The title a tool gives itself, when it does. */
export function titleOf(tool: ToolSummary): string | undefined {
  const title = tool.annotations?.['title'];
  return typeof title === 'string' && title !== '' ? title : undefined;
}

/** Groups tools by what their names begin with, keeping their order; what stands alone goes to the end. */
export function groupTools(tools: readonly ToolSummary[], otherName: string): ToolGroup[] {
  const byPrefix = new Map<string, ToolSummary[]>();
  for (const tool of tools) {
    const prefix = prefixOf(tool.name);
    const group = byPrefix.get(prefix);
    if (group) group.push(tool);
    else byPrefix.set(prefix, [tool]);
  }
  const groups: ToolGroup[] = [];
  const alone: ToolSummary[] = [];
  for (const [name, members] of byPrefix) {
    if (name !== '' && members.length > 1) groups.push({ name, tools: members });
    else alone.push(...members);
  }
  if (alone.length > 0) groups.push({ name: groups.length === 0 ? '' : otherName, tools: alone });
  return groups;
}

/** `github_list_issues`, `github.listIssues` and `github/list` all begin with `github`. */
function prefixOf(name: string): string {
  const end = name.search(/[_./:-]|(?<=[a-z])[A-Z]/);
  return end > 0 ? name.slice(0, end) : '';
}

function fold(text: string): string {
  return text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}
