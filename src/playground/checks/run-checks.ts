import type { Logger } from 'pino';
import { setTimeout as delay } from 'node:timers/promises';
import type { Caller, Surface } from '../../domain/call.ts';
import type { Check } from '../../domain/models/check.ts';
import { playgroundErrors } from '../../domain/error-messages/playground.ts';
import { newId } from '../../domain/ids.ts';
import type { Model } from '../../domain/models/model.ts';
import type { ListMode } from '../../domain/server.ts';
import { maskedJson } from '../../lib/secrets/masked-json.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { CheckRunStore, MetaStore } from '../../storage/ports.ts';
import { type ConversationEnd, type ConversationLimits, serverVersion } from '../conversation.ts';
import type { Converse } from '../converse.ts';
import { type CheckResult, type CheckRun, type CheckVariant, readCheckRun } from './check-run.ts';
import { evaluate } from './evaluate.ts';

/** Which checks to run, on what, and for whom. */
export interface ChecksRequest {
  readonly published: ServerView;
  /** A proposed draft of the server; if there is one, the checks run on both. */
  readonly draft: ServerView | null;
  readonly model: Model;
  readonly checks: readonly Check[];
  readonly caller: Caller;
  readonly surface: Surface;
}

/** Runs the checks of servers and stores the results. */
export interface Checks {
  /** Starts a run in the background. Throws `conflict` while the server's checks are running. */
  start(request: ChecksRequest): Promise<CheckRun>;
  /** Ends a run before its next check, whichever process runs it. */
  stop(id: string): Promise<CheckRun>;
  find(id: string): Promise<CheckRun>;
  /** Newest first. */
  historyOf(serverId: string, limit: number): Promise<CheckRun[]>;
}

const limits: ConversationLimits = { turns: 20, tokens: 500_000, timeMs: 300_000 };
const maxKept = 200;
const maxAnswerChars = 4_000;
const maxArgumentChars = 1_000;
// The process of a run without an update for this long is gone.
const lostAfterMs = limits.timeMs + 60_000;
const stopPrefix = 'check_run_stop:';

