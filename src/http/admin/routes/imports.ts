import { HandrailError } from '../../../domain/errors.ts';
import type { Tool } from '../../../domain/tool.ts';
import { exportHandrail, exportServer } from '../../../import/formats/handrail/export-handrail.ts';
import { exportHandsai } from '../../../import/formats/handsai/export-handsai.ts';
import type { ImportOutcome, ImportRequest, ImportRun } from '../../../import/importer.ts';
import { pendingOf } from '../../../import/plan/plan-tool.ts';
import { findApi, findServer, findTool } from '../../../registry/rules/find-and-revise.ts';
import { importRoutes } from '../../contract/imports.ts';
import type { RouteInput } from '../../contract/route.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { costOfTools } from '../costs.ts';
import { viewAuth, viewServerTemplate } from '../view-parts.ts';

/** Importing descriptions, refreshing them, and exporting what stands. */
export function bindImports({ registry, importer, costs, config }: AppContext): BoundRoute[] {
  /** The tools that an API has once a plan is applied. */
  function toolsAfter({ plan }: ImportOutcome): Tool[] {
    const { snapshot } = registry;
    const standing = snapshot.toolsByApi.get(plan.api.id);
    return [
      ...plan.added.map(({ tool }) => tool),
      ...plan.changed.map(({ tool }) => tool),
      ...plan.unchanged.flatMap(({ name }) => snapshot.tools.get(standing?.get(name) ?? '') ?? []),
    ];
  }

  async function viewAll({ outcomes, servers }: ImportRun) {
    const imports = [];
    for (const outcome of outcomes) {
      const priced = await costOfTools(costs, outcome.plan.api, toolsAfter(outcome), config.listBudget);
      imports.push(viewOutcome(outcome, priced));
    }
    return { imports, servers: servers.map(viewServer) };
  }

  return [
    bind(importRoutes.run, async ({ body, signal, actor }) =>
      viewAll(await importer.run(readRequest(body, signal), actor)),
    ),
    bind(importRoutes.running, () => ({
      items: importer.running().map(({ id, reference, startedAtMs, stage, progress }) => ({
        id,
        reference: reference ?? null,
        startedAt: new Date(startedAtMs).toISOString(),
        stage,
        ...progress,
      })),
    })),
    bind(importRoutes.refresh, async ({ params, body, actor }) =>
      viewAll(await importer.refresh(findApi(registry.snapshot, params.api), body, actor)),
    ),
    bind(importRoutes.pending, ({ params }) => {
      const tool = findTool(registry.snapshot, params.tool);
      const waiting = pendingOf(tool);
      if (waiting === null)
        throw new HandrailError('not_found', `No change of the tool "${tool.name}" waits for approval.`);
      return { fields: [...waiting.fields], kept: [...waiting.kept] };
    }),
    bind(importRoutes.decide, ({ params, body, actor }) => importer.decide(params.tool, body.approve, actor)),
    bind(importRoutes.export, ({ query }) => {
      const { snapshot } = registry;
      const chosen =
        query.api === undefined
          ? [...snapshot.apis.values()].filter((api) => !api.builtIn && query.server === undefined)
          : query.api.split(',').map((reference) => findApi(snapshot, reference.trim()));
      const apis = chosen.map((api) => ({
        api,
        tools: [...(snapshot.toolsByApi.get(api.id)?.values() ?? [])].map((id) => snapshot.tools.get(id)!),
      }));
      if (query.format === 'handsai') return exportHandsai(apis);
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

type RunBody = RouteInput<typeof importRoutes.run>['body'];

function readRequest(body: RunBody, signal: AbortSignal): ImportRequest {
  const { url, text, files, root, select, headers, cookies, fix, slashes, dryRun, ...rest } = body;
  if ([url, text, files].filter((given) => given !== undefined).length !== 1) {
    throw new HandrailError('invalid_input', 'Give the document in one way: "url", "text" or "files".');
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
  const given = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined),
  ) as Partial<ImportRequest>;
  return {
    ...given,
    input,
    ...(select && {
      selection: Object.fromEntries(Object.entries(select).filter(([, value]) => value !== undefined)),
    }),
    // Without a word about them, an API that was imported before keeps the rules it has.
    ...((headers ?? cookies ?? fix ?? slashes) !== undefined && {
      rules: {
        ...(headers && { headers }),
        ...(cookies && { cookies }),
        ...(fix && { fix }),
        ...(slashes !== undefined && { slashes }),
      },
    }),
    dryRun,
    signal,
  };
}

function viewServer({ slug, change, fields, notes }: ImportRun['servers'][number]) {
  return { server: slug, change, fields: [...fields], notes: [...notes] };
}

function viewOutcome(
  { plan, applied, credentialStored }: ImportOutcome,
  { cost, tokens }: Awaited<ReturnType<typeof costOfTools>>,
) {
  const named = ({ name, operation }: { readonly name: string; readonly operation: string }) => ({
    tool: name,
    operation,
  });
  return {
    api: plan.api.slug,
    isNewApi: plan.isNewApi,
    applied,
    credentialStored,
    apiFields: [...plan.apiFields],
    added: plan.added.map(named),
    changed: plan.changed.map((change) => ({
      ...named(change),
      fields: [...change.fields],
      kept: [...change.kept],
      pending: change.pending,
    })),
    removed: plan.removed.map(named),
    unchanged: plan.unchanged.map(named),
    report: plan.report.map((line) => {
      const own = tokens.get(line.tool ?? '');
      return {
        ...line,
        tags: [...line.tags],
        notes: [...line.notes],
        ...(own !== undefined && { tokens: own }),
      };
    }),
    cost,
    notes: [...plan.notes],
    constants: plan.constants.map(({ values, ...constant }) => ({
      ...constant,
      ...(values && { values: [...values] }),
    })),
    auth: viewAuth(plan.api.auth),
    authChoices: plan.authChoices.map(({ name, auth }) => ({ name, auth: viewAuth(auth) })),
    ...(plan.api.serverTemplate && { serverTemplate: viewServerTemplate(plan.api.serverTemplate) }),
  };
}
