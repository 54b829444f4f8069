import { HandrailError, toHandrailError } from '../domain/errors.ts';
import { maskTextFor } from '../lib/mask-secrets.ts';
import { mayRepeat, withIdempotencyKey } from './repeatable.ts';
import { resolve } from './resolve.ts';
import { scrubArguments } from './scrub-arguments.ts';
import { secretsOf } from './secrets-of.ts';
import { sign } from './sign.ts';
import { StepLog } from './step-log.ts';
import { traceContextOf, withTrace } from './trace-context.ts';
import type { TraceContext } from '../domain/call.ts';
import { transform } from './transform.ts';
import type {
  SignedRequest,
  Arguments,
  Call,
  Effects,
  OpenCredential,
  Outcome,
  Output,
  Reply,
  RequestPlan,
  RunCall,
} from './types.ts';
import { validate } from './validate.ts';

/** What a call has become so far; read by the record even when a step fails. */
interface Progress {
  args: Arguments | null;
  request: SignedRequest | null;
  reply: Reply | null;
}

/**
 * The path of every call, whichever way it came in: validate → resolve → sign → send → transform → record → return.
 * The one catch of the pipeline: the function it returns never rejects.
 */
export function createRunCall(effects: Effects): RunCall {
  return async (call) => {
    const startedAtMs = effects.now();
    const log = new StepLog();
    const trace = traceContextOf(call.traceparent, effects.traced === true);
    const progress: Progress = { args: null, request: null, reply: null };
    let outcome: Outcome;
    try {
      const output = await runSteps(call, startedAtMs, progress, log, trace, effects);
      outcome = { ok: true, output, status: progress.reply?.status ?? 200 };
    } catch (thrown) {
      outcome = { ok: false, error: toHandrailError(thrown) };
    }
    const durationMs = effects.now() - startedAtMs;
    effects.record({ call, startedAtMs, durationMs, outcome, ...progress, steps: log.steps, trace });
    return outcome;
  };
}

async function runSteps(
  call: Call,
  startedAtMs: number,
  progress: Progress,
  log: StepLog,
  trace: TraceContext | null,
  effects: Effects,
): Promise<Output> {
  if (call.signal.aborted)
    throw new HandrailError('cancelled', 'The caller went away before the call began.');
  const { tool } = call;
  let since = log.now();
  effects.admit?.(call);
  const args = (progress.args = scrubArguments(tool, validate(tool, call.arguments), effects.storedSecrets));
  const plan = withTrace(withIdempotencyKey(resolve(tool, args), tool.limits), trace);
  const deadlineMs = startedAtMs + tool.limits.totalTimeoutMs;
  log.add('prepare', since);
  since = log.now();
  const credential = await effects.findCredential(call);
  if (credential !== null) log.add('credential', since);
  let reply = await signAndSend(call, plan, credential, deadlineMs, progress, log, effects);
  if (credential?.rejectedBy?.(reply) && (await effects.credentialRejected(call, credential))) {
    if (!mayRepeat(plan.method, tool.limits)) throw signInRenewed(plan, reply);
    since = log.now();
    const fresh = await effects.findCredential(call);
    log.add('credential', since, 'renewed');
    reply = await signAndSend(call, plan, fresh, deadlineMs, progress, log, effects);
  }
  since = log.now();
  try {
    return transform(tool, reply, maskTextFor(secretsOf(tool, progress.request)));
  } finally {
    log.add('shape', since);
  }
}

// It may have been carried out in part: only whoever asked can decide to ask again.
function signInRenewed(plan: RequestPlan, reply: Reply): HandrailError {
  return new HandrailError(
    'upstream_status',
    `The API no longer accepted its sign-in (HTTP ${reply.status}). It is renewed for the next call, but a ${plan.method} is not sent twice by itself: call again.`,
    { upstreamStatus: reply.status, retryAfterMs: 0 },
  );
}

async function signAndSend(
  call: Call,
  plan: RequestPlan,
  credential: OpenCredential | null,
  deadlineMs: number,
  progress: Progress,
  log: StepLog,
  effects: Effects,
): Promise<Reply> {
  const request = (progress.request = sign(plan, credential));
  const { tool, caller, signal } = call;
  const since = log.now();
  let note: string | undefined;
  try {
    const reply = await effects.send(request, {
      tool,
      limits: tool.limits,
      callerId: caller.id,
      deadlineMs,
      signal,
      log,
    });
    note = reply.cached ? 'from the cache' : `HTTP ${reply.status}`;
    return (progress.reply = reply);
  } catch (error) {
    note = error instanceof HandrailError ? error.code : 'failed';
    throw error;
  } finally {
    log.add('send', since, note);
  }
}
