import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { CallRecord } from '../domain/call.ts';
import { errorCatalog, HandrailError } from '../domain/errors.ts';
import { counted } from '../lib/text/amounts.ts';
import { readJson } from '../lib/schema/read-json.ts';
import { choice, type Infer, object, optional, text } from '../lib/schema/schema.ts';
import type { Call, Outcome } from '../pipeline/call.ts';
import type { EffectState, JournalledEffect, ScriptJournalStore } from '../storage/ports.ts';

/** What one run is about to change, written down before it does. */
export interface RunJournal {
  /** Makes a call that changes something: its intent is stored before, what became of it after. */
  around(call: Call, tool: string, run: () => Promise<Outcome>): Promise<Outcome>;
  ended(): Promise<void>;
}

/** Writes down what scripts change, so that a run that was cut off can be told from one that was not. */
export interface ScriptJournal {
  open(runId: string, who: RunHead, startedAtMs: number): RunJournal;
  /** Records the runs whose process is no more. */
  recover(): Promise<void>;
}

const runHead = object({
  serverSlug: text(),
  callerId: text(),
  callerLabel: text(),
  surface: choice('mcp', 'rest', 'explorer', 'cli', 'stdio', 'admin'),
  /** Where it was saved as a tool; otherwise it is `run_code`. */
  toolName: optional(text()),
  toolId: optional(text()),
  parentId: optional(text()),
});

/** Whose run it is, as its record says. */
type RunHead = Infer<typeof runHead>;

// Longer than any run may take: whoever has not ended by then has no process any more.
const longestRunMs = 660_000;

export function createScriptJournal(options: {
  readonly store: ScriptJournalStore;
  /** Stores a record; resolves when it is there. */
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
            log.error({ err: error, callId: call.id }, 'what a script is about to do could not be written');
            return notWritten;
          }
          const outcome = await run();
          try {
            await store.settle(call.id, stateOf(outcome));
          } catch (error) {
            // It stays unknown, which is what it is to whoever reads the journal.
            log.error({ err: error, callId: call.id }, 'what became of a call could not be written');
          }
          return outcome;
        },
        async ended() {
          underWay.delete(runId);
          if (!isWritten) return;
          try {
            await store.end(runId, now());
          } catch (error) {
            log.error({ err: error, runId }, 'the end of a script could not be written');
          }
        },
      };
    },

    async recover() {
      for (const run of await store.unended()) {
        if (underWay.has(run.id)) continue;
        // A process that has the number of one that ended, as in a container, did not begin the run.
        const mayGoOn = run.process !== own && isAlive(run.process);
        if (mayGoOn && now() - run.startedAtMs < longestRunMs) continue;
        // Of several processes that look at once, one takes it; if that one ends as well, the next does.
        if (run.process !== own && !(await store.claim(run.id, run.process, own))) continue;
        const effects = await store.effectsOf(run.id);
        const head = readJson(runHead, run.head);
        if (head !== null) await record(interruptedRecord(run.id, head, run.startedAtMs, effects));
        await store.end(run.id, now());
      }
    },
  };
}

const notWritten: Outcome = {
  kind: 'failed',
  error: new HandrailError(
    'unavailable',
    'The call was not made, because it could not be written down first. Try again later.',
    { notSent: true },
  ),
};

/** What is known of the effect of a call. */
export function stateOf(outcome: Outcome): EffectState {
  if (outcome.kind === 'done') return 'done';
  if (outcome.kind === 'waiting') return 'unknown';
  const { code, details } = outcome.error;
  if (details.notSent === true) return 'not begun';
  // Of what a script that is a tool did before it failed, its own calls tell.
  if (code === 'script_failed' || code === 'script_limit') return 'unknown';
  if (code === 'upstream_status' || code === 'upstream_redirect') return 'failed';
  const { fault } = errorCatalog[code];
  return code !== 'cancelled' && (fault === 'caller' || fault === 'configuration') ? 'not begun' : 'unknown';
}

/** Whether a process of this machine is there; of another machine nobody knows. */
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
  const told = [
    'The gateway stopped while this script ran.',
    ...(known > 0 ? [`What became of ${counted(known, 'of its changes', 'of its changes')} is known.`] : []),
    ...(unknown.length > 0
      ? [
          `Outcome unknown: ${unknown.map(({ tool }) => tool).join(', ')}. Nothing is repeated by itself: look before you do.`,
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
    message: told.join(' ').slice(0, 1_000),
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
