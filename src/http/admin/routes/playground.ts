import type { z } from 'zod';
import { adminCaller, localCaller } from '../../../access/callers.ts';
import type { Principal } from '../../../domain/person.ts';
import type { Check } from '../../../domain/models/check.ts';
import { adminApiErrors } from '../../../domain/error-messages/admin-api.ts';
import type { ListMode } from '../../../domain/server.ts';
import type { ImportRequest } from '../../../import/importer.ts';
import { createFindTrace } from '../../../playground/conversation.ts';
import type { CheckRun } from '../../../playground/checks/check-run.ts';
import { createChecks } from '../../../playground/checks/run-checks.ts';
import { createConverse } from '../../../playground/converse.ts';
import { draftView } from '../../../playground/draft-view.ts';
import {
  checksOf,
  createCheck,
  deleteCheck,
  findCheck,
  updateCheck,
} from '../../../registry/rules/checks.ts';
import { findApi, findServer } from '../../../registry/rules/find-and-revise.ts';
import { findModel } from '../../../registry/rules/models.ts';
import type { ServerView } from '../../../registry/snapshot.ts';
import type { AppContext } from '../../app-context.ts';
import { checkRoutes, type checkResource, type checkRunResource } from '../../contract/checks.ts';
import { type draft, playgroundRoutes } from '../../contract/playground.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { workStream } from '../event-stream.ts';
import { only } from '../view-parts.ts';
import { time, versionOf } from '../views.ts';

type GivenDraft = z.output<typeof draft>;

