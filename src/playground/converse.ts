import type { CallMaker } from '../calls/make-call.ts';
import type { Recorder } from '../calls/recorder.ts';
import { HandrailError, toHandrailError } from '../domain/errors.ts';
import { costOf, type Model } from '../domain/models/model.ts';
import { isObject } from '../lib/json/plain-object.ts';
import { estimateTokens } from '../lib/text/token-bound.ts';
import type { McpHandler } from '../mcp/handler.ts';
import type { OwnClient } from '../mcp/inside/own-client.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import { type AskModel, createAskModel } from './ask-model.ts';
import {
  type CallTraceView,
  type FindTrace,
  type ConversationEnd,
  type ConversationEvent,
  type ConversationRequest,
  type EndReason,
  type MadeCall,
  serverVersion,
} from './conversation.ts';
import type { AskedCall, ChatMessage, Tokens, ModelTool } from './messages.ts';
import type { CallRecord } from '../domain/call.ts';

/** What conversations need. */
export interface ConverseOptions {
  readonly mcp: Pick<McpHandler, 'openClient'>;
  readonly calls: Pick<CallMaker, 'makeRun'>;
  readonly fetch: FetchGuarded;
  readonly keyOf: (model: Model) => Promise<string | null>;
  readonly recorder: Pick<Recorder, 'add'>;
  readonly findTrace: FindTrace;
  readonly keepsContents: () => boolean;
  readonly now: () => number;
}

/** Has a model answer a question on a server, and reports events. Never rejects: a failure is the reason it ended. */
export type Converse = (
  request: ConversationRequest,
  onEvent: (event: ConversationEvent) => void,
) => Promise<ConversationEnd>;

const client = { name: 'handrail playground' };
// The traces of a script with more calls are in its record.
const maxTraces = 20;

export function createConverse(options: ConverseOptions): Converse {
  return async (request, onEvent) => {
    const { now } = options;
    const startedAtMs = now();
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), request.limits.timeMs);
    const signal = AbortSignal.any([request.signal, over.signal]);
    const run = options.calls.makeRun({ ...request, client, signal, clientHeaders: null });
    const conversation = new Conversation(options, request, run.id, onEvent);
    let reason: EndReason;
    let error: HandrailError | null = null;
    try {
      const { view, isDraft, mode, caller, surface } = request;
      const { onCall, onScript } = conversation;
      const connected = await options.mcp.openClient({
        view,
        mode,
        caller,
        surface,
        client,
        run,
        isDraft,
        onCall,
        onScript,
      });
      const ask = createAskModel(options.fetch, request.model, await options.keyOf(request.model));
      reason = await conversation.run(connected, ask, startedAtMs + request.limits.timeMs, signal);
    } catch (thrown) {
      if (request.signal.aborted) reason = 'stopped';
      else if (over.signal.aborted) reason = 'time';
      else {
        reason = 'failed';
        error = toHandrailError(thrown);
        onEvent({ event: 'error', code: error.code, message: error.message });
      }
    } finally {
      clearTimeout(timer);
    }
    const end = conversation.end(reason, error, now() - startedAtMs);
    options.recorder.add(makeConversationRecord(request, end, startedAtMs, options.keepsContents()));
    const { made: _made, ...publicEnd } = end;
    onEvent({ event: 'end', ...publicEnd });
    return end;
  };
}

/** One conversation, from a question to the end of its answer. */
class Conversation {
  readonly #options: ConverseOptions;
  readonly #request: ConversationRequest;
  readonly #runId: string;
  readonly #emit: (event: ConversationEvent) => void;
  readonly #messages: ChatMessage[] = [];
  readonly #made: MadeCall[] = [];
  /** Record ids of the current tool call. */
  #records: string[] = [];
  #tokens: Tokens = { input: 0, output: 0 };
  #isEstimated = false;
  #turns = 0;
  /** The model's text in a turn that isn't finished. */
  #unfinished = '';

  constructor(
    options: ConverseOptions,
    request: ConversationRequest,
    runId: string,
    emit: (event: ConversationEvent) => void,
  ) {
    this.#options = options;
    this.#request = request;
    this.#runId = runId;
    this.#emit = emit;
  }

  readonly onCall: Parameters<McpHandler['openClient']>[0]['onCall'] = (call) => {
    this.#made.push({ callId: call.id, tool: call.toolName, arguments: call.arguments });
    this.#records.push(call.id);
  };

  readonly onScript = (runId: string): void => void this.#records.push(runId);

