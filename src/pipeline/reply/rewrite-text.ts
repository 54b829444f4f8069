import type { ReplyMapping } from '../../domain/tool.ts';
import type { WorkBudget } from '../../lib/work-budget.ts';
import { readableHtml } from '../../lib/markup/readable-html.ts';
import { type ShapedText, shapes, shapeText } from './shape-reply.ts';

/** How to rewrite a text: an HTML page becomes readable text first, then the mapping applies. */
export interface Rewriting extends ReplyMapping {
  readonly isPage: boolean;
}

/** Rewrites a reply's text; throws `OverBudget` if that exceeds the budget. */
export function rewriteText(rewriting: Rewriting, text: string, budget: WorkBudget): ShapedText {
  const words = rewriting.isPage ? readablePage(text) : text;
  return shapes(rewriting) ? shapeText(rewriting, words, budget) : { text: words, notes: [] };
}

const maxPageCharacters = 2_000_000;

/** A page as readable text; only the start of a very long one. */
function readablePage(html: string): string {
  const words = readableHtml(html.slice(0, maxPageCharacters), 'marked');
  return html.length <= maxPageCharacters
    ? words
    : `${words}\n[Only the beginning of a very long page was read.]`;
}
