import { HandrailError } from '../../domain/errors.ts';
import { pipelineErrors } from '../../domain/error-messages/pipeline.ts';
import { OverBudget, WorkBudget } from '../../lib/work-budget.ts';
import { inlineLimits, runInReplyThread } from './reply-thread.ts';
import { type Rewriting, rewriteText } from './rewrite-text.ts';
import type { ShapedText } from './shape-reply.ts';
import type { LongText, RewriteAnswer } from './rewrite-worker.ts';

// Rewriting parses the text, which blocks every other call; a thread takes about ten milliseconds to start.
const longText = 512 * 1024;

/** `rewriteText` for any text: on the main thread if it is short and cheap to rewrite, else in a worker thread. */
export async function rewriteAnyText(
  caller: string,
  rewriting: Rewriting,
  text: string,
): Promise<ShapedText> {
  if (text.length <= longText) {
    try {
      return rewriteText(rewriting, text, new WorkBudget(inlineLimits));
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error;
    }
  }
  return rewriteInThread(caller, rewriting, text);
}

/** `rewriteText` in a worker thread, for long texts. Rejects with the reason if the text cannot be rewritten. */
export async function rewriteInThread(
  caller: string,
  rewriting: Rewriting,
  text: string,
): Promise<ShapedText> {
  const given: LongText = { rewriting, text };
  const answer = await runInReplyThread<RewriteAnswer>(
    caller,
    [import.meta.url, './rewrite-worker.ts'],
    given,
  );
  if ('rewritten' in answer) return answer.rewritten;
  if ('problem' in answer) throw new HandrailError('reply_invalid', answer.problem);
  if (answer.isBusy)
    throw pipelineErrors.rewriteQueueFull({ reason: answer.refusal }, { retryAfterMs: 1_000 });
  throw pipelineErrors.replyTooLargeToRewrite({ reason: answer.refusal });
}
