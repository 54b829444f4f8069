import { HandrailError } from '../../domain/errors.ts';
import type { Reply, Send, SendPolicy } from '../../pipeline/types.ts';
import { counted } from '../../lib/text/counted.ts';

interface Circuit {
  /** Failures since the last success. */
  failures: number;
  /** Until then nothing is sent; 0 while the circuit is closed. */
  openUntilMs: number;
  probing: boolean;
}

/** A circuit for each API: after several failures in a row nothing is sent for a while, then one call tries. */
export interface Breaker {
  readonly policy: SendPolicy;
  /** False while the API's circuit is open. */
  isClosed(apiId: string): boolean;
  /** Forgets what is known about an API, after its operator changed it. */
  reset(apiId: string): void;
}

const failureCodes = new Set(['upstream_unreachable', 'upstream_timeout', 'reply_invalid']);

/** Makes the breaker. `onChange` hears when an API's circuit opens or closes. */
export function createBreaker(
  now: () => number,
  onChange: (apiId: string, closed: boolean) => void = () => {},
): Breaker {
  const circuits = new Map<string, Circuit>();

  const succeed = (apiId: string, circuit: Circuit): void => {
    const wasOpen = circuit.openUntilMs !== 0;
    circuit.failures = 0;
    circuit.openUntilMs = 0;
    circuit.probing = false;
    if (wasOpen) onChange(apiId, true);
  };

  const fail = (apiId: string, circuit: Circuit, most: number, openMs: number): void => {
    circuit.probing = false;
    circuit.failures++;
    if (circuit.failures < most && circuit.openUntilMs === 0) return;
    const wasClosed = circuit.openUntilMs === 0;
    circuit.openUntilMs = now() + openMs;
    if (wasClosed) onChange(apiId, false);
  };

  const policy: SendPolicy = (next) => {
    const send = async (...[request, context]: Parameters<Send>): Promise<Reply> => {
      const { breakerFailures, breakerOpenMs } = context.limits;
      const apiId = context.tool.api.id;
      let circuit = circuits.get(apiId);
      if (circuit === undefined)
        circuits.set(apiId, (circuit = { failures: 0, openUntilMs: 0, probing: false }));
      let probe = false;
      if (circuit.openUntilMs !== 0) {
        const leftMs = circuit.openUntilMs - now();
        if (leftMs > 0 || circuit.probing)
          throw isOpen(context.tool.api.slug, circuit.failures, Math.max(leftMs, 1_000));
        probe = circuit.probing = true;
      }
      try {
        const reply = await next(request, context);
        if (reply.status >= 500) fail(apiId, circuit, breakerFailures, breakerOpenMs);
        else if (circuit.failures > 0 || circuit.openUntilMs !== 0) succeed(apiId, circuit);
        return reply;
      } catch (error) {
        if (error instanceof HandrailError && failureCodes.has(error.code))
          fail(apiId, circuit, breakerFailures, breakerOpenMs);
        // The caller left, or we refused: that says nothing about the upstream, so the next call probes.
        else if (probe) circuit.probing = false;
        throw error;
      }
    };
    return (request, context) =>
      context.limits.breakerFailures === 0 ? next(request, context) : send(request, context);
  };

  return {
    policy,
    isClosed: (apiId) => (circuits.get(apiId)?.openUntilMs ?? 0) === 0,
    reset: (apiId) => void circuits.delete(apiId),
  };
}

function isOpen(slug: string, failures: number, leftMs: number): HandrailError {
  return new HandrailError(
    'circuit_open',
    `The API "${slug}" failed ${counted(failures, 'time')} in a row, so nothing is sent to it for a while.`,
    { retryAfterMs: leftMs, notSent: true },
  );
}
