import type { SharedBudgets, TurnLoad } from '../../budgets/shared-budgets.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { Cancellation } from '../../pipeline/call.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import type { SendContext, SendPolicy } from '../../pipeline/send.ts';
import type { SignedRequest } from '../../pipeline/request/signed-request.ts';
import { Deadlines, TimedWork } from '../deadlines.ts';

interface CallQueue {
  /** Tells it from every other, also among processes. */
  readonly key: string;
  /** Whether the ledger of shared limits was asked for it. */
  isShared: boolean;
  running: number;
  readonly waiting: Set<QueuedCall>;
  /** Both as they are whenever it is looked at. */
  readonly load: TurnLoad;
}

/** How much is under way, of all queues together; kept up to date by the policy. */
export interface Load {
  running: number;
  waiting: number;
}

/**
 * Bounds how many requests run at once for an API, or for a tool that sets its own limit; a bounded number waits in line.
 * With `budgets`, processes that share a store share the bound.
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

    /** Lets those in line go for whom there is room now. */
    function advance(queue: CallQueue, most: number): void {
      for (const first of queue.waiting) {
        if (queue.running >= mayRun(queue, most)) return;
        queue.waiting.delete(first);
        load.waiting--;
        deadlines.delete(first);
        first.go();
      }
    }

    /** How many may run here now; asked for again when others leave room. */
    function mayRun(queue: CallQueue, most: number, coming = 0): number {
      if (budgets === null) return most;
      const unasked = budgets.turnsUnasked(most);
      if (queue.running < unasked) return unasked;
      queue.isShared = true;
      return budgets.turns(queue.key, most, queue.load, coming, () => advance(queue, most));
    }

    return (request, context) => {
      const queue = queueOf(context);
      const { maxConcurrent, maxQueued } = context.limits;
      if (queue.waiting.size === 0 && queue.running < mayRun(queue, maxConcurrent, 1))
        return enter(queue, request, context);
      if (queue.waiting.size >= maxQueued) return Promise.reject(busy(context));
      const since = context.log?.now() ?? 0;
      return new Promise<Reply>((resolve, reject) => {
        const waiting = new QueuedCall(
          context,
          () => {
            context.log?.add('wait', since, 'in line');
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

  constructor(context: SendContext, go: () => void, fail: (error: HandrailError) => void) {
    super();
    this.deadlineMs = context.deadlineMs;
    this.signal = context.signal;
    this.go = go;
    this.#fail = fail;
  }

  stop(why: 'deadline' | 'cancelled'): void {
    this.#fail(
      why === 'cancelled'
        ? new HandrailError('cancelled', 'The caller went away while the call waited its turn.', {
            notSent: true,
          })
        : new HandrailError(
            'overloaded',
            'Too many calls to this API run at once: the call waited its turn in vain.',
            { notSent: true },
          ),
    );
  }
}

function busy({ tool, limits }: SendContext): HandrailError {
  return new HandrailError(
    'overloaded',
    `Too many calls to the API "${tool.api.slug}" run at once: ${limits.maxConcurrent} are under way and ${limits.maxQueued} wait.`,
    { retryAfterMs: 1_000, notSent: true },
  );
}
