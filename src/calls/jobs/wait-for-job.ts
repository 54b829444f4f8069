import { callsErrors } from '../../domain/error-messages/calls.ts';
import { retryAfter } from '../../pipeline/reply/errors/retry-after.ts';
import type { Call, CallTrace, Outcome, RunCall } from '../../pipeline/call.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { RunPart } from '../run-part.ts';
import { valueOf } from '../pages/formats/json-pages.ts';
import { findReader, findStatusCall, type StatusCall } from './status-operation.ts';
import { lettersOf } from '../../domain/pages/guess-pagination.ts';
import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';

const firstDelayMs = 500;
const maxDelayMs = 10_000;
// Some APIs know a job only a moment after returning its address.
const maxUnknown = 3;

/** What waiting for a job needs. */
export interface JobEffects {
  readonly run: RunCall;
  readonly runPart: RunPart;
  readonly publishedView: (slug: string) => ServerView | undefined;
  readonly now: () => number;
  readonly wait: (ms: number, signal: Call['signal']) => Promise<void>;
}

/**
 * Makes a call and, if it starts a job whose status can be read, polls until the job ends or the call times out. Any
 * other reply is returned as usual.
 */
export async function waitForJob(call: Call, effects: JobEffects): Promise<CallTrace> {
  const trace = await effects.run(call);
  const { outcome, reply } = trace;
  if (outcome.kind !== 'done' || reply === null || !startsJob(reply)) return trace;
  const status = findStatusCall(call, effects.publishedView(call.server.slug), reply, valueOf(reply));
  if (status === undefined) return trace;
  const since = effects.now();
  const ended = await untilJobEnds(trace, reply, status, effects);
  const durationMs = effects.now() - since;
  const step = { name: 'job', startMs: trace.durationMs, durationMs };
  return {
    ...trace,
    outcome: ended,
    durationMs: trace.durationMs + durationMs,
    steps: [...trace.steps, step],
  };
}

async function untilJobEnds(
  { call, startedAtMs: sinceMs }: CallTrace,
  begun: Reply,
  status: StatusCall,
  { runPart, publishedView, now, wait }: JobEffects,
): Promise<Outcome> {
  const endsAtMs = sinceMs + call.tool.limits.totalTimeoutMs;
  let last: Reply = begun;
  let state: JobState = { is: 'running', called: null };
  let unknown = 0;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(maxDelayMs, delayMs * 2)) {
    const askAgainMs = retryAfter(last, now()) ?? delayMs;
    if (now() + askAgainMs >= endsAtMs || call.signal.aborted)
      return stillRunning(call, status, state, sinceMs, askAgainMs);
    await wait(askAgainMs, call.signal);
    const asked = await runPart.other(call, status.toolName, status.arguments, { target: null, endsAtMs });
    if (asked === undefined) return unreadable(status, 'the tool is no longer available to this caller.');
    const { outcome: statusOutcome, reply } = asked;
    if (reply?.status === 303)
      return (await result(reply)) ?? unreadable(status, 'it redirects to an address that no tool reads.');
    if (statusOutcome.kind !== 'done' || reply === null) {
      const error = statusOutcome.kind === 'failed' ? statusOutcome.error : null;
      if (error?.details.upstreamStatus === 404 && ++unknown < maxUnknown) continue;
      return unreadable(status, error?.message ?? 'it gave no answer.');
    }
    last = reply;
    state = readJobState(reply, valueOf(reply));
    if (state.is === 'running') continue;
    if (state.is === 'failed') return jobFailed(state, statusOutcome);
    return (await result(reply)) ?? statusOutcome;
  }

  /** The job's result, if a reply says where it is and a tool can read it. */
  async function result(reply: Reply): Promise<Outcome | undefined> {
    const statusHeader = begun.headers['operation-location'] ?? begun.headers['azure-asyncoperation'];
    const address =
      reply.headers['location'] ?? (statusHeader === undefined ? undefined : begun.headers['location']);
    const reader =
      address === undefined ? undefined : findReader(call, publishedView(call.server.slug), address);
    if (reader === undefined || isSame(reader, status)) return undefined;
    return (await runPart.other(call, reader.toolName, reader.arguments, { target: null, endsAtMs }))
      ?.outcome;
  }
}

