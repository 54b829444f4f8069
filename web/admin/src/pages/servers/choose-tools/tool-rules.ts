import type { Server, ToolLine } from '../../../api/resources.ts';

/** One rule of a server's tool selection: everything, an API, a tag, both, or one tool. */
export type ToolRule = Server['tools'][number];

/** The fields of a tool that rules use. */
export type RuledTool = Pick<ToolLine, 'id' | 'api' | 'tags'>;

/** Whether a rule selects a tool. */
function isChosenBy(rule: ToolRule, tool: RuledTool): boolean {
  if ('all' in rule) return true;
  if ('tool' in rule) return rule.tool === tool.id;
  if ('api' in rule && rule.api !== tool.api) return false;
  return rule.tag === undefined || tool.tags.includes(rule.tag);
}

/** The ids of the tools that rules select. */
export function chosenBy(rules: readonly ToolRule[], tools: readonly RuledTool[]): Set<string> {
  const single = new Set(rules.flatMap((rule) => ('tool' in rule ? [rule.tool] : [])));
  const wider = rules.filter((rule) => !('tool' in rule));
  const chosen = tools.filter((tool) => single.has(tool.id) || wider.some((rule) => isChosenBy(rule, tool)));
  return new Set(chosen.map(({ id }) => id));
}

/** Rules that also select a whole API or tag, including future tools, or just these tools. */
export function include(
  rules: readonly ToolRule[],
  added: readonly ToolRule[],
  tools: readonly RuledTool[],
): ToolRule[] {
  const chosen = chosenBy(rules, tools);
  const known = new Set(rules.map((rule) => JSON.stringify(rule)));
  const news = added.filter(
    (rule) => !('tool' in rule && chosen.has(rule.tool)) && !known.has(JSON.stringify(rule)),
  );
  return [...rules, ...news];
}

/**
 * Rules that select the same except some tools. Whole APIs and tags stay as such, so that future tools are still
 * included; what remains of the others is listed tool by tool.
 */
export function exclude(
  rules: readonly ToolRule[],
  left: ReadonlySet<string>,
  tools: readonly RuledTool[],
): ToolRule[] {
  return rules.flatMap((rule) => {
    if ('tool' in rule) return left.has(rule.tool) ? [] : [rule];
    const chosen = tools.filter((tool) => isChosenBy(rule, tool));
    if (!chosen.some((tool) => left.has(tool.id))) return [rule];
    return rulesFor(
      chosen.filter((tool) => !left.has(tool.id)),
      tools,
    );
  });
}

/** The fewest rules that select exactly these of the existing tools. */
function rulesFor(wanted: readonly RuledTool[], tools: readonly RuledTool[]): ToolRule[] {
  const isWanted = new Set(wanted.map(({ id }) => id));
  const groups = new Map<string, { readonly rule: ToolRule; isWhole: boolean }>();
  const groupsOf = ({ api, tags }: RuledTool): [string, ToolRule][] => [
    [JSON.stringify([api]), { api }],
    ...tags.map((tag): [string, ToolRule] => [JSON.stringify([api, tag]), { api, tag }]),
  ];
  for (const tool of tools) {
    for (const [key, rule] of groupsOf(tool)) {
      const group = groups.get(key) ?? { rule, isWhole: true };
      if (!isWanted.has(tool.id)) group.isWhole = false;
      groups.set(key, group);
    }
  }
  const rules = new Map<string, ToolRule>();
  for (const tool of wanted) {
    const whole = groupsOf(tool).find(([key]) => groups.get(key)!.isWhole);
    if (whole) rules.set(whole[0], whole[1]);
    else rules.set(tool.id, { tool: tool.id });
  }
  return [...rules.values()];
}
