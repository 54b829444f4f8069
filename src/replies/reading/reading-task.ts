import { aboutText, type TextAbout } from './about-text.ts';
import { type Part, PartError, type PartRequest } from './part-request.ts';
import { type Places, skimText } from './places.ts';
import { listPage, type PageSource, readPage } from './read-page.ts';
import { searchText } from './search-reply.ts';
import { selectText } from './select-text.ts';

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

/** What comes of each kind of work. */
export interface ReadingResults {
  readonly about: TextAbout;
  readonly places: Places;
  readonly select: { readonly text: string; readonly places: Places };
  readonly page: Part;
  readonly search: Part;
}

/** What comes of a task, or why nothing does, in words for whoever asked. */
export type ReadingAnswer =
  | { readonly result: ReadingResults[keyof ReadingResults] }
  | { readonly refusal: string };

/** Does such work. */
export function doReading(task: ReadingTask): ReadingAnswer {
  try {
    return { result: resultOf(task) };
  } catch (error) {
    if (error instanceof PartError) return { refusal: error.message };
    throw error;
  }
}

function resultOf(task: ReadingTask): ReadingResults[keyof ReadingResults] {
  const { text } = task;
  switch (task.kind) {
    case 'about':
      return aboutText(text, task.tokens);
    case 'places':
      return skimText(text).places;
    case 'select': {
      const selected = selectText(text, task.select);
      return { text: selected, places: skimText(selected).places };
    }
    case 'page':
      return readPage({ ...task.source, text }, task.request, task.tokens);
    case 'search':
      return listPage(searchText(text, task.search), task.request, task.tokens);
  }
}
