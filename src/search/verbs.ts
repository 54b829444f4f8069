import { stem } from './words.ts';
import { keysOf } from '../lib/json/plain-object.ts';

/** What an operation does: the HTTP method, and the verbs people use for it. */
const verbs = {
  read: 'get fetch retrieve read view show display see obtain return load list enumerate browse describe inspect check lookup find search query',
  create: 'create add new insert register post submit make generate build open start upload put store save',
  update: 'update edit change modify set patch replace rename adjust alter rewrite put',
  delete: 'delete remove erase drop destroy clear purge discard cancel unset revoke',
} as const;

type Verb = keyof typeof verbs;

const verbOfMethod: Readonly<Record<string, Verb>> = {
  GET: 'read',
  HEAD: 'read',
  QUERY: 'read',
  SEARCH: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

// No word in a text contains a space, so a method term can't appear there by accident.
const methodTerm = (verb: Verb) => `method ${verb}`;

const others = new Map<string, string[]>();
for (const verb of keysOf(verbs)) {
  const group = [...new Set(verbs[verb].split(' ').map(stem)), methodTerm(verb)];
  for (const word of group) {
    const known = others.get(word) ?? [];
    for (const other of group) if (other !== word && !known.includes(other)) known.push(other);
    others.set(word, known);
  }
}

/** Synonyms of a verb, including method terms; empty for other words. */
export function sayingsOf(term: string): readonly string[] {
  return others.get(term) ?? [];
}

/** The term for a method, if the method says what the operation does. */
export function termOfMethod(method: string): string | undefined {
  const verb = verbOfMethod[method.toUpperCase()];
  return verb && methodTerm(verb);
}
