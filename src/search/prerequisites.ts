import { trimEndOf } from '../lib/text/tidy-text.ts';
import type { SearchDocument } from './tool-document.ts';
import { termsOf } from './words.ts';

/** One search result. */
export interface SearchHit {
  readonly key: string;
  /** Keys of the operations that yield the ids this one needs. */
  readonly needs: readonly string[];
}

type OperationKey = Pick<SearchDocument, 'key' | 'group'>;

// Suffixes of ID names.
const idWords = new Set(
  ['id', 'uuid', 'guid', 'identifier', 'key', 'slug', 'sid', 'gid', 'pk'].flatMap((word) =>
    termsOf(word, true),
  ),
);
const searchWords = new Set(
  ['search', 'find', 'list', 'lookup', 'query', 'all'].flatMap((word) => termsOf(word, true)),
);
const readMethods = new Set(['GET', 'QUERY', 'SEARCH', 'REPORT', 'PROPFIND']);
const slotPattern = /\{([^{}/]+)\}/g;
const maxHits = 10;
const maxProviders = 8;

/** An ID that an operation requires. */
interface Need {
  /** What the ID identifies, as terms: `person` for `{person_id}`. */
  readonly noun: readonly string[];
  /** The path before the ID, if the ID is part of a path. */
  readonly collection: string | undefined;
  readonly argument: string;
}

/** What is compared when another operation needs an ID. Computed once per document. */
interface Features {
  readonly key: string;
  /** Whether the reply contains a list; absent if nothing is known about the reply. */
  readonly repliesMany: boolean | undefined;
  readonly needs: readonly Need[];
  readonly isRead: boolean;
  /** The path with its parameters blanked out. */
  readonly shape: string;
  readonly segments: readonly (readonly string[])[];
  readonly nameTerms: ReadonlySet<string>;
  readonly slots: ReadonlySet<string>;
  readonly yields: ReadonlySet<string>;
  readonly hasFreeText: boolean;
  readonly searches: boolean;
}

/**
 * Finds the operations that return the IDs other operations of the same API need, from paths, names and
 * replies.
 */
export class PrerequisiteFinder {
  readonly #groups = new Map<
    string,
    { readonly members: Map<string, Features>; readonly known: Map<string, readonly string[]> }
  >();

  add(document: SearchDocument): void {
    let group = this.#groups.get(document.group);
    if (!group) this.#groups.set(document.group, (group = { members: new Map(), known: new Map() }));
    group.members.set(document.key, featuresOf(document));
    group.known.clear();
  }

  remove({ key, group: name }: OperationKey): void {
    const group = this.#groups.get(name);
    group?.members.delete(key);
    group?.known.clear();
    if (group?.members.size === 0) this.#groups.delete(name);
  }

  /** The top hits, each followed by the operations that return the IDs it needs, without duplicates. */
  weave(ranked: readonly OperationKey[], limit: number, allows: (key: string) => boolean): SearchHit[] {
    const hits = new Map<string, SearchHit>();
    ranked.forEach((document, rank) => {
      if (hits.size >= limit) return;
      const providers = rank < maxHits ? this.#providersFor(document, allows) : [];
      hits.set(document.key, { key: document.key, needs: providers });
      for (const key of providers) if (!hits.has(key)) hits.set(key, { key, needs: [] });
    });
    return [...hits.values()].slice(0, limit);
  }

  #providersFor(document: OperationKey, allows: (key: string) => boolean): string[] {
    const group = this.#groups.get(document.group);
    const features = group?.members.get(document.key);
    if (!group || !features) return [];
    const providers = new Set<string>();
    for (const need of features.needs) {
      const id = `${need.noun.join(' ')}\n${need.collection ?? ''}\n${need.argument}`;
      let known = group.known.get(id);
      if (!known) group.known.set(id, (known = rankProviders(need, group.members.values())));
      const provider = known.find((key) => key !== document.key && allows(key));
      if (provider !== undefined) providers.add(provider);
    }
    return [...providers];
  }
}

function rankProviders(need: Need, members: Iterable<Features>): string[] {
  const scored: { readonly key: string; readonly score: number }[] = [];
  for (const features of members) {
    const score = fitness(need, features);
    if (score > 0) scored.push({ key: features.key, score });
  }
  return scored
    .sort((one, other) => other.score - one.score || (one.key < other.key ? -1 : 1))
    .slice(0, maxProviders)
    .map(({ key }) => key);
}

