import type { SharedBudgets } from '../../budgets/shared-budgets.ts';
import type { Cancellation } from '../../pipeline/call.ts';
import type { SendPolicies } from '../../pipeline/send.ts';
import type { Breaker, CircuitListeners } from './breaker.ts';
import { createBreaker } from './breaker.ts';
import { cachePolicy } from './cache.ts';
import { concurrencyPolicy, type Load } from './concurrency.ts';
import { Deadlines, TimedWork } from '../deadlines.ts';
import { redirectPolicy } from './redirects.ts';
import type { RetryTimes } from './retry.ts';
import { retryPolicy } from './retry.ts';

/** The policies of a gateway, and the state they expose. */
export interface Policies {
  readonly sendPolicies: SendPolicies;
  readonly breaker: Breaker;
  readonly load: Readonly<Load>;
}

export function createPolicies(options: {
  readonly now: () => number;
  readonly retryTimes?: RetryTimes;
  readonly circuits?: CircuitListeners;
  /** Shared with other processes; null if there are none. */
  readonly budgets?: SharedBudgets | null;
}): Policies {
  const { now, budgets = null } = options;
  const breaker = createBreaker(now, options.circuits);
  const load: Load = { running: 0, waiting: 0 };
  return {
    breaker,
    load,
    sendPolicies: {
      cache: cachePolicy(now),
      retry: retryPolicy(options.retryTimes ?? { now, random: Math.random, wait: waiting(now) }),
      breaker: breaker.policy,
      concurrency: concurrencyPolicy(now, load, budgets),
      redirects: redirectPolicy,
    },
  };
}

/** Waits. A caller disconnecting ends the wait early; the next step notices that and reports it. */
export function waiting(now: () => number): RetryTimes['wait'] {
  const deadlines = new Deadlines(now);
  return (ms, signal) => new Promise((resolve) => deadlines.add(new Pause(now() + ms, signal, resolve)));
}

class Pause extends TimedWork {
  readonly deadlineMs: number;
  readonly signal: Cancellation;
  readonly stop: () => void;

  constructor(deadlineMs: number, signal: Cancellation, stop: () => void) {
    super();
    this.deadlineMs = deadlineMs;
    this.signal = signal;
    this.stop = stop;
  }
}
