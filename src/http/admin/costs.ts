import type { Api } from '../../domain/api.ts';
import { toolWithoutHeld } from '../../domain/places/operator-places.ts';
import type { ListMode } from '../../domain/server.ts';
import type { Tool } from '../../domain/tool.ts';
import type { ListCosts } from '../../listing/list-costs.ts';
import { codeCostTexts, type IntroducedServer, searchCostTexts } from '../../mcp/built-in/definitions.ts';
import { listableOf } from '../../mcp/modes/count-ahead.ts';

/** The total token cost of a group of tools. */
interface Share {
  name: string;
  tools: number;
  tokens: number;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** The total token cost of each group of tools, highest first. */
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

/** The token cost of a server's list and instructions in search mode. */
export async function searchCost(costs: ListCosts, view: IntroducedServer): Promise<number> {
  return sum(await costs.countTexts(searchCostTexts(view)));
}

/** The token cost of a server's list and instructions in code mode. */
export async function codeCost(costs: ListCosts, view: IntroducedServer): Promise<number> {
  return sum(await costs.countTexts(codeCostTexts(view)));
}

/** The token cost of a server with just these tools, and the cost of each tool. */
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

export interface ListCost {
  tools: number;
  direct: number;
  search: number;
  budget: number;
  servedAs: ListMode;
  tags: Share[];
}
