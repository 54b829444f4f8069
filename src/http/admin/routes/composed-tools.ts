import { toolsInCode } from '../../../code/tools-in-code.ts';
import { adminApiErrors } from '../../../domain/error-messages/admin-api.ts';
import {
  createComposedTool,
  deleteComposedTool,
  findComposedTool,
  restoreComposedTool,
  updateComposedTool,
} from '../../../registry/rules/composed-tools.ts';
import { composedOf } from '../../../registry/build-snapshot.ts';
import { findServer } from '../../../registry/rules/find-and-revise.ts';
import type { AppContext } from '../../app-context.ts';
import { composedToolRoutes } from '../../contract/composed-tools.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { runTrial, trialRequest } from '../call-tool.ts';
import { pageById } from '../paging.ts';
import { viewComposedTool, viewComposedVersions } from '../views.ts';

const noArguments = { type: 'object', properties: {} };

/** Saving scripts as tools of a server, and their versions. */
export function bindComposedTools(context: AppContext): BoundRoute[] {
  const { registry, now, listedView } = context;
  const momentOf = (actor: { readonly label: string }) => ({ nowMs: now(), by: actor.label.slice(0, 500) });
  const find = (reference: string) => findComposedTool(registry.snapshot, reference);

  /** The tools of the published server that a script names. */
  function namedIn(code: string, serverReference: string): string[] {
    const { slug } = findServer(registry.snapshot, serverReference);
    const view = listedView(slug);
    if (view !== undefined) return toolsInCode(view, code);
    throw adminApiErrors.disabledServerHasNoTools({ slug });
  }

  return [
    bind(composedToolRoutes.list, ({ query }) => {
      const { snapshot } = registry;
      const rows =
        query.server === undefined
          ? [...snapshot.composedTools.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
          : composedOf(snapshot, findServer(snapshot, query.server).id);
      return pageById(rows, query, (composed) => viewComposedTool(snapshot, composed));
    }),
    bind(composedToolRoutes.create, async ({ body, actor }) => {
      const { title, inputSchema = noArguments, tools = namedIn(body.code, body.server), ...rest } = body;
      const input = { ...rest, inputSchema, tools, ...(title !== undefined && { title }) };
      const composed = await registry.commit(actor, (snapshot) =>
        createComposedTool(snapshot, input, momentOf(actor)),
      );
      return viewComposedTool(registry.snapshot, composed);
    }),
    bind(composedToolRoutes.get, ({ params }) => viewComposedTool(registry.snapshot, find(params.tool))),
    bind(composedToolRoutes.update, async ({ params, body, expectedRevision, actor }) => {
      const { title, tools, ...rest } = body;
      const current = find(params.tool);
      const patch = {
        ...rest,
        ...(title !== undefined && { title: title ?? undefined }),
        ...(tools !== undefined && { tools: tools ?? namedIn(rest.code ?? current.code, current.serverId) }),
      };
      const composed = await registry.commit(actor, (snapshot) =>
        updateComposedTool(snapshot, params.tool, patch, expectedRevision, momentOf(actor)),
      );
      return viewComposedTool(registry.snapshot, composed);
    }),
    bind(composedToolRoutes.remove, async ({ params, actor }) => {
      await registry.commit(actor, (snapshot) => deleteComposedTool(snapshot, params.tool));
    }),
    bind(composedToolRoutes.versions, ({ params }) => ({ items: viewComposedVersions(find(params.tool)) })),
    bind(composedToolRoutes.restore, async ({ params, body, expectedRevision, actor }) => {
      const composed = await registry.commit(actor, (snapshot) =>
        restoreComposedTool(snapshot, params.tool, body.version, expectedRevision, momentOf(actor)),
      );
      return viewComposedTool(registry.snapshot, composed);
    }),
    bind(composedToolRoutes.call, ({ params, body, admin, signal, traceparent }) => {
      const composed = find(params.tool);
      const request = trialRequest(context, {
        ...body,
        admin,
        signal,
        traceparent,
        server: composed.serverId,
      });
      const { slug } = request.server;
      const listed = registry.snapshot.view(slug)?.byName.get(composed.name);
      if (listed?.compiled.tool.id !== composed.id)
        throw adminApiErrors.composedToolNotServed({ name: composed.name, server: slug });
      return runTrial(context, context.calls.makeTrial(request, composed.name));
    }),
  ];
}
