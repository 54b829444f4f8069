import { HandrailError, toHandrailError } from '../domain/errors.ts';
import { maskTextFor } from '../lib/secrets/mask-secrets.ts';
import { mayRepeat, withIdempotencyKey } from './request/repeatable.ts';
import { resolve } from './request/resolve.ts';
import { scrubArguments } from './arguments/scrub-arguments.ts';
import { secretsOf } from './request/secrets-of.ts';
import { sign } from './request/sign.ts';
import { StepLog } from './step-log.ts';
import { withTrace } from './trace-context.ts';
import { transform } from './reply/transform.ts';
import type { CallTrace, Effects, OpenCredential, Outcome, Reply, RequestPlan, RunCall } from './types.ts';
import { validate } from './arguments/validate.ts';

/** A trace in the making: what a call has become so far is recorded even when a step fails. */
type Progress = { -readonly [Key in keyof CallTrace]: CallTrace[Key] };

const notRun: Outcome = { kind: 'failed', error: new HandrailError('internal', 'The call was not run.') };

/**
 * The path of every call, whichever way it came in: validate → resolve → sign → send → transform → record → return.
 * The one catch of the pipeline: the function it returns never rejects.
 */
export function createRunCall(effects: Effects): RunCall {
  return async (call) => {
    const log = new StepLog();
    const progress: Progress = {
      call,
      startedAtMs: effects.now(),
      durationMs: 0,
      outcome: notRun,
      args: null,
      request: null,
      reply: null,
      steps: log.steps,
    };
    try {
      progress.outcome = await runSteps(progress, log, effects);
    } catch (thrown) {
      progress.outcome = { kind: 'failed', error: toHandrailError(thrown) };
    }
    progress.durationMs = effects.now() - progress.startedAtMs;
    effects.record(progress);
    return progress.outcome;
  };
}

async function runSteps(progress: Progress, log: StepLog, effects: Effects): Promise<Outcome> {
  const { call } = progress;
  if (call.signal.aborted)
    throw new HandrailError('cancelled', 'The caller went away before the call began.');
  const { tool } = call;
  effects.admit?.(call);
  const args = (progress.args = scrubArguments(tool, validate(tool, call.arguments), effects.storedSecrets));
  const plan = withTrace(withIdempotencyKey(resolve(tool, args), tool.limits), call.trace);
  let since = log.add('prepare', log.startedAt);
  const found = effects.findCredential(call);
  const credential = found instanceof Promise ? await found : found;
  if (credential !== null) log.add('credential', since);
  let reply = await signAndSend(progress, plan, credential, log, effects);
  if (credential?.rejectedBy?.(reply) && (await effects.credentialRejected(call, credential))) {
    if (!mayRepeat(plan.method, tool.limits)) throw signInRenewed(plan, reply);
    since = log.now();
    const fresh = await effects.findCredential(call);
    log.add('credential', since, 'renewed');
    reply = await signAndSend(progress, plan, fresh, log, effects);
  }
  since = log.now();
  try {
    const output = transform(tool, reply, maskTextFor(secretsOf(tool, progress.request)));
    return { kind: 'done', output, status: reply.status };
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
  progress: Progress,
  plan: RequestPlan,
  credential: OpenCredential | null,
  log: StepLog,
  effects: Effects,
): Promise<Reply> {
  const request = (progress.request = sign(plan, credential));
  const { tool, caller, signal } = progress.call;
  const since = log.now();
  let note: string | undefined;
  try {
    const reply = await effects.send(request, {
      tool,
      limits: tool.limits,
      callerId: caller.id,
      deadlineMs: progress.startedAtMs + tool.limits.totalTimeoutMs,
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
