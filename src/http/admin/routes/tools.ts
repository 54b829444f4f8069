import type { z } from 'zod';
import type { Operation } from '../../../domain/operation.ts';
import type { Tool } from '../../../domain/tool.ts';
import { mask } from '../../../lib/secrets/mask-secrets.ts';
import { resolve } from '../../../pipeline/request/resolve.ts';
import { validate } from '../../../pipeline/arguments/validate.ts';
import { compileTool, membersOf } from '../../../registry/build-snapshot.ts';
import { findApi, findServer, findTool } from '../../../registry/rules/find-and-revise.ts';
import type { Snapshot } from '../../../registry/snapshot.ts';
import { createTool, deleteTool, updateTool } from '../../../registry/rules/tools.ts';
import { toolRoutes } from '../../contract/tools.ts';
import { adminApiErrors } from '../../../domain/error-messages/admin-api.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { requestUpload, runTrial, trialRequest } from '../call-tool.ts';
import { readOperation } from '../read-operation.ts';
import { viewRequest } from '../request-view.ts';
import { previewShape } from './shape-preview.ts';
import { pageById } from '../paging.ts';
import { viewTool } from '../views.ts';

/** Adding, editing, deleting and trying tools. */
export function bindTools(context: AppContext): BoundRoute[] {
  const { registry, now } = context;
  const moment = () => ({ nowMs: now() });
  return [
    bind(toolRoutes.list, ({ query }) => {
      const { snapshot } = registry;
      return pageById(chosen(snapshot, query), query, (tool) => viewTool(snapshot, tool));
    }),
    bind(toolRoutes.create, async ({ body, actor }) => {
      const input = { ...body, operation: readOperation(body.operation) };
      const tool = await registry.commit(actor, (snapshot) => createTool(snapshot, input, moment()));
      return viewTool(registry.snapshot, tool);
    }),
    bind(toolRoutes.get, ({ params }) =>
      viewTool(registry.snapshot, findTool(registry.snapshot, params.tool)),
    ),
    bind(toolRoutes.update, async ({ params, body, expectedRevision, actor }) => {
      const { operation, ...rest } = body;
      const patch = operation === undefined ? rest : { ...rest, operation: readOperation(operation) };
      const tool = await registry.commit(actor, (snapshot) =>
        updateTool(
          snapshot,
          params.tool,
          'operation' in patch
            ? { ...patch, operation: unmask(patch.operation, findTool(snapshot, params.tool)) }
            : patch,
          expectedRevision,
          moment(),
        ),
      );
      return viewTool(registry.snapshot, tool);
    }),
    bind(toolRoutes.remove, async ({ params, actor }) => {
      await registry.commit(actor, (snapshot) => deleteTool(snapshot, params.tool, moment()));
    }),
    bind(toolRoutes.call, ({ params, body, admin, signal, traceparent }) => {
      const { all, maxItems, wait, ...trial } = body;
      if (maxItems !== undefined && !all) throw adminApiErrors.maxItemsWithoutAll();
      const prefix = body.surface === 'cli' ? '--' : '';
      const followUp = { all, maxItems: maxItems ?? null, wait, prefix, report: null } as const;
      const request = trialRequest(context, { ...trial, admin, signal, traceparent, followUp });
      return runTrial(context, context.calls.makeTrial(request, params.tool));
    }),
    bind(toolRoutes.requestUpload, ({ body, admin }) => requestUpload(context, { ...body, admin })),
    bind(toolRoutes.shapePreview, ({ params, body, admin, signal, traceparent }) =>
      previewShape(context, params.tool, body, { admin, signal, traceparent }),
    ),
    bind(toolRoutes.preview, ({ params, body }) => {
      const { snapshot } = registry;
      const tool = findTool(snapshot, params.tool);
      const compiled = compileTool(snapshot, findApi(snapshot, tool.apiId), tool);
      return viewRequest(resolve(compiled, validate(compiled, body.arguments)));
    }),
  ];
}

function chosen(snapshot: Snapshot, query: z.output<(typeof toolRoutes.list)['query']>): Tool[] {
  const api = query.api === undefined ? undefined : findApi(snapshot, query.api);
  const rows =
    query.server === undefined
      ? [...snapshot.tools.values()]
      : [...membersOf(snapshot, findServer(snapshot, query.server))];
  const wanted = query.search?.toLowerCase();
  return rows
    .filter((tool) => api === undefined || tool.apiId === api.id)
    .filter((tool) => query.tag === undefined || tool.tags.includes(query.tag))
    .filter((tool) => query.enabled === undefined || tool.enabled === query.enabled)
    .filter(
      (tool) =>
        wanted === undefined ||
        `${tool.name} ${tool.title ?? ''} ${tool.description} ${tool.operation.path}`
          .toLowerCase()
          .includes(wanted),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

// A client that sends masked values back leaves them unchanged.
function unmask(operation: Operation, { operation: current }: Tool): Operation {
  return {
    ...operation,
    parameters: operation.parameters.map((parameter) => {
      const before = current.parameters.find((one) => one.name === parameter.name);
      return parameter.fixed === mask && before?.fixed !== undefined
        ? { ...parameter, fixed: before.fixed }
        : parameter;
    }),
  };
}
