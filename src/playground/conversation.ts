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

/** Limits of a conversation. */
export interface ConversationLimits {
  /** Requests to the model. */
  readonly turns: number;
  /** Tokens that it may read and write in total. */
  readonly tokens: number;
  readonly timeMs: number;
}

/** The model, server and messages of a conversation. */
export interface ConversationRequest {
  readonly model: Model;
  readonly view: ServerView;
  /** Whether the server is a proposed draft instead of the published one. */
  readonly isDraft: boolean;
  readonly mode: ListMode;
  readonly caller: Caller;
  readonly surface: Surface;
  readonly traceparent: unknown;
  /** The messages so far; the last one is a question. */
  readonly messages: readonly ChatMessage[];
  readonly limits: ConversationLimits;
  readonly signal: AbortSignal;
}

/** Why a conversation ended. */
export type EndReason = 'answered' | 'cut' | 'stopped' | 'turns' | 'tokens' | 'time' | 'failed';

/** A tool call made by a model, directly or through a script. */
export interface MadeCall {
  readonly callId: string;
  readonly tool: string;
  readonly arguments: unknown;
}

/** The result of a conversation. */
export interface ConversationEnd {
  readonly runId: string;
  readonly reason: EndReason;
  /** Why it failed; null if it didn't. */
  readonly error: { readonly code: ErrorCode; readonly message: string } | null;
  /** The messages since the question. */
  readonly messages: readonly ChatMessage[];
  /** The model's final text. */
  readonly text: string;
  readonly tokens: Tokens;
  /** Whether some of them were estimated, because the endpoint didn't count them. */
  readonly isEstimated: boolean;
  readonly cost: number | null;
  readonly turns: number;
  readonly made: readonly MadeCall[];
  readonly durationMs: number;
}

/** An event of a running conversation. */
export type ConversationEvent =
  | {
      readonly event: 'begin';
      readonly runId: string;
      readonly server: string;
      readonly mode: ListMode;
      /** A short hash of what models see of the server; it changes when that changes. */
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
      /** The part for the user only. */
      readonly shown: string;
      readonly durationMs: number;
      /** About how many tokens it costs to read. */
      readonly tokens: number;
      /** The calls that it made, with their timings. */
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

/** The timings and outcome of a call. */
export interface CallTraceView {
  readonly callId: string;
  readonly tool: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly durationMs: number;
  readonly requestLine: string | null;
  readonly steps: readonly CallStep[];
}

/** Finds the trace of a finished call; null if it wasn't recorded. */
export type FindTrace = (callId: string) => Promise<CallTraceView | null>;

/** Creates the lookup; it flushes pending records first. */
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

/** A short hash of what models see of a server; it changes when that changes. */
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
