import { HandrailError, toHandrailError } from '../domain/errors.ts';
import { pipelineErrors } from '../domain/error-messages/pipeline.ts';
import { withholding } from '../lib/secrets/mask-pii.ts';
import type { MaskText } from '../lib/secrets/mask-secrets.ts';
import { openFiles } from './arguments/open-files.ts';
import { scrubArguments } from './arguments/scrub-arguments.ts';
import { validate } from './arguments/validate.ts';
import type { Arguments } from './arguments/checked-arguments.ts';
import type { Call, CallFiles, CallTrace, Outcome, RunCall, RunningCall } from './call.ts';
import type { OpenCredential } from './request/signed-request.ts';
import type { Output, Reply } from './reply/reply.ts';
import type { RequestPlan } from './request/request-plan.ts';
import type { SavedScript } from './compiled-tool.ts';
import type { Send, SendPolicies } from './send.ts';
import { fullErrorReply } from './reply/errors/upstream-status-error.ts';
import { keepFileReply } from './reply/kept-file.ts';
import { errorForScript, headersForScript } from './reply/reply-for-script.ts';
import { mayHaveNextPage } from './reply/detect-next-page.ts';
import { transformReply } from './reply/transform.ts';
import { BodyStream } from './request/body-stream.ts';
import { mayRepeat, withIdempotencyKey } from './request/repeatable.ts';
import { resolve } from './request/resolve.ts';
import { secretsOf } from './request/secrets-of.ts';
import { sign } from './request/sign.ts';
import { type CountPii, maskLeaving, openPiiLog, piiStep } from './pii-log.ts';
import { StepLog } from './step-log.ts';
import { withTrace } from './trace-context.ts';

/** The side effects a call needs; passed in, so the pipeline itself is pure. */
export interface Effects {
  /** Throws `rate_limited` if the caller, server, tool or API is over its limit. */
  readonly admit?: (call: Call) => void | Promise<void>;
  /** Called when a call starts; its trace is filled in while it runs. */
  readonly begun?: (trace: CallTrace) => RunningCall;
  readonly findCredential: (call: Call) => Promise<OpenCredential | null>;
  /** Reports that the upstream rejected the credential; true if a new one is available for another attempt. */
  readonly credentialRejected: (call: Call, credential: OpenCredential) => Promise<boolean>;
  readonly send: Send;
  readonly sendPolicies: SendPolicies;
  /** Adds how to continue to a reply that is one page of a list or the acceptance of a job. */
  readonly appendContinuation?: (call: Call, reply: Reply, output: Output, maskSecrets: MaskText) => Output;
  /** All stored secrets, for tools that keep them out of arguments. */
  readonly storedSecrets?: () => readonly string[];
  /** Receives and sends files; without it they are kept in memory, and arguments cannot refer to any. */
  readonly files?: CallFiles;
  readonly countPii?: CountPii;
  /** Runs the script of a composed tool; its calls belong to this one. Throws a HandrailError if there is no result. */
  readonly runScript?: (call: Call, script: SavedScript, args: Arguments) => Promise<Output>;
  readonly now: () => number;
}

/** A trace while it is filled in: it is recorded even if a step fails. */
type Progress = { -readonly [Key in keyof CallTrace]: CallTrace[Key] } & {
  /** Deletes files that were fetched for this call only. */
  release?: () => Promise<void>;
};

const notRun: Outcome = { kind: 'failed', error: pipelineErrors.callNotRun() };

/**
 * The path of every call, from any surface: its steps in order. Has the only catch of the pipeline: the function it
 * returns never rejects.
 */
export function createRunCall(effects: Effects): RunCall {
  const send = withPolicies(effects.sendPolicies, effects.send);
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
      read: null,
      held: null,
      pii: openPiiLog(call, effects.countPii),
    };
    const running = effects.begun?.(progress);
    try {
      progress.outcome = await runSteps(progress, log, effects, send);
    } catch (thrown) {
      progress.outcome = failedWith(toHandrailError(thrown), progress);
    }
    if (progress.release !== undefined) await progress.release();
    progress.durationMs = effects.now() - progress.startedAtMs;
    running?.ended();
    return progress;
  };
}

function failedWith(error: HandrailError, { call, reply, request, pii = null }: CallTrace): Outcome {
  const { tool, parentId } = call;
  const mask = () => withholding(maskLeaving(secretsOf(tool, request), pii));
  const whole = fullErrorReply(tool, reply, mask);
  return {
    kind: 'failed',
    error,
    ...(whole !== null && { whole }),
    ...(parentId !== null && reply !== null && { answer: () => errorForScript(tool, reply, mask()) }),
  };
}

