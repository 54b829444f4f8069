import { HandrailError } from '../../domain/errors.ts';
import { retryAfter } from '../../pipeline/reply/errors/retry-after.ts';
import type { Call, CallTrace, Outcome, RunCall } from '../../pipeline/call.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { AskPart } from '../run-part.ts';
import { valueOf } from '../pages/formats/json-pages.ts';
import { findReader, findStatusCall, type StatusCall } from './status-operation.ts';
import { lettersOf } from '../../domain/pages/guess-pagination.ts';
import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';

const firstDelayMs = 500;
const longestDelayMs = 10_000;
// Some know of a job only a moment after they said where it is.
const maxUnknown = 3;

/** What waiting needs. */
export interface JobEffects {
  readonly run: RunCall;
  readonly ask: AskPart;
  readonly publishedView: (slug: string) => ServerView | undefined;
  readonly now: () => number;
  readonly wait: (ms: number, signal: Call['signal']) => Promise<void>;
}

/**
 * Makes a call, and where it only begins a job whose progress can be read, asks for that until the job has ended or the time
 * of the call is over. Anything else is answered as ever.
 */
export async function waitForJob(call: Call, effects: JobEffects): Promise<CallTrace> {
  const trace = await effects.run(call);
  const { outcome, reply } = trace;
  if (outcome.kind !== 'done' || reply === null || !isBegun(reply)) return trace;
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
  { ask, publishedView, now, wait }: JobEffects,
): Promise<Outcome> {
  const endsAtMs = sinceMs + call.tool.limits.totalTimeoutMs;
  let last: Reply = begun;
  let state: JobState = { is: 'running', called: null };
  let unknown = 0;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(longestDelayMs, delayMs * 2)) {
    const askAgainMs = retryAfter(last, now()) ?? delayMs;
    if (now() + askAgainMs >= endsAtMs || call.signal.aborted)
      return stillRunning(call, status, state, sinceMs, askAgainMs);
    await wait(askAgainMs, call.signal);
    const asked = await ask.other(call, status.toolName, status.arguments, { target: null, endsAtMs });
    if (asked === undefined) return unreadable(status, 'it is no longer there for this caller');
    const { outcome: told, reply } = asked;
    if (reply?.status === 303) return (await result(reply)) ?? unreadable(status, 'it leads elsewhere');
    if (told.kind !== 'done' || reply === null) {
      const error = told.kind === 'failed' ? told.error : null;
      if (error?.details.upstreamStatus === 404 && ++unknown < maxUnknown) continue;
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
    const beside = begun.headers['operation-location'] ?? begun.headers['azure-asyncoperation'];
    const address =
      reply.headers['location'] ?? (beside === undefined ? undefined : begun.headers['location']);
    const reader =
      address === undefined ? undefined : findReader(call, publishedView(call.server.slug), address);
    if (reader === undefined || isSame(reader, status)) return undefined;
    return (await ask.other(call, reader.toolName, reader.arguments, { target: null, endsAtMs }))?.outcome;
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

/** How a job stands: what the API calls it, where it calls it anything. */
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

/** Reads how a job stands from a reply about it. What says nothing of being under way is the end. */
function readJobState({ status }: Pick<Reply, 'status'>, value: unknown): JobState {
  // Some tell of one job as a list of one.
  const one: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const told = isObject(one) ? stateIn(one) : undefined;
  if (status === 202) return { is: 'running', called: told?.called ?? null };
  return told ?? { is: 'done', called: null };
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
