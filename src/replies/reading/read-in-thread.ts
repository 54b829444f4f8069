import { OverBudget, WorkBudget } from '../../lib/work-budget.ts';
import { inlineLimits, runInReplyThread, type ThreadRefusal } from '../../pipeline/reply/reply-thread.ts';
import type { TextAbout } from './about-text.ts';
import { PartError } from './part-request.ts';
import { doReading, type ReadingAnswer, type ReadingResults, type ReadingTask } from './reading-task.ts';

// Taking a long text apart holds everyone else up; a thread for it takes some ten milliseconds to start.
const longText = 256 * 1024;

/** Tells about the text of a reply; of one that cannot be read in time, nothing but that. */
export async function tellAbout(caller: string, text: string, tokens: number): Promise<TextAbout> {
  try {
    return await readAside(caller, { kind: 'about', text, tokens });
  } catch (error) {
    if (!(error instanceof PartError)) throw error;
    const note = 'none, because it takes too long';
    return { isJson: false, records: 0, unit: 'lines', preview: '', note, places: null };
  }
}

/** Does work on a text for a caller, at once or in a thread; rejects with a PartError when it cannot be done as asked. */
export async function readAside<Kind extends keyof ReadingResults>(
  caller: string,
  task: ReadingTask & { readonly kind: Kind },
): Promise<ReadingResults[Kind]> {
  const answer = await answerTo(caller, task);
  if ('refusal' in answer) throw new PartError(answer.refusal);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what comes of a task is of its own kind
  return answer.result as ReadingResults[Kind];
}

async function answerTo(caller: string, task: ReadingTask): Promise<ReadingAnswer | ThreadRefusal> {
  // A page reads over its stretch and takes nothing apart.
  const isShort = task.text.length <= (task.kind === 'page' ? 4 * longText : longText);
  if (isShort) {
    try {
      return doReading(task, new WorkBudget(inlineLimits));
    } catch (error) {
      // It is begun again in a thread, where it may take more.
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
