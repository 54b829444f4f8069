import { parseMarked } from '../../lib/json/numbers/exact-numbers.ts';
import type { z } from 'zod';
import { adminCaller, localCaller } from '../../access/callers.ts';
import type { TrialRequest } from '../../calls/make-call.ts';
import type { Principal } from '../../domain/person.ts';
import { type FollowUp, noFollowUp } from '../../domain/pages/follow-up.ts';
import { defaultServerSlug } from '../../domain/server.ts';
import { waitingText } from '../../domain/waiting.ts';
import type { Call } from '../../pipeline/call.ts';
import type { Output } from '../../pipeline/reply/reply.ts';
import { findServer } from '../../registry/rules/find-and-revise.ts';
import type { toolRoutes, triedCall } from '../contract/tools.ts';
import type { AppContext } from '../app-context.ts';
import { viewWaiting } from '../waiting-view.ts';
import { time } from './views.ts';

/** An operator's trial call, as a route receives it. */
interface Trial {
  readonly admin: Principal;
  readonly arguments: unknown;
  readonly signal: AbortSignal;
  readonly traceparent: string | undefined;
  /** Id or slug of the server to call it through; the default server if absent. */
  readonly server?: string;
  readonly surface?: 'admin' | 'cli';
  /** Whether to fetch further pages or wait for a job. */
  readonly followUp?: FollowUp;
}

/** The surface and caller that an operator's request is recorded under. */
function operatorOrigin(
  { isListening }: AppContext,
  { admin, surface }: Pick<Trial, 'admin' | 'surface'>,
): Pick<TrialRequest, 'surface' | 'caller'> {
  // Only a command that works on the data folder is certainly local; over HTTP anyone could claim to be.
  const isLocal = surface === 'cli' && !isListening();
  return isLocal ? { surface: 'cli', caller: localCaller } : { surface: 'admin', caller: adminCaller(admin) };
}

/** Creates an upload path for a file that an operator then passes to a call. */
export async function requestUpload(
  context: AppContext,
  request: Pick<Trial, 'admin' | 'surface'> & { readonly server: string },
): Promise<z.input<(typeof toolRoutes.requestUpload)['reply']>> {
  const { kept, links } = context.replies;
  const server = findServer(context.registry.snapshot, request.server);
  const { handle, expiresAtMs } = await kept.makeUploadPlace(
    operatorOrigin(context, request).caller.id,
    server.id,
  );
  const { path, untilMs } = links.path('upload', handle, expiresAtMs)!;
  return { handle, path, until: time(untilMs), maxBytes: context.config.maxFileBytes };
}

/** Turns an operator's trial into a request for the call maker. */
export function trialRequest(context: AppContext, trial: Trial): TrialRequest {
  const { snapshot } = context.registry;
  const { server = defaultServerSlug } = trial;
  return {
    snapshot,
    server: findServer(snapshot, server),
    isServerNamed: trial.server !== undefined,
    ...operatorOrigin(context, trial),
    client: { name: 'handrail' },
    arguments: trial.arguments,
    signal: trial.signal,
    // These headers authenticate an operator here and must not reach an API.
    clientHeaders: null,
    traceparent: trial.traceparent,
    followUp: trial.followUp ?? noFollowUp,
  };
}

/** Runs an operator's call and returns its result. */
export async function runTrial(context: AppContext, call: Call): Promise<z.input<typeof triedCall>> {
  const { answerCall, now } = context;
  const startedAtMs = now();
  const outcome = await answerCall(call);
  const durationMs = now() - startedAtMs;
  const common = { callId: call.id, ok: outcome.kind === 'done', durationMs };
  switch (outcome.kind) {
    case 'done': {
      const { content, structuredText } = outcome.output;
      return {
        ...common,
        content: content.map((part) => ({ ...part })),
        ...(structuredText !== null && { structuredContent: parseMarked(structuredText) }),
        ...keptFile(context, outcome.output),
        // A script has no upstream status of its own; the calls it makes have one each.
        upstreamStatus: call.tool.script === null ? outcome.status : null,
      };
    }
    case 'failed': {
      const { code, message, fault, retry, details } = outcome.error;
      return {
        ...common,
        content: [{ type: 'text', text: message }],
        upstreamStatus: details.upstreamStatus ?? null,
        error: { code, message, fault, retry },
      };
    }
    case 'waiting':
      return {
        ...common,
        content: [{ type: 'text', text: waitingText(outcome.waiting) }],
        upstreamStatus: null,
        waiting: viewWaiting(outcome.waiting),
      };
  }
}

/** The download path of a reply that was stored as a file. */
function keptFile(
  { replies }: AppContext,
  { content, whole }: Output,
): Pick<z.input<typeof triedCall>, 'file'> {
  if (!content.some(({ type }) => type === 'resource_link')) return {};
  const reply = whole?.();
  if (reply?.kind !== 'kept') return {};
  const { handle, name, mediaType: type, bytes, sha256, expiresAtMs } = reply.file;
  const { path, untilMs } = replies.links.path('download', handle, expiresAtMs)!;
  return { file: { handle, name, type, bytes, sha256, path, until: time(untilMs) } };
}
