import { HandrailError } from '../domain/errors.ts';
import type { Call, CallPart, CallTrace, RunCall } from '../pipeline/call.ts';
import type { Reply } from '../pipeline/reply/reply.ts';
import { retryAfter } from '../pipeline/reply/errors/retry-after.ts';
import type { ServerView } from '../registry/snapshot.ts';
import type { CallMaker } from './make-call.ts';

/** What a further call brought. */
export type PartResult = Pick<CallTrace, 'outcome' | 'request' | 'reply'>;

/** Makes the further calls that a call needs: each through the same checks, limits and record as any other. */
export interface AskPart {
  /** The same tool once more. An API or a limit that asks for patience is given it, as far as there is time. */
  same(call: Call, args: unknown, part: CallPart): Promise<PartResult>;
  /** Another tool of the same server; undefined when there is none for this caller. */
  other(call: Call, toolName: string, args: unknown, part: CallPart): Promise<PartResult> | undefined;
}

const maxWaits = 5;
const firstWaitMs = 1_000;
const busy = new Set([429, 503]);

export function createAskPart(options: {
  readonly calls: CallMaker;
  readonly run: RunCall;
  readonly record: (trace: CallTrace) => void;
  /** The server published under a slug now. */
  readonly publishedView: (slug: string) => ServerView | undefined;
  readonly now: () => number;
  readonly wait: (ms: number, signal: Call['signal']) => Promise<void>;
}): AskPart {
  const { calls, run, record, publishedView, now, wait } = options;

  // A long call may outlive what its caller may do: each part is checked anew. Operators try what need not be published.
  function partOf(call: Call, args: unknown, part: CallPart): Call | undefined {
    if (call.surface === 'admin' || call.surface === 'cli') return calls.makePart(call, args, part);
    const view = publishedView(call.server.slug);
    const made = view && calls.makeChild(call, view, call.toolName, args, part);
    return made?.tool.tool.id === call.tool.tool.id ? made : undefined;
  }

  async function patiently(make: () => Call | undefined, part: CallPart): Promise<PartResult> {
    for (let waits = 0; ; waits++) {
      const made = make();
      if (made === undefined) return withdrawn;
      const trace = await run(made);
      record(trace);
      trace.held?.release();
      const { outcome, reply } = trace;
      const delayMs = outcome.kind === 'failed' ? patienceFor(outcome.error, reply, waits, now()) : null;
      if (delayMs === null || waits >= maxWaits || now() + delayMs >= part.endsAtMs) return trace;
      await wait(delayMs, made.signal);
    }
  }

  return {
    same: (call, args, part) => patiently(() => partOf(call, args, part), part),
    other(call, toolName, args, part) {
      const make = () => {
        const view = publishedView(call.server.slug);
        return view && calls.makeChild(call, view, toolName, args, part);
      };
      return make() === undefined ? undefined : patiently(make, part);
    },
  };
}

const withdrawn: PartResult = {
  outcome: {
    kind: 'failed',
    error: new HandrailError('unknown_tool', 'The tool is no longer there for this caller.'),
  },
  request: null,
  reply: null,
};

/** How long to wait before the same again; null where that would not help. */
function patienceFor(error: HandrailError, reply: Reply | null, waits: number, nowMs: number): number | null {
  if (error.code === 'rate_limited') return error.details.retryAfterMs ?? firstWaitMs;
  const status = reply?.status ?? error.details.upstreamStatus;
  if (status === undefined || !busy.has(status) || error.retry === 'never') return null;
  const asked = (reply === null ? undefined : retryAfter(reply, nowMs)) ?? error.details.retryAfterMs;
  if (asked !== undefined) return asked;
  return status === 429 ? firstWaitMs * 2 ** waits : null;
}
