import type { z } from 'zod';
import { kindOf, type Tool, waitingOf } from '../../../domain/tool.ts';
import { asShown, listableOf } from '../../../mcp/modes/count-ahead.ts';
import { membersOf } from '../../../registry/build-snapshot.ts';
import { changeTools } from '../../../registry/rules/change-tools.ts';
import { findApi, findServer } from '../../../registry/rules/find-and-revise.ts';
import type { Snapshot } from '../../../registry/snapshot.ts';
import { toolIndexRoutes, type toolLine } from '../../contract/tool-index.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';

/** Listing and changing many tools at once. */
export function bindToolIndex({ registry, costs, now }: AppContext): BoundRoute[] {
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
