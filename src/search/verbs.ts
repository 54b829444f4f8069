import { stem, termsOf } from './words.ts';
import { keysOf } from '../lib/json/plain-object.ts';

/** What an operation does, as its HTTP method implies it and as people say it. */
const verbs = {
  read: 'get fetch retrieve read view show display see obtain return load list enumerate browse describe inspect check lookup find search query',
  create: 'create add new insert register post submit make generate build open start upload put store save',
  update: 'update edit change modify set patch replace rename adjust alter rewrite put',
  delete: 'delete remove erase drop destroy clear purge discard cancel unset revoke',
} as const;

export type Verb = keyof typeof verbs;

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

// Words have no spaces, so this term can't occur in a text.
const methodTerm = (verb: Verb) => `method ${verb}`;

const others = new Map<string, string[]>();
const verbOfTerm = new Map<string, Verb>();
for (const verb of keysOf(verbs)) {
  const words = verbs[verb].split(' ').map(stem);
  const group = [...new Set(words), methodTerm(verb)];
  for (const word of words) if (!verbOfTerm.has(word)) verbOfTerm.set(word, verb);
  for (const word of group) {
    const known = others.get(word) ?? [];
    for (const other of group) if (other !== word && !known.includes(other)) known.push(other);
    others.set(word, known);
  }
}

/** What else people say for a verb, including HTTP methods; empty for other words. */
export function sayingsOf(term: string): readonly string[] {
  return others.get(term) ?? [];
}

/** The term for a method, if it implies what is done. */
export function termOfMethod(method: string): string | undefined {
  const verb = verbOfMethod[method.toUpperCase()];
  return verb && methodTerm(verb);
}

/** What a query asks to have done, and to how many things. */
export interface Intent {
  readonly verb: Verb | undefined;
  readonly count: 'one' | 'many' | undefined;
}

const question = /^\W*(?:who|whose|what|which|where|when|how|is|are|does|do|did|has|have)\b/i;
const many = /\b(?:list|all|every|how many|which)\b/i;
const one = /\b(?:an?|one|this|single|specific|particular)\s+(?:[a-z-]+\s+)?[a-z]*[^s\W]\b/i;
const maxVerbPlace = 2;
// A longer query tells a story with several things to do.
const maxIntentTerms = 8;

/** Reads a query's intent: its first verb, or a question, and whether it names one thing or several. */
export function intentOf(query: string, terms: readonly string[]): Intent {
  if (terms.length > maxIntentTerms) return { verb: undefined, count: undefined };
  const text = query.slice(0, 200);
  const verb = terms.slice(0, maxVerbPlace).flatMap((term) => verbOfTerm.get(term) ?? [])[0];
  return {
    verb: verb ?? (question.test(text) ? 'read' : undefined),
    count: many.test(text) ? 'many' : one.test(text) ? 'one' : undefined,
  };
}

/** What an operation does and returns, as far as its method, name and path show it. */
export interface Shape {
  readonly verb: Verb | undefined;
  readonly count: 'one' | 'many' | undefined;
}

/** Reads an operation's shape. `repliesMany` says whether its reply has a list, if that is known. */
export function shapeOf(
  { method, name, path }: { readonly method?: string; readonly name: string; readonly path: string },
  repliesMany: boolean | undefined,
): Shape {
  const segments = (path.split('?', 1)[0] ?? '').split('/').filter((segment) => segment !== '');
  const last = segments.at(-1) ?? '';
  const endsInSlot = /\{[^{}]+\}(?:\.\w+)?$/.test(last);
  return {
    verb: verbOf(method?.toUpperCase(), name, last, endsInSlot),
    count: endsInSlot ? 'one' : repliesMany === true ? 'many' : undefined,
  };
}

function verbOf(
  method: string | undefined,
  name: string,
  last: string,
  endsInSlot: boolean,
): Verb | undefined {
  if (method !== undefined && method !== 'POST') return verbOfMethod[method];
  // A name that starts with its method, such as `PostCustomers`, says nothing more.
  const first = termsOf(name, true).filter((term) => term !== 'post')[0];
  const said = first === undefined ? undefined : verbOfTerm.get(first);
  if (said !== undefined || method === undefined) return said;
  if (endsInSlot) return 'update';
  const ending = termsOf(last, true)[0];
  return (
    (ending === undefined ? undefined : verbOfTerm.get(ending)) ??
    (/s(?:\.\w+)?$/.test(last) ? 'create' : undefined)
  );
}

/** How well an operation's shape fits an intent, from -1 to 1; 0 where either says nothing. */
export function fitOf(intent: Intent, shape: Shape): number {
  let fit = 0;
  if (intent.verb !== undefined && shape.verb !== undefined) {
    if (intent.verb === shape.verb) fit += 1;
    else if (intent.verb === 'read' || shape.verb === 'read' || shape.verb === 'delete') fit -= 0.5;
  }
  const reads = shape.verb === 'read' && (intent.verb ?? 'read') === 'read';
  if (reads && intent.count !== undefined && shape.count !== undefined)
    fit += intent.count === shape.count ? 0.5 : -0.5;
  return fit;
}