  async run(server: OwnClient, ask: AskModel, deadlineMs: number, signal: AbortSignal): Promise<EndReason> {
    const { limits, messages, view, mode } = this.#request;
    const { now } = this.#options;
    const tools = server.tools.map(({ name, description = '', inputSchema }): ModelTool => ({
      name,
      description,
      inputSchema,
    }));
    this.#emit({
      event: 'begin',
      runId: this.#runId,
      server: view.server.slug,
      mode,
      version: serverVersion(view),
      tools: tools.map(({ name }) => name),
    });
    for (;;) {
      this.#turns++;
      this.#emit({ event: 'turn', turn: this.#turns });
      const turn = { system: server.instructions, messages: [...messages, ...this.#messages], tools };
      const onText = (text: string) => {
        this.#unfinished += text;
        this.#emit({ event: 'text', text });
      };
      const bounds = { timeoutMs: Math.max(1, deadlineMs - now()), signal };
      const answer = await ask(turn, onText, bounds);
      this.#unfinished = '';
      this.#messages.push({ role: 'assistant', text: answer.text, calls: answer.calls });
      this.#count(answer.tokens ?? estimated(turn, answer), answer.tokens === null);
      if (answer.calls.length === 0) return answer.isCut ? 'cut' : 'answered';
      // One after the other: a later call may depend on an earlier one.
      for (const call of answer.calls) await this.#call(server, call, signal);
      if (this.#turns >= limits.turns) return 'turns';
      if (this.#tokens.input + this.#tokens.output >= limits.tokens) return 'tokens';
    }
  }

  end(reason: EndReason, error: HandrailError | null, durationMs: number): ConversationEnd {
    // The text before it was stopped is part of the conversation.
    if (this.#unfinished !== '')
      this.#messages.push({ role: 'assistant', text: this.#unfinished, calls: [] });
    const last = this.#messages.findLast((message) => message.role === 'assistant');
    return {
      runId: this.#runId,
      reason,
      error: error && { code: error.code, message: error.message },
      messages: withReplies(this.#messages),
      text: last?.text ?? '',
      tokens: this.#tokens,
      isEstimated: this.#isEstimated,
      cost: costOf(this.#request.model.prices, this.#tokens),
      turns: this.#turns,
      made: this.#made,
      durationMs,
    };
  }

  #count(tokens: Tokens, isEstimated: boolean): void {
    this.#tokens = {
      input: this.#tokens.input + tokens.input,
      output: this.#tokens.output + tokens.output,
    };
    this.#isEstimated ||= isEstimated;
    const cost = costOf(this.#request.model.prices, tokens);
    this.#emit({ event: 'usage', turn: this.#turns, tokens, isEstimated, cost });
  }

  async #call(server: OwnClient, call: AskedCall, signal: AbortSignal): Promise<void> {
    const { id, name } = call;
    this.#emit({ event: 'call', id, name, arguments: call.arguments });
    const { now } = this.#options;
    const startedAtMs = now();
    this.#records = [];
    const args = argumentsOf(call.arguments);
    const { text, shown, failed } =
      args === null
        ? { text: 'The arguments are not a JSON object. Send them again.', shown: '', failed: true }
        : await server.call(name, args, signal);
    const durationMs = now() - startedAtMs;
    this.#messages.push({ role: 'tool', callId: id, name, text, failed });
    this.#emit({
      event: 'called',
      id,
      name,
      ok: !failed,
      text,
      shown,
      durationMs,
      tokens: estimateTokens(text),
      calls: await this.#traces(),
    });
  }

  async #traces(): Promise<CallTraceView[]> {
    const traces: CallTraceView[] = [];
    // The record of a script is last and covers all its calls.
    for (const id of this.#records.slice(-maxTraces).toReversed()) {
      const trace = await this.#options.findTrace(id);
      if (trace !== null) traces.push(trace);
    }
    return traces;
  }
}

function argumentsOf(text: string): Readonly<Record<string, unknown>> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Both protocols reject a conversation in which a call has no reply. */
function withReplies(said: readonly ChatMessage[]): ChatMessage[] {
  const replied = new Set(said.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])));
  return said.flatMap((message): ChatMessage[] => {
    if (message.role !== 'assistant') return [message];
    const missing = message.calls.filter(({ id }) => !replied.has(id));
    return [
      message,
      ...missing.map(({ id, name }): ChatMessage => ({
        role: 'tool',
        callId: id,
        name,
        text: 'The conversation was stopped before this call was made or returned.',
        failed: true,
      })),
    ];
  });
}

function estimated(
  turn: object,
  { text, calls }: { readonly text: string; readonly calls: unknown },
): Tokens {
  return {
    input: estimateTokens(JSON.stringify(turn)),
    output: estimateTokens(text) + estimateTokens(JSON.stringify(calls)) - 1,
  };
}

const maxRecordedText = 16 * 1024;

/** The record of a conversation, the parent of the records of its calls. */
function makeConversationRecord(
  request: ConversationRequest,
  end: ConversationEnd,
  startedAtMs: number,
  keepContents: boolean,
): CallRecord {
  const { caller, view, surface, model, messages, mode } = request;
  const question = messages.at(-1)?.text ?? '';
  const outcome = end.error?.code ?? (end.reason === 'stopped' ? 'cancelled' : 'ok');
  return {
    id: end.runId,
    parentId: null,
    toolId: null,
    toolName: 'ask_model',
    apiSlug: null,
    serverSlug: view.server.slug,
    surface,
    callerId: caller.id,
    callerLabel: caller.label,
    clientName: 'handrail playground',
    clientVersion: null,
    startedAtMs,
    durationMs: end.durationMs,
    upstreamMs: null,
    upstreamStatus: null,
    outcome,
    message: end.error === null ? null : cut(end.error.message, 1_000),
    tries: end.turns,
    cached: false,
    requestBytes: Buffer.byteLength(question),
    replyBytes: Buffer.byteLength(end.text),
    argumentsText: keepContents
      ? JSON.stringify({ model: model.name, mode, question: cut(question, maxRecordedText) })
      : null,
    replyText: keepContents ? cut(end.text, maxRecordedText) : null,
    requestLine: `POST ${new URL(model.baseUrl).origin}`,
    outputTokens: estimateTokens(end.text),
    steps: [],
    readTokens: null,
    readText: null,
    replyOutline: null,
  };
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}
