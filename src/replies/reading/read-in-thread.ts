import { OverBudget, WorkBudget } from '../../lib/work-budget.ts';
import { inlineLimits, runInReplyThread, type ThreadRefusal } from '../../pipeline/reply/reply-thread.ts';
import type { TextSummary } from './summarize-text.ts';
import { PartError } from './part-request.ts';
import { runReadingTask, type ReadingAnswer, type ReadingResults, type ReadingTask } from './reading-task.ts';

// Parsing a long text blocks everyone else; starting a thread for it takes about 10 ms.
const longText = 256 * 1024;

/** Summarizes the text of a reply; if that takes too long, says only so. */
export async function summarizeReply(caller: string, text: string, tokens: number): Promise<TextSummary> {
  try {
    return await runReading(caller, { kind: 'about', text, tokens });
  } catch (error) {
    if (!(error instanceof PartError)) throw error;
    const note = 'none, because it takes too long';
    return { isJson: false, records: 0, unit: 'lines', preview: '', note, places: null };
  }
}

/**
 * Works on a text for a caller, immediately or in a thread; rejects with a PartError if it can't be done as
 * requested.
 */
export async function runReading<Kind extends keyof ReadingResults>(
  caller: string,
  task: ReadingTask & { readonly kind: Kind },
): Promise<ReadingResults[Kind]> {
  const answer = await answerTo(caller, task);
  if ('refusal' in answer) throw new PartError(answer.refusal);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result has the type of its task
  return answer.result as ReadingResults[Kind];
}

async function answerTo(caller: string, task: ReadingTask): Promise<ReadingAnswer | ThreadRefusal> {
  // A page only reads through its stretch, without parsing anything.
  const isShort = task.text.length <= (task.kind === 'page' ? 4 * longText : longText);
  if (isShort) {
    try {
      return runReadingTask(task, new WorkBudget(inlineLimits));
    } catch (error) {
      // It starts over in a thread, where it may take longer.
      if (!(error instanceof OverBudget)) throw error;
    }
  }
  const answer = await runInReplyThread<ReadingAnswer>(
    caller,
    [import.meta.url, './reading-worker.ts'],
    task,
  );
  return answer;
}
