import type { Reply } from '../../../pipeline/reply/reply.ts';

/** One page of a list, as its format reads it. */
export interface Page {
  /** The records as values. */
  readonly values: readonly unknown[];
  /** The records as they are written in the merged list. */
  texts(): readonly string[];
  /** Everything around the records, which may describe the next page. */
  readonly around: unknown;
}

/** How the pages of one list are written, as seen on the first of them. */
export interface PageFormat {
  /** The media type of the merged list. */
  readonly mediaType: string;
  /** Reads another page; returns a short reason if it is not like the first. */
  read(reply: Reply): Reading<Page | string>;
  /** The records of all pages. */
  list(texts: readonly string[]): string;
  /** The first page with the records of all pages in its list; null if that is the same as the list. */
  readonly whole: ((texts: readonly string[]) => string) | null;
}

/** The first page, and the format of all pages. */
export interface OpenedPages {
  readonly format: PageFormat;
  readonly first: Page;
}

/** The limit for one page, in fields, lines or elements. Records beyond it would fill the memory. */
export const maxPartsOfPage = 1_000_000;

/** The reason that a page above the limit is not read. */
export const tooManyParts = 'its reply has too many parts';

/** Reads in steps, so that a long text doesn't block the event loop. */
export type Reading<T> = Generator<undefined, T>;

/** Reads to the end without a pause: for texts that are known to be short. */
export function readSync<T>(reading: Reading<T>): T {
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
  }
}

/** Reads to the end, yielding to the event loop in between. */
export async function readPaced<T>(reading: Reading<T>, pace: () => Promise<void> | undefined): Promise<T> {
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
    const pause = pace();
    if (pause !== undefined) await pause;
  }
}
