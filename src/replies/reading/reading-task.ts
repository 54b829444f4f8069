import { aboutText, type TextAbout } from './about-text.ts';
import { type Part, PartError, type PartRequest, readTextPart, selectText } from './read-part.ts';

/** Work on the text of a reply. */
export type ReadingTask =
  | { readonly kind: 'about'; readonly text: string; readonly tokens: number }
  | { readonly kind: 'part'; readonly text: string; readonly request: PartRequest; readonly tokens: number }
  | { readonly kind: 'select'; readonly text: string; readonly select: string };

/** What comes of it, or why nothing does, in words for whoever asked. */
export type ReadingAnswer =
  | { readonly about: TextAbout }
  | { readonly part: Part }
  | { readonly selected: string }
  | { readonly refusal: string };

/** Does such work. */
export function doReading(task: ReadingTask): ReadingAnswer {
  try {
    switch (task.kind) {
      case 'about':
        return { about: aboutText(task.text, task.tokens) };
      case 'part':
        return { part: readTextPart(task.text, task.request, task.tokens) };
      case 'select':
        return { selected: selectText(task.text, task.select) };
    }
  } catch (error) {
    if (error instanceof PartError) return { refusal: error.message };
    throw error;
  }
}
