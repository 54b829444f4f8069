import { parentPort, workerData } from 'node:worker_threads';
import { OverBudget, WorkBudget } from '../../lib/work-budget.ts';
import { threadLimits } from '../../pipeline/reply/reply-thread.ts';
import { runReadingTask, type ReadingAnswer, type ReadingTask } from './reading-task.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by read-in-thread.ts
const task = workerData as ReadingTask;

function answer(): ReadingAnswer {
  try {
    return runReadingTask(task, new WorkBudget(threadLimits(task.text.length)));
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error;
    return { refusal: `${error.message}: select less, or use a simpler expression` };
  }
}

parentPort?.postMessage(answer());
