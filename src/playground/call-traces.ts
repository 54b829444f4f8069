import type { CallRecord, CallStep } from '../domain/call.ts';
import type { Recorder } from '../calls/recorder.ts';
import type { CallStore } from '../storage/ports.ts';

/** Where the time of a call went, and what came of it. */
export interface CallTraceView {
  readonly callId: string;
  readonly tool: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly durationMs: number;
  readonly requestLine: string | null;
  readonly steps: readonly CallStep[];
}

/** Finds the trace of a call that has ended; null when its record could not be kept. */
export type FindTrace = (callId: string) => Promise<CallTraceView | null>;

/** Makes it: what was recorded a moment ago is written first. */
export function createFindTrace(recorder: Pick<Recorder, 'flush'>, calls: Pick<CallStore, 'get'>): FindTrace {
  return async (callId) => {
    await recorder.flush();
    const record = await calls.get(callId);
    return record === null ? null : traceOf(record);
  };
}

function traceOf(record: CallRecord): CallTraceView {
  const { id, toolName, outcome, upstreamStatus, durationMs, requestLine, steps } = record;
  return { callId: id, tool: toolName, outcome, status: upstreamStatus, durationMs, requestLine, steps };
}
