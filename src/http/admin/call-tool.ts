import { parseMarked } from '../../lib/json/numbers/exact-numbers.ts';
import type { z } from 'zod';
import { adminCaller, localCaller } from '../../access/callers.ts';
import type { TrialRequest } from '../../calls/make-call.ts';
import type { AdminPrincipal } from '../../domain/admin.ts';
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

/** What a route knows of an operator's call. */
interface Trial {
  readonly admin: AdminPrincipal;
  readonly arguments: unknown;
  readonly signal: AbortSignal;
  readonly traceparent: string | undefined;
  /** Id or slug of the server that it counts for; the default one unless said. */
  readonly server?: string;
  readonly surface?: 'admin' | 'cli';
  /** What is wanted beyond the one request. */
  readonly followUp?: FollowUp;
}

/** On which surface an operator asks for something, and as whom. */
function askingOperator(
  { isListening }: AppContext,
  { admin, surface }: Pick<Trial, 'admin' | 'surface'>,
): Pick<TrialRequest, 'surface' | 'caller'> {
  // Only a command on the data folder is on this machine for sure; over HTTP anybody could say so.
  const isLocal = surface === 'cli' && !isListening();
  return isLocal ? { surface: 'cli', caller: localCaller } : { surface: 'admin', caller: adminCaller(admin) };
}

/** Makes a place where an operator puts the file that a call is then given. */
export async function requestUpload(
  context: AppContext,
  asked: Pick<Trial, 'admin' | 'surface'> & { readonly server: string },
): Promise<z.input<(typeof toolRoutes.requestUpload)['reply']>> {
  const { kept, links } = context.replies;
  const server = findServer(context.registry.snapshot, asked.server);
  const { handle, expiresAtMs } = await kept.makeUploadPlace(
    askingOperator(context, asked).caller.id,
    server.id,
  );
  const { path, untilMs } = links.path('upload', handle, expiresAtMs)!;
  return { handle, path, until: time(untilMs), maxBytes: context.config.maxFileBytes };
}

/** Who asks for what when an operator tries a tool. */
export function trialRequest(context: AppContext, trial: Trial): TrialRequest {
  const { snapshot } = context.registry;
  const { server = defaultServerSlug } = trial;
  return {
    snapshot,
    server: findServer(snapshot, server),
    isServerNamed: trial.server !== undefined,
    ...askingOperator(context, trial),
    client: { name: 'handrail' },
    arguments: trial.arguments,
    signal: trial.signal,
    // They let an operator in here, and mean nothing to an API.
    clientHeaders: null,
    traceparent: trial.traceparent,
    followUp: trial.followUp ?? noFollowUp,
  };
}

/** Runs a call that an operator made and tells what became of it. */
export async function runTrial(context: AppContext, call: Call): Promise<z.input<typeof triedCall>> {
  const { answerCall, now } = context;
  const startedAtMs = now();
  const outcome = await answerCall(call);
  const durationMs = now() - startedAtMs;
  const told = { callId: call.id, ok: outcome.kind === 'done', durationMs };
  switch (outcome.kind) {
    case 'done': {
      const { content, structuredText } = outcome.output;
      return {
        ...told,
        content: content.map((part) => ({ ...part })),
        ...(structuredText !== null && { structuredContent: parseMarked(structuredText) }),
        ...keptFile(context, outcome.output),
        // A script's calls have theirs.
        upstreamStatus: call.tool.script === null ? outcome.status : null,
      };
    }
    case 'failed': {
      const { code, message, fault, retry, details } = outcome.error;
      return {
        ...told,
        content: [{ type: 'text', text: message }],
        upstreamStatus: details.upstreamStatus ?? null,
        error: { code, message, fault, retry },
      };
    }
    case 'waiting':
      return {
        ...told,
        content: [{ type: 'text', text: waitingText(outcome.waiting) }],
        upstreamStatus: null,
        waiting: viewWaiting(outcome.waiting),
      };
  }
}

/** Where the file is that a reply was kept as. */
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
