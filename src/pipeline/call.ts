import type { CallStep, Caller, ClientName, OutcomeKind, Surface, TraceContext } from '../domain/call.ts';
import type { HandrailError } from '../domain/errors.ts';
import type { FollowUp } from '../domain/pages/follow-up.ts';
import type { Server } from '../domain/server.ts';
import type { Waiting } from '../domain/waiting.ts';
import type { Reservation } from '../lib/memory/memory-budget.ts';
import type { Arguments } from './arguments/checked-arguments.ts';
import type { CompiledTool } from './compiled-tool.ts';
import type { FetchedFile, FileSink, OpenedFiles, ReadableFile } from './files.ts';
import type { Output, Reply, WholeReply } from './reply/reply.ts';
import type { SignedRequest } from './request/signed-request.ts';

declare const made: unique symbol;

/** One execution of a tool. Only `calls/make-call.ts` makes one, after its checks: nothing else compiles. */
export interface Call {
  readonly [made]: true;
  readonly id: string;
  /** The call that makes this one on its way; null for one that a client asked for. */
  readonly parentId: string | null;
  readonly tool: CompiledTool;
  /** The name the caller used, which a server may have given. */
  readonly toolName: string;
  readonly server: Server;
  readonly caller: Caller;
  readonly client: ClientName | null;
  readonly surface: Surface;
  readonly arguments: unknown;
  readonly signal: Cancellation;
  /** The client's own headers, lower-case; only those an API lists are passed on. */
  readonly clientHeaders: Readonly<Record<string, string>> | null;
  /** Its place in a trace, passed upstream; null when there is none. */
  readonly trace: TraceContext | null;
  /** What the caller wants beyond its one request. */
  readonly followUp: FollowUp;
  /** There when another call makes this one for a page of its list, or to see how its job stands. */
  readonly part: CallPart | null;
}

/**
 * Tells whether the caller went away. An `AbortSignal` does; what is looked at a few times in a call need not be one,
 * which costs more to make than to look.
 */
export interface Cancellation {
  readonly aborted: boolean;
}

/** What a call that is a part of another has besides its arguments. */
export interface CallPart {
  /** The path with its query that the API itself gave, read in place of what the arguments come to; null when it gave none. */
  readonly target: string | null;
  /** When the other call has to be over, in epoch milliseconds. */
  readonly endsAtMs: number;
  /** Whether its reply is put together with others: the caller reads what they come to, and none by itself. */
  readonly isGathered?: boolean;
}

/** What became of a call. */
export type Outcome =
  | { readonly kind: 'done'; readonly output: Output; readonly status: number }
  | {
      readonly kind: 'failed';
      readonly error: HandrailError;
      /** All that the API said, where the error tells only a part of it. */
      readonly whole?: () => WholeReply;
    }
  /** There is no result yet: an API takes its time. */
  | { readonly kind: 'waiting'; readonly waiting: Waiting };

/** An outcome in a word. */
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

/** What a model read of a reply that it did not read whole. */
export interface ReadReply {
  /** Estimated the same way as the tokens of what the API sent. */
  readonly tokens: number;
  readonly text: string;
  /** What the records of the reply look like, as JSON; null when it has none. */
  readonly outline: string | null;
}

/** What a model may read of a call's outcome, and its record's view of that. */
export interface FittedReply {
  readonly outcome: Outcome;
  readonly read: ReadReply | null;
}

/** Everything that happened in a call: what surfaces show of it and what is recorded both come from here. */
export interface CallTrace {
  readonly call: Call;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly outcome: Outcome;
  readonly args: Arguments | null;
  /** The files that its arguments name; absent when there are none. */
  readonly files?: OpenedFiles;
  readonly request: SignedRequest | null;
  readonly reply: Reply | null;
  readonly steps: readonly CallStep[];
  /** What a model read of it; null when it read everything, or no model did. */
  readonly read: ReadReply | null;
  /** The memory that is set aside for its reply; `answerCall` releases it. */
  readonly held: Reservation | null;
}

/** A call that somebody keeps an eye on while it runs. */
export interface RunningCall {
  ended(): void;
}

/** How calls take files in and send them on; passed in, as all effects are. */
export interface CallFiles {
  /** The largest file. */
  readonly maxBytes: number;
  /** Makes room for a reply that is a file. */
  receive(call: Call): Promise<FileSink>;
  /** The file under a handle, if the caller may have it; null for any other, whatever the reason. */
  open(call: Call, handle: string): Promise<ReadableFile | null>;
  /** The file at a public address, which is read through the egress guard. */
  fetch(call: Call, url: string, deadlineMs: number): Promise<FetchedFile>;
  /** The handle that an argument's text stands for; null when it is none. */
  handleIn(text: string): string | null;
}

/** Runs a call and returns everything that happened. Never rejects, and records nothing. */
export type RunCall = (call: Call) => Promise<CallTrace>;
