import type { Caller, Surface, CallRecord, CallStep } from '../domain/call.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Model } from '../domain/models/model.ts';
import type { ListMode } from '../domain/server.ts';
import type { ServerView } from '../registry/snapshot.ts';
import type { ChatMessage, Tokens } from './messages.ts';
import type { Recorder } from '../calls/recorder.ts';
import type { CallStore } from '../storage/ports.ts';
import { createHash } from 'node:crypto';
import { WeakCache } from '../lib/weak-cache.ts';

/** How far a conversation may go before it is ended. */
export interface ConversationLimits {
  /** How often the model is asked. */
  readonly turns: number;
  /** How many tokens it may read and write in all. */
  readonly tokens: number;
  readonly timeMs: number;
}

/** Whom to ask what, on which server. */
export interface ConversationRequest {
  readonly model: Model;
  readonly view: ServerView;
  /** Whether the server is as somebody proposes it, not as it is published. */
  readonly isDraft: boolean;
  readonly mode: ListMode;
  readonly caller: Caller;
  readonly surface: Surface;
  readonly traceparent: unknown;
  /** What was said so far; the last is a question. */
  readonly messages: readonly ChatMessage[];
  readonly limits: ConversationLimits;
  readonly signal: AbortSignal;
}

/** Why a conversation ended. */
export type EndReason = 'answered' | 'cut' | 'stopped' | 'turns' | 'tokens' | 'time' | 'failed';

/** A call of a tool that a model brought about, by itself or through a script. */
export interface MadeCall {
  readonly callId: string;
  readonly tool: string;
  readonly arguments: unknown;
}

/** What a conversation came to. */
export interface ConversationEnd {
  readonly runId: string;
  readonly reason: EndReason;
  /** Why it failed, as far as it did. */
  readonly error: { readonly code: ErrorCode; readonly message: string } | null;
  /** What was said since the question. */
  readonly messages: readonly ChatMessage[];
  /** The last words of the model. */
  readonly text: string;
  readonly tokens: Tokens;
  /** Whether some of them were estimated, because nobody counted. */
  readonly isEstimated: boolean;
  readonly cost: number | null;
  readonly turns: number;
  readonly made: readonly MadeCall[];
  readonly durationMs: number;
}

/** What happens in a conversation, as it happens. */
export type ConversationEvent =
  | {
      readonly event: 'begin';
      readonly runId: string;
      readonly server: string;
      readonly mode: ListMode;
      /** What the server tells models now, in a few characters: another when it tells something else. */
      readonly version: string;
      readonly tools: readonly string[];
    }
  | { readonly event: 'turn'; readonly turn: number }
  | { readonly event: 'text'; readonly text: string }
  | { readonly event: 'call'; readonly id: string; readonly name: string; readonly arguments: string }
  | {
      readonly event: 'called';
      readonly id: string;
      readonly name: string;
      readonly ok: boolean;
      /** What the model reads of the reply. */
      readonly text: string;
      /** What is meant for its user alone. */
      readonly shown: string;
      readonly durationMs: number;
      /** What reading it costs, about. */
      readonly tokens: number;
      /** The calls that were made for it, with where their time went. */
      readonly calls: readonly CallTraceView[];
    }
  | {
      readonly event: 'usage';
      readonly turn: number;
      readonly tokens: Tokens;
      readonly isEstimated: boolean;
      readonly cost: number | null;
    }
  | { readonly event: 'error'; readonly code: ErrorCode; readonly message: string }
  | ({ readonly event: 'end' } & Omit<ConversationEnd, 'made'>);

/** Where the time of a call went, and what came of it. */
export interface CallTraceView {
  readonly callId: string;
  readonly tool: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly durationMs: number;
  readonly requestLine: string | null;
  readonly steps: readonly CallStep[];
}

/** Finds the trace of a call that has ended; null when its record could not be kept. */
export type FindTrace = (callId: string) => Promise<CallTraceView | null>;

/** Makes it: what was recorded a moment ago is written first. */
export function createFindTrace(recorder: Pick<Recorder, 'flush'>, calls: Pick<CallStore, 'get'>): FindTrace {
  return async (callId) => {
    await recorder.flush();
    const record = await calls.get(callId);
    return record === null ? null : traceOf(record);
  };
}

function traceOf(record: CallRecord): CallTraceView {
  const { id, toolName, outcome, upstreamStatus, durationMs, requestLine, steps } = record;
  return { callId: id, tool: toolName, outcome, status: upstreamStatus, durationMs, requestLine, steps };
}

const known = new WeakCache<ServerView, string>();

/** What a server tells models, in a few characters: the same as long as it tells the same. */
export function serverVersion(view: ServerView): string {
  let version = known.get(view);
  if (version === undefined) {
    const hash = createHash('sha256').update(JSON.stringify(view.server.instructions ?? null));
    for (const { name, description, compiled } of view.tools)
      hash.update(JSON.stringify([name, description, compiled.inputSchema]));
    version = hash.digest('hex').slice(0, 10);
    known.set(view, version);
  }
  return version;
}
