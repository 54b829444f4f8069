import { trimEndOf } from '../lib/text/tidy-text.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallMaker, ParentCall } from '../calls/make-call.ts';
import { findCallable } from '../registry/callable-tools.ts';
import type { OutcomeKind } from '../domain/call.ts';
import { codeErrors } from '../domain/error-messages/code.ts';
import { HandrailError } from '../domain/errors.ts';
import { type FollowUp, followUpNames, notAsked, readFollowUp } from '../domain/pages/follow-up.ts';
import { kindOf, type ToolKind } from '../domain/tool.ts';
import { waitingText } from '../domain/waiting.ts';
import { longIntegersAsText, parseExactly } from '../lib/json/numbers/exact-numbers.ts';
import { isObject, objectOr } from '../lib/json/plain-object.ts';
import { estimateTokens } from '../lib/text/token-bound.ts';
import { createWorkQueue, type WorkQueue } from '../lib/timing/work-queue.ts';
import type { AnswerCall } from '../calls/answer-call.ts';
import { type Call, type Outcome, outcomeKind } from '../pipeline/call.ts';
import type { Content, ErrorAnswer, WholeReply } from '../pipeline/reply/reply.ts';
import type { ListedTool, ServerView } from '../registry/snapshot.ts';
import { sizeOf, type ReplyBudget } from '../replies/reply-budget.ts';
import type { RequestKind, RunLimits } from '../sandbox/messages.ts';
import type { TaskAnswer } from '../sandbox/sandbox.ts';
import { signatureOf, usualRoom } from '../search/signature.ts';
import { maxReplyChars, mayCallFromCode } from './code-limits.ts';
import { describeTool, splitPath } from './describe-tools.ts';
import type { RunJournal } from './run-journal.ts';
import { directoryOf, suggestPath } from './tool-directory.ts';

/** One call that a script made. */
export interface ScriptCall {
  readonly callId: string;
  /** How the script could have called it: `tools.github.repos_get`. */
  readonly path: string;
  readonly toolId: string;
  readonly kind: ToolKind;
  /** Since the start of the run. */
  readonly startMs: number;
  durationMs: number | null;
  /** Null until it is known. */
  outcome: OutcomeKind | null;
  status: number | null;
  /** Whether the script got its reply or error before it ended. */
  isDelivered: boolean;
  /** Tokens that a model would have read, had it made the call itself. */
  tokens: number;
}

/** What a script can look up besides calling tools. Results become JSON; failures throw a HandrailError. */
export interface LookUps {
  /** The note is added to what the script printed. */
  search(
    view: ServerView,
    run: ParentCall,
    args: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly results: readonly unknown[]; readonly note?: string }>;
  read(view: ServerView, run: ParentCall, args: Readonly<Record<string, unknown>>): Promise<unknown>;
}

export interface ScriptHostOptions {
  readonly run: ParentCall;
  readonly limits: RunLimits;
  /** IDs of the tools that it may call; null if the server's own rules decide. */
  readonly only: ReadonlySet<string> | null;
  /** The server as it is now. */
  readonly currentView: () => ServerView;
  readonly calls: Pick<CallMaker, 'makeChild' | 'refuseTool'>;
  readonly answerCall: AnswerCall;
  readonly budget: Pick<ReplyBudget, 'keepWhole'>;
  readonly lookUps: LookUps;
  /** Aborted when the run has ended. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly startedAtMs: number;
  /** Stores what a call that changes something is about to do, and its outcome. */
  readonly journal: Pick<RunJournal, 'around'>;
  readonly onCall: (call: ScriptCall) => void;
  /** Receives notes for the model, in addition to what the script returns. */
  readonly onNote: (text: string) => void;
}

type Image = Extract<Content, { readonly type: 'image' | 'audio' }>;

// The same as for an image that a model requests directly.
const maxImageChars = 1024 * 1024;
const maxImages = 20;

