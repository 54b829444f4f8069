import { HandrailError } from '../domain/errors.ts';
import type { CallRecord } from '../domain/call.ts';
import type { CallTrace } from '../pipeline/types.ts';
import { makeRecord } from './make-record.ts';

/** Knows which calls run, so that somebody else can record them should this process end before they do. */
export interface RunningCalls {
  begun(trace: CallTrace): void;
  ended(trace: CallTrace): void;
  close(): void;
}

const tellEveryMs = 250;
const mostTold = 10_000;

export interface RunningCallsOptions {
  readonly keepsContents: () => boolean;
  readonly now: () => number;
  readonly tell: (begun: readonly CallRecord[], endedIds: readonly string[]) => void;
}

/** Tells now and then of calls that have been running for a moment, and of the end of those that it told of. */
export function createRunningCalls(options: RunningCallsOptions): RunningCalls {
  const running = new Set<CallTrace>();
  const told = new Map<CallTrace, string>();
  let endedIds: string[] = [];
  const lost = new HandrailError(
    'internal',
    'The process that made this call ended before the call was answered.',
  );

  function tell(): void {
    const begun: CallRecord[] = [];
    const nowMs = options.now();
    for (const trace of running) {
      if (told.has(trace) || nowMs - trace.startedAtMs < tellEveryMs) continue;
      if (told.size >= mostTold) break;
      const asLost = {
        ...trace,
        outcome: { kind: 'failed', error: lost } as const,
        durationMs: nowMs - trace.startedAtMs,
      };
      const record = makeRecord(asLost, options.keepsContents());
      told.set(trace, record.id);
      begun.push(record);
    }
    if (begun.length === 0 && endedIds.length === 0) return;
    options.tell(begun, endedIds);
    endedIds = [];
  }

  const timer = setInterval(tell, tellEveryMs).unref();
  return {
    begun: (trace) => void running.add(trace),
    ended(trace) {
      running.delete(trace);
      const id = told.get(trace);
      if (id === undefined) return;
      told.delete(trace);
      endedIds.push(id);
    },
    close: () => clearInterval(timer),
  };
}
