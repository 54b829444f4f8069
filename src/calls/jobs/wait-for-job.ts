import { HandrailError } from '../../domain/errors.ts';
import { retryAfter } from '../../pipeline/reply/errors/retry-after.ts';
import type { Call, Outcome, Reply, RunCall } from '../../pipeline/types.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { AskPart } from '../ask-part.ts';
import { valueOf } from '../pages/formats/json-pages.ts';
import { type JobState, readJobState } from './job-state.ts';
import { findReader, findStatusCall, type StatusCall } from './status-operation.ts';

const firstDelayMs = 500;
const longestDelayMs = 10_000;
// Some know of a job only a moment after they said where it is.
const mostUnknown = 3;

/** What waiting needs. */
export interface JobEffects {
  readonly run: RunCall;
  readonly ask: AskPart;
  readonly viewOf: (slug: string) => ServerView | undefined;
  readonly now: () => number;
  readonly wait: (ms: number, signal: Call['signal']) => Promise<void>;
}

/**
 * Makes a call, and where it only begins a job whose progress can be read, asks for that until the job has ended or the time
 * of the call is over. Anything else is answered as ever.
 */
export async function waitForJob(call: Call, effects: JobEffects): Promise<Outcome> {
  const { run, ask, viewOf, now, wait } = effects;
  const sinceMs = now();
  const endsAtMs = sinceMs + call.tool.limits.totalTimeoutMs;
  let begun: Reply | null = null;
  const outcome = await run(call, (reply) => {
    begun = reply;
  });
  if (outcome.kind !== 'done' || begun === null || !isBegun(begun)) return outcome;
  const status = findStatusCall(call, viewOf(call.server.slug), begun, valueOf(begun));
  if (status === undefined) return outcome;

  let last: Reply = begun;
  let state: JobState = { is: 'running', called: null };
  let unknown = 0;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(longestDelayMs, delayMs * 2)) {
    const askAgainMs = retryAfter(last, now()) ?? delayMs;
    if (now() + askAgainMs >= endsAtMs || call.signal.aborted)
      return stillRunning(call, status, state, sinceMs, askAgainMs);
    await wait(askAgainMs, call.signal);
    let seen: Reply | null = null;
    const told = await ask.other(
      call,
      status.toolName,
      status.arguments,
      { target: null, endsAtMs },
      (reply) => {
        seen = reply;
      },
    );
    if (told === undefined) return unreadable(status, 'it is no longer there for this caller');
    const reply = seen as Reply | null;
    if (reply?.status === 303) return (await result(reply)) ?? unreadable(status, 'it leads elsewhere');
    if (told.kind !== 'done' || reply === null) {
      const error = told.kind === 'failed' ? told.error : null;
      if (error?.details.upstreamStatus === 404 && ++unknown < mostUnknown) continue;
      return unreadable(status, error?.message ?? 'it gave no answer');
    }
    last = reply;
    state = readJobState(reply, valueOf(reply));
    if (state.is === 'running') continue;
    if (state.is === 'failed') return jobFailed(state, told);
    return (await result(reply)) ?? told;
  }

  /** What the job made, where a reply says where that is and a tool can read it. */
  async function result(reply: Reply): Promise<Outcome | undefined> {
    const first = begun!;
    const beside = first.headers['operation-location'] ?? first.headers['azure-asyncoperation'];
    const address =
      reply.headers['location'] ?? (beside === undefined ? undefined : first.headers['location']);
    const reader = address === undefined ? undefined : findReader(call, viewOf(call.server.slug), address);
    if (reader === undefined || isSame(reader, status!)) return undefined;
    return ask.other(call, reader.toolName, reader.arguments, { target: null, endsAtMs }, () => {});
  }
}

/** Whether a reply says that something has only begun. */
function isBegun({ status, headers }: Reply): boolean {
  return (
    status === 202 ||
    headers['operation-location'] !== undefined ||
    headers['azure-asyncoperation'] !== undefined
  );
}

function isSame(one: StatusCall, other: StatusCall): boolean {
  return one.toolName === other.toolName && JSON.stringify(one.arguments) === JSON.stringify(other.arguments);
}

/** How to see how a job stands, in words. */
export function statusText(
  { toolName, arguments: args }: StatusCall,
  askAgainMs: number | undefined,
): string {
  const when = askAgainMs === undefined ? '' : ` in ${Math.max(1, Math.ceil(askAgainMs / 1_000))} s`;
  return `To see how it stands, call ${toolName} with ${JSON.stringify(args)}${when}.`;
}

function stillRunning(
  call: Call,
  status: StatusCall,
  { called }: JobState,
  sinceMs: number,
  askAgainAfterMs: number,
): Outcome {
  return {
    kind: 'waiting',
    waiting: {
      id: call.id,
      for: 'api',
      message: `The API has taken the call and is still at it${called === null ? '' : ` (${called})`}. Do not make the call again: that would begin it anew.`,
      sinceMs,
      askAgainAfterMs,
      expiresAtMs: null,
      how: statusText(status, askAgainAfterMs),
    },
  };
}

function unreadable(status: StatusCall, why: string): Outcome {
  return {
    kind: 'failed',
    error: new HandrailError(
      'upstream_status',
      `The API has taken the call and begun, but how it stands could not be read: ${why} Do not make the call again for this. ${statusText(status, undefined)}`,
      { retry: 'never' },
    ),
  };
}

function jobFailed({ called }: JobState, told: Extract<Outcome, { readonly kind: 'done' }>): Outcome {
  const [first] = told.output.content;
  const text = first?.type === 'text' ? first.text : '';
  return {
    kind: 'failed',
    error: new HandrailError(
      'upstream_status',
      `The API took the call, but the job ended as ${JSON.stringify(called ?? 'failed')}. The API says:\n${text}`,
      { retry: 'never' },
    ),
  };
}
