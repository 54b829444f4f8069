import type { z } from 'zod';
import { readUsage } from '../../../calls/statistics.ts';
import { kindOf, type Tool, waitingOf } from '../../../domain/tool.ts';
import { asShown, listableOf } from '../../../mcp/modes/count-ahead.ts';
import { membersOf } from '../../../registry/build-snapshot.ts';
import { changeTools } from '../../../registry/rules/change-tools.ts';
import { findApi, findServer } from '../../../registry/rules/find-and-revise.ts';
import { allToolsOf, type Snapshot } from '../../../registry/snapshot.ts';
import { toolIndexRoutes, type toolLine } from '../../contract/tool-index.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';

/** Listing and changing many tools at once. */
export function bindToolIndex({ registry, costs, store, recorder, now }: AppContext): BoundRoute[] {
  return [
    bind(toolIndexRoutes.list, async ({ query }) => {
      const { snapshot } = registry;
      const api = query.api === undefined ? undefined : findApi(snapshot, query.api);
      const tools =
        query.server === undefined
          ? snapshot.tools.values()
          : new Set(
              query.server.split(',').flatMap((server) => membersOf(snapshot, findServer(snapshot, server))),
            );
      const chosen = [...tools].filter((tool) => api === undefined || tool.apiId === api.id);
      const tokens = await costs.count(
        chosen.map((tool) => listableOf(asShown(snapshot, tool))),
        false,
      );
      const items = chosen.map((tool, at) => lineOf(snapshot, tool, tokens[at]!));
      return { items, estimatedTokens: items.reduce((sum, line) => sum + line.estimatedTokens, 0) };
    }),
    bind(toolIndexRoutes.change, async ({ body: { tools, ...change }, actor }) => ({
      changed: await registry.commit(actor, (snapshot) =>
        changeTools(snapshot, tools, change, { nowMs: now() }),
      ),
    })),
    bind(toolIndexRoutes.affected, async ({ body: { tools = [], api, server } }) => {
      const { snapshot } = registry;
      const found = {
        api: api === undefined ? undefined : findApi(snapshot, api),
        server: server === undefined ? undefined : findServer(snapshot, server),
      };
      const ids = new Set(found.api ? allToolsOf(snapshot, found.api.id).map(({ id }) => id) : tools);
      const servers = [...snapshot.servers.values()].filter(
        (one) => one.id === found.server?.id || membersOf(snapshot, one).some(({ id }) => ids.has(id)),
      );
      await recorder.flush();
      const by = found.server ? 'server' : found.api ? 'api' : 'tool';
      const whole = found.server ?? found.api;
      const names = new Set(whole ? [whole.slug] : [...ids].map((id) => snapshot.tools.get(id)?.name));
      const used = await readUsage(store.rollups, by, now());
      return {
        servers: servers.map(({ slug }) => slug),
        calls: used.reduce((sum, { name, calls }) => sum + (names.has(name) ? calls : 0), 0),
      };
    }),
  ];
}

const summaryChars = 160;

function lineOf(snapshot: Snapshot, tool: Tool, tokens: number): z.input<typeof toolLine> {
  return {
    id: tool.id,
    name: tool.name,
    ...(tool.title !== undefined && { title: tool.title }),
    summary: tool.description.slice(0, summaryChars),
    api: snapshot.apis.get(tool.apiId)?.slug ?? '',
    method: tool.operation.method,
    kind: kindOf(tool),
    path: tool.operation.path,
    tags: [...tool.tags],
    enabled: tool.enabled,
    deprecated: tool.deprecated ?? false,
    pendingChange: waitingOf(tool) !== null,
    estimatedTokens: tokens,
  };
}
