import { HandrailError } from '../../domain/errors.ts';
import { mayRepeat } from '../../pipeline/request/repeatable.ts';
import { retryAfter } from '../../pipeline/reply/errors/retry-after.ts';
import type { Cancellation } from '../../pipeline/call.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import type { Send, SendContext, SendPolicy } from '../../pipeline/send.ts';
import { counted } from '../../lib/text/amounts.ts';

const firstDelayMs = 100;
const maxDelayMs = 10_000;

// Each call earns a fifth of a retry, so that an outage adds at most 20% to an API's load; the reserve allows rare
// failures to be retried immediately.
const earnedPerCall = 0.2;
const reserve = 10;

const retryableStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);
const retryableCodes = new Set(['upstream_unreachable', 'upstream_timeout', 'reply_invalid']);

/** Clock, randomness and waiting; passed in so that tests control them. */
export interface RetryTimes {
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Waits, or ends early when the signal aborts. */
  readonly wait: (ms: number, signal: Cancellation) => Promise<void>;
}

/**
 * Retries transient failures of requests that may be repeated or were never sent. Waits longer each time, with jitter;
 * respects Retry-After; and gives up when the API's retry budget is spent or the wait would exceed the call's deadline.
 */
export function retryPolicy(times: RetryTimes): SendPolicy {
  const budgets = new Map<string, number>();

  const earn = (apiId: string): void => {
    budgets.set(apiId, Math.min(reserve, (budgets.get(apiId) ?? reserve) + earnedPerCall));
  };
  const spend = (apiId: string): boolean => {
    const left = budgets.get(apiId) ?? reserve;
    if (left < 1) return false;
    budgets.set(apiId, left - 1);
    return true;
  };

  return (next) => {
    const send = async (...[request, context]: Parameters<Send>): Promise<Reply> => {
      const apiId = context.tool.api.id;
      const repeatable = mayRepeat(request.plan.method, context.limits);
      const startedAtMs = times.now();
      earn(apiId);
      for (let tries = 1; ; tries++) {
        const since = context.log?.now() ?? 0;
        let reply: Reply | null = null;
        let error: unknown;
        try {
          reply = await next(request, context);
        } catch (thrown) {
          error = thrown;
        }
        const again =
          reply === null ? mayTryAgain(error, repeatable) : repeatable && retryableStatuses.has(reply.status);
        const delayMs = again ? delayBefore(tries, reply, error, times.random()) : 0;
        const lastTry =
          tries > context.limits.retries || context.signal.aborted || !fits(delayMs, context, times.now());
        if (!again || lastTry || !spend(apiId)) {
          if (reply === null) throw withTryCount(error, tries);
          return tries === 1 ? reply : { ...reply, tries, upstreamMs: times.now() - startedAtMs };
        }
        context.log?.add('try', since, reply === null ? codeOf(error) : `HTTP ${reply.status}`);
        const waitingSince = context.log?.now() ?? 0;
        await times.wait(delayMs, context.signal);
        context.log?.add('wait', waitingSince, 'before retrying');
      }
    };
    return (request, context) =>
      context.limits.retries === 0 ? next(request, context) : send(request, context);
  };
}

function codeOf(error: unknown): string {
  return error instanceof HandrailError ? error.code : 'failed';
}

function mayTryAgain(error: unknown, repeatable: boolean): boolean {
  if (!(error instanceof HandrailError) || !retryableCodes.has(error.code)) return false;
  if (error.retry !== 'later') return false;
  return repeatable || error.details.notSent === true;
}

function delayBefore(tries: number, reply: Reply | null, error: unknown, random: number): number {
  const asked =
    reply !== null
      ? retryAfter(reply)
      : error instanceof HandrailError
        ? error.details.retryAfterMs
        : undefined;
  if (asked !== undefined) return asked;
  return random * Math.min(maxDelayMs, firstDelayMs * 2 ** (tries - 1));
}

function fits(delayMs: number, context: SendContext, nowMs: number): boolean {
  return nowMs + delayMs < context.deadlineMs;
}

function withTryCount(error: unknown, tries: number): unknown {
  if (tries === 1 || !(error instanceof HandrailError)) return error;
  return new HandrailError(error.code, `${error.message} (tried ${counted(tries, 'time')})`, error.details, {
    cause: error,
  });
}
