import { randomBytes } from 'node:crypto';
import type { TraceContext } from '../domain/call.ts';
import type { RequestPlan } from './request/request-plan.ts';

const format = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Continues the client's trace, or starts one if `always`; otherwise null. */
export function traceContextOf(traceparent: unknown, always: boolean): TraceContext | null {
  const match = typeof traceparent === 'string' ? format.exec(traceparent) : null;
  const known = match !== null && !/^0+$/.test(match[1]!) && !/^0+$/.test(match[2]!) ? match : null;
  if (known === null && !always) return null;
  return {
    traceId: known?.[1] ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    sendSpanId: randomBytes(8).toString('hex'),
    parentId: known?.[2] ?? null,
    sampled: known === null || (Number.parseInt(known[3]!, 16) & 1) === 1,
  };
}

/** The trace context of a call made by another call. */
export function childTrace({ traceId, spanId, sampled }: TraceContext): TraceContext {
  return {
    traceId,
    spanId: randomBytes(8).toString('hex'),
    sendSpanId: randomBytes(8).toString('hex'),
    parentId: spanId,
    sampled,
  };
}

/** The plan with the trace header added, unless the tool sends that header itself. */
export function withTrace(plan: RequestPlan, trace: TraceContext | null): RequestPlan {
  if (trace === null || plan.headers['traceparent'] !== undefined) return plan;
  const traceparent = `00-${trace.traceId}-${trace.sendSpanId}-${trace.sampled ? '01' : '00'}`;
  return { ...plan, headers: { ...plan.headers, traceparent } };
}
