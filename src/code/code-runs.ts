import type { CallMaker, CallRequest, ParentCall } from '../calls/make-call.ts';
import { type ErrorCode, HandrailError } from '../domain/errors.ts';
import { maxCodeChars } from '../domain/composed-tool.ts';
import type { Server } from '../domain/server.ts';
import { jsonText, longIntegersAsText } from '../lib/json/numbers/exact-numbers.ts';
import type { AnswerCall } from '../calls/answer-call.ts';
import type { Call } from '../pipeline/call.ts';
import type { Effects } from '../pipeline/run-call.ts';
import type { Content, Output } from '../pipeline/reply/reply.ts';
import type { ServerView } from '../registry/snapshot.ts';
import type { ReplyBudget } from '../replies/reply-budget.ts';
import type { GuestError, RunLimits } from '../sandbox/messages.ts';
import type { RunEnd, Sandbox, RunUsage } from '../sandbox/sandbox.ts';
import { runLimitsOf } from './code-limits.ts';
import type { ScriptJournal } from './run-journal.ts';
import { type LookUps, type ScriptCall, ScriptHost } from './script-host.ts';
import { directoryOf } from './tool-directory.ts';
import { wrapUntrusted } from '../pipeline/reply/untrusted-text.ts';
import { callText, readableResult } from './call-text.ts';

/** A script to run, and the caller who sent it. */
export interface CodeRequest extends Omit<CallRequest, 'arguments' | 'followUp'> {
  readonly view: ServerView;
  /** The body of an async function, in JavaScript or TypeScript. */
  readonly code: string;
  /** The call or run that this run is part of; absent for a run of its own. */
  readonly parentId?: string;
  /** An unpublished version of the server, and the lookups to use with it. */
  readonly draft?: { readonly view: ServerView; readonly lookUps: LookUps };
  /** Called for each call that is made. */
  readonly onMade?: (call: Call) => void;
  /** Called when a call starts. */
  readonly onCall?: (call: ScriptCall, made: number) => void;
}

/** The result of running a caller's script. */
export interface CodeRun extends Executed {
  readonly id: string;
  readonly request: CodeRequest;
}

/** A script to run, and its owner. */
interface Script extends Pick<CodeRequest, 'draft' | 'onMade' | 'onCall'> {
  /** The parent of its calls. */
  readonly made: ParentCall;
  readonly view: ServerView;
  readonly source: string;
  /** JSON that the script sees as `input`. */
  readonly input?: string;
  /** IDs of the tools that it may call; null if the server's own rules decide. */
  readonly only: ReadonlySet<string> | null;
  readonly toolName: string;
  readonly recordedAs?: { readonly toolId: string; readonly parentId?: string };
  /** Whether another script is waiting for it. */
  readonly isPart: boolean;
}

/** Runs scripts against a server. */
export interface CodeRuns {
  /** Runs a caller's script. */
  run(request: CodeRequest): Promise<CodeRun>;
  /** Runs a script that was saved as a tool, for a call of that tool; throws a HandrailError if there is no result. */
  runSaved: NonNullable<Effects['runScript']>;
}

// Calls that were canceled end soon; the run doesn't wait longer for those that don't.
const maxEndMs = 5_000;

