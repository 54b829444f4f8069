import type { CallMaker } from '../calls/make-call.ts';
import type { Recorder } from '../calls/recorder.ts';
import type { Logger } from 'pino';
import { repeat } from '../lib/timing/repeat.ts';
import type { ScriptJournalStore } from '../storage/ports.ts';
import { createScriptJournal } from './run-journal.ts';
import type { OnClose } from '../lib/close-stack.ts';
import type { AnswerCall } from '../calls/answer-call.ts';
import type { ServerView } from '../registry/snapshot.ts';
import type { ReplyBudget } from '../replies/reply-budget.ts';
import type { CodeRuns } from './code-runs.ts';
import type { LookUps } from './script-host.ts';

const tidyEveryMs = 60_000;
const keptForMs = 30 * 24 * 3_600_000;

/** Opens code mode; the modules that run scripts are loaded with the first script. */
export function openCode(options: {
  readonly calls: Pick<CallMaker, 'makeRun' | 'makeChild' | 'refuseTool'>;
  readonly answerCall: AnswerCall;
  readonly budget: Pick<ReplyBudget, 'keepWhole'>;
  readonly lookUps: LookUps;
  readonly listedView: (slug: string) => ServerView | undefined;
  readonly recorder: Pick<Recorder, 'add' | 'flush'>;
  readonly journalStore: ScriptJournalStore;
  readonly log: Logger;
  /** Whether scripts and their results may be recorded. */
  readonly keepsContents: () => boolean;
  readonly now: () => number;
  readonly onClose: OnClose;
}): CodeRuns {
  const { recorder, keepsContents, journalStore, log, now, onClose } = options;
  const journal = createScriptJournal({
    store: journalStore,
    log,
    now,
    async record(record) {
      recorder.add(record);
      await recorder.flush();
    },
  });
  const tidy = async () => {
    await journal.recover();
    await journalStore.removeBefore(now() - keptForMs);
  };
  const onTrouble = (err: unknown) => log.error({ err }, 'interrupted scripts could not be checked');
  const first = tidy().catch(onTrouble);
  onClose(() => first);
  onClose(repeat(tidyEveryMs, tidy, onTrouble));
  let loading: Promise<CodeRuns> | null = null;

  async function load(): Promise<CodeRuns> {
    const [{ createCodeRuns }, { createSandbox }, { makeRunRecord }] = await Promise.all([
      import('./code-runs.ts'),
      import('../sandbox/sandbox.ts'),
      import('./run-record.ts'),
    ]);
    const sandbox = createSandbox();
    onClose(() => sandbox.close());
    return createCodeRuns({
      ...options,
      journal,
      sandbox,
      record: (run) => recorder.add(makeRunRecord(run, keepsContents())),
    });
  }

  function loaded(): Promise<CodeRuns> {
    return (loading ??= load());
  }

  return {
    run: async (request) => (await loaded()).run(request),
    runSaved: async (call, script, args) => (await loaded()).runSaved(call, script, args),
  };
}
