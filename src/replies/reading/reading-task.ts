import { type WorkBudget, OverBudget } from '../../lib/work-budget.ts';
import { summarizeText, type TextSummary } from './summarize-text.ts';
import { type Part, PartError, type PartRequest } from './part-request.ts';
import { type Places, skimText } from './places.ts';
import { listPage, type PageSource, readPage } from './read-page.ts';
import { searchText } from './search-reply.ts';
import { parseMarked, writeMarked, writeMarkedText } from '../../lib/json/numbers/exact-numbers.ts';
import { readSelect } from '../../lib/json/select/select-part.ts';
import { writeJson } from '../../lib/json/select/write-json.ts';

/** Work on the text of a reply, or on a stretch of it. */
export type ReadingTask = { readonly text: string } & (
  | { readonly kind: 'about'; readonly tokens: number }
  | { readonly kind: 'places' }
  | { readonly kind: 'select'; readonly select: string }
  | {
      readonly kind: 'page';
      readonly source: Omit<PageSource, 'text'>;
      readonly request: PartRequest;
      readonly tokens: number;
    }
  | {
      readonly kind: 'search';
      readonly search: string;
      readonly request: PartRequest;
      readonly tokens: number;
    }
);

/** The result of each kind of work. */
export interface ReadingResults {
  readonly about: TextSummary;
  readonly places: Places;
  readonly select: { readonly text: string; readonly places: Places };
  readonly page: Part;
  readonly search: Part;
}

/** The result of a task, or why there is none, in words for the reader. */
export type ReadingAnswer =
  | { readonly result: ReadingResults[keyof ReadingResults] }
  | { readonly refusal: string };

/** Runs such a task; throws `OverBudget` if an expression takes more than the budget. */
export function runReadingTask(task: ReadingTask, budget: WorkBudget): ReadingAnswer {
  try {
    return { result: resultOf(task, budget) };
  } catch (error) {
    if (error instanceof PartError) return { refusal: error.message };
    throw error;
  }
}

function resultOf(task: ReadingTask, budget: WorkBudget): ReadingResults[keyof ReadingResults] {
  const { text } = task;
  switch (task.kind) {
    case 'about':
      return summarizeText(text, task.tokens);
    case 'places':
      return skimText(text).places;
    case 'select': {
      const selected = selectText(text, task.select, budget);
      return { text: selected, places: skimText(selected).places };
    }
    case 'page':
      return readPage({ ...task.source, text }, task.request, task.tokens);
    case 'search':
      return listPage(searchText(text, task.search), task.request, task.tokens);
  }
}

// A selection is returned, kept and counted like a reply, which has its own limits.
const maxGrowth = 2 * 1024 * 1024;

/**
 * What an expression selects from a text, as text, with all digits of its numbers. A PartError if the
 * expression doesn't fit the text, and `OverBudget` if it takes too much work.
 */
function selectText(text: string, select: string, budget: WorkBudget): string {
  const picked = pick(select, parse(text), budget);
  const selected =
    typeof picked === 'string' ? writeMarkedText(picked) : writeMarked(writeJson(picked, budget));
  const max = 2 * text.length + maxGrowth;
  if (selected.length > max) throw new OverBudget(`it selects more than ${Math.ceil(max / 1_048_576)} MB`);
  return selected;
}

function parse(text: string): unknown {
  try {
    return parseMarked(text);
  } catch {
    throw new PartError(
      'The reply is not JSON, so nothing can be selected from it: read it with offset and limit, or search.',
    );
  }
}

function pick(select: string, value: unknown, budget: WorkBudget): unknown {
  try {
    return readSelect(select)(value, budget) ?? null;
  } catch (error) {
    if (error instanceof OverBudget) throw error;
    throw new PartError(
      `select does not fit this reply: ${error instanceof Error ? error.message.replace(/\.$/, '') : 'it cannot be evaluated'}.`,
      { cause: error },
    );
  }
}
