import { randomUUID } from 'node:crypto';
import type { Limits } from '../../domain/limits.ts';
import type { RequestPlan } from './request-plan.ts';

// RFC 9110 section 9.2.2, and QUERY, which is safe by definition.
const idempotentMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'QUERY']);
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY']);

/** Whether a request may be sent again after an attempt that may have had an effect. */
export function mayRepeat(method: string, limits: Limits): boolean {
  return idempotentMethods.has(method) || limits.idempotencyKeyHeader !== null;
}

/** The request with an idempotency key, the same for all attempts, if the limits name a header for it. */
export function withIdempotencyKey(plan: RequestPlan, limits: Limits): RequestPlan {
  const header = limits.idempotencyKeyHeader?.toLowerCase();
  if (header === undefined || safeMethods.has(plan.method) || plan.headers[header] !== undefined) return plan;
  return { ...plan, headers: { ...plan.headers, [header]: randomUUID() } };
}
