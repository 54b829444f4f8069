import { demoBaseUrl } from '../domain/api.ts';
import { upstreamErrors } from '../domain/error-messages/upstream.ts';
import { MemoryBudget } from '../lib/memory/memory-budget.ts';
import { mayRepeat } from '../pipeline/request/repeatable.ts';
import type { Send } from '../pipeline/send.ts';
import { Deadlines } from './deadlines.ts';
import type { EgressGuard } from './connections/egress.ts';
import { createEgressGuard } from './connections/egress.ts';
import { exchange, tooManyLargeRepliesError } from './exchange.ts';
import { createPools } from './connections/pools.ts';

/** The plain send: one request, one reply, no policy. */
export interface Sender {
  readonly send: Send;
  close(): Promise<void>;
}

/** Creates the plain send. `demo` returns the origin of this process's listener for the built-in demo API. */
export function createSend(options: {
  readonly guard: EgressGuard;
  readonly now: () => number;
  readonly demo?: () => string | null;
  readonly memory?: MemoryBudget;
}): Sender {
  const { now, demo, memory = new MemoryBudget() } = options;
  const deadlines = new Deadlines(now);
  const pools = createPools(options.guard, now);
  // No one can enter the built-in API's address, so only that API may reach our loopback listener.
  const demoPools = createPools(createEgressGuard({ allow: ['127.0.0.0/8', '::1'] }), now);

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
    const pool =
      plan.origin === demoBaseUrl
        ? demoPools.get(demoOrigin(context.tool.api.builtIn === true, demo), {
            connectTimeoutMs: limits.connectTimeoutMs,
          })
        : pools.get(plan.origin, {
            connectTimeoutMs: limits.connectTimeoutMs,
            egressAllow: context.tool.api.egressAllow,
            tls: request.tls,
            identity: request.credentialIdentity,
          });
    return exchange(
      pool,
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
  const send: Send = (request, context) => {
    try {
      return begin(request, context);
    } catch (refusal) {
      return Promise.reject(refusal);
    }
  };

  return {
    send,
    async close() {
      await Promise.all([pools.close(), demoPools.close()]);
    },
  };
}

function demoOrigin(builtIn: boolean, demo: (() => string | null) | undefined): string {
  const origin = builtIn ? (demo?.() ?? null) : null;
  if (origin === null) {
    throw upstreamErrors.demoNotServed({ notSent: true });
  }
  return origin;
}
