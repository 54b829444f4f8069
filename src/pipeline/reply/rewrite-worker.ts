import { parentPort, workerData } from 'node:worker_threads';
import { HandrailError } from '../../domain/errors.ts';
import { type Rewriting, rewriteText } from './rewrite-text.ts';
import type { ShapedText } from './shape-reply.ts';

/** What the thread is given. */
export interface LongText {
  readonly rewriting: Rewriting;
  readonly text: string;
}

/** What it answers, once: the rewritten text, or why it does not fit, in words for the caller. */
export type RewriteAnswer = { readonly rewritten: ShapedText } | { readonly refusal: string };

const port = parentPort;
if (port) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by rewrite-in-thread.ts
  const { rewriting, text } = workerData as LongText;
  try {
    port.postMessage({ rewritten: rewriteText(rewriting, text) } satisfies RewriteAnswer);
  } catch (error) {
    if (!(error instanceof HandrailError)) throw error;
    port.postMessage({ refusal: error.message } satisfies RewriteAnswer);
  }
}
