import { upstreamErrors } from '../domain/error-messages/upstream.ts';
import type { MemoryBudget } from '../lib/memory/memory-budget.ts';
import { mayRepeat } from '../pipeline/request/repeatable.ts';
import type { SignedRequest } from '../pipeline/request/signed-request.ts';
import type { Send, SendContext } from '../pipeline/send.ts';
import { Deadlines } from './deadlines.ts';
import { type Connections, exchange, tooManyLargeRepliesError } from './exchange.ts';

/** Creates the plain send over whatever carries its requests: the network, or the app that Handrail is mounted in. */
export function createSendOver(options: {
  readonly connectionsFor: (origin: string, request: SignedRequest, context: SendContext) => Connections;
  readonly now: () => number;
  readonly memory: MemoryBudget;
}): Send {
  const { connectionsFor, now, memory } = options;
  const deadlines = new Deadlines(now);

  const begin: Send = (request, context) => {
    const plan = request.reveal();
    const { limits } = context;
    if (context.signal.aborted) {
      throw upstreamErrors.callerLeftBeforeSending({ notSent: true });
    }
    if (memory.isFull) throw tooManyLargeRepliesError(true);
    if (now() >= context.deadlineMs) {
      throw upstreamErrors.timedOutBeforeSending({ notSent: true });
    }
    return exchange(
      connectionsFor(plan.origin, request, context),
      plan,
      {
        firstByteTimeoutMs: limits.firstByteTimeoutMs,
        maxReplyBytes: limits.maxReplyBytes,
        deadlineMs: context.deadlineMs,
        signal: context.signal,
        mayRepeat: mayRepeat(plan.method, limits),
        files: context.files,
        call: context.call,
        request,
        holder: context.holder,
      },
      deadlines,
      memory,
    );
  };
  // Not an async function: every call awaits this promise, and another one around it has a measurable cost.
  return (request, context) => {
    try {
      return begin(request, context);
    } catch (refusal) {
      return Promise.reject(refusal);
    }
  };
}
