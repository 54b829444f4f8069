import { demoBaseUrl } from '../domain/api.ts';
import { upstreamErrors } from '../domain/error-messages/upstream.ts';
import { MemoryBudget } from '../lib/memory/memory-budget.ts';
import type { Send } from '../pipeline/send.ts';
import type { EgressGuard } from './connections/egress.ts';
import { createEgressGuard } from './connections/egress.ts';
import { createPools } from './connections/pools.ts';
import { createSendOver } from './send-over.ts';

/** The plain send: one request, one reply, no policy. */
export interface Sender {
  readonly send: Send;
  close(): Promise<void>;
}

/** Creates the plain send over the network. `demo` returns the origin of this process's listener for the built-in demo API. */
export function createSend(options: {
  readonly guard: EgressGuard;
  readonly now: () => number;
  readonly demo?: () => string | null;
  readonly memory?: MemoryBudget;
}): Sender {
  const { now, demo, memory = new MemoryBudget() } = options;
  const pools = createPools(options.guard, now);
  // No one can enter the built-in API's address, so only that API may reach our loopback listener.
  const demoPools = createPools(createEgressGuard({ allow: ['127.0.0.0/8', '::1'] }), now);

  const send = createSendOver({
    now,
    memory,
    connectionsFor: (origin, request, { limits, tool }) =>
      origin === demoBaseUrl
        ? demoPools.get(demoOrigin(tool.api.builtIn === true, demo), {
            connectTimeoutMs: limits.connectTimeoutMs,
          })
        : pools.get(origin, {
            connectTimeoutMs: limits.connectTimeoutMs,
            egressAllow: tool.api.egressAllow,
            tls: request.tls,
            identity: request.credentialIdentity,
          }),
  });

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
