import type { Steps } from '../lib/timing/sliced-work.ts';
import { termsOf } from './words.ts';

/** The names found, best first, and how many match in all. */
export interface NamesFound<T> {
  readonly hits: readonly T[];
  readonly total: number;
}

const maxQueryTerms = 64;
const unitsPerSplitName = 8;
// A term and the word it was made from can differ at the end, but not at the start.
const sharedLetters = 3;

/**
 * Finds items by name only, while the index is still being built: exact matches first, then names that start
 * with the query, then those that share the most words with it. Reports one unit of work per name, and more for
 * a name that has to be split into words.
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
  // Grouped by rank; each group keeps only as many as can be shown.
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