/** Letting language models use a server, and running checks on them. */
export function bindPlayground(context: AppContext): BoundRoute[] {
  const { registry, importer, store, now, modes, stopping } = context;
  const converse = createConverse({
    ...context,
    keyOf: context.credentials.modelKeyOf,
    findTrace: createFindTrace(context.recorder, store.calls),
  });
  const modeOf = (view: ServerView, asked: Check['mode']): ListMode | Promise<ListMode> =>
    modes.of(view, asked === 'auto' ? undefined : asked);
  const checks = createChecks({ ...context, converse, store: store.checkRuns, meta: store.meta, modeOf });
  const moment = () => ({ nowMs: now() });

  function published(reference: string): ServerView {
    const { slug } = findServer(registry.snapshot, reference);
    const view = context.listedView(slug);
    if (view !== undefined) return view;
    throw adminApiErrors.serverDisabled({ slug });
  }

  function proposed(
    { server }: ServerView,
    given: GivenDraft | undefined,
    signal: AbortSignal,
  ): Promise<ServerView> | null {
    if (given === undefined) return null;
    const wanted = given.import && importRequest(given.import, signal);
    return draftView(registry.snapshot, server.slug, { ...given, import: wanted }, importer);
  }

  function importRequest(given: NonNullable<GivenDraft['import']>, signal: AbortSignal): ImportRequest {
    const { api, url, text, overlays } = given;
    const from = api === undefined ? undefined : findApi(registry.snapshot, api).source?.url;
    const address = url ?? from;
    if (text === undefined && address === undefined) throw adminApiErrors.draftDocumentMissing();
    return {
      input: text === undefined ? { url: address! } : { files: [{ name: 'document', content: text }] },
      ...(api !== undefined && { api }),
      ...(overlays && { overlays }),
      dryRun: true,
      signal,
    };
  }

  function callerOf(admin: Principal, surface: 'admin' | 'cli') {
    // Only a command that works on the data folder is certainly local; over HTTP anyone could claim to be.
    return surface === 'cli' && !context.isListening()
      ? { caller: localCaller, surface }
      : { caller: adminCaller(admin), surface: 'admin' as const };
  }

  const viewCheck = (check: Check): z.input<typeof checkResource> => ({
    ...versionOf(check),
    ...only(check, 'name', 'question', 'mode', 'expect'),
    server: registry.snapshot.servers.get(check.serverId)?.slug ?? check.serverId,
  });

  return [
    bind(playgroundRoutes.ask, async ({ params, body, admin, signal, traceparent }) => {
      const view = published(params.server);
      const draftedView = await proposed(view, body.draft, signal);
      const model = findModel(registry.snapshot, body.model);
      if (body.messages.at(-1)?.role === 'assistant') throw adminApiErrors.lastMessageNotQuestion();
      const used = draftedView ?? view;
      const mode = await modeOf(used, body.mode);
      const request = {
        model,
        view: used,
        isDraft: draftedView !== null,
        mode,
        ...callerOf(admin, 'admin'),
        traceparent,
        messages: body.messages,
        limits: { turns: body.maxTurns, tokens: body.maxTokens, timeMs: body.timeoutMs },
        signal: AbortSignal.any([signal, stopping]),
      };
      return workStream((send) => converse(request, ({ event, ...rest }) => send(event, rest)));
    }),
    bind(checkRoutes.list, ({ params }) => {
      const { snapshot } = registry;
      return { items: checksOf(snapshot, findServer(snapshot, params.server).id).map(viewCheck) };
    }),
    bind(checkRoutes.create, async ({ params, body, actor }) => {
      const { mode, ...rest } = body;
      const input = { ...rest, ...(mode !== undefined && { mode }) };
      return viewCheck(
        await registry.commit(actor, (snapshot) => createCheck(snapshot, params.server, input, moment())),
      );
    }),
    bind(checkRoutes.get, ({ params }) => viewCheck(findCheck(registry.snapshot, params.check))),
    bind(checkRoutes.update, async ({ params, body, expectedRevision, actor }) => {
      const { mode, ...rest } = body;
      const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
      const patch = { ...given, ...(mode !== undefined && { mode }) };
      return viewCheck(
        await registry.commit(actor, (snapshot) =>
          updateCheck(snapshot, params.check, patch, expectedRevision, moment()),
        ),
      );
    }),
    bind(checkRoutes.remove, async ({ params, actor }) => {
      await registry.commit(actor, (snapshot) => deleteCheck(snapshot, params.check));
    }),
    bind(checkRoutes.run, async ({ params, body, admin, signal }) => {
      const view = published(params.server);
      const { snapshot } = registry;
      const chosen = body.checks?.map((id) => findCheck(snapshot, id));
      if (chosen?.some(({ serverId }) => serverId !== view.server.id))
        throw adminApiErrors.checksOfOtherServer({ slug: view.server.slug });
      const run = await checks.start({
        published: view,
        draft: await proposed(view, body.draft, signal),
        model: findModel(snapshot, body.model),
        checks: chosen ?? checksOf(snapshot, view.server.id),
        ...callerOf(admin, body.surface),
      });
      return viewRun(run);
    }),
    bind(checkRoutes.history, async ({ params, query }) => {
      const { id } = findServer(registry.snapshot, params.server);
      return { items: (await checks.historyOf(id, query.limit)).map(viewRun) };
    }),
    bind(checkRoutes.getRun, async ({ params }) => viewRun(await checks.find(params.run))),
    bind(checkRoutes.stop, async ({ params }) => viewRun(await checks.stop(params.run))),
  ];
}

function viewRun(run: CheckRun): z.input<typeof checkRunResource> {
  const money = (cost: string | null) => (cost === null ? null : Number(cost));
  return {
    ...only(run, 'id', 'server', 'model', 'by', 'state'),
    startedAt: time(run.startedAtMs),
    updatedAt: time(run.updatedAtMs),
    variants: run.variants.map((variant) => ({
      ...only(variant, 'of', 'version', 'passed', 'total', 'tokens'),
      notRun: variant.notRun ?? 0,
      cost: money(variant.cost),
      results: variant.results.map((result) => ({
        ...only(
          result,
          'checkId',
          'name',
          'passed',
          'reason',
          'answer',
          'tokens',
          'turns',
          'durationMs',
          'runId',
        ),
        problems: [...result.problems],
        calls: result.calls.map((call) => only(call, 'tool', 'arguments')),
        cost: money(result.cost),
      })),
    })),
  };
}