export function createCodeRuns(options: {
  readonly sandbox: Pick<Sandbox, 'run'>;
  readonly calls: Pick<CallMaker, 'makeRun' | 'makeChild' | 'refuseTool'>;
  readonly answerCall: AnswerCall;
  readonly budget: Pick<ReplyBudget, 'keepWhole'>;
  readonly lookUps: LookUps;
  readonly listedView: (slug: string) => ServerView | undefined;
  readonly journal: Pick<ScriptJournal, 'open'>;
  readonly record: (run: CodeRun) => void;
  readonly now: () => number;
}): CodeRuns {
  const { sandbox, now, record } = options;

  /** Runs a script until it and everything it started have ended. */
  async function execute(script: Script): Promise<Executed> {
    const { made, view, source, input, only, toolName, draft, onMade } = script;
    const startedAtMs = now();
    const ending = new AbortController();
    const { caller, surface } = made;
    const parent = { ...made, signal: endsWith(made.signal, ending.signal) };
    const limits = runLimitsOf(view.server);
    const who = {
      serverSlug: view.server.slug,
      callerId: caller.id,
      callerLabel: caller.label,
      surface,
      toolName,
      ...script.recordedAs,
    };
    const journal = options.journal.open(made.id, who, startedAtMs);
    const printed: string[] = [];
    const shown: string[] = [];
    const host = new ScriptHost({
      run: parent,
      only,
      limits,
      currentView: () => draft?.view ?? options.listedView(view.server.slug) ?? withoutTools(view.server),
      calls: options.calls,
      answerCall: onMade === undefined ? options.answerCall : reporting(options.answerCall, onMade),
      budget: options.budget,
      lookUps: draft?.lookUps ?? options.lookUps,
      signal: ending.signal,
      now,
      startedAtMs,
      journal,
      onCall: (call) => script.onCall?.(call, host.calls.length),
      onNote: (text) => {
        if (!printed.includes(text)) printed.push(text);
      },
    });
    const { end: sandboxEnd, usage } =
      source.length > maxCodeChars
        ? { end: tooLong(source), usage: { cpuMs: 0, memoryBytes: 0 } }
        : await sandbox.run({
            callerId: caller.id,
            source,
            ...(input !== undefined && { input }),
            ...(script.isPart && { isPart: true }),
            apis: directoryOf(view).apis,
            limits,
            signal: made.signal,
            answer: (kind, payload) => host.answer(kind, payload),
            hear: (kind, text) => (kind === 'print' ? printed : shown).push(text),
          });
    // When a run is canceled, its calls may end before it is stopped, so that it throws their errors.
    const isCancelled = sandboxEnd.kind === 'threw' && made.signal.aborted;
    const end: RunEnd = isCancelled ? { kind: 'stopped', why: 'cancelled' } : sandboxEnd;
    // Calls that a script started without awaiting them are part of the run, unless the run was stopped.
    const leftMs = limits.wallMs - (now() - startedAtMs);
    if (end.kind !== 'stopped') await within(host.settled(), leftMs);
    if (end.kind === 'returned') printed.push(...unawaitedNotes(host.calls));
    ending.abort();
    await within(host.settled(), maxEndMs);
    await journal.ended();
    for (const [path, how] of host.unfinished) printed.push(`${path}: ${how}`);
    return {
      end: codeEnd(end, limits),
      printed,
      shown,
      calls: host.calls,
      images: end.kind === 'returned' ? imagesIn(end.text, host.images) : [],
      untrusted: [...host.untrusted],
      startedAtMs,
      durationMs: now() - startedAtMs,
      usage,
    };
  }

  return {
    async run(request) {
      const { view, code, onCall, onMade, draft } = request;
      const made = options.calls.makeRun(request);
      const ended = await execute({
        made,
        view,
        source: code,
        only: null,
        toolName: 'run_code',
        isPart: false,
        ...(onCall && { onCall }),
        ...(onMade && { onMade }),
        ...(draft && { draft }),
      });
      const run: CodeRun = { id: made.id, request, ...ended };
      record(run);
      return run;
    },

    async runSaved(call, { code, toolIds }, args) {
      const { server, toolName, parentId, tool } = call;
      const ended = await execute({
        made: call,
        view: options.listedView(server.slug) ?? withoutTools(server),
        source: code,
        input: longIntegersAsText(jsonText(args)),
        only: toolIds,
        toolName,
        recordedAs: { toolId: tool.tool.id, ...(parentId !== null && { parentId }) },
        isPart: parentId !== null,
      });
      return savedOutput(toolName, ended);
    },
  };
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
        `The script used more than ${limits.cpuMs / 1_000} s of CPU time. Let the API filter and count, or process less data at a time.`,
      );
    case 'wall':
      return limit(
        `The script took longer than ${limits.wallMs / 1_000} s. Make fewer calls, or make them in parallel with Promise.all.`,
      );
    case 'memory':
      return limit(
        `The script needed more than ${limits.memoryBytes / 1_048_576} MB of memory. Keep only the fields that you need.`,
      );
    case 'stack':
      return limit('The recursion in the script is too deep.');
    case 'stuck':
      return {
        code: 'script_failed',
        message: 'The script is waiting for a promise that is never resolved.',
      };
    case 'cancelled':
      return { code: 'cancelled', message: 'The script was canceled.' };
    case 'overloaded':
      return { code: 'overloaded', message: 'Too many scripts are running. Try again in a second.' };
    case 'broken':
      return {
        code: 'internal',
        message: 'The script could not be completed because of an error in the gateway.',
      };
  }
}

