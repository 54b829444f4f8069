import { roleAllows } from '../../../domain/person.ts';
import { adminApiErrors } from '../../../domain/error-messages/admin-api.ts';
import { isGone, type Tool, waitingOf, kindOf } from '../../../domain/tool.ts';
import { exportHandrail, exportServer } from '../../../import/formats/handrail/export-handrail.ts';
import { exportHandsai } from '../../../import/formats/handsai/export-handsai.ts';
import type { ImportRequest } from '../../../import/importer.ts';
import type { JobOptions } from '../../../import/jobs/job-content.ts';
import { pendingOf } from '../../../import/plan/plan-tool.ts';
import { findApi, findServer, findTool } from '../../../registry/rules/find-and-revise.ts';
import { allToolsOf, goneToolsOf, type Snapshot } from '../../../registry/snapshot.ts';
import { importRoutes } from '../../contract/imports.ts';
import type { RouteInput } from '../../contract/route.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { viewImport } from '../view-import.ts';
import { time } from '../views.ts';

/** Importing and refreshing descriptions, and exporting the registry. */
export function bindImports(context: AppContext): BoundRoute[] {
  const { registry, importer } = context;
  return [
    bind(importRoutes.run, async ({ body, signal, actor, admin }) => {
      if (body.agreeOrigins?.length && !roleAllows(admin.role, 'owner'))
        throw adminApiErrors.originsNeedOwner();
      return viewImport(context, await importer.run({ ...readRequest(body), signal }, actor));
    }),
    bind(importRoutes.refresh, async ({ params, body, actor }) =>
      viewImport(context, await importer.refresh(findApi(registry.snapshot, params.api), body, actor)),
    ),
    bind(importRoutes.pending, ({ params }) => {
      const tool = findTool(registry.snapshot, params.tool);
      const waiting = pendingOf(tool);
      if (waiting === null) throw adminApiErrors.noPendingChange({ tool: tool.name });
      return {
        waiting: waiting.waiting,
        fields: [...waiting.fields],
        kept: [...waiting.kept],
      };
    }),
    bind(importRoutes.decide, ({ params, body, actor }) =>
      importer.decide({ tool: params.tool }, body.approve, actor),
    ),
    bind(importRoutes.waiting, ({ params }) => {
      const { snapshot } = registry;
      return { items: allToolsOf(snapshot, findApi(snapshot, params.api).id).flatMap(viewWaiting) };
    }),
    bind(importRoutes.decideWaiting, ({ params, body, actor }) =>
      importer.decide({ api: params.api, tools: body.tools }, body.approve, actor),
    ),
    bind(importRoutes.removed, ({ params }) => {
      const { snapshot } = registry;
      const gone = goneToolsOf(snapshot, findApi(snapshot, params.api).id);
      return { items: gone.map((tool) => viewRemoved(snapshot, tool)) };
    }),
    bind(importRoutes.forget, ({ params, query, actor }) =>
      importer.forget(params.api, query.tools?.split(','), actor),
    ),
    bind(importRoutes.export, ({ query }) => {
      const { snapshot } = registry;
      const chosen =
        query.api === undefined
          ? [...snapshot.apis.values()].filter((api) => !api.builtIn && query.server === undefined)
          : query.api.split(',').map((reference) => findApi(snapshot, reference.trim()));
      const apis = chosen.map((api) => ({ api, tools: allToolsOf(snapshot, api.id) }));
      if (query.format === 'handsai')
        return exportHandsai(
          apis.map(({ api, tools }) => ({ api, tools: tools.filter((tool) => !isGone(tool)) })),
        );
      const servers =
        query.server !== undefined
          ? query.server.split(',').map((reference) => findServer(snapshot, reference.trim()))
          : query.api === undefined
            ? [...snapshot.servers.values()]
            : [];
      return exportHandrail(
        apis,
        servers.map((server) => exportServer(snapshot, server)),
      );
    }),
  ];
}

function viewWaiting(tool: Tool) {
  const waiting = waitingOf(tool);
  if (waiting === null) return [];
  const { id, name, source, enabled } = tool;
  return [{ id, tool: name, operation: source?.operationKey ?? '', kind: kindOf(tool), enabled, waiting }];
}

function viewRemoved(snapshot: Snapshot, { id, name, source, enabled, updatedAtMs }: Tool) {
  const servers = [...snapshot.servers.values()].filter((server) =>
    server.tools.some((rule) => 'toolId' in rule && rule.toolId === id),
  );
  return {
    id,
    tool: name,
    operation: source?.operationKey ?? '',
    removedAt: time(source?.goneAtMs ?? updatedAtMs),
    enabled,
    edited: source?.imported !== undefined,
    servers: servers.map(({ slug }) => slug),
  };
}

type RunBody = RouteInput<typeof importRoutes.run>['body'];

/** The request that a body asks for. */
export function readRequest({ url, text, files, root, dryRun, ...rest }: RunBody): ImportRequest {
  if ([url, text, files].filter((given) => given !== undefined).length !== 1) {
    throw adminApiErrors.documentNotGiven();
  }
  const input =
    url !== undefined
      ? { url }
      : {
          files:
            text !== undefined
              ? [{ name: 'document', content: text }]
              : files!.map(({ name, content }) => ({ name, content, isBase64: true })),
          ...(root !== undefined && { root }),
        };
  return { ...readOptions(rest), input, dryRun };
}

/** The same without the document. */
export function readOptions({
  select,
  headers,
  cookies,
  technical,
  fix,
  slashes,
  ...rest
}: Omit<RunBody, 'url' | 'text' | 'files' | 'root' | 'dryRun'>): JobOptions {
  const given = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined),
  ) as JobOptions;
  return {
    ...given,
    ...(select && {
      selection: Object.fromEntries(Object.entries(select).filter(([, value]) => value !== undefined)),
    }),
    // If no rule is given, an API that was imported before keeps its rules.
    ...((headers ?? cookies ?? technical ?? fix ?? slashes) !== undefined && {
      rules: {
        ...(headers && { headers }),
        ...(cookies && { cookies }),
        ...(technical && { technical }),
        ...(fix && { fix }),
        ...(slashes !== undefined && { slashes }),
      },
    }),
  };
}
