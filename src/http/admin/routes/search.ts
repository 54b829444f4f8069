import { localCaller } from '../../../access/callers.ts';
import { HandrailError } from '../../../domain/errors.ts';
import { defaultServerSlug } from '../../../domain/server.ts';
import { searchCostTexts } from '../../../mcp/built-in/definitions.ts';
import { resultOf } from '../../../mcp/built-in/search-tools.ts';
import { findServer } from '../../../registry/rules/find-and-revise.ts';
import type { ServerView } from '../../../registry/snapshot.ts';
import type { AppContext } from '../../app-context.ts';
import { searchRoutes } from '../../contract/search.ts';
import { bind, type BoundRoute } from '../bind.ts';

/** Finding tools, and what servers cost. */
export function bindSearch({ registry, viewOf, search, costs, modes, config }: AppContext): BoundRoute[] {
  function served(reference: string): ServerView {
    const { slug } = findServer(registry.snapshot, reference);
    const view = viewOf(slug);
    if (view === undefined)
      throw new HandrailError('conflict', `The server "${slug}" is disabled: enable it first.`);
    return view;
  }

  return [
    bind(searchRoutes.find, async ({ query: { server = defaultServerSlug, ...query } }) => {
      const { tools, total } = await search.find(served(server), localCaller, query);
      return {
        results: tools.map(resultOf).map((result) => ({ ...result, needs: [...result.needs] })),
        total,
      };
    }),
    bind(searchRoutes.cost, async ({ params }) => {
      const view = served(params.server);
      const { server } = view;
      const direct = await costs.count(view.tools, false);
      const withOutput = await costs.count(view.tools, true);
      const searched = await costs.countTexts(searchCostTexts(view, localCaller));
      const tools = view.tools.map(({ name, compiled: { tool, api } }, at) => ({
        name,
        api: api.slug,
        tags: [...tool.tags],
        tokens: direct[at]!,
      }));
      return {
        mode: server.mode ?? 'auto',
        servedAs: await modes.of(view, undefined),
        budget: config.listBudget,
        direct: sum(direct),
        outputSchemas: sum(withOutput) - sum(direct),
        search: sum(searched),
        tools,
        apis: shares(tools, ({ api }) => [api]),
        tags: shares(tools, ({ tags }) => tags),
      };
    }),
  ];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** What groups of tools cost together, the dearest first. */
function shares<Tool extends { readonly tokens: number }>(
  tools: readonly Tool[],
  groupsOf: (tool: Tool) => readonly string[],
): { name: string; tools: number; tokens: number }[] {
  const groups = new Map<string, { name: string; tools: number; tokens: number }>();
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
