import { objectOr } from '../../lib/json/plain-object.ts';
import type { CircuitHint } from './breaker.ts';

/** Reads what another process told of a circuit; null when it is no such thing, as another version may have others. */
export function readCircuitHint(body: unknown): CircuitHint | null {
  const { apiId, failures, failingForMs, openForMs } = objectOr(body);
  return typeof apiId === 'string' && isCount(failures) && isCount(failingForMs) && isCount(openForMs)
    ? { apiId, failures, failingForMs, openForMs }
    : null;
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
