import { stem } from './words.ts';
import { keysOf } from '../lib/json/plain-object.ts';

/** What an operation does, as its HTTP method tells it and as people say it. */
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

// No word of a text has a space in it, so that a method cannot be written by accident.
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

/** What else people say for a verb, methods among it; empty for other words. */
export function sayingsOf(term: string): readonly string[] {
  return others.get(term) ?? [];
}

/** The term that stands for a method, if it tells what is done. */
export function termOfMethod(method: string): string | undefined {
  const verb = verbOfMethod[method.toUpperCase()];
  return verb && methodTerm(verb);
}
