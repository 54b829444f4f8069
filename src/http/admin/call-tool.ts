import { parseMarked } from '../../lib/json/numbers/exact-numbers.ts';
import type { z } from 'zod';
import { adminCaller, localCaller } from '../../access/callers.ts';
import type { TrialRequest } from '../../calls/make-call.ts';
import type { AdminPrincipal } from '../../domain/admin.ts';
import { type FollowUp, noFollowUp } from '../../domain/pages/follow-up.ts';
import { defaultServerSlug } from '../../domain/server.ts';
import { waitingText } from '../../domain/waiting.ts';
import type { Call } from '../../pipeline/types.ts';
import { findServer } from '../../registry/rules/find-and-revise.ts';
import type { triedCall } from '../contract/tools.ts';
import type { AppContext } from '../app-context.ts';
import { viewWaiting } from '../waiting-view.ts';

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

/** Who asks for what when an operator tries a tool. */
export function trialRequest({ registry, isListening }: AppContext, trial: Trial): TrialRequest {
  const { snapshot } = registry;
  const { admin, server = defaultServerSlug } = trial;
  // Only a command on the data folder is on this machine for sure; over HTTP anybody could say so.
  const surface = trial.surface === 'cli' && !isListening() ? 'cli' : 'admin';
  return {
    snapshot,
    server: findServer(snapshot, server),
    isServerNamed: trial.server !== undefined,
    caller: surface === 'cli' ? localCaller : adminCaller(admin),
    client: { name: 'handrail' },
    surface,
    arguments: trial.arguments,
    signal: trial.signal,
    // They let an operator in here, and mean nothing to an API.
    clientHeaders: null,
    traceparent: trial.traceparent,
    followUp: trial.followUp ?? noFollowUp,
  };
}

/** Runs a call that an operator made and tells what became of it. */
export async function runTrial({ runCall, now }: AppContext, call: Call): Promise<z.input<typeof triedCall>> {
  const startedAtMs = now();
  const outcome = await runCall(call);
  const durationMs = now() - startedAtMs;
  const told = { callId: call.id, ok: outcome.kind === 'done', durationMs };
  switch (outcome.kind) {
    case 'done': {
      const { content, structuredText } = outcome.output;
      return {
        ...told,
        content: content.map((part) => ({ ...part })),
        ...(structuredText !== null && { structuredContent: parseMarked(structuredText) }),
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
