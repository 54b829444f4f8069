import type { Limits } from '../domain/limits.ts';
import type { Reservation } from '../lib/memory/memory-budget.ts';
import type { Call, CallFiles, Cancellation } from './call.ts';
import type { PiiLog } from './pii-log.ts';
import type { CompiledTool } from './compiled-tool.ts';
import type { Reply } from './reply/reply.ts';
import type { SignedRequest } from './request/signed-request.ts';
import type { StepLog } from './step-log.ts';

/** Keeps the memory reservation of a reply, and has the PII rules of its call. */
export interface ReplyHolder {
  held: Reservation | null;
  readonly pii?: PiiLog | null;
}

/** What a send needs in addition to the request. */
export interface SendContext {
  readonly tool: CompiledTool;
  readonly limits: Limits;
  readonly callerId: string;
  /** The deadline of the call, in epoch milliseconds. */
  readonly deadlineMs: number;
  readonly signal: Cancellation;
  /** Where a reply that is a file is stored, and for which call; without them every reply is read into memory. */
  readonly files?: CallFiles | undefined;
  readonly call?: Call;
  /** Keeps the memory reserved for the reply; without it the memory is released once the reply was received. */
  readonly holder?: ReplyHolder;
  /** Records waits and failed attempts. */
  readonly log?: StepLog;
}

export type Send = (request: SignedRequest, context: SendContext) => Promise<Reply>;

/** Wraps a send. */
export type SendPolicy = (next: Send) => Send;

/** The policies around the plain send; `run-call.ts` defines their order. */
export interface SendPolicies {
  /** Serves a recent reply again. */
  readonly cache: SendPolicy;
  /** Retries what failed and may be repeated. */
  readonly retry: SendPolicy;
  /** Stops calling an API that keeps failing. */
  readonly breaker: SendPolicy;
  /** Limits how many calls run at the same time. */
  readonly concurrency: SendPolicy;
  /** Follows redirects, if allowed. */
  readonly redirects: SendPolicy;
}
