import type { BudgetAnswer, BudgetAsk } from '../budgets/ledger.ts';
import type { Config } from '../config/settings.ts';
import type { CallRecord } from '../domain/call.ts';
import type { Opening } from '../gateway.ts';

/** Messages from the parent to a worker. A connection is sent along with its message. */
export type ToWorker =
  | { readonly type: 'start'; readonly config: Config; readonly isFirst: boolean }
  | { readonly type: 'serve'; readonly url: string }
  | { readonly type: 'connection' }
  /** From now on, responses ask clients to reconnect. */
  | { readonly type: 'leave' }
  /** No new connections will arrive: finish running calls, then exit. If replaced, idle connections are returned for another worker. */
  | { readonly type: 'stop'; readonly isReplaced: boolean }
  | { readonly type: 'members'; readonly count: number }
  | { readonly type: 'budgets'; readonly id: number; readonly answers: readonly BudgetAnswer[] }
  | { readonly type: 'told'; readonly kind: string; readonly body: unknown }
  | { readonly type: 'asked'; readonly id: number; readonly kind: string; readonly body: unknown }
  | { readonly type: 'heard'; readonly id: number; readonly replies: readonly unknown[] }
  /** Calls of a worker that exited while they ran. */
  | { readonly type: 'lost'; readonly calls: readonly CallRecord[] };

/** Messages from a worker to the parent. */
export type ToParent =
  | { readonly type: 'opened' }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  | ({ readonly type: 'serving' } & Opening)
  | { readonly type: 'budgets'; readonly id: number; readonly asks: readonly BudgetAsk[] }
  | { readonly type: 'tell'; readonly kind: string; readonly body: unknown }
  | { readonly type: 'ask'; readonly id: number; readonly kind: string; readonly body: unknown }
  | { readonly type: 'reply'; readonly id: number; readonly body: unknown }
  /** It received the next of the connections that were sent to it. */
  | { readonly type: 'took' }
  /** Returns an unused connection, for another worker. */
  | { readonly type: 'connection' }
  /** Someone signaled only this worker to stop. */
  | { readonly type: 'leaving' }
  /** Calls that have been running for a moment, as they would be recorded if this process exited now. */
  | {
      readonly type: 'running';
      readonly calls: readonly CallRecord[];
      /** Previously reported calls that have ended. */
      readonly endedIds: readonly string[];
    }
  /** Its final metrics, before it exits. */
  | { readonly type: 'counted'; readonly text: string };

/** Requests of a worker to the parent or to other workers. */
export type WorkerRequest = Extract<
  ToParent,
  { type: 'budgets' | 'tell' | 'ask' | 'reply' | 'leaving' | 'connection' }
>;

/** Commands of the parent to a worker. */
export type WorkerOrder = Extract<ToWorker, { type: 'start' | 'serve' | 'connection' | 'leave' | 'stop' }>;