/** How likely an operation is to return an ID; 0 if it doesn't. */
function fitness(need: Need, candidate: Features): number {
  const { repliesMany, segments } = candidate;
  if (!candidate.isRead || candidate.needs.some((own) => sameTerms(own.noun, need.noun))) return 0;
  const named = need.noun.length > 0 && candidate.yields.has([...need.noun, 'id'].join(' '));
  const isCollection = need.collection !== undefined && candidate.shape === need.collection;
  const about = isCollection ? 3 : aboutness(need.noun, candidate);
  if (about === 0 && !named) return 0;
  // A reply that is known to contain no ID can't be its source.
  if (repliesMany !== undefined && candidate.yields.size === 0) return 0;
  let score = about + (named ? 2 : 0);
  if (candidate.hasFreeText) score += 2;
  if (candidate.searches) score += 0.5;
  if (repliesMany) score += 1;
  const path = need.collection ?? '';
  for (const slot of candidate.slots) if (!path.includes(`{${slot}}`)) score -= 1.5;
  score -= 0.1 * segments.length;
  return score;
}

/** How closely an operation is about a thing: its path ends in it or passes through it, or its name mentions it. */
function aboutness(noun: readonly string[], { segments, nameTerms }: Features): number {
  if (noun.length === 0) return 0;
  const has = (terms: readonly string[]) => noun.every((term) => terms.includes(term));
  const last = segments.at(-1);
  if (last && has(last)) return 3;
  if (segments.some(has)) return 2;
  return noun.every((term) => nameTerms.has(term)) ? 1.5 : 0;
}

function featuresOf(document: SearchDocument): Features {
  const path = document.path.split('?', 1)[0]!;
  const segments = path
    .split('/')
    .filter((segment) => segment !== '' && !segment.includes('{'))
    .map((segment) => termsOf(segment, true));
  const nameTerms = new Set(termsOf(document.name, true));
  const searches = [...nameTerms, ...segments.flat()].some((term) => searchWords.has(term));
  return {
    key: document.key,
    repliesMany: document.repliesMany,
    needs: needsOf(document, path),
    isRead:
      document.method === undefined
        ? searches
        : readMethods.has(document.method) || (document.method === 'POST' && searches),
    shape: shapeOf(path),
    segments,
    nameTerms,
    slots: new Set([...path.matchAll(slotPattern)].map((match) => match[1]!)),
    yields: new Set(
      document.replyFields
        .map(readId)
        .filter((id) => id !== undefined)
        .map((noun) => [...noun, 'id'].join(' ')),
    ),
    hasFreeText: document.parameters.some((parameter) => parameter.freeText),
    searches,
  };
}

function needsOf(document: SearchDocument, path: string): Need[] {
  const needs: Need[] = [];
  for (const match of path.matchAll(slotPattern)) {
    const before = path.slice(0, match.index);
    const noun = readId(match[1]!);
    if (noun === undefined) continue;
    const parent = before.split('/').findLast((segment) => segment !== '' && !segment.includes('{'));
    needs.push({
      noun: noun.length > 0 ? noun : termsOf(parent ?? '', true),
      collection: shapeOf(before),
      argument: match[1]!,
    });
  }
  for (const { name, required, place } of document.parameters) {
    if (!required || place === undefined || place === 'path') continue;
    const noun = readId(name);
    if (noun !== undefined && noun.length > 0) needs.push({ noun, collection: undefined, argument: name });
  }
  return needs;
}

/** What a name is the ID of, as terms: an empty list for a bare `id`, undefined if the name isn't an ID. */
function readId(name: string): readonly string[] | undefined {
  const terms = plainTerms(name);
  return terms.length > 0 && idWords.has(terms.at(-1)!) ? terms.slice(0, -1) : undefined;
}

// For a camelCase name the tokenizer also returns the whole name; only its parts matter here.
function plainTerms(name: string): string[] {
  return termsOf(name.replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 '), true);
}

function shapeOf(path: string): string {
  return trimEndOf(path.replace(slotPattern, '{}'), '/');
}

function sameTerms(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((term, at) => term === other[at]);
}
