import type { z } from 'zod';
import type { JsonSchema } from '../../domain/json-schema.ts';
import { HandrailError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import type { Operation } from '../../domain/operation.ts';
import type { Tool } from '../../domain/tool.ts';
import { adminCaller, localCaller } from '../../access/callers.ts';
import type { AdminPrincipal } from '../../domain/admin.ts';
import { isSecretName, mask, maskQuery } from '../../lib/mask-secrets.ts';
import { compile } from '../../pipeline/compile.ts';
import { resolve } from '../../pipeline/resolve.ts';
import { validate } from '../../pipeline/validate.ts';
import { membersOf } from '../../registry/build-snapshot.ts';
import { findApi, findServer, findTool } from '../../registry/rules.ts';
import type { Snapshot } from '../../registry/snapshot.ts';
import { createTool, deleteTool, updateTool } from '../../registry/tools.ts';
import { toolRoutes } from '../contract/tools.ts';
import type { Serving } from '../serving.ts';
import { bind, type BoundRoute } from './bind.ts';
import { previewShape } from './shape-preview.ts';
import { pageById } from './paging.ts';
import { viewTool } from './views.ts';

/** Adding, editing, deleting and trying tools. */
export function bindTools(serving: Serving): BoundRoute[] {
  const { registry, now } = serving;
  const moment = () => ({ nowMs: now() });
  return [
    bind(toolRoutes.list, ({ query }) => {
      const { snapshot } = registry;
      return pageById(chosen(snapshot, query), query, (tool) => viewTool(snapshot, tool));
    }),
    bind(toolRoutes.create, async ({ body }) => {
      const input = { ...body, operation: readOperation(body.operation) };
      const tool = await registry.commit((snapshot) => createTool(snapshot, input, moment()));
      return viewTool(registry.snapshot, tool);
    }),
    bind(toolRoutes.get, ({ params }) =>
      viewTool(registry.snapshot, findTool(registry.snapshot, params.tool)),
    ),
    bind(toolRoutes.update, async ({ params, body, expectedRevision }) => {
      const { operation, ...rest } = body;
      const patch = operation === undefined ? rest : { ...rest, operation: readOperation(operation) };
      const tool = await registry.commit((snapshot) =>
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
    bind(toolRoutes.remove, async ({ params }) => {
      await registry.commit((snapshot) => deleteTool(snapshot, params.tool, moment()));
    }),
    bind(toolRoutes.call, ({ params, body, admin, signal }) =>
      callTool(serving, params.tool, body, admin, signal),
    ),
    bind(toolRoutes.shapePreview, ({ params, body, admin, signal }) =>
      previewShape(serving, params.tool, body, admin, signal),
    ),
    bind(toolRoutes.preview, ({ params, body }) => {
      const tool = findTool(registry.snapshot, params.tool);
      const compiled = compile(registry.snapshot.apis.get(tool.apiId)!, tool);
      const plan = resolve(compiled, validate(compiled, body.arguments));
      return {
        method: plan.method,
        url: `${plan.origin}${maskQuery(plan.target)}`,
        headers: Object.fromEntries(
          Object.entries(plan.headers).map(([name, value]) => [name, isSecretName(name) ? mask : value]),
        ),
        body:
          plan.body === null
            ? null
            : typeof plan.body.content === 'string'
              ? plan.body.content
              : `(${plan.body.content.length} bytes)`,
      };
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

const handsaiTypes: Readonly<Record<string, JsonSchema>> = {
  STRING: { type: 'string' },
  NUMBER: { type: 'number' },
  BOOLEAN: { type: 'boolean' },
  ARRAY: { type: 'array', items: {} },
  OBJECT: { type: 'object' },
};

/** Reads an operation as it is sent: HandsAI's type names become schemas. */
// Whoever sends back what they were shown leaves the masked values as they are.
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

function readOperation(input: z.output<(typeof toolRoutes.create)['body']>['operation']): Operation {
  return {
    ...input,
    parameters: input.parameters.map(({ type, schema, ...parameter }) => ({
      ...parameter,
      schema: schema ?? (type === undefined ? {} : handsaiTypes[type]!),
    })),
  };
}

async function callTool(
  { registry, runCall, now }: Serving,
  reference: string,
  body: z.output<(typeof toolRoutes.call)['body']>,
  admin: AdminPrincipal,
  signal: AbortSignal,
): Promise<z.input<(typeof toolRoutes.call)['reply']>> {
  const { snapshot } = registry;
  const server = findServer(snapshot, body.server);
  const listed = snapshot.view(server.slug)?.byName.get(reference);
  const tool = listed?.compiled ?? snapshot.compiled.get(findTool(snapshot, reference).id);
  if (tool === undefined)
    throw new HandrailError(
      'conflict',
      `The tool "${reference}" is disabled: enable it (and its API) to call it.`,
    );
  const startedAtMs = now();
  const callId = newId('call', startedAtMs);
  const outcome = await runCall({
    id: callId,
    tool,
    toolName: listed?.name ?? tool.tool.name,
    server,
    caller: body.surface === 'cli' ? localCaller : adminCaller(admin),
    client: { name: 'handrail' },
    surface: body.surface,
    arguments: body.arguments,
    signal,
  });
  const durationMs = now() - startedAtMs;
  if (!outcome.ok) {
    const { code, message, fault, retry, details } = outcome.error;
    return {
      callId,
      ok: false,
      content: [{ type: 'text', text: message }],
      upstreamStatus: details.upstreamStatus ?? null,
      durationMs,
      error: { code, message, fault, retry },
    };
  }
  const { content, structuredText } = outcome.output;
  return {
    callId,
    ok: true,
    content: content as unknown as Record<string, unknown>[],
    ...(structuredText !== null && { structuredContent: JSON.parse(structuredText) as unknown }),
    upstreamStatus: outcome.status,
    durationMs,
  };
}
