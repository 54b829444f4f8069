import { missing } from '../../registry/rules.ts';
import type { CallFilter } from '../../storage/ports.ts';
import { callRoutes } from '../contract/calls.ts';
import type { Serving } from '../serving.ts';
import { bind, type BoundRoute } from './bind.ts';
import { viewCall } from './views.ts';

/** Reading what was called. */
export function bindCalls({ store, recorder }: Serving): BoundRoute[] {
  return [
    bind(callRoutes.list, async ({ query }) => {
      // What was just called should be there when someone looks for it.
      await recorder.flush();
      const filter: CallFilter = {
        ...(query.tool !== undefined &&
          (query.tool.startsWith('tool_') ? { toolId: query.tool } : { toolName: query.tool })),
        ...(query.api !== undefined && { apiSlug: query.api }),
        ...(query.server !== undefined && { serverSlug: query.server }),
        ...(query.caller !== undefined && { callerId: query.caller }),
        ...(query.client !== undefined && { clientName: query.client }),
        ...(query.surface !== undefined && { surface: query.surface }),
        ...(query.outcome !== undefined && { outcome: query.outcome }),
        ...(query.status !== undefined && { upstreamStatus: query.status }),
        ...(query.from !== undefined && { fromMs: Date.parse(query.from) }),
        ...(query.to !== undefined && { toMs: Date.parse(query.to) }),
        ...(query.text !== undefined && { text: query.text }),
      };
      const [page, total] = await Promise.all([
        store.calls.find(filter, query.limit, query.cursor),
        store.calls.count(filter),
      ]);
      return {
        items: page.calls.map(viewCall),
        nextCursor: page.nextCursor,
        total,
        totalIsExact: true,
        searchedBackTo: null,
      };
    }),
    bind(callRoutes.get, async ({ params }) => {
      await recorder.flush();
      return viewCall((await store.calls.get(params.call)) ?? missing('call', params.call));
    }),
  ];
}
