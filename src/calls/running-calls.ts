import { HandrailError } from '../domain/errors.ts';
import type { CallRecord } from '../domain/call.ts';
import type { CallTrace, RunningCall } from '../pipeline/call.ts';
import { makeRecord } from './make-record.ts';

/** Knows which calls run, so that somebody else can record them should this process end before they do. */
export interface RunningCalls {
  begun(trace: CallTrace): RunningCall;
  close(): void;
}

export interface RunningCallsOptions {
  readonly keepsContents: () => boolean;
  readonly now: () => number;
  readonly tell: (begun: readonly CallRecord[], endedIds: readonly string[]) => void;
}

const tellEveryMs = 250;
const maxErrorCharacters = 10_000;

/**
 * Tells now and then of calls that have been running for a moment, and of the end of those that it told of. A list whose
 * items know their place, not a Set, for the reason that src/upstream/deadlines.ts gives.
 */
export function createRunningCalls(options: RunningCallsOptions): RunningCalls {
  const running: ListedCall[] = [];
  let endedIds: string[] = [];
  let told = 0;
  const lost = new HandrailError(
    'internal',
    'The process that made this call ended before the call was answered.',
  );

  class ListedCall implements RunningCall {
    readonly trace: CallTrace;
    /** The id it was told of with. */
    toldId: string | null = null;
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
      if (this.toldId === null) return;
      endedIds.push(this.toldId);
      told--;
    }
  }

  function tell(): void {
    const begun: CallRecord[] = [];
    const nowMs = options.now();
    for (const call of running) {
      const { trace } = call;
      const durationMs = nowMs - trace.startedAtMs;
      if (call.toldId !== null || durationMs < tellEveryMs) continue;
      if (told >= maxErrorCharacters) break;
      const outcome = { kind: 'failed', error: lost } as const;
      const record = makeRecord({ ...trace, outcome, durationMs }, options.keepsContents());
      call.toldId = record.id;
      told++;
      begun.push(record);
    }
    if (begun.length === 0 && endedIds.length === 0) return;
    options.tell(begun, endedIds);
    endedIds = [];
  }

  const timer = setInterval(tell, tellEveryMs).unref();
  return {
    begun: (trace) => new ListedCall(trace),
    close: () => clearInterval(timer),
  };
}
