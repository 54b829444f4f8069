import type { Caller, Surface } from '../domain/call.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Model } from '../domain/models/model.ts';
import type { ListMode } from '../domain/server.ts';
import type { ServerView } from '../registry/snapshot.ts';
import type { CallTraceView } from './call-traces.ts';
import type { ChatMessage, Tokens } from './messages.ts';

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
