import { relatedTerms, type RelatedTerm } from './synonyms.ts';
import { type Intent, intentOf } from './verbs.ts';
import { termsOf } from './words.ts';

/** A word of a query. */
export interface QueryTerm {
  readonly text: string;
  /** Its positions in the query. */
  readonly places: number[];
  /** Distinguishes it from the other words in a set of bits. */
  readonly bit: number;
}

/** A query as search reads it. */
export interface SearchQuery {
  readonly terms: readonly QueryTerm[];
  /** What else its words may be called. */
  readonly related: readonly RelatedTerm[];
  readonly intent: Intent;
}

const maxQuery = 4_000;
const maxQueryTerms = 64;
const bits = 31;

/** Reads the words of a query, what they may mean and what it asks to have done. */
export function readQuery(query: string): SearchQuery {
  const text = query.slice(0, maxQuery);
  const said = termsOf(text);
  const every = termsOf(text, true).slice(0, 2 * maxQueryTerms);
  const words = (said.length > 0 ? said : every).slice(0, maxQueryTerms);
  const terms = new Map<string, QueryTerm>();
  words.forEach((word, at) => {
    const known = terms.get(word);
    if (known) known.places.push(at);
    else terms.set(word, { text: word, places: [at], bit: 1 << Math.min(terms.size, bits - 1) });
  });
  return {
    terms: [...terms.values()],
    related: relatedTerms(text, every),
    intent: intentOf(text, words),
  };
}