/** Whether a reply says that it started a job. */
function startsJob({ status, headers }: Reply): boolean {
  return (
    status === 202 ||
    headers['operation-location'] !== undefined ||
    headers['azure-asyncoperation'] !== undefined
  );
}

function isSame(one: StatusCall, other: StatusCall): boolean {
  return one.toolName === other.toolName && JSON.stringify(one.arguments) === JSON.stringify(other.arguments);
}

/** A sentence that says how to check the status of a job. */
export function statusText(
  { toolName, arguments: args }: StatusCall,
  askAgainMs: number | undefined,
): string {
  const when = askAgainMs === undefined ? '' : ` in ${Math.max(1, Math.ceil(askAgainMs / 1_000))} s`;
  return `To check its status, call ${toolName} with ${JSON.stringify(args)}${when}.`;
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
      message: `The API accepted the call and is still working on it${called === null ? '' : ` (${called})`}. Do not make the call again: that would start a second job.`,
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
    error: callsErrors.jobStatusUnreadable({ why, how: statusText(status, undefined) }, { retry: 'never' }),
  };
}

function jobFailed(
  { called }: JobState,
  statusOutcome: Extract<Outcome, { readonly kind: 'done' }>,
): Outcome {
  const [first] = statusOutcome.output.content;
  const text = first?.type === 'text' ? first.text : '';
  return {
    kind: 'failed',
    error: callsErrors.jobFailed({ state: called ?? 'failed', text }, { retry: 'never' }),
  };
}

/** The status of a job, and the API's own word for it, if any. */
interface JobState {
  readonly is: 'running' | 'done' | 'failed';
  readonly called: string | null;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(','));
const stateNames = words(
  'status,state,jobstatus,jobstate,provisioningstate,phase,operationstatus,taskstatus,runstatus,processingstatus,executionstatus',
);
const endNames = words('done,finished,completed,complete,iscomplete,isdone,iscompleted,isfinished');
const holders = words(
  'properties,job,operation,task,data,result,attributes,run,execution,export,import,resource',
);
const running = words(
  'running,pending,queued,inprogress,processing,accepted,creating,created,started,starting,notstarted,waiting,scheduled,working,active,updating,deleting,provisioning,submitted,initializing,initialized,validating,enqueued,preparing,building,deploying,executing,inqueue,ongoing,planned,paused,retrying,uploading,importing,exporting,finalizing,new,open,received,cancelling,canceling',
);
const failed = words(
  'failed,failure,fail,error,errored,cancelled,canceled,aborted,rejected,timedout,timeout,expired,terminated,crashed,killed,denied',
);

/** Reads the status of a job from a reply. A reply that doesn't say the job is running means it has ended. */
function readJobState({ status }: Pick<Reply, 'status'>, value: unknown): JobState {
  // Some APIs return a single job as a list of one.
  const one: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const found = isObject(one) ? stateIn(one) : undefined;
  if (status === 202) return { is: 'running', called: found?.called ?? null };
  return found ?? { is: 'done', called: null };
}

function stateIn(value: PlainObject): JobState | undefined {
  const inner = Object.entries(value).flatMap(([key, one]) =>
    isObject(one) && holders.has(lettersOf(key)) ? [one] : [],
  );
  const looked = [value, ...inner];
  for (const holder of looked)
    for (const [key, said] of Object.entries(holder)) {
      if (typeof said === 'string' && stateNames.has(lettersOf(key))) return byWord(said);
      if (typeof said === 'boolean' && endNames.has(lettersOf(key)))
        return { is: said ? (isObject(holder['error']) ? 'failed' : 'done') : 'running', called: null };
    }
  return undefined;
}

function byWord(said: string): JobState {
  const called = said.slice(0, 60);
  const letters = lettersOf(called);
  return { is: running.has(letters) ? 'running' : failed.has(letters) ? 'failed' : 'done', called };
}
