import type { Config } from '../config/settings.ts';
import { callsErrors } from '../domain/error-messages/calls.ts';
import { askText, isAsked } from '../domain/pages/follow-up.ts';
import { cleanText } from '../pipeline/reply/clean-text.ts';
import { retryAfter } from '../pipeline/reply/errors/retry-after.ts';
import { type CountPii, openPiiLog } from '../pipeline/pii-log.ts';
import type { Call, CallTrace, Outcome, RunCall } from '../pipeline/call.ts';
import type { Effects } from '../pipeline/run-call.ts';
import type { ServerView } from '../registry/snapshot.ts';
import { createRunPart } from './run-part.ts';
import { findStatusCall, statusAddress } from './jobs/status-operation.ts';
import { statusText, waitForJob } from './jobs/wait-for-job.ts';
import type { CallMaker } from './make-call.ts';
import { valueOf } from './pages/formats/json-pages.ts';
import { moreLine } from './pages/more-pages-note.ts';
import { PageWalk } from './pages/walk-pages.ts';

type FindView = (slug: string) => ServerView | undefined;

/**
 * Runs calls, along with anything their callers asked for beyond one request: every page of a list, or the end of a
 * long job. Any other call simply runs.
 */
export function createFollowUp(options: {
  readonly config: Pick<Config, 'allMaxPages' | 'allMaxItems' | 'allMaxBytes' | 'allMaxSeconds'>;
  readonly calls: CallMaker;
  readonly run: RunCall;
  /** The server currently published under a slug. */
  readonly publishedView: FindView;
  /** Records the additional calls; the call itself is returned. */
  readonly record: (trace: CallTrace) => void;
  readonly countPii?: CountPii;
  /** Called when a call starts to gather pages. */
  readonly begun?: (trace: CallTrace) => void;
  readonly now: () => number;
  readonly wait: (ms: number, signal: Call['signal']) => Promise<void>;
}): RunCall {
  const { config, run, publishedView, now, wait } = options;
  const runPart = createRunPart(options);
  const caps = {
    pages: config.allMaxPages,
    items: config.allMaxItems,
    bytes: config.allMaxBytes,
    ms: config.allMaxSeconds * 1_000,
  };

  async function gather(call: Call): Promise<CallTrace> {
    const startedAtMs = now();
    // Each page is a call of its own, whose record has the request and the reply.
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
      pii: openPiiLog(call, options.countPii),
    };
    options.begun?.({ ...trace, outcome: notYet });
    const walk = new PageWalk(call, runPart, caps, now);
    const outcome = await walk.run();
    const durationMs = now() - startedAtMs;
    const steps = [{ name: 'pages', startMs: 0, durationMs, note: walk.summary }];
    return { ...trace, durationMs, outcome, steps };
  }

  return (call) => {
    if (!isAsked(call.followUp)) return run(call);
    return call.followUp.all ? gather(call) : waitForJob(call, { run, runPart, publishedView, now, wait });
  };
}

const notYet: Outcome = { kind: 'failed', error: callsErrors.pagesNotGathered() };

/** Appends one line to a reply that is a page of a list or an accepted job, saying how to continue. */
export function createAppendContinuation(
  publishedView: FindView,
): NonNullable<Effects['appendContinuation']> {
  return (call, reply, output, maskSecrets) => {
    const line =
      reply.status === 202
        ? jobLine(call, publishedView(call.server.slug), reply)
        : moreLine(call, reply, maskSecrets);
    if (line === null) return output;
    if (call.parentId !== null) return { ...output, continuation: maskSecrets(line) };
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
      ? `Its status is at ${cleanText(address!).slice(0, 500)}, which no tool here can read.`
      : statusText(status, retryAfter(reply));
  const next =
    status === undefined || prefix === null || wait
      ? ''
      : ` Pass ${askText(prefix, 'wait')} to such a call to wait until the job is done.`;
  return `[The API accepted the job (HTTP 202) but has not finished it. ${how}${next}]`;
}