function tooLong(code: string): RunEnd {
  return {
    kind: 'threw',
    error: {
      message: `The script is ${code.length} characters long; the maximum is ${maxCodeChars}. Do not put data into scripts.`,
    },
  };
}

/** Says which calls failed after the script had ended without waiting for them. */
function unawaitedNotes(calls: readonly ScriptCall[]): string[] {
  return calls
    .filter(({ outcome, isDelivered }) => !isDelivered && outcome !== 'ok')
    .map(
      ({ path, outcome }) =>
        `${path} was called without await and failed after the script had ended (${outcome ?? 'not finished'}): put await before such calls.`,
    );
}

const maxImagesShown = 4;

function imagesIn(text: string, images: ScriptHost['images']): readonly Content[] {
  const found = [...images].filter(([handle]) => text.includes(handle));
  return found.slice(0, maxImagesShown).map(([, image]) => image);
}

function reporting(answerCall: AnswerCall, onMade: (call: Call) => void): AnswerCall {
  return (call, forModel) => {
    onMade(call);
    return answerCall(call, forModel);
  };
}

function withoutTools(server: Server): ServerView {
  return { server, tools: [], byName: new Map() };
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

/** The output of a script called as a tool: what it returned, then what it printed. Throws if it failed. */
function savedOutput(toolName: string, { end, printed, calls, untrusted, images }: Executed): Output {
  const wrap = (text: string) => (untrusted.length > 0 ? wrapUntrusted(text, untrusted.join(', ')) : text);
  const notes = printed.length === 0 ? '' : `Printed:\n${wrap(printed.join('\n'))}`;
  if (end.kind === 'failed') {
    const where = end.line === undefined ? '' : ` at line ${end.line}`;
    const parts = [
      `The script of "${toolName}" failed${where}: ${wrap(end.message)}`,
      callText(calls),
      notes,
    ];
    const hasChangedNothing = calls.every(({ kind }) => kind === 'read');
    throw new HandrailError(end.code, parts.filter((part) => part !== '').join('\n'), {
      ...(hasChangedNothing && { notSent: true }),
    });
  }
  const { text } = readableResult(end.text);
  return {
    content: [
      { type: 'text', text: wrap(text) },
      ...images,
      ...(notes === '' ? [] : [{ type: 'text' as const, text: notes }]),
    ],
    structuredText: null,
    whole: () => ({
      kind: 'text',
      ...(end.text === '' ? { text: 'null', mediaType: 'application/json' } : readableResult(end.text)),
      name: 'result.json',
    }),
  };
}

/** The result of running a script. */
interface Executed {
  readonly end: CodeEnd;
  readonly printed: readonly string[];
  /** Meant for the user only. */
  readonly shown: readonly string[];
  readonly calls: readonly ScriptCall[];
  /** Images whose handles are in what it returned. */
  readonly images: readonly Content[];
  /** APIs in what it returned and printed whose replies are marked as untrusted. */
  readonly untrusted: readonly string[];
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly usage: RunUsage;
}

/** How a script ended: with JSON, which is empty if it returned nothing, or without a result. */
type CodeEnd =
  | { readonly kind: 'returned'; readonly text: string }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string; readonly line?: number };
