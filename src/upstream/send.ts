import { demoBaseUrl } from '../domain/api.ts';
import { HandrailError } from '../domain/errors.ts';
import { MemoryBudget } from '../lib/memory/memory-budget.ts';
import { mayRepeat } from '../pipeline/request/repeatable.ts';
import type { Send } from '../pipeline/send.ts';
import { Deadlines } from './deadlines.ts';
import type { EgressGuard } from './connections/egress.ts';
import { createEgressGuard } from './connections/egress.ts';
import { exchange, noRoom } from './exchange.ts';
import { createPools } from './connections/pools.ts';

/** The plain send: one request, one reply, no policy. */
export interface Sender {
  readonly send: Send;
  close(): Promise<void>;
}

/** Makes the plain send. `demo` gives the origin of this process's own listener, which the built-in API is served from. */
export function createSend(options: {
  readonly guard: EgressGuard;
  readonly now: () => number;
  readonly demo?: () => string | null;
  readonly memory?: MemoryBudget;
}): Sender {
  const { now, demo, memory = new MemoryBudget() } = options;
  const deadlines = new Deadlines(now);
  const pools = createPools(options.guard, now);
  // The built-in API's address is our own, not something anyone can enter: it alone may reach our loopback listener.
  const demoPools = createPools(createEgressGuard({ allow: ['127.0.0.0/8', '::1'] }), now);

  const begin: Send = (request, context) => {
    const plan = request.reveal();
    const { limits } = context;
    if (context.signal.aborted) {
      throw new HandrailError('cancelled', 'The caller went away before anything was sent.', {
        notSent: true,
      });
    }
    if (memory.isFull) throw noRoom(true);
    if (now() >= context.deadlineMs) {
      throw new HandrailError('upstream_timeout', 'The time for this call was over before it was sent.', {
        notSent: true,
      });
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
        holder: context.holder,
      },
      deadlines,
      memory,
    );
  };
  // Not an async function: every call waits for this promise, and another around it costs as much as looking for faults.
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
    throw new HandrailError(
      'egress_refused',
      'The demo API is not served here: it runs on a loopback address with the embedded database, or with --demo.',
      {
        notSent: true,
      },
    );
  }
  return origin;
}
