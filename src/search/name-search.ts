import type { Steps } from '../lib/timing/sliced-work.ts';
import { termsOf } from './words.ts';

/** What was found, best first, and how many there are in all. */
export interface NamesFound<T> {
  readonly hits: readonly T[];
  readonly total: number;
}

const maxQueryTerms = 64;
const unitsPerSplitName = 8;
// Endings differ between a term and the word it was made from; beginnings do not.
const sharedLetters = 3;

/**
 * Finds items by their names alone, for the time in which there is no index: first the name that is the query, then those
 * that start with it, then those with most of its words. Reports one unit for each name it looks at, more for one that it
 * has to split into words.
 */
export function* searchNames<T extends { readonly name: string }>(
  items: readonly T[],
  query: string,
  limit: number,
  allows: (item: T) => boolean,
): Steps<NamesFound<T>> {
  const asked = lettersOf(query);
  const words = termsOf(query);
  const terms = new Set((words.length > 0 ? words : termsOf(query, true)).slice(0, maxQueryTerms));
  const beginnings = [...terms].map((term) => term.slice(0, sharedLetters));
  const exact = terms.size + 2;
  // By how well they match; of each rank as many as can be shown.
  const ranks: T[][] = Array.from({ length: exact + 1 }, () => []);
  let total = 0;
  for (const item of items) {
    const name = lettersOf(item.name);
    const isPrefixed = asked !== '' && name.startsWith(asked);
    const mayHaveWords = !isPrefixed && beginnings.some((beginning) => name.includes(beginning));
    yield mayHaveWords ? unitsPerSplitName : 1;
    const shared = mayHaveWords ? sharedTerms(item.name, terms) : 0;
    const rank = isPrefixed ? (name === asked ? exact : exact - 1) : shared;
    if (rank === 0 || !allows(item)) continue;
    total++;
    if (ranks[rank]!.length < limit) ranks[rank]!.push(item);
  }
  return { hits: ranks.toReversed().flat().slice(0, limit), total };
}

function sharedTerms(name: string, terms: ReadonlySet<string>): number {
  return new Set(termsOf(name, true).filter((term) => terms.has(term))).size;
}

// `list orders`, `list_orders` and `listOrders` are the same name.
function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