export function createChecks(options: {
  readonly converse: Converse;
  readonly store: CheckRunStore;
  readonly meta: MetaStore;
  readonly modeOf: (view: ServerView, asked: Check['mode']) => ListMode | Promise<ListMode>;
  readonly keepsContents: () => boolean;
  readonly log: Logger;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
  readonly now: () => number;
}): Checks {
  const { converse, store, meta, now } = options;
  const running = new Map<string, AbortController>();

  async function save(run: CheckRun): Promise<CheckRun> {
    const { id, serverId, startedAtMs } = run;
    const saved = { ...run, updatedAtMs: now() };
    await store.put({ id, serverId, startedAtMs, text: JSON.stringify(saved) }, maxKept);
    return saved;
  }

  /** Parses a run; one whose process is gone counts as stopped. Null for one that can't be read. */
  function readRun(text: string): CheckRun | null {
    const run = readCheckRun(text);
    if (run === null) return null;
    const isLost = run.state === 'running' && now() - run.updatedAtMs > lostAfterMs;
    return isLost ? { ...run, state: 'stopped' } : run;
  }

  async function find(id: string): Promise<CheckRun> {
    const stored = await store.get(id);
    if (stored === null) throw playgroundErrors.checkRunNotFound({ id: JSON.stringify(id.slice(0, 100)) });
    const run = readRun(stored.text);
    if (run === null) throw playgroundErrors.checkRunUnreadable();
    return run;
  }

  async function runAll(started: CheckRun, request: ChecksRequest, signal: AbortSignal): Promise<void> {
    let run = started;
    const views = [request.published, ...(request.draft === null ? [] : [request.draft])];
    for (const [at, view] of views.entries()) {
      for (const check of request.checks) {
        if (signal.aborted || (await meta.get(stopPrefix + run.id)) !== null) break;
        const result = await runOne(check, view, view === request.draft, request, signal);
        const variants = run.variants.map((one, index) => (index === at ? withResult(one, result) : one));
        run = await save({ ...run, variants });
      }
    }
    const isStopped = signal.aborted || (await meta.get(stopPrefix + run.id)) !== null;
    const variants = run.variants.map((variant) => withoutUnasked(variant, request.checks.length));
    await save({ ...run, variants, state: isStopped ? 'stopped' : 'ended' });
    await meta.delete(stopPrefix + run.id);
  }

  async function runOne(
    check: Check,
    view: ServerView,
    isDraft: boolean,
    { model, caller, surface }: ChecksRequest,
    signal: AbortSignal,
  ): Promise<CheckResult> {
    const end = await converse(
      {
        model,
        view,
        isDraft,
        mode: await options.modeOf(view, check.mode),
        caller,
        surface,
        traceparent: undefined,
        messages: [{ role: 'user', text: check.question }],
        limits,
        signal,
      },
      () => {},
    );
    return resultOf(check, end, options.keepsContents());
  }

  return {
    find,

    async start(request) {
      const { published, draft, model, checks, caller } = request;
      const { server } = published;
      if (checks.length === 0) throw playgroundErrors.noChecks({ server: server.slug });
      const [last] = await store.listOf(server.id, 1);
      if (last !== undefined && readRun(last.text)?.state === 'running')
        throw playgroundErrors.checksRunning({ server: server.slug }, { current: last.id });
      const startedAtMs = now();
      const views = [published, ...(draft === null ? [] : [draft])];
      const run = await save({
        id: newId('run', startedAtMs),
        serverId: server.id,
        server: server.slug,
        modelId: model.id,
        model: model.name,
        by: caller.label,
        state: 'running',
        startedAtMs,
        updatedAtMs: startedAtMs,
        variants: views.map((view): CheckVariant => ({
          of: view === draft ? 'draft' : 'published',
          version: serverVersion(view),
          passed: 0,
          total: checks.length,
          notRun: 0,
          tokens: { input: 0, output: 0 },
          cost: null,
          results: [],
        })),
      });
      const stop = new AbortController();
      running.set(run.id, stop);
      runAll(run, request, AbortSignal.any([stop.signal, options.stopping]))
        .catch((err: unknown) => options.log.error({ err }, 'a check run failed'))
        .finally(() => running.delete(run.id));
      return run;
    },

    async stop(id) {
      const run = await find(id);
      if (run.state !== 'running') return run;
      await meta.set(stopPrefix + id, String(now()));
      running.get(id)?.abort();
      // The process that runs it records that it has stopped.
      for (let tries = 0; tries < 50; tries++) {
        const current = await find(id);
        if (current.state !== 'running') return current;
        await delay(100);
      }
      return find(id);
    },

    async historyOf(serverId, limit) {
      const stored = await store.listOf(serverId, limit);
      // A run of a newer version stays in the store and out of the list.
      return stored.flatMap(({ text }) => readRun(text) ?? []);
    },
  };
}

function resultOf(check: Check, end: ConversationEnd, keepsContents: boolean): CheckResult {
  const problems = evaluate(check.expect, end);
  return {
    checkId: check.id,
    name: check.name,
    passed: problems.length === 0,
    problems,
    reason: end.reason,
    answer: keepsContents ? end.text.slice(0, maxAnswerChars) : '',
    calls: end.made.slice(0, 200).map(({ tool, arguments: args }) => ({
      tool,
      arguments: keepsContents ? maskedJson(args, maxArgumentChars).slice(0, 2 * maxArgumentChars) : null,
    })),
    tokens: { ...end.tokens },
    cost: end.cost === null ? null : String(end.cost),
    turns: end.turns,
    durationMs: Math.round(end.durationMs),
    runId: end.runId,
  };
}

/** Whether a check says something about the server: its model was asked, and was not stopped. */
const saysSomething = ({ reason }: CheckResult): boolean => reason !== 'stopped' && reason !== 'failed';

/** What a run never got to before it was stopped is not a failure either. */
function withoutUnasked(variant: CheckVariant, planned: number): CheckVariant {
  const total = variant.results.filter(saysSomething).length;
  return { ...variant, total, notRun: planned - total };
}

function withResult(variant: CheckVariant, result: CheckResult): CheckVariant {
  const { tokens, cost } = variant;
  const counts = saysSomething(result);
  return {
    ...variant,
    passed: variant.passed + Number(result.passed),
    total: variant.total - Number(!counts),
    notRun: (variant.notRun ?? 0) + Number(!counts),
    tokens: {
      input: tokens.input + result.tokens.input,
      output: tokens.output + result.tokens.output,
    },
    cost: result.cost === null ? cost : String(Number(cost ?? 0) + Number(result.cost)),
    results: [...variant.results, result],
  };
}
