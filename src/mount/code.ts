import type { AnswerCall } from '../calls/answer-call.ts';
import type { CallMaker } from '../calls/make-call.ts';
import type { CodeRuns } from '../code/code-runs.ts';
import type { LookUps } from '../code/script-host.ts';
import type { CallRecord } from '../domain/call.ts';
import type { OnClose } from '../lib/close-stack.ts';
import type { ServerView } from '../registry/snapshot.ts';
import type { ReplyBudget } from '../replies/reply-budget.ts';

/** Runs scripts that call tools; made by `code()`. */
export interface CodeMode {
  open(options: {
    readonly calls: CallMaker;
    readonly answerCall: AnswerCall;
    readonly budget: Pick<ReplyBudget, 'keepWhole'>;
    readonly lookUps: LookUps;
    readonly listedView: (slug: string) => ServerView | undefined;
    readonly record: (record: CallRecord) => void;
    readonly keepsContents: boolean;
    readonly now: () => number;
    readonly onClose: OnClose;
  }): CodeRuns;
}

/**
 * Lets a mounted server run scripts: pass it as `code`. An import of its own, because it brings a JavaScript engine,
 * which runs in threads that start with the first script and end with `close()`.
 */
export function code(): CodeMode {
  return {
    open(options) {
      const { record, keepsContents, onClose } = options;
      let loading: Promise<CodeRuns> | null = null;

      async function load(): Promise<CodeRuns> {
        const [{ createCodeRuns }, { createSandbox }, { makeRunRecord }] = await Promise.all([
          import('../code/code-runs.ts'),
          import('../sandbox/sandbox.ts'),
          import('../code/run-record.ts'),
        ]);
        const sandbox = createSandbox();
        onClose(() => sandbox.close());
        return createCodeRuns({
          ...options,
          sandbox,
          journal: { open: () => notJournaled },
          record: (run) => record(makeRunRecord(run, keepsContents)),
        });
      }

      const loaded = () => (loading ??= load());
      return {
        run: async (request) => (await loaded()).run(request),
        runSaved: async (...saved) => (await loaded()).runSaved(...saved),
      };
    },
  };
}

// A journal is read by the process after this one, from a store; there is none here.
const notJournaled: ReturnType<
  Parameters<typeof import('../code/code-runs.ts').createCodeRuns>[0]['journal']['open']
> = {
  around: (_call, _tool, run) => run(),
  ended: async () => {},
};
