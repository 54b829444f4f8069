import type { CallMaker, CallRequest } from '../calls/make-call.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { RunCall } from '../pipeline/types.ts';
import type { ServerView } from '../registry/snapshot.ts';
import type { ReplyBudget } from '../replies/reply-budget.ts';
import type { GuestError } from '../sandbox/messages.ts';
import type { RunLimits } from '../sandbox/run-limits.ts';
import type { RunEnd, RunUsage, Sandbox } from '../sandbox/sandbox.ts';
import { maxCodeChars, runLimitsOf } from './code-limits.ts';
import type { ScriptJournal } from './run-journal.ts';
import { type LookUps, type ScriptCall, ScriptHost } from './script-host.ts';
import { directoryOf } from './tool-directory.ts';

/** Who asks for which script to be run. */
export interface CodeRequest extends Omit<CallRequest, 'arguments' | 'followUp'> {
  readonly view: ServerView;
  /** The body of an async function, in JavaScript or TypeScript. */
  readonly code: string;
  /** Hears of each call as it begins. */
  readonly onCall?: (call: ScriptCall, made: number) => void;
}

/** What became of a script. */
export interface CodeRun {
  readonly id: string;
  readonly request: CodeRequest;
  readonly end: CodeEnd;
  readonly printed: readonly string[];
  /** Meant for the user alone. */
  readonly shown: readonly string[];
  readonly calls: readonly ScriptCall[];
  /** APIs in what it returned and printed whose replies are marked as untrusted. */
  readonly untrusted: readonly string[];
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly usage: RunUsage;
}

/** How a script ended: with JSON, which is empty where it returned nothing, or without a result. */
export type CodeEnd =
  | { readonly kind: 'returned'; readonly text: string }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string; readonly line?: number };

/** Runs scripts of callers against a server. */
export interface CodeRuns {
  run(request: CodeRequest): Promise<CodeRun>;
}

// A call that was told to stop does so soon; nobody waits for one that does not.
const longestEndMs = 5_000;

export function createCodeRuns(options: {
  readonly sandbox: Sandbox;
  readonly calls: Pick<CallMaker, 'makeRun' | 'makeChild'>;
  readonly runCall: RunCall;
  readonly budget: Pick<ReplyBudget, 'keepWhole'>;
  readonly lookUps: LookUps;
  readonly currentView: (slug: string) => ServerView | undefined;
  readonly journal: Pick<ScriptJournal, 'open'>;
  readonly record: (run: CodeRun) => void;
  readonly now: () => number;
}): CodeRuns {
  const { sandbox, now, record } = options;

  async function run(request: CodeRequest): Promise<CodeRun> {
    const { view, code } = request;
    const startedAtMs = now();
    const ending = new AbortController();
    const made = options.calls.makeRun({ ...request, signal: endsWith(request.signal, ending.signal) });
    const limits = runLimitsOf(view.server);
    const { caller, surface } = request;
    const who = { serverSlug: view.server.slug, callerId: caller.id, callerLabel: caller.label, surface };
    const journal = options.journal.open(made.id, who, startedAtMs);
    const printed: string[] = [];
    const shown: string[] = [];
    const host = new ScriptHost({
      run: made,
      limits,
      currentView: () => options.currentView(view.server.slug) ?? withdrawn(view),
      calls: options.calls,
      runCall: options.runCall,
      budget: options.budget,
      lookUps: options.lookUps,
      signal: ending.signal,
      now,
      startedAtMs,
      journal,
      onCall: (call) => request.onCall?.(call, host.calls.length),
    });
    const { end, usage } =
      code.length > maxCodeChars
        ? { end: tooLong(code), usage: { cpuMs: 0, memoryBytes: 0 } }
        : await sandbox.run({
            callerId: request.caller.id,
            source: code,
            apis: directoryOf(view).apis,
            limits,
            signal: request.signal,
            answer: (kind, payload) => host.answer(kind, payload),
            hear: (kind, text) => (kind === 'print' ? printed : shown).push(text),
          });
    // What a script began and did not wait for is part of it; what was stopped stops.
    const leftMs = limits.wallMs - (now() - startedAtMs);
    if (end.kind !== 'stopped') await within(host.settled(), leftMs);
    ending.abort();
    await within(host.settled(), longestEndMs);
    await journal.ended();
    const ended: CodeRun = {
      id: made.id,
      request,
      end: codeEnd(end, limits),
      printed,
      shown,
      calls: host.calls,
      untrusted: [...host.untrusted],
      startedAtMs,
      durationMs: now() - startedAtMs,
      usage,
    };
    record(ended);
    return ended;
  }

  return { run };
}

function codeEnd(end: RunEnd, limits: RunLimits): CodeEnd {
  switch (end.kind) {
    case 'returned':
      return end;
    case 'threw':
      return {
        kind: 'failed',
        code: 'script_failed',
        message: errorText(end.error),
        ...(end.error.line !== undefined && { line: end.error.line }),
      };
    case 'stopped': {
      const { code, message } = stopText(end.why, limits);
      return { kind: 'failed', code, message, ...(end.line !== undefined && { line: end.line }) };
    }
  }
}

function errorText({ name, message, code, status }: GuestError): string {
  const about = [code, status === undefined ? undefined : `HTTP ${status}`].filter(
    (part) => part !== undefined,
  );
  const words = name === undefined || name === 'ToolError' ? message : `${name}: ${message}`;
  return about.length === 0 ? words : `${words} (${about.join(', ')})`;
}

function stopText(
  why: Extract<RunEnd, { readonly kind: 'stopped' }>['why'],
  limits: RunLimits,
): { readonly code: ErrorCode; readonly message: string } {
  const limit = (message: string) => ({ code: 'script_limit' as const, message });
  switch (why) {
    case 'cpu':
      return limit(
        `The script computed for more than ${limits.cpuMs / 1_000} s. Let the API filter and count, or look at less at a time.`,
      );
    case 'wall':
      return limit(
        `The script took longer than ${limits.wallMs / 1_000} s. Make fewer calls, or several at once with Promise.all.`,
      );
    case 'memory':
      return limit(
        `The script needed more than ${limits.memoryBytes / 1_048_576} MB. Keep only the fields that you need.`,
      );
    case 'stack':
      return limit('The script calls itself too deeply.');
    case 'stuck':
      return {
        code: 'script_failed',
        message: 'The script waits for something that never comes: a promise that nobody resolves.',
      };
    case 'cancelled':
      return { code: 'cancelled', message: 'The script was cancelled.' };
    case 'overloaded':
      return { code: 'overloaded', message: 'Too many scripts run at this moment. Try again in a second.' };
    case 'broken':
      return { code: 'internal', message: 'The script could not be run to its end.' };
  }
}

function tooLong(code: string): RunEnd {
  return {
    kind: 'threw',
    error: {
      message: `The script is ${code.length} characters long, and may be ${maxCodeChars}: it is no place for data.`,
    },
  };
}

function withdrawn(view: ServerView): ServerView {
  return { ...view, tools: [], byName: new Map() };
}

function endsWith(one: { readonly aborted: boolean }, other: { readonly aborted: boolean }) {
  return {
    get aborted() {
      return one.aborted || other.aborted;
    },
  };
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(ms, 0));
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
