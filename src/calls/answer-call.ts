import type { Call, CallTrace, FittedReply, Outcome, RunCall } from '../pipeline/call.ts';

/**
 * Answers a call for a surface: runs it, fits the outcome to its reader, and records what happened and what was read.
 * A model gets what it may read, with `select` applied; every other reader gets the whole outcome.
 */
export type AnswerCall = (call: Call, forModel?: ModelReader) => Promise<Outcome>;

/** How a model reads the reply. */
export interface ModelReader {
  /** A jq expression that picks part of it. */
  readonly select?: string | undefined;
}

/** Creates the one place where calls are recorded, for every surface. */
export function createAnswerCall(options: {
  readonly run: RunCall;
  /** Fits the outcome to what a model may read. */
  readonly fit: (trace: CallTrace, select?: string) => FittedReply | Promise<FittedReply>;
  readonly record: (trace: CallTrace) => void;
}): AnswerCall {
  const { run, fit, record } = options;

  async function fitLater(trace: CallTrace, fitting: Promise<FittedReply>): Promise<Outcome> {
    try {
      const { outcome, read } = await fitting;
      record({ ...trace, read });
      return outcome;
    } catch (thrown) {
      record(trace);
      throw thrown;
    } finally {
      trace.held?.release();
    }
  }

  return async (call, forModel) => {
    const trace = await run(call);
    const fitted = forModel === undefined ? trace : fit(trace, forModel.select);
    if (fitted instanceof Promise) return fitLater(trace, fitted);
    record(trace);
    // The answer is written in this event-loop tick, and its bytes are counted from then on.
    trace.held?.release();
    return fitted.outcome;
  };
}
