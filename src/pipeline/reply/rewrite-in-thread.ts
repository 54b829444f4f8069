import { HandrailError } from '../../domain/errors.ts';
import { pipelineErrors } from '../../domain/error-messages/pipeline.ts';
import { OverBudget, WorkBudget } from '../../lib/work-budget.ts';
import { cleanText } from './clean-text.ts';
import { inlineLimits, runInReplyThread } from './reply-thread.ts';
import { type Rewriting, rewriteText } from './rewrite-text.ts';
import type { ShapedText } from './shape-reply.ts';
import type { LongText, RewriteAnswer, VisibleTexts } from './rewrite-worker.ts';

// Rewriting parses the text, which blocks every other call; a thread takes about ten milliseconds to start.
const longText = 512 * 1024;

/** The text that a reader sees: on the main thread if it is short and cheap to rewrite, else in a worker thread. */
export async function rewriteAnyText(
  caller: string,
  rewriting: Rewriting,
  text: string,
): Promise<ShapedText> {
  if (text.length <= longText) {
    try {
      const shaped = rewriteText(rewriting, text, new WorkBudget(inlineLimits));
      return { ...shaped, text: cleanText(shaped.text) };
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error;
    }
  }
  const { text: shown, notes } = await rewriteInThread(caller, {
    rewriting,
    text,
    others: [],
    secrets: [],
    patterns: [],
  });
  return { text: shown, notes };
}

/** Rewrites, cleans and masks long texts in a worker thread. Rejects with the reason if the text cannot be rewritten. */
export async function rewriteInThread(caller: string, given: LongText): Promise<VisibleTexts> {
  const answer = await runInReplyThread<RewriteAnswer>(
    caller,
    [import.meta.url, './rewrite-worker.ts'],
    given,
  );
  if ('visible' in answer) return answer.visible;
  if ('problem' in answer) throw new HandrailError('reply_invalid', answer.problem);
  if (answer.isBusy)
    throw pipelineErrors.rewriteQueueFull({ reason: answer.refusal }, { retryAfterMs: 1_000 });
  throw pipelineErrors.replyTooLargeToRewrite({ reason: answer.refusal });
}
