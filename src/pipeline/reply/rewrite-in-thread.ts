import { HandrailError } from '../../domain/errors.ts';
import { OverBudget, WorkBudget } from '../../lib/work-budget.ts';
import { inlineLimits, runInReplyThread } from './reply-thread.ts';
import { type Rewriting, rewriteText } from './rewrite-text.ts';
import type { ShapedText } from './shape-reply.ts';
import type { LongText, RewriteAnswer } from './rewrite-worker.ts';

// Rewriting a text takes it apart, which holds everyone else up; a thread for it takes some ten milliseconds to start.
const longText = 512 * 1024;

/** `rewriteText` for any text: here when it is short and little is done to it, else in a thread. */
export async function rewriteAside(caller: string, rewriting: Rewriting, text: string): Promise<ShapedText> {
  if (text.length <= longText) {
    try {
      return rewriteText(rewriting, text, new WorkBudget(inlineLimits));
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error;
    }
  }
  return rewriteInThread(caller, rewriting, text);
}

/** `rewriteText` for long texts: in a thread. Rejects with the reason when the text cannot be rewritten so. */
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
    throw new HandrailError('overloaded', `The reply was not rewritten: ${answer.refusal}.`, {
      retryAfterMs: 1_000,
    });
  throw new HandrailError(
    'reply_invalid',
    `The reply is too large for what this tool makes of it: ${answer.refusal}. Ask for less.`,
  );
}
