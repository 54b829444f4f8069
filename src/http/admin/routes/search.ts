import { localCaller } from '../../../access/callers.ts';
import { adminApiErrors } from '../../../domain/error-messages/admin-api.ts';
import { defaultServerSlug } from '../../../domain/server.ts';
import { resultOf } from '../../../mcp/built-in/search-tools.ts';
import { operatorListing } from '../../../mcp/modes/serving-modes.ts';
import { listableOf } from '../../../mcp/modes/count-ahead.ts';
import { membersOf } from '../../../registry/build-snapshot.ts';
import { findApi, findServer } from '../../../registry/rules/find-and-revise.ts';
import type { ServerView } from '../../../registry/snapshot.ts';
import type { AppContext } from '../../app-context.ts';
import { searchRoutes } from '../../contract/search.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { codeCost, searchCost, shares, sum } from '../costs.ts';
import { readSelection } from './servers.ts';

/** Finding tools, and the token cost of servers. */
export function bindSearch({ registry, listedView, search, costs, modes, config }: AppContext): BoundRoute[] {
  function served(reference: string): ServerView {
    const { slug } = findServer(registry.snapshot, reference);
    const view = listedView(slug);
    if (view === undefined) throw adminApiErrors.serverDisabled({ slug });
    return view;
  }

  /** The tool list of a server with the token cost of each tool. */
  async function priced(view: ServerView) {
    const counts = await costs.count([...operatorListing(view)], view.server.listOutputSchemas === true);
    return view.tools.map(({ name, compiled: { tool, api } }, at) => ({
      name,
      api: api.slug,
      tags: [...tool.tags],
      tokens: counts[at]!,
    }));
  }

  return [
    bind(searchRoutes.find, async ({ query: { server = defaultServerSlug, wait, ...query } }) => {
      const { tools, total, isIndexing } = await search.find(served(server), localCaller, {
        ...query,
        wait: wait === 'true',
      });
      return {
        results: tools.map((found) => {
          const { needs, isRefused: _isRefused, ...result } = resultOf(found);
          return { id: found.listed.compiled.tool.id, ...result, needs: [...needs] };
        }),
        total,
        indexing: isIndexing,
      };
    }),
    bind(searchRoutes.cost, async ({ params, query }) => {
      const view = served(params.server);
      const { mode = 'auto', listOutputSchemas = false } = view.server;
      const tools = await priced(view);
      const direct = sum(tools.map(({ tokens }) => tokens));
      // The cost of output schemas, whether or not the list includes them now.
      const other =
        query.outputSchemas === 'true'
          ? sum(await costs.count([...operatorListing(view)], !listOutputSchemas))
          : undefined;
      return {
        mode,
        servedAs: await modes.of(view, undefined),
        budget: config.listBudget,
        direct,
        ...(other !== undefined && { outputSchemas: Math.abs(other - direct) }),
        search: await searchCost(costs, view),
        code: await codeCost(costs, view),
        tools,
        apis: shares(tools, ({ api }) => [api]),
        tags: shares(tools, ({ tags }) => tags),
      };
    }),
    bind(searchRoutes.costs, async ({ query }) => {
      const { snapshot } = registry;
      const api = query.api === undefined ? undefined : findApi(snapshot, query.api).slug;
      const views = [...snapshot.servers.values()].flatMap(({ slug }) => listedView(slug) ?? []);
      const items = [];
      for (const view of views) {
        const { slug, name, mode = 'auto' } = view.server;
        if (api !== undefined && !view.tools.some(({ compiled }) => compiled.api.slug === api)) continue;
        const tools = await priced(view);
        items.push({
          server: slug,
          name,
          tools: tools.length,
          mode,
          servedAs: await modes.of(view, undefined),
          direct: sum(tools.map(({ tokens }) => tokens)),
          search: await searchCost(costs, view),
          code: await codeCost(costs, view),
          apis: shares(tools, (tool) => [tool.api]),
        });
      }
      return { items, budget: config.listBudget };
    }),
    bind(searchRoutes.choiceCost, async ({ body }) => {
      const { snapshot } = registry;
      const members = membersOf(snapshot, { tools: readSelection(snapshot, body.tools) });
      const tools = members.flatMap(({ id }) => {
        const compiled = snapshot.compiled.get(id);
        return compiled === undefined ? [] : [{ compiled }];
      });
      const listed = tools.map(({ compiled }) => listableOf(compiled.tool));
      const view = { server: {}, tools };
      return {
        tools: tools.length,
        direct: sum(await costs.count(listed, false)),
        search: await searchCost(costs, view),
        code: await codeCost(costs, view),
        budget: config.listBudget,
      };
    }),
  ];
}
