import type { ToolSummary } from './api.ts';

/** A group of tools with related names. */
export interface ToolGroup {
  name: string;
  tools: ToolSummary[];
}

/** The tools that match all words of a query. Matches in the name rank before matches in the description. */
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

/** The tool's own title, if it has one. */
export function titleOf(tool: ToolSummary): string | undefined {
  const title = tool.annotations?.['title'];
  return typeof title === 'string' && title !== '' ? title : undefined;
}

/** Groups tools by subject, keeping their order. Tools without a group come last. */
export function groupTools(tools: readonly ToolSummary[], otherName: string): ToolGroup[] {
  const bySubject = new Map<string, ToolGroup>();
  for (const tool of tools) {
    const name = subjectOf(tool.name);
    const key = name.replace(/(?<=...)s$/, '');
    const group = bySubject.get(key);
    if (group) group.tools.push(tool);
    else bySubject.set(key, { name, tools: [tool] });
  }
  const groups = [...bySubject]
    .filter(([key, group]) => key !== '' && group.tools.length > 1)
    .map(([, group]) => group);
  const grouped = new Set(groups.flatMap((group) => group.tools));
  const alone = tools.filter((tool) => !grouped.has(tool));
  if (alone.length > 0) groups.push({ name: groups.length === 0 ? '' : otherName, tools: alone });
  return groups;
}

const verbs = new Set(
  'add cancel check create delete do fetch find get has is list make modify new patch post put query read remove replace run search send set show start stop update upload validate write'.split(
    ' ',
  ),
);

/**
 * `github_list_issues` is about github, `listIssues` and `get.issue` about issues: the first word that isn't a verb.
 */
function subjectOf(name: string): string {
  const words = name.split(/[_./:\s-]+|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
  return words.find((word) => word !== '' && !verbs.has(word)) ?? '';
}

function fold(text: string): string {
  return text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}