/** Answers the requests of one script. */
export class ScriptHost {
  readonly calls: ScriptCall[] = [];
  /** By tool: how to continue where the last reply was one page of several, or a job that has only started. */
  readonly unfinished = new Map<string, string>();
  /** By handle: images that a model can view. */
  readonly images = new Map<string, Image>();
  /** APIs whose replies are marked as untrusted for models. */
  readonly untrusted = new Set<string>();
  readonly #options: ScriptHostOptions;
  readonly #queue: WorkQueue;
  readonly #open = new Set<Promise<unknown>>();

  constructor(options: ScriptHostOptions) {
    this.#options = options;
    this.#queue = createWorkQueue({ running: options.limits.callsAtOnce, waiting: options.limits.calls });
  }

  /** Never rejects. */
  async answer(kind: RequestKind, payload: string): Promise<TaskAnswer> {
    const answering = this.#answer(kind, payload).catch(refused);
    this.#open.add(answering);
    try {
      return await answering;
    } finally {
      this.#open.delete(answering);
    }
  }

  /** Resolves when no request is running anymore. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  async #answer(kind: RequestKind, payload: string): Promise<TaskAnswer> {
    const { run, lookUps, signal, limits } = this.#options;
    switch (kind) {
      case 'call':
        return this.#call(payload);
      case 'search': {
        const found = await lookUps.search(this.#options.currentView(), run, argumentsIn(payload));
        if (found.note !== undefined) this.#options.onNote(found.note);
        return done(found.results);
      }
      case 'read':
        return done(await lookUps.read(this.#options.currentView(), run, argumentsIn(payload)));
      case 'describe':
        return done(this.#describe(JSON.parse(payload)));
      case 'sleep': {
        // Infinity and NaN arrive as null.
        const ms: unknown = JSON.parse(payload);
        if (typeof ms !== 'number' || ms < 0) throw codeErrors.sleepNotANumber();
        // A sleep that outlives its run ends with it.
        await delay(Math.min(ms, limits.wallMs), undefined, { signal }).catch(() => {});
        return { isDone: true, text: '' };
      }
    }
  }

  #describe(names: unknown): string {
    if (!Array.isArray(names) || names.length === 0) throw codeErrors.describeWithoutNames();
    const view = this.#options.currentView();
    return names
      .slice(0, 20)
      .map((name) => describeTool(view, this.#find(view, ...splitPath(String(name)))).declaration)
      .join('\n\n');
  }

  #find(view: ServerView, api: string | null, name: string): ListedTool {
    const { caller } = this.#options.run;
    const found = directoryOf(view).find(api, name);
    const listed = found && findCallable(view, caller, found.name);
    if (listed !== undefined) return listed;
    const shown = `${api === null ? '' : `${api.slice(0, 60)}.`}${name.slice(0, 100)}`;
    throw codeErrors.unknownTool({ tool: shown, suggestion: suggestPath(view, caller, name) });
  }

  #findToCall(view: ServerView, api: string | null, name: string): ListedTool {
    try {
      return this.#find(view, api, name);
    } catch (error) {
      const { run, calls } = this.#options;
      const toolName = api === null ? name : `${api}.${name}`;
      const { caller, client, surface, id: parentId } = run;
      calls.refuseTool({ view, toolName, caller, client, surface, arguments: {}, parentId });
      throw error;
    }
  }

  async #call(payload: string): Promise<TaskAnswer> {
    const { limits, calls, run, now, startedAtMs } = this.#options;
    // Calls of a canceled run end before the script is stopped; it must not make new ones in the meantime.
    if (run.signal.aborted) throw codeErrors.runCancelled({ notSent: true });
    const end = payload.indexOf('\n');
    const named: unknown = JSON.parse(payload.slice(0, end));
    const [api, name, beyond]: readonly unknown[] = Array.isArray(named) ? named : [];
    if (typeof name !== 'string') throw codeErrors.toolNameMissing();
    const view = this.#options.currentView();
    const listed = this.#findToCall(view, typeof api === 'string' ? api : null, name);
    const kind = kindOf(listed.compiled.tool);
    this.#requireAllowed(view, listed, kind);
    if (this.calls.length >= limits.calls) throw codeErrors.tooManyCalls({ max: limits.calls });
    // Keeps digits that don't fit a number.
    const args = parseExactly(payload.slice(end + 1));
    const { followUp, wantsReply } = readBeyond(beyond);
    const call = calls.makeChild(run, view, listed.name, args, null, followUp);
    if (call === undefined) throw codeErrors.toolGone({ tool: name });
    const made: ScriptCall = {
      callId: call.id,
      path: directoryOf(view).pathOf(listed),
      toolId: listed.compiled.tool.id,
      kind,
      startMs: now() - startedAtMs,
      durationMs: null,
      outcome: null,
      status: null,
      isDelivered: false,
      tokens: 0,
    };
    this.calls.push(made);
    const outcome = await this.#queue.run(() => this.#make(made, call));
    if (outcome === null) throw codeErrors.tooManyWaitingCalls();
    const answer = await this.#answerFor(made, call, outcome, wantsReply);
    const onDelivered = () => {
      made.isDelivered = true;
    };
    return { ...answer, onDelivered };
  }

  #requireAllowed({ server }: ServerView, { name, compiled }: ListedTool, kind: ToolKind): void {
    const { only } = this.#options;
    if (only === null ? mayCallFromCode(server, kind) : only.has(compiled.tool.id)) return;
    throw only === null
      ? codeErrors.kindNotAllowed({ tool: name, kind })
      : codeErrors.notInComposedTool({ tool: name });
  }

  async #make(made: ScriptCall, call: Call): Promise<Outcome> {
    const { signal, answerCall, journal, onCall, now, startedAtMs } = this.#options;
    if (signal.aborted) {
      const error = codeErrors.runEndedBeforeCall({ notSent: true });
      made.outcome = error.code;
      return { kind: 'failed', error };
    }
    onCall(made);
    const run = () => answerCall(call);
    const outcome = await (made.kind === 'read' ? run() : journal.around(call, made.path, run));
    made.durationMs = now() - startedAtMs - made.startMs;
    made.outcome = outcomeKind(outcome);
    made.status = statusOf(outcome);
    return outcome;
  }

  async #answerFor(made: ScriptCall, call: Call, outcome: Outcome, wantsReply: boolean): Promise<TaskAnswer> {
    switch (outcome.kind) {
      case 'done': {
        const { continuation } = outcome.output;
        if (continuation === undefined) this.unfinished.delete(made.path);
        else this.unfinished.set(made.path, continuation);
        if (call.tool.tool.reply.wrapUntrusted === true) this.untrusted.add(call.tool.api.slug);
        const whole = outcome.output.whole?.() ?? wordsOf(outcome);
        made.tokens = whole.kind === 'text' ? estimateTokens(whole.text) : 0;
        const data = await this.#data(call, whole, outcome.output.content[0]);
        return { isDone: true, text: `${aboutReply(outcome, wantsReply)}${data}` };
      }
      case 'failed': {
        const { error, answer } = outcome;
        const message =
          error.code === 'invalid_arguments'
            ? `${trimEndOf(error.message, '.')}. Call it like this: ${usageOf(call, made.path)}`
            : error.message;
        return refusal(`${made.path}: ${message}`, error, made.path, answer?.());
      }
      case 'waiting':
        return {
          isDone: false,
          text: JSON.stringify({
            message: waitingText(outcome.waiting),
            code: 'waiting',
            tool: made.path,
          }),
        };
    }
  }

  /** A reply as JSON. One that is too long for a script or isn't text is kept, and its handle returned. */
  async #data(call: Call, whole: WholeReply, first: Content | undefined): Promise<string> {
    if (whole.kind === 'text' && whole.text.length <= maxReplyChars) return jsonOf(whole);
    const place = await this.#options.budget.keepWhole(call, whole);
    const bytes = sizeOf(whole);
    if (
      place !== null &&
      first?.type === 'image' &&
      first.data.length <= maxImageChars &&
      this.images.size < maxImages
    )
      this.images.set(place.handle, first);
    return JSON.stringify({
      handle: place?.handle ?? null,
      type: whole.mediaType,
      bytes,
      note:
        place === null
          ? 'The reply is too long for a script and could not be kept: request less.'
          : this.images.has(place.handle)
            ? 'This is an image: return its handle, and it is shown with the result.'
            : 'The reply is too long for a script: read parts of it with read(handle, { select, offset, limit, search }).',
    });
  }
}