/** The steps of a call, in order. Each needs the result of the previous one, so that none can be skipped. */
async function runSteps(progress: Progress, log: StepLog, effects: Effects, send: Send): Promise<Outcome> {
  const { call } = progress;
  const { tool } = call;

  rejectIfCancelled(call);
  const admitting = effects.admit?.(call);
  if (admitting !== undefined) await admitting;
  const valid = validate(tool, call.arguments);
  const args = (progress.args = scrubArguments(tool, valid, effects.storedSecrets, progress.pii ?? null));
  if (tool.script !== null) return runScript(call, tool.script, args, log, effects);
  const { fileValues } = tool.request;
  if (fileValues !== null && effects.files !== undefined) {
    const named = await openFiles(call, args, fileValues, effects.files, deadlineOf(progress));
    progress.files = named.opened;
    progress.release = named.release;
  }
  const resolved = resolve(tool, args, progress.files ?? null, call.part?.target);
  const repeatable = withIdempotencyKey(resolved, tool.limits);
  const plan = withTrace(repeatable, call.trace);
  let since = log.add('prepare', log.startedAt);

  const credential = await effects.findCredential(call);
  if (credential !== null) log.add('credential', since);
  let reply = await signAndSend(progress, plan, credential, log, send, effects.files);
  if (credential?.rejectedBy?.(reply) && (await effects.credentialRejected(call, credential))) {
    if (!mayRepeat(plan.method, tool.limits)) throw loginRenewedError(plan, reply);
    since = log.now();
    const renewed = await effects.findCredential(call);
    log.add('credential', since, 'renewed');
    await reply.file?.sink.discard();
    reply = await signAndSend(progress, plan, renewed, log, send, effects.files);
  }

  since = log.now();
  let note: string | undefined;
  try {
    const maskSecrets = maskLeaving(secretsOf(tool, progress.request), progress.pii ?? null);
    const withStructure = readsStructure(call);
    const transformed =
      reply.file !== undefined
        ? await keepFileReply(tool, reply, reply.file, maskSecrets)
        : transformReply(call.caller.id, tool, reply, maskSecrets, withStructure);
    const shaped = transformed instanceof Promise ? await transformed : transformed;
    const output = hasMore(call, reply)
      ? (effects.appendContinuation?.(call, reply, shaped, maskSecrets) ?? shaped)
      : shaped;
    ({ note } = output);
    const { status } = reply;
    if (call.parentId === null) return { kind: 'done', output, status };
    const headers = () => headersForScript(tool, reply, maskSecrets);
    return { kind: 'done', output: { ...output, headers }, status };
  } finally {
    const shapedAt = log.add('shape', since, note);
    const masked = progress.pii?.note('mask-replies') ?? null;
    if (masked !== null) log.add(piiStep, shapedAt, masked);
  }
}

// A script has no HTTP reply of its own; its calls have theirs.
const ranScript = 200;

/** The outcome of a composed tool's script; each of its calls goes through these steps itself. */
async function runScript(
  call: Call,
  script: SavedScript,
  args: Arguments,
  log: StepLog,
  effects: Effects,
): Promise<Outcome> {
  if (effects.runScript === undefined) throw pipelineErrors.scriptsUnavailable({ notSent: true });
  const since = log.add('prepare', log.startedAt);
  try {
    return { kind: 'done', output: await effects.runScript(call, script, args), status: ranScript };
  } finally {
    log.add('script', since);
  }
}

/** Whether the reply may have a next page or a pending job. Calls made by another call handle that there. */
function hasMore({ tool, parentId, followUp }: Call, { status, headers, body }: Reply): boolean {
  return (
    // The further pages of a call that gathers them all can't ask for anything.
    (parentId === null || followUp.prefix !== null) &&
    (tool.tool.operation.pagination !== undefined ||
      status === 202 ||
      headers['link'] !== undefined ||
      (tool.request.method === 'GET' && mayHaveNextPage(body)))
  );
}

/** Whether the surface shows structured content; for MCP clients only if the tool list advertises it. */
export function readsStructure({ surface, server }: Call): boolean {
  return (surface !== 'mcp' && surface !== 'stdio') || server.listOutputSchemas === true;
}

/**
 * The policies that a signed request and its reply pass through, outermost first. Each does nothing for a call whose
 * limits don't enable it.
 */
const sendPolicyOrder = ['cache', 'retry', 'breaker', 'concurrency', 'redirects'] as const;

/** The send that calls use: the plain one wrapped in its policies. */
export function withPolicies(policies: SendPolicies, send: Send): Send {
  return sendPolicyOrder.reduceRight((inner, name) => policies[name](inner), send);
}

function deadlineOf({ call: { tool, part }, startedAtMs }: Progress): number {
  const ownMs = startedAtMs + tool.limits.totalTimeoutMs;
  return part === null ? ownMs : Math.min(ownMs, part.endsAtMs);
}

function rejectIfCancelled({ signal }: Call): void {
  if (signal.aborted) throw pipelineErrors.callerLeft();
}

async function signAndSend(
  progress: Progress,
  plan: RequestPlan,
  credential: OpenCredential | null,
  log: StepLog,
  send: Send,
  files: CallFiles | undefined,
): Promise<Reply> {
  if (plan.body?.content instanceof BodyStream && credential?.signature !== undefined)
    await plan.body.content.hash();
  const request = (progress.request = sign(plan, credential));
  const { tool, caller, signal } = progress.call;
  const since = log.now();
  let note: string | undefined;
  try {
    const reply = await send(request, {
      tool,
      limits: tool.limits,
      callerId: caller.id,
      deadlineMs: deadlineOf(progress),
      signal,
      files,
      call: progress.call,
      holder: progress,
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

// It may have been carried out in part, so only the caller can decide to repeat it.
function loginRenewedError(plan: RequestPlan, reply: Reply): HandrailError {
  return pipelineErrors.loginRenewed(
    { status: reply.status, method: plan.method },
    { upstreamStatus: reply.status, retryAfterMs: 0 },
  );
}
