import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { CallRecord } from '../domain/call.ts';
import { codeErrors } from '../domain/error-messages/code.ts';
import { errorCatalog } from '../domain/errors.ts';
import { counted } from '../lib/text/amounts.ts';
import { readJson } from '../lib/schema/read-json.ts';
import { choice, type Infer, object, optional, text } from '../lib/schema/schema.ts';
import type { Call, Outcome } from '../pipeline/call.ts';
import type { EffectState, JournalledEffect, ScriptJournalStore } from '../storage/ports.ts';

/** Records what a run is about to change, before it does. */
export interface RunJournal {
  /** Makes a call that changes something: stores its intent before and its outcome after. */
  around(call: Call, tool: string, run: () => Promise<Outcome>): Promise<Outcome>;
  ended(): Promise<void>;
}

/** Records what scripts change, so that interrupted runs can be detected and reported. */
export interface ScriptJournal {
  open(runId: string, who: RunHead, startedAtMs: number): RunJournal;
  /** Records the runs whose process has ended. */
  recover(): Promise<void>;
}

const runHead = object({
  serverSlug: text(),
  callerId: text(),
  callerLabel: text(),
  surface: choice('mcp', 'rest', 'explorer', 'cli', 'stdio', 'admin'),
  /** For a saved tool; `run_code` otherwise. */
  toolName: optional(text()),
  toolId: optional(text()),
  parentId: optional(text()),
});

/** The owner of a run, as in its record. */
type RunHead = Infer<typeof runHead>;

// Longer than any run may take: the process of a run that hasn't ended by then is gone.
const maxRunMs = 660_000;

export function createScriptJournal(options: {
  readonly store: ScriptJournalStore;
  /** Stores a record; resolves when it is stored. */
  readonly record: (record: CallRecord) => Promise<void>;
  readonly log: Pick<Logger, 'error'>;
  readonly now: () => number;
}): ScriptJournal {
  const { store, record, log, now } = options;
  const own = `${hostname()} ${process.pid}`;
  const underWay = new Set<string>();

  return {
    open(runId, who, startedAtMs) {
      let isWritten = false;
      const head = JSON.stringify(who);
      return {
        async around(call, tool, run) {
          const effect = { callId: call.id, tool, beganAtMs: now() };
          try {
            underWay.add(runId);
            await store.intend({ id: runId, head, process: own, startedAtMs }, effect);
            isWritten = true;
          } catch (error) {
            log.error({ err: error, callId: call.id }, 'the intent of a script call could not be stored');
            return intentNotStored;
          }
          const outcome = await run();
          try {
            await store.settle(call.id, stateOf(outcome));
          } catch (error) {
            // Its state stays unknown in the journal.
            log.error({ err: error, callId: call.id }, 'the outcome of a script call could not be stored');
          }
          return outcome;
        },
        async ended() {
          underWay.delete(runId);
          if (!isWritten) return;
          try {
            await store.end(runId, now());
          } catch (error) {
            log.error({ err: error, runId }, 'the end of a script could not be stored');
          }
        },
      };
    },

    async recover() {
      for (const run of await store.unended()) {
        if (underWay.has(run.id)) continue;
        // A new process can have the ID of the one that ended, as in a container: it didn't start the run.
        const mayBeRunning = run.process !== own && isAlive(run.process);
        if (mayBeRunning && now() - run.startedAtMs < maxRunMs) continue;
        // Only one of several processes claims the run; if that one ends too, another can.
        if (run.process !== own && !(await store.claim(run.id, run.process, own))) continue;
        const effects = await store.effectsOf(run.id);
        const head = readJson(runHead, run.head);
        if (head !== null) await record(interruptedRecord(run.id, head, run.startedAtMs, effects));
        await store.end(run.id, now());
      }
    },
  };
}

const intentNotStored: Outcome = {
  kind: 'failed',
  error: codeErrors.intentNotStored({ notSent: true }),
};

/** What is known about the effect of a call. */
export function stateOf(outcome: Outcome): EffectState {
  if (outcome.kind === 'done') return 'done';
  if (outcome.kind === 'waiting') return 'unknown';
  const { code, details } = outcome.error;
  if (details.notSent === true) return 'not begun';
  // A composed tool's own calls have records of what it did before it failed.
  if (code === 'script_failed' || code === 'script_limit') return 'unknown';
  if (code === 'upstream_status' || code === 'upstream_redirect') return 'failed';
  const { fault } = errorCatalog[code];
  return code !== 'cancelled' && (fault === 'caller' || fault === 'configuration') ? 'not begun' : 'unknown';
}

/** Whether a process of this machine is running; assumed for other machines. */
function isAlive(written: string): boolean {
  const [host, pid] = written.split(' ');
  if (host !== hostname()) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function interruptedRecord(
  id: string,
  head: RunHead,
  startedAtMs: number,
  effects: readonly JournalledEffect[],
): CallRecord {
  const unknown = effects.filter(({ state }) => state === null || state === 'unknown');
  const known = effects.length - unknown.length;
  const sentences = [
    'The gateway stopped while this script was running.',
    ...(known > 0 ? [`The outcome of ${counted(known, 'of its changes', 'of its changes')} is known.`] : []),
    ...(unknown.length > 0
      ? [
          `Outcome unknown: ${unknown.map(({ tool }) => tool).join(', ')}. Nothing is retried automatically: check before you repeat it.`,
        ]
      : []),
  ];
  return {
    id,
    parentId: null,
    toolId: null,
    toolName: 'run_code',
    apiSlug: null,
    ...head,
    clientName: null,
    clientVersion: null,
    startedAtMs,
    durationMs: 0,
    upstreamMs: null,
    upstreamStatus: null,
    outcome: 'script_interrupted',
    message: sentences.join(' ').slice(0, 1_000),
    tries: 0,
    cached: false,
    requestBytes: 0,
    replyBytes: 0,
    argumentsText: null,
    replyText: null,
    requestLine: null,
    outputTokens: 0,
    readTokens: null,
    readText: null,
    replyOutline: null,
    steps: effects.slice(0, 100).map(({ tool, beganAtMs, state }) => ({
      name: tool.slice(0, 200),
      startMs: Math.max(0, beganAtMs - startedAtMs),
      durationMs: 0,
      note: state ?? 'unknown',
    })),
  };
}
