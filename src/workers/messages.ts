import type { BudgetAnswer, BudgetAsk } from '../budgets/ledger.ts';
import type { Config } from '../config/settings.ts';
import type { CallRecord } from '../domain/call.ts';
import type { Opening } from '../gateway.ts';

/** What the parent tells a worker. A connection comes with its message. */
export type ToWorker =
  | { readonly type: 'start'; readonly config: Config; readonly isFirst: boolean }
  | { readonly type: 'serve'; readonly url: string }
  | { readonly type: 'connection' }
  /** Answers tell clients to come by another connection from now on. */
  | { readonly type: 'leave' }
  /** No new connection comes any more: finish what runs, then end. Connections come back where another worker can have them. */
  | { readonly type: 'stop'; readonly isReplaced: boolean }
  | { readonly type: 'members'; readonly count: number }
  | { readonly type: 'budgets'; readonly id: number; readonly answers: readonly BudgetAnswer[] }
  | { readonly type: 'told'; readonly kind: string; readonly body: unknown }
  | { readonly type: 'asked'; readonly id: number; readonly kind: string; readonly body: unknown }
  | { readonly type: 'heard'; readonly id: number; readonly replies: readonly unknown[] }
  /** Calls of a worker that ended while they ran. */
  | { readonly type: 'lost'; readonly calls: readonly CallRecord[] };

/** What a worker tells the parent. */
export type ToParent =
  | { readonly type: 'opened' }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  | ({ readonly type: 'serving' } & Opening)
  | { readonly type: 'budgets'; readonly id: number; readonly asks: readonly BudgetAsk[] }
  | { readonly type: 'tell'; readonly kind: string; readonly body: unknown }
  | { readonly type: 'ask'; readonly id: number; readonly kind: string; readonly body: unknown }
  | { readonly type: 'reply'; readonly id: number; readonly body: unknown }
  /** It has the next of the connections that were sent to it. */
  | { readonly type: 'took' }
  /** A connection comes with it that nobody uses, for another worker. */
  | { readonly type: 'connection' }
  /** Somebody asked this worker alone to end. */
  | { readonly type: 'leaving' }
  /** Calls that have been running for a moment, as they would be recorded if this process ended now. */
  | {
      readonly type: 'running';
      readonly calls: readonly CallRecord[];
      /** Those it told of before that have ended. */
      readonly endedIds: readonly string[];
    }
  /** What it counted, before it ends. */
  | { readonly type: 'counted'; readonly text: string };

/** What a worker wants from the parent or from other workers. */
export type WorkerRequest = Extract<
  ToParent,
  { type: 'budgets' | 'tell' | 'ask' | 'reply' | 'leaving' | 'connection' }
>;

/** What the parent has a worker do. */
export type WorkerOrder = Extract<ToWorker, { type: 'start' | 'serve' | 'connection' | 'leave' | 'stop' }>;
