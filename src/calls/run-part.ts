import { callsErrors } from '../domain/error-messages/calls.ts';
import { HandrailError } from '../domain/errors.ts';
import type { Call, CallPart, CallTrace, RunCall } from '../pipeline/call.ts';
import type { Reply } from '../pipeline/reply/reply.ts';
import { retryAfter } from '../pipeline/reply/errors/retry-after.ts';
import type { ServerView } from '../registry/snapshot.ts';
import type { CallMaker } from './make-call.ts';

/** The result of an additional call. */
export type PartResult = Pick<CallTrace, 'outcome' | 'request' | 'reply'>;

/** Makes the additional calls that a call needs, each with the same checks, limits and record as any other. */
export interface RunPart {
  /** Calls the same tool again. Waits and retries when the API or a limit asks for it, as long as there is time. */
  same(call: Call, args: unknown, part: CallPart): Promise<PartResult>;
  /** Calls another tool of the same server; undefined if this caller has no such tool. */
  other(call: Call, toolName: string, args: unknown, part: CallPart): Promise<PartResult> | undefined;
}

const maxWaits = 5;
const firstWaitMs = 1_000;
const busy = new Set([429, 503]);

export function createRunPart(options: {
  readonly calls: CallMaker;
  readonly run: RunCall;
  readonly record: (trace: CallTrace) => void;
  /** The server currently published under a slug. */
  readonly publishedView: (slug: string) => ServerView | undefined;
  readonly now: () => number;
  readonly wait: (ms: number, signal: Call['signal']) => Promise<void>;
}): RunPart {
  const { calls, run, record, publishedView, now, wait } = options;

  // A long call may outlive its caller's permissions, so each part is checked again. Operators may try unpublished
  // tools.
  function partOf(call: Call, args: unknown, part: CallPart): Call | undefined {
    if (call.surface === 'admin' || call.surface === 'cli') return calls.makePart(call, args, part);
    const view = publishedView(call.server.slug);
    const made = view && calls.makeChild(call, view, call.toolName, args, part);
    return made?.tool.tool.id === call.tool.tool.id ? made : undefined;
  }

  async function runWithRetries(make: () => Call | undefined, part: CallPart): Promise<PartResult> {
    for (let waits = 0; ; waits++) {
      const made = make();
      if (made === undefined) return withdrawn;
      const trace = await run(made);
      record(trace);
      trace.held?.release();
      const { outcome, reply } = trace;
      const delayMs = outcome.kind === 'failed' ? retryDelay(outcome.error, reply, waits, now()) : null;
      if (delayMs === null || waits >= maxWaits || now() + delayMs >= part.endsAtMs) return trace;
      await wait(delayMs, made.signal);
    }
  }

  return {
    same: (call, args, part) => runWithRetries(() => partOf(call, args, part), part),
    other(call, toolName, args, part) {
      const make = () => {
        const view = publishedView(call.server.slug);
        return view && calls.makeChild(call, view, toolName, args, part);
      };
      return make() === undefined ? undefined : runWithRetries(make, part);
    },
  };
}

const withdrawn: PartResult = {
  outcome: { kind: 'failed', error: callsErrors.toolWithdrawn() },
  request: null,
  reply: null,
};

/** How long to wait before a retry; null if a retry would not help. */
function retryDelay(error: HandrailError, reply: Reply | null, waits: number, nowMs: number): number | null {
  if (error.code === 'rate_limited') return error.details.retryAfterMs ?? firstWaitMs;
  const status = reply?.status ?? error.details.upstreamStatus;
  if (status === undefined || !busy.has(status) || error.retry === 'never') return null;
  const asked = (reply === null ? undefined : retryAfter(reply, nowMs)) ?? error.details.retryAfterMs;
  if (asked !== undefined) return asked;
  return status === 429 ? firstWaitMs * 2 ** waits : null;
}
