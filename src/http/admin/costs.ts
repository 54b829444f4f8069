import type { Api } from '../../domain/api.ts';
import { toolWithoutHeld } from '../../domain/places/operator-places.ts';
import type { ListMode } from '../../domain/server.ts';
import type { Tool } from '../../domain/tool.ts';
import type { ListCosts } from '../../listing/list-costs.ts';
import { codeCostTexts, type IntroducedServer, searchCostTexts } from '../../mcp/built-in/definitions.ts';
import { listableOf } from '../../mcp/modes/count-ahead.ts';

/** What a group of tools costs together. */
interface Share {
  name: string;
  tools: number;
  tokens: number;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** What groups of tools cost together, the dearest first. */
export function shares<One extends { readonly tokens: number }>(
  tools: readonly One[],
  groupsOf: (tool: One) => readonly string[],
): Share[] {
  const groups = new Map<string, Share>();
  for (const tool of tools) {
    for (const name of groupsOf(tool)) {
      const group = groups.get(name) ?? { name, tools: 0, tokens: 0 };
      group.tools++;
      group.tokens += tool.tokens;
      groups.set(name, group);
    }
  }
  return [...groups.values()].sort((one, other) => other.tokens - one.tokens);
}

/** What the list and the instructions of a server cost when it is searched. */
export async function searchCost(costs: ListCosts, view: IntroducedServer): Promise<number> {
  return sum(await costs.countTexts(searchCostTexts(view)));
}

/** What they cost when it is used from code. */
export async function codeCost(costs: ListCosts, view: IntroducedServer): Promise<number> {
  return sum(await costs.countTexts(codeCostTexts(view)));
}

/** What tools would cost if a server of their own had them, and what each of them costs. */
export async function costOfTools(
  costs: ListCosts,
  api: Api,
  tools: readonly Tool[],
  budget: number,
): Promise<{ cost: ListCost; tokens: ReadonlyMap<string, number> }> {
  const shown = tools.map((tool) => toolWithoutHeld(api, tool));
  const counts = await costs.count(shown.map(listableOf), false);
  const direct = sum(counts);
  const search = await searchCost(costs, {
    server: {},
    tools: tools.map((tool) => ({ compiled: { tool, api } })),
  });
  const priced = tools.map(({ tags }, at) => ({ tags, tokens: counts[at]! }));
  return {
    cost: {
      tools: tools.length,
      direct,
      search,
      budget,
      servedAs: direct > budget ? 'search' : 'direct',
      tags: shares(priced, ({ tags }) => tags),
    },
    tokens: new Map(tools.map(({ name }, at) => [name, counts[at]!])),
  };
}

interface ListCost {
  tools: number;
  direct: number;
  search: number;
  budget: number;
  servedAs: ListMode;
  tags: Share[];
}
