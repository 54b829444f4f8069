import type { Config } from '../config/settings.ts';
import { HandrailError } from '../domain/errors.ts';
import { askText, isAsked } from '../domain/pages/follow-up.ts';
import { cleanText } from '../pipeline/reply/clean-text.ts';
import { retryAfter } from '../pipeline/reply/errors/retry-after.ts';
import type { Call, CallTrace, Outcome, RunCall } from '../pipeline/call.ts';
import type { Effects } from '../pipeline/run-call.ts';
import type { ServerView } from '../registry/snapshot.ts';
import { createAskPart } from './run-part.ts';
import { findStatusCall, statusAddress } from './jobs/status-operation.ts';
import { statusText, waitForJob } from './jobs/wait-for-job.ts';
import type { CallMaker } from './make-call.ts';
import { valueOf } from './pages/formats/json-pages.ts';
import { moreLine } from './pages/more-pages-note.ts';
import { PageWalk } from './pages/walk-pages.ts';

type FindView = (slug: string) => ServerView | undefined;

/**
 * Runs calls, and what their callers want beyond the one request: every page of a list, the end of a long job. A call that
 * wants neither is run as it is.
 */
export function createFollowUp(options: {
  readonly config: Pick<Config, 'allMaxPages' | 'allMaxItems' | 'allMaxBytes' | 'allMaxSeconds'>;
  readonly calls: CallMaker;
  readonly run: RunCall;
  /** The server published under a slug now. */
  readonly publishedView: FindView;
  /** Records the further calls; the call itself is returned. */
  readonly record: (trace: CallTrace) => void;
  /** Hears of each call that gathers pages when it begins. */
  readonly begun?: (trace: CallTrace) => void;
  readonly now: () => number;
  readonly wait: (ms: number, signal: Call['signal']) => Promise<void>;
}): RunCall {
  const { config, run, publishedView, now, wait } = options;
  const ask = createAskPart(options);
  const caps = {
    pages: config.allMaxPages,
    items: config.allMaxItems,
    bytes: config.allMaxBytes,
    ms: config.allMaxSeconds * 1_000,
  };

  async function gather(call: Call): Promise<CallTrace> {
    const startedAtMs = now();
    // Its pages are calls of their own: what was sent and what came stands in their records.
    const trace = {
      call,
      startedAtMs,
      durationMs: 0,
      args: null,
      request: null,
      reply: null,
      steps: [],
      read: null,
      held: null,
    };
    options.begun?.({ ...trace, outcome: notYet });
    const walk = new PageWalk(call, ask, caps, now);
    const outcome = await walk.run();
    const durationMs = now() - startedAtMs;
    const steps = [{ name: 'pages', startMs: 0, durationMs, note: walk.summary }];
    return { ...trace, durationMs, outcome, steps };
  }

  return (call) => {
    if (!isAsked(call.followUp)) return run(call);
    return call.followUp.all ? gather(call) : waitForJob(call, { run, ask, publishedView, now, wait });
  };
}

const notYet: Outcome = {
  kind: 'failed',
  error: new HandrailError('internal', 'The pages were not gathered.'),
};

/** Adds to a reply, in one line, that it is a page of a list or that a job has begun, and how to go on. */
export function createAppendContinuation(
  publishedView: FindView,
): NonNullable<Effects['appendContinuation']> {
  return (call, reply, output, maskSecrets) => {
    const line =
      reply.status === 202
        ? jobLine(call, publishedView(call.server.slug), reply)
        : moreLine(call, reply, maskSecrets);
    if (line === null) return output;
    return { ...output, content: [...output.content, { type: 'text', text: maskSecrets(line) }] };
  };
}

function jobLine(
  call: Call,
  view: ServerView | undefined,
  reply: Parameters<NonNullable<Effects['appendContinuation']>>[1],
): string | null {
  const value = valueOf(reply);
  const status = findStatusCall(call, view, reply, value);
  const address = statusAddress(reply, value);
  if (status === undefined && address === null) return null;
  const { prefix, wait } = call.followUp;
  const how =
    status === undefined
      ? `It tells how it stands at ${cleanText(address!).slice(0, 500)}, for which there is no tool here.`
      : statusText(status, retryAfter(reply));
  const next =
    status === undefined || prefix === null || wait
      ? ''
      : ` With ${askText(prefix, 'wait')} such a call waits for the end.`;
  return `[The API has only begun (HTTP 202). ${how}${next}]`;
}
