import type { Limits } from '../domain/limits.ts';
import type { Reservation } from '../lib/memory/memory-budget.ts';
import type { Call, CallFiles, Cancellation } from './call.ts';
import type { CompiledTool } from './compiled-tool.ts';
import type { Reply } from './reply/reply.ts';
import type { SignedRequest } from './request/signed-request.ts';
import type { StepLog } from './step-log.ts';

/** Who keeps the memory that a reply takes. */
export interface ReplyHolder {
  held: Reservation | null;
}

/** What a send needs to know besides the request. */
export interface SendContext {
  readonly tool: CompiledTool;
  readonly limits: Limits;
  readonly callerId: string;
  /** Absolute end of the call in epoch milliseconds. */
  readonly deadlineMs: number;
  readonly signal: Cancellation;
  /** Where a reply goes that is a file, and for which call; without them every reply is read. */
  readonly files?: CallFiles | undefined;
  readonly call?: Call;
  /** Keeps the memory that is set aside for the reply; without it that is released once the reply was received. */
  readonly holder?: ReplyHolder;
  /** Hears of waits and of tries that failed. */
  readonly log?: StepLog;
}

export type Send = (request: SignedRequest, context: SendContext) => Promise<Reply>;

/** Wraps a send. */
export type SendPolicy = (next: Send) => Send;

/** What can stand between a call and the plain send; `run-call.ts` says in which order. */
export interface SendPolicies {
  /** Serves a young reply again. */
  readonly cache: SendPolicy;
  /** Tries again what failed and may be repeated. */
  readonly retry: SendPolicy;
  /** Leaves an API alone that keeps failing. */
  readonly breaker: SendPolicy;
  /** Bounds how many are under way at once. */
  readonly concurrency: SendPolicy;
  /** Follows redirects where some are allowed. */
  readonly redirects: SendPolicy;
}
