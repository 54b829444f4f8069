import { callsErrors } from '../domain/error-messages/calls.ts';
import type { CallRecord } from '../domain/call.ts';
import type { CallTrace, RunningCall } from '../pipeline/call.ts';
import { makeRecord } from './make-record.ts';

/** Tracks running calls, so that another process can record them if this one ends before they do. */
export interface RunningCalls {
  begun(trace: CallTrace): RunningCall;
  close(): void;
}

export interface RunningCallsOptions {
  readonly keepsContents: () => boolean;
  readonly now: () => number;
  readonly report: (begun: readonly CallRecord[], endedIds: readonly string[]) => void;
}

const reportEveryMs = 250;
const maxReported = 10_000;

/**
 * Periodically reports calls that have been running for a moment, and the end of those it reported. It uses an array
 * whose items know their index instead of a Set, for the reason given in src/upstream/deadlines.ts.
 */
export function createRunningCalls(options: RunningCallsOptions): RunningCalls {
  const running: ListedCall[] = [];
  let endedIds: string[] = [];
  let reported = 0;
  const lost = callsErrors.processEnded();

  class ListedCall implements RunningCall {
    readonly trace: CallTrace;
    /** The ID under which it was reported. */
    reportedId: string | null = null;
    #slot: number;

    constructor(trace: CallTrace) {
      this.trace = trace;
      this.#slot = running.push(this) - 1;
    }

    ended(): void {
      const last = running.pop()!;
      if (last !== this) {
        running[this.#slot] = last;
        last.#slot = this.#slot;
      }
      if (this.reportedId === null) return;
      endedIds.push(this.reportedId);
      reported--;
    }
  }

  function report(): void {
    const begun: CallRecord[] = [];
    const nowMs = options.now();
    for (const call of running) {
      const { trace } = call;
      const durationMs = nowMs - trace.startedAtMs;
      if (call.reportedId !== null || durationMs < reportEveryMs) continue;
      if (reported >= maxReported) break;
      const outcome = { kind: 'failed', error: lost } as const;
      const record = makeRecord({ ...trace, outcome, durationMs }, options.keepsContents());
      call.reportedId = record.id;
      reported++;
      begun.push(record);
    }
    if (begun.length === 0 && endedIds.length === 0) return;
    options.report(begun, endedIds);
    endedIds = [];
  }

  const timer = setInterval(report, reportEveryMs).unref();
  return {
    begun: (trace) => new ListedCall(trace),
    close: () => clearInterval(timer),
  };
}
