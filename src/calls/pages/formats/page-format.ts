import type { Reply } from '../../../pipeline/reply/reply.ts';

/** One page of a list, as its format reads it. */
export interface Page {
  /** What its records are. */
  readonly values: readonly unknown[];
  /** The same as they are written in the list of all. */
  texts(): readonly string[];
  /** What stands around the records, and may tell how the list goes on. */
  readonly around: unknown;
}

/** How the pages of one list are written, as the first of them told. */
export interface PageFormat {
  /** The media type of what is written of all records. */
  readonly mediaType: string;
  /** Reads a further page; a few words when it is not like the first. */
  read(reply: Reply): Reading<Page | string>;
  /** The records of all pages. */
  list(texts: readonly string[]): string;
  /** The first page with the records of all in its list; null where that is no other than the list. */
  readonly whole: ((texts: readonly string[]) => string) | null;
}

/** The first page, and how it and those after it are written. */
export interface OpenedPages {
  readonly format: PageFormat;
  readonly first: Page;
}

/** What is read of one page: fields, lines or elements. One with more would fill the memory with its records. */
export const maxPartsOfPage = 1_000_000;

/** Says why a further page with more is not read. */
export const tooManyParts = 'its reply has too many parts';

/** Reads in steps, so that reading something long need not hold up everybody else. */
export type Reading<T> = Generator<undefined, T>;

/** Reads to the end at once: for what is known to be short. */
export function readAtOnce<T>(reading: Reading<T>): T {
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
  }
}

/** Reads to the end, and lets others have their turn in between. */
export async function readPaced<T>(reading: Reading<T>, pace: () => Promise<void> | undefined): Promise<T> {
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
    const turn = pace();
    if (turn !== undefined) await turn;
  }
}
