import { parentPort, workerData } from 'node:worker_threads';
import { HandrailError } from '../../domain/errors.ts';
import type { PiiCounts, PiiPattern } from '../../lib/secrets/find-pii.ts';
import { threadPiiLimits, withPii } from '../../lib/secrets/mask-pii.ts';
import { createMaskText, type MaskText } from '../../lib/secrets/mask-secrets.ts';
import { OverBudget, WorkBudget } from '../../lib/work-budget.ts';
import { cleanText } from './clean-text.ts';
import { type ThreadRefusal, threadLimits } from './reply-thread.ts';
import { type Rewriting, rewriteText } from './rewrite-text.ts';
import type { ShapedText } from './shape-reply.ts';

/** The thread's input. */
export interface LongText {
  /** Null if the text is shown in its own form. */
  readonly rewriting: Rewriting | null;
  readonly text: string;
  /** Texts that leave along with it, as they are. */
  readonly others: readonly string[];
  readonly secrets: readonly string[];
  /** What PII rules mask; absent if there are none. */
  readonly patterns?: readonly PiiPattern[];
}

/** The texts as they leave: cleaned, then masked. */
export interface VisibleTexts extends ShapedText {
  readonly others: readonly string[];
  /** What PII rules found in the text; absent if there are none. */
  readonly found?: PiiCounts;
}

/** The thread's only message: the texts, a problem for the caller to read, or the limit that was exceeded. */
export type RewriteAnswer = { readonly visible: VisibleTexts } | { readonly problem: string } | ThreadRefusal;

function visibleTexts({ rewriting, text, others, secrets, patterns = [] }: LongText): VisibleTexts {
  const shaped =
    rewriting === null
      ? { text, notes: [] }
      : rewriteText(rewriting, text, new WorkBudget(threadLimits(text.length)));
  let found: PiiCounts = new Map();
  const maskOf = (each: string): MaskText =>
    withPii(
      createMaskText(secrets),
      { patterns, onFound: (counts) => (found = counts) },
      threadPiiLimits(each.length),
    );
  const visible = (each: string): string => maskOf(each)(cleanText(each));
  const visibleOthers = others.map(visible);
  return {
    text: visible(shaped.text),
    notes: shaped.notes,
    others: visibleOthers,
    ...(patterns.length > 0 && { found }),
  };
}

const port = parentPort;
if (port) {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by rewrite-in-thread.ts
    port.postMessage({ visible: visibleTexts(workerData as LongText) } satisfies RewriteAnswer);
  } catch (error) {
    if (error instanceof OverBudget) port.postMessage({ refusal: error.message } satisfies RewriteAnswer);
    else if (error instanceof HandrailError)
      port.postMessage({ problem: error.message } satisfies RewriteAnswer);
    else throw error;
  }
}
