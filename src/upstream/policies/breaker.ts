import { upstreamErrors } from '../../domain/error-messages/upstream.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import type { Send, SendPolicy } from '../../pipeline/send.ts';
import { counted } from '../../lib/text/amounts.ts';
import { objectOr } from '../../lib/json/plain-object.ts';

interface Circuit {
  /** Failures since the last success. */
  failures: number;
  /** Time of the first of them. */
  failingSinceMs: number;
  /** When the API last answered successfully in this process; 0 for never. */
  goodAtMs: number;
  /** Nothing is sent until then; 0 while the circuit is closed. */
  openUntilMs: number;
  probing: boolean;
}

/** A circuit per API: after several consecutive failures nothing is sent for a while, then one call probes. */
export interface Breaker {
  readonly policy: SendPolicy;
  /** False while the API's circuit is open. */
  isClosed(apiId: string): boolean;
  /** Resets an API's circuit after its operator changed the API. */
  reset(apiId: string): void;
  /** Applies what another process found out, unless this one knows better. */
  applyHint(hint: CircuitHint): void;
}

/** What a process publishes when its circuit opens, stays open or closes. Uses durations, because clocks differ. */
export interface CircuitHint {
  readonly apiId: string;
  readonly failures: number;
  /** How long ago the first of these failures happened. */
  readonly failingForMs: number;
  /** 0 if it closed. */
  readonly openForMs: number;
}

/** Callbacks for circuit changes. */
export interface CircuitListeners {
  /** An API's circuit opened or closed here, by a call or by a hint. */
  readonly onChange?: (apiId: string, closed: boolean) => void;
  /** A call in this process opened or closed it: publish that to other processes. */
  readonly publish?: (hint: CircuitHint) => void;
}

const failureCodes = new Set(['upstream_unreachable', 'upstream_timeout', 'reply_invalid']);

// Upper bound for hints from other processes.
const maxHintMs = 600_000;

export function createBreaker(now: () => number, listeners: CircuitListeners = {}): Breaker {
  const { onChange = () => {}, publish = () => {} } = listeners;
  const circuits = new Map<string, Circuit>();

  function circuitOf(apiId: string): Circuit {
    let circuit = circuits.get(apiId);
    if (circuit === undefined) {
      circuit = { failures: 0, failingSinceMs: 0, goodAtMs: 0, openUntilMs: 0, probing: false };
      circuits.set(apiId, circuit);
    }
    return circuit;
  }

  /** Returns whether it was open. */
  const close = (apiId: string, circuit: Circuit): boolean => {
    const wasOpen = circuit.openUntilMs !== 0;
    circuit.failures = 0;
    circuit.openUntilMs = 0;
    circuit.probing = false;
    if (wasOpen) onChange(apiId, true);
    return wasOpen;
  };

  const succeed = (apiId: string, circuit: Circuit): void => {
    circuit.goodAtMs = now();
    if (circuit.failures === 0 && circuit.openUntilMs === 0) return;
    if (close(apiId, circuit)) publish({ apiId, failures: 0, failingForMs: 0, openForMs: 0 });
  };

  const fail = (apiId: string, circuit: Circuit, maxFailures: number, openMs: number): void => {
    const nowMs = now();
    circuit.probing = false;
    if (circuit.failures++ === 0) circuit.failingSinceMs = nowMs;
    if (circuit.failures < maxFailures && circuit.openUntilMs === 0) return;
    const wasClosed = circuit.openUntilMs === 0;
    circuit.openUntilMs = nowMs + openMs;
    if (wasClosed) onChange(apiId, false);
    const { failures, failingSinceMs } = circuit;
    publish({ apiId, failures, failingForMs: nowMs - failingSinceMs, openForMs: openMs });
  };

  const policy: SendPolicy = (next) => {
    const send = async (...[request, context]: Parameters<Send>): Promise<Reply> => {
      const { breakerFailures, breakerOpenMs } = context.limits;
      const apiId = context.tool.api.id;
      const circuit = circuitOf(apiId);
      let probe = false;
      if (circuit.openUntilMs !== 0) {
        const leftMs = circuit.openUntilMs - now();
        if (leftMs > 0 || circuit.probing)
          throw circuitOpenError(context.tool.api.slug, circuit.failures, Math.max(leftMs, 1_000));
        probe = circuit.probing = true;
      }
      try {
        const reply = await next(request, context);
        if (reply.status >= 500) fail(apiId, circuit, breakerFailures, breakerOpenMs);
        else succeed(apiId, circuit);
        return reply;
      } catch (error) {
        if (error instanceof HandrailError && failureCodes.has(error.code))
          fail(apiId, circuit, breakerFailures, breakerOpenMs);
        // The caller left, or we rejected the call: that says nothing about the upstream, so the next call probes.
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
    applyHint({ apiId, failures, failingForMs, openForMs }) {
      const circuit = circuitOf(apiId);
      if (openForMs === 0) {
        close(apiId, circuit);
        return;
      }
      const nowMs = now();
      // An API that answered here while it failed there is not down: the problem is between it and the other process.
      const isBetterHere = circuit.goodAtMs !== 0 && circuit.goodAtMs >= nowMs - failingForMs;
      if (circuit.openUntilMs !== 0 || isBetterHere) return;
      circuit.failures = Math.max(circuit.failures, failures);
      circuit.failingSinceMs = nowMs - failingForMs;
      circuit.openUntilMs = nowMs + Math.min(openForMs, maxHintMs);
      onChange(apiId, false);
    },
  };
}

function circuitOpenError(slug: string, failures: number, leftMs: number): HandrailError {
  return upstreamErrors.circuitOpen(
    { slug, times: counted(failures, 'time') },
    { retryAfterMs: leftMs, notSent: true },
  );
}

/** Parses a circuit hint from another process; null if it is not one, since other versions may send other formats. */
export function readCircuitHint(body: unknown): CircuitHint | null {
  const { apiId, failures, failingForMs, openForMs } = objectOr(body);
  return typeof apiId === 'string' && isCount(failures) && isCount(failingForMs) && isCount(openForMs)
    ? { apiId, failures, failingForMs, openForMs }
    : null;
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
