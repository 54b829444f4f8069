import type { SharedBudgets, TurnLoad } from '../../budgets/shared-budgets.ts';
import { upstreamErrors } from '../../domain/error-messages/upstream.ts';
import type { HandrailError } from '../../domain/errors.ts';
import type { Cancellation } from '../../pipeline/call.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import type { SendContext, SendPolicy } from '../../pipeline/send.ts';
import type { SignedRequest } from '../../pipeline/request/signed-request.ts';
import { Deadlines, TimedWork } from '../deadlines.ts';

interface CallQueue {
  /** Unique, also across processes. */
  readonly key: string;
  /** Whether the shared ledger was asked about it. */
  isShared: boolean;
  running: number;
  readonly waiting: Set<QueuedCall>;
  /** The live values of both. */
  readonly load: TurnLoad;
}

/** Running and waiting calls over all queues; kept up to date by the policy. */
export interface Load {
  running: number;
  waiting: number;
}

/**
 * Limits how many requests run concurrently for an API, or for a tool with its own limit; a limited number waits in a
 * queue. With `budgets`, processes that share a store share the limit.
 */
export function concurrencyPolicy(
  now: () => number,
  load: Load = { running: 0, waiting: 0 },
  budgets: SharedBudgets | null = null,
): SendPolicy {
  const queues = new Map<string, CallQueue>();
  const deadlines = new Deadlines(now);

  function queueOf(context: SendContext): CallQueue {
    const { tool, api } = context.tool;
    const key = tool.limits?.maxConcurrent === undefined ? api.id : tool.id;
    let queue = queues.get(key);
    if (queue === undefined) queues.set(key, (queue = createQueue(key)));
    return queue;
  }

  return (next) => {
    async function enter(queue: CallQueue, request: SignedRequest, context: SendContext): Promise<Reply> {
      queue.running++;
      load.running++;
      try {
        return await next(request, context);
      } finally {
        queue.running--;
        load.running--;
        if (queue.isShared) budgets?.turnEnded(queue.key);
        if (queue.waiting.size > 0) advance(queue, context.limits.maxConcurrent);
      }
    }

    /** Starts queued calls while there are free slots. */
    function advance(queue: CallQueue, limit: number): void {
      for (const first of queue.waiting) {
        if (queue.running >= mayRun(queue, limit)) return;
        queue.waiting.delete(first);
        load.waiting--;
        deadlines.delete(first);
        first.go();
      }
    }

    /** How many may run in this process now; re-evaluated when other processes free slots. */
    function mayRun(queue: CallQueue, limit: number, coming = 0): number {
      if (budgets === null) return limit;
      const unasked = budgets.turnsUnasked(limit);
      if (queue.running < unasked) return unasked;
      queue.isShared = true;
      return budgets.turns(queue.key, limit, queue.load, coming, () => advance(queue, limit));
    }

    return (request, context) => {
      const queue = queueOf(context);
      const { maxConcurrent, maxQueued } = context.limits;
      if (queue.waiting.size === 0 && queue.running < mayRun(queue, maxConcurrent, 1))
        return enter(queue, request, context);
      if (queue.waiting.size >= maxQueued) return Promise.reject(queueFull(context));
      const since = context.log?.now() ?? 0;
      return new Promise<Reply>((resolve, reject) => {
        const waiting = new QueuedCall(
          context,
          () => {
            context.log?.add('wait', since, 'in the queue');
            resolve(enter(queue, request, context));
          },
          (error) => {
            if (queue.waiting.delete(waiting)) load.waiting--;
            reject(error);
          },
        );
        queue.waiting.add(waiting);
        load.waiting++;
        deadlines.add(waiting);
      });
    };
  };
}

function createQueue(key: string): CallQueue {
  const queue: CallQueue = {
    key: `turns ${key}`,
    isShared: false,
    running: 0,
    waiting: new Set(),
    load: {
      get running() {
        return queue.running;
      },
      get waiting() {
        return queue.waiting.size;
      },
    },
  };
  return queue;
}

class QueuedCall extends TimedWork {
  readonly deadlineMs: number;
  readonly signal: Cancellation;
  readonly go: () => void;
  readonly #fail: (error: HandrailError) => void;
  readonly #queue: { readonly slug: string; readonly maxConcurrent: number };

  constructor(context: SendContext, go: () => void, fail: (error: HandrailError) => void) {
    super();
    this.deadlineMs = context.deadlineMs;
    this.signal = context.signal;
    this.go = go;
    this.#queue = { slug: context.tool.api.slug, maxConcurrent: context.limits.maxConcurrent };
    this.#fail = fail;
  }

  stop(why: 'deadline' | 'cancelled'): void {
    this.#fail(
      why === 'cancelled'
        ? upstreamErrors.callerLeftInQueue({ notSent: true })
        : upstreamErrors.queueTimeout(this.#queue, { notSent: true }),
    );
  }
}

function queueFull({ tool, limits }: SendContext): HandrailError {
  const { maxConcurrent, maxQueued } = limits;
  return upstreamErrors.queueFull(
    { slug: tool.api.slug, maxConcurrent, maxQueued },
    { retryAfterMs: 1_000, notSent: true },
  );
}