function jsonOf({ text, mediaType }: Extract<WholeReply, { readonly kind: 'text' }>): string {
  const trimmed = text.trim();
  if (trimmed === '') return 'null';
  if (/\bjson\b|\+json\b/i.test(mediaType) || isJson(trimmed)) return longIntegersAsText(trimmed);
  return JSON.stringify(text);
}

const maxGuessChars = 256 * 1024;

// The result of an operator's expression is JSON, but its media type doesn't say so.
function isJson(text: string): boolean {
  if (!/^[[{]/.test(text) || text.length > maxGuessChars) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function wordsOf(outcome: Extract<Outcome, { readonly kind: 'done' }>): WholeReply {
  const text = outcome.output.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return { kind: 'text', text, mediaType: 'text/plain', name: 'reply.txt' };
}

function statusOf(outcome: Outcome): number | null {
  if (outcome.kind === 'done') return outcome.status;
  return outcome.kind === 'failed' ? (outcome.error.details.upstreamStatus ?? null) : null;
}

function usageOf(call: Call, path: string): string {
  const { tool } = call.tool;
  return signatureOf(tool, path, tool.description, { ...usualRoom, isOneObject: true }).text;
}

function done(value: unknown): TaskAnswer {
  return { isDone: true, text: JSON.stringify(value) ?? 'null' };
}

function refused(thrown: unknown): TaskAnswer {
  if (thrown instanceof HandrailError) return refusal(thrown.message, thrown);
  const isText = thrown instanceof SyntaxError;
  const error = isText ? codeErrors.requestNotJson() : codeErrors.internal();
  return refusal(error.message, error);
}

function refusal(
  message: string,
  { code, details }: HandrailError,
  tool?: string,
  answer?: ErrorAnswer,
): TaskAnswer {
  const { upstreamStatus, problems, retryAfterMs } = details;
  const rest = {
    ...(problems && { problems }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(answer && { headers: answer.headers, body: bodyOf(answer) }),
  };
  return {
    isDone: false,
    text: JSON.stringify({
      message,
      code,
      ...(upstreamStatus !== undefined && { status: upstreamStatus }),
      ...(Object.keys(rest).length > 0 && { details: rest }),
      ...(tool !== undefined && { tool }),
    }),
  };
}

/** The body of an error reply: JSON as data, anything else as text. */
function bodyOf({ text }: ErrorAnswer): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The line in front of a reply's data, if a script asked for its status and headers or the list has more. */
function aboutReply({ output, status }: Extract<Outcome, { kind: 'done' }>, isAsked: boolean): string {
  const { continuation: more } = output;
  if (!isAsked) return more === undefined ? '' : `#${JSON.stringify({ more })}\n`;
  const about = { isAsked, status, headers: output.headers?.() ?? {}, ...(more !== undefined && { more }) };
  return `#${JSON.stringify(about)}\n`;
}

const beyondNames: readonly string[] = [...followUpNames, 'reply'];

/** What a script requests beyond the data of a single call: every page, the end of a job, status and headers. */
function readBeyond(beyond: unknown): { readonly followUp: FollowUp; readonly wantsReply: boolean } {
  if (beyond === undefined) return { followUp: notAsked[''], wantsReply: false };
  const given = objectOr(beyond);
  const { reply } = given;
  const isKnown = isObject(beyond) && Object.keys(given).every((name) => beyondNames.includes(name));
  if (!isKnown) throw codeErrors.invalidFollowUp({ problem: '' });
  if (reply !== undefined && typeof reply !== 'boolean')
    throw codeErrors.invalidFollowUp({ problem: 'reply must be true or false.' });
  const followUp = readFollowUp(given, '');
  if ('problem' in followUp) throw codeErrors.invalidFollowUp({ problem: followUp.problem });
  return { followUp, wantsReply: reply === true };
}

function argumentsIn(payload: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(payload);
  if (!isObject(value)) throw codeErrors.notAnObject();
  return value;
}
