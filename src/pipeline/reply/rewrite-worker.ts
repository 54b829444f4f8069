import { parentPort, workerData } from 'node:worker_threads';
import { HandrailError } from '../../domain/errors.ts';
import { OverBudget, WorkBudget } from '../../lib/work-budget.ts';
import { type ThreadRefusal, threadLimits } from './reply-thread.ts';
import { type Rewriting, rewriteText } from './rewrite-text.ts';
import type { ShapedText } from './shape-reply.ts';

/** The thread's input. */
export interface LongText {
  readonly rewriting: Rewriting;
  readonly text: string;
}

/** The thread's only message: the rewritten text, a problem for the caller to read, or the limit that was exceeded. */
export type RewriteAnswer = { readonly rewritten: ShapedText } | { readonly problem: string } | ThreadRefusal;

const port = parentPort;
if (port) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by rewrite-in-thread.ts
  const { rewriting, text } = workerData as LongText;
  try {
    const budget = new WorkBudget(threadLimits(text.length));
    port.postMessage({ rewritten: rewriteText(rewriting, text, budget) } satisfies RewriteAnswer);
  } catch (error) {
    if (error instanceof OverBudget) port.postMessage({ refusal: error.message } satisfies RewriteAnswer);
    else if (error instanceof HandrailError)
      port.postMessage({ problem: error.message } satisfies RewriteAnswer);
    else throw error;
  }
}
