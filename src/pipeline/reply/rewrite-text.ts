import type { ReplyMapping } from '../../domain/tool.ts';
import type { WorkBudget } from '../../lib/work-budget.ts';
import { readableHtml } from '../../lib/markup/readable-html.ts';
import { type ShapedText, shapes, shapeText } from './shape-reply.ts';

/** What is to be made of a text: of a page its words, and of that what the mapping asks for. */
export interface Rewriting extends ReplyMapping {
  readonly isPage: boolean;
}

/** Rewrites a reply's text; throws `OverBudget` when that takes more than the budget. */
export function rewriteText(rewriting: Rewriting, text: string, budget: WorkBudget): ShapedText {
  const words = rewriting.isPage ? readablePage(text) : text;
  return shapes(rewriting) ? shapeText(rewriting, words, budget) : { text: words, notes: [] };
}

const longestPage = 2_000_000;

/** A page as its words; of a very long one, of its beginning. */
function readablePage(html: string): string {
  const words = readableHtml(html.slice(0, longestPage), 'marked');
  return html.length <= longestPage ? words : `${words}\n[Only the beginning of a very long page was read.]`;
}
