import { HandrailError } from '../../domain/errors.ts';
import { startWorker } from '../../lib/start-worker.ts';
import { createTurns } from '../../lib/timing/turns.ts';
import type { Rewriting } from './rewrite-text.ts';
import type { ShapedText } from './shape-reply.ts';
import type { LongText, RewriteAnswer } from './rewrite-worker.ts';

const longestMs = 30_000;
const mostMemoryMb = 512;
const turns = createTurns(2, 50);

/**
 * `rewriteText` for long texts: in a thread of its own, within limits of time and memory, two at once. Rejects with the
 * reason when the text cannot be rewritten so.
 */
export async function rewriteInThread(rewriting: Rewriting, text: string): Promise<ShapedText> {
  const turn = turns.run(() => rewriteNow({ rewriting, text }));
  if (turn === null)
    throw new HandrailError(
      'overloaded',
      'Too many long replies are being rewritten at this moment. Try again in a second.',
      { retryAfterMs: 1_000 },
    );
  const answer = await turn;
  if ('refusal' in answer) throw new HandrailError('reply_invalid', answer.refusal);
  return answer.rewritten;
}

function rewriteNow(workerData: LongText): Promise<RewriteAnswer> {
  return new Promise((resolve, reject) => {
    const worker = startWorker(import.meta.url, './rewrite-worker.ts', {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
    });
    const fail = (why: string, cause?: unknown): void =>
      reject(
        new HandrailError(
          'reply_invalid',
          `The reply is too large for what this tool makes of it: ${why}. Ask for less.`,
          {},
          { cause },
        ),
      );
    const timer = setTimeout(() => {
      fail(`it took longer than ${longestMs / 1000} seconds`);
      void worker.terminate();
    }, longestMs);
    worker.once('message', resolve);
    worker.once('error', (error) => fail(`it needed more than ${mostMemoryMb} MB of memory`, error));
    worker.once('exit', () => {
      clearTimeout(timer);
      fail('it was stopped');
    });
  });
}
