import type { CallStep, Caller, ClientName, OutcomeKind, Surface, TraceContext } from '../domain/call.ts';
import type { HandrailError } from '../domain/errors.ts';
import type { FollowUp } from '../domain/pages/follow-up.ts';
import type { Server } from '../domain/server.ts';
import type { Waiting } from '../domain/waiting.ts';
import type { Reservation } from '../lib/memory/memory-budget.ts';
import type { MaskText } from '../lib/secrets/mask-secrets.ts';
import type { Arguments } from './arguments/checked-arguments.ts';
import type { CompiledTool } from './compiled-tool.ts';
import type { PiiLog } from './pii-log.ts';
import type { FetchedFile, FileSink, OpenedFiles, ReadableFile } from './files.ts';
import type { ErrorAnswer, Output, Reply, WholeReply } from './reply/reply.ts';
import type { SignedRequest } from './request/signed-request.ts';

declare const made: unique symbol;

/** One execution of a tool. Only `calls/make-call.ts` makes one, after its checks: nothing else compiles. */
export interface Call {
  readonly [made]: true;
  readonly id: string;
  /** The call that makes this one while it runs; null for a call from a client. */
  readonly parentId: string | null;
  readonly tool: CompiledTool;
  /** The name the caller used, which may be the server's own name for the tool. */
  readonly toolName: string;
  readonly server: Server;
  readonly caller: Caller;
  readonly client: ClientName | null;
  readonly surface: Surface;
  readonly arguments: unknown;
  readonly signal: Cancellation;
  /** The client's own headers, lower-case; only those an API lists are passed on. */
  readonly clientHeaders: Readonly<Record<string, string>> | null;
  /** The trace context, passed upstream; null without one. */
  readonly trace: TraceContext | null;
  /** What the caller asked for beyond this one request. */
  readonly followUp: FollowUp;
  /** Set when another call makes this one to get a page of its list or to poll its job. */
  readonly part: CallPart | null;
}

/**
 * Says whether the caller disconnected. An `AbortSignal` fits, but since this is only polled a few times per call, a
 * cheaper object will do.
 */
export interface Cancellation {
  readonly aborted: boolean;
}

/** What a call that is part of another has in addition to its arguments. */
export interface CallPart {
  /** The path and query that the API gave for this page, used instead of the arguments; null if it gave none. */
  readonly target: string | null;
  /** The deadline of the other call, in epoch milliseconds. */
  readonly endsAtMs: number;
  /** Whether its reply is merged with others: the caller gets only the merged result. */
  readonly isGathered?: boolean;
}

/** The result of a call. */
export type Outcome =
  | { readonly kind: 'done'; readonly output: Output; readonly status: number }
  | {
      readonly kind: 'failed';
      readonly error: HandrailError;
      /** The full reply of the API, if the error contains only part of it. */
      readonly whole?: () => WholeReply;
      /** What the API answered, for a call of a script. */
      readonly answer?: () => ErrorAnswer;
    }
  /** The API has not finished: there is no result yet. */
  | { readonly kind: 'waiting'; readonly waiting: Waiting };

/** An outcome as one word. */
export function outcomeKind(outcome: Outcome): OutcomeKind {
  switch (outcome.kind) {
    case 'done':
      return 'ok';
    case 'failed':
      return outcome.error.code;
    case 'waiting':
      return 'waiting';
  }
}

/** The part of a reply that a model read, if it did not read all of it. */
export interface ReadReply {
  /** Estimated the same way as the tokens of what the API sent. */
  readonly tokens: number;
  readonly text: string;
  /** The shape of the reply's records, as JSON; null if it has none. */
  readonly outline: string | null;
}

/** What a model may read of a call's outcome, and its record's view of that. */
export interface FittedReply {
  readonly outcome: Outcome;
  readonly read: ReadReply | null;
}

/** Everything that happened in a call; both the surfaces and the call record read from here. */
export interface CallTrace {
  readonly call: Call;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly outcome: Outcome;
  readonly args: Arguments | null;
  /** The files that its arguments refer to; absent if there are none. */
  readonly files?: OpenedFiles;
  readonly request: SignedRequest | null;
  readonly reply: Reply | null;
  readonly steps: readonly CallStep[];
  /** What a model read of it; null when it read everything, or no model did. */
  readonly read: ReadReply | null;
  /** The memory reserved for its reply; `answerCall` releases it. */
  readonly held: Reservation | null;
  /** Its PII rules and what they found; null or absent if there are none. */
  readonly pii?: PiiLog | null;
}

/** A call that is tracked while it runs. */
export interface RunningCall {
  ended(): void;
}

/** How calls receive and send files; passed in, like all effects. */
export interface CallFiles {
  /** The largest file. */
  readonly maxBytes: number;
  /** Opens a sink for a reply that is a file; what `mask` masks is masked where the file is text. */
  receive(call: Call, mask: MaskText): Promise<FileSink>;
  /** The file under a handle, if the caller may read it; otherwise null, whatever the reason. */
  open(call: Call, handle: string): Promise<ReadableFile | null>;
  /** The file at a public URL, fetched through the egress guard. */
  fetch(call: Call, url: string, deadlineMs: number): Promise<FetchedFile>;
  /** The handle in an argument's text; null if it is not a handle. */
  handleIn(text: string): string | null;
}

/** Runs a call and returns everything that happened. Never rejects, and records nothing. */
export type RunCall = (call: Call) => Promise<CallTrace>;
