import { RecentValues } from '../lib/weak-cache.ts';
import { trimEndOf } from '../lib/text/tidy-text.ts';
import type { SearchScope } from './search-scope.ts';
import type { SearchDocument } from './tool-document.ts';
import { termsOf } from './words.ts';

/** One thing that was found. */
export interface SearchHit {
  readonly key: string;
  /** Keys of the operations that yield the ids this one needs. */
  readonly needs: readonly string[];
}

type OperationKey = Pick<SearchDocument, 'key' | 'api'>;

const terms = (words: string) => new Set(words.split(' ').flatMap((word) => termsOf(word, true)));

// What the name of an id ends in.
const idWords = terms('id uuid guid identifier key slug sid gid pk');
// Parts of a path or name that say how something is returned, not what it is.
const formatWords = terms('json xml search find list lookup query all index v1 v2 v3 api rest');
const searchWords = terms('search find list lookup query all');
const readMethods = new Set(['GET', 'QUERY', 'SEARCH', 'REPORT', 'PROPFIND']);
const slotPattern = /\{([^{}/]+)\}/g;
const maxHits = 10;
const maxApisRead = 4;
// Hits that come before any prerequisite.
const hitsFirst = 5;

/** An id that an operation can't be called without. */
interface Need {
  /** What it is the id of, as terms: `person` for `{person_id}`. */
  readonly noun: readonly string[];
  /** The path before it, if it is in the path. */
  readonly collection: string | undefined;
  /** The slots that have a value before this one is needed. */
  readonly known: readonly string[];
  readonly argument: string;
}

/** What is looked at when another operation's id is needed; read once from each document. Lists, which are short, take less memory than sets. */
interface Features {
  readonly key: string;
  readonly name: string;
  /** Whether a reply has a list in it; absent where nothing is known of the reply. */
  readonly repliesMany: boolean | undefined;
  readonly needs: readonly Need[];
  readonly isRead: boolean;
  readonly isDeprecated: boolean;
  /** The path with its slots emptied, without an extension. */
  readonly shape: string;
  /** What the path ends in, formats aside; empty if it ends in a slot. */
  readonly noun: readonly string[];
  readonly slots: readonly string[];
  /** Whether it can't be called without arguments besides its path. */
  readonly requires: boolean;
  /** The ids in its reply, each as the terms of its noun and `id`. */
  readonly yields: readonly string[];
  readonly hasFreeText: boolean;
  readonly searches: boolean;
  readonly length: number;
}

/**
 * Knows for the operations of each API which others yield the ids they need: a read of the path before the id, or else
 * a read of things of that name whose reply has the id. Nothing is better than a wrong one.
 */
export class PrerequisiteFinder {
  /** What is looked at, or the slot of a segment that it is read from. */
  readonly #apis = new Map<string, Map<string, Features | number>>();
  readonly #featuresAt: (slot: number) => unknown;
  /** The features of all operations of an API that was asked about a moment ago. */
  readonly #read = new RecentValues<string, readonly Features[]>(maxApisRead);

  /** `featuresAt` returns what a segment has for the document at a slot. */
  constructor(featuresAt: (slot: number) => unknown) {
    this.#featuresAt = featuresAt;
  }

  add(document: SearchDocument): void {
    this.#set(document, featuresOf(document));
  }

  /** Adds an operation whose features are in a segment. */
  adopt(operation: OperationKey, slot: number): void {
    this.#set(operation, slot);
  }

  #set({ key, api }: OperationKey, features: Features | number): void {
    let members = this.#apis.get(api);
    if (!members) this.#apis.set(api, (members = new Map()));
    members.set(key, features);
    this.#read.delete(api);
  }

  remove({ key, api }: OperationKey): void {
    const members = this.#apis.get(api);
    members?.delete(key);
    this.#read.delete(api);
    if (members?.size === 0) this.#apis.delete(api);
  }

  /** The JSON that a segment keeps of a document. */
  static textOf(document: SearchDocument): string {
    return JSON.stringify(featuresOf(document));
  }

  #featuresOf(key: string, features: Features | number): Features {
    if (typeof features !== 'number') return features;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `textOf` of this version
    const read = this.#featuresAt(features) as Features;
    return { ...read, key };
  }

  #membersOf(api: string): readonly Features[] {
    return this.#read.of(api, () =>
      Array.from(this.#apis.get(api) ?? [], ([key, features]) => this.#featuresOf(key, features)),
    );
  }

  /**
   * The first hits, and the operations that yield what they need, none of them twice. Prerequisites come after the
   * fifth hit and take no place among the first five; a limit of five or fewer counts hits only.
   */
  complete(
    ranked: readonly OperationKey[],
    limit: number,
    scope: SearchScope,
    mayShow: (key: string) => boolean,
  ): SearchHit[] {
    const needsIn = (document: OperationKey, rank: number) =>
      rank < maxHits ? this.#providersFor(document, scope, mayShow) : [];
    const shown = ranked
      .slice(0, limit)
      .map((document, rank) => ({ key: document.key, needs: needsIn(document, rank) }));
    const head = shown.slice(0, hitsFirst);
    const listed = new Map<string, SearchHit>(head.map((hit) => [hit.key, hit]));
    for (const key of head.flatMap(({ needs }) => needs)) {
      if (!listed.has(key)) listed.set(key, shown.find((hit) => hit.key === key) ?? { key, needs: [] });
    }
    const most = Math.max(limit, listed.size);
    for (const hit of shown.slice(hitsFirst)) {
      if (listed.size >= most) break;
      listed.set(hit.key, hit);
      for (const key of hit.needs)
        if (!listed.has(key) && listed.size < most) listed.set(key, { key, needs: [] });
    }
    return [...listed.values()];
  }

  #providersFor(
    document: OperationKey,
    scope: SearchScope,
    mayShow: (key: string) => boolean,
  ): readonly string[] {
    const known = this.#apis.get(document.api)?.get(document.key);
    if (known === undefined) return [];
    const features = this.#featuresOf(document.key, known);
    const providers = new Set<string>();
    for (const need of features.needs) {
      const question = [
        document.api,
        need.noun.join(' '),
        need.collection ?? '',
        need.argument,
        ...need.known,
      ];
      const candidates = scope.remember(question.join('\n'), () =>
        rankProviders(need, this.#membersOf(document.api)),
      );
      const provider = candidates.find((key) => key !== document.key && mayShow(key));
      if (provider !== undefined) providers.add(provider);
    }
    return [...providers];
  }
}

function rankProviders(need: Need, members: Iterable<Features>): string[] {
  const scored: { readonly features: Features; readonly score: number }[] = [];
  for (const features of members) {
    const score = fitness(need, features);
    if (score > 0) scored.push({ features, score });
  }
  return scored
    .sort((one, other) => other.score - one.score || (one.features.name < other.features.name ? -1 : 1))
    .map(({ features }) => features.key);
}

/** How well an operation serves to find an id; 0 when it does not yield it. */
function fitness(need: Need, candidate: Features): number {
  const { repliesMany } = candidate;
  if (!candidate.isRead || candidate.isDeprecated || repliesMany === false) return 0;
  for (const slot of candidate.slots) if (!need.known.includes(slot)) return 0;
  const isCollection = need.collection !== undefined && candidate.shape === need.collection;
  if (isCollection) return 100 - (candidate.requires ? 1 : 0);
  if (candidate.requires && !candidate.hasFreeText) return 0;
  if (need.noun.length === 0 || !sameTerms(candidate.noun, need.noun)) return 0;
  // A reply that is known must have the id in it.
  const named = candidate.yields.includes([...need.noun, 'id'].join(' '));
  if (!named && !candidate.yields.includes('id') && repliesMany !== undefined) return 0;
  return (
    10 +
    (named ? 2 : 0) +
    (candidate.hasFreeText ? 2 : 0) +
    (candidate.searches ? 1 : 0) +
    (repliesMany ? 1 : 0) -
    0.1 * candidate.length
  );
}

function featuresOf(document: SearchDocument): Features {
  const path = document.path.split('?', 1)[0]!;
  const segments = path.split('/').filter((segment) => segment !== '');
  const nameTerms = termsOf(document.name, true);
  const searches = [...nameTerms, ...segments.flatMap((segment) => termsOf(segment, true))].some((term) =>
    searchWords.has(term),
  );
  const requiredBesides = document.parameters.some(
    ({ required, place }) => required === true && place !== undefined && place !== 'path',
  );
  return {
    key: document.key,
    name: document.name,
    repliesMany: document.repliesMany,
    needs: needsOf(document, path),
    isRead:
      document.kind === undefined
        ? document.method === undefined
          ? searches
          : readMethods.has(document.method)
        : document.kind === 'read',
    isDeprecated: document.isDeprecated === true,
    shape: emptySlots(path),
    noun: nounOf(segments),
    slots: [...path.matchAll(slotPattern)].map((match) => match[1]!),
    requires: requiredBesides,
    yields: document.replyFields
      .map(readId)
      .filter((id) => id !== undefined)
      .map((noun) => [...noun, 'id'].join(' ')),
    hasFreeText: document.parameters.some((parameter) => parameter.freeText),
    searches,
    length: segments.length,
  };
}

/** What a path is about: its last literal segment that is not a format; empty if a slot comes after it. */
function nounOf(segments: readonly string[]): readonly string[] {
  for (const segment of segments.toReversed()) {
    if (segment.includes('{')) return [];
    const noun = plainTerms(segment).filter((term) => !formatWords.has(term));
    if (noun.length > 0) return noun;
  }
  return [];
}

function needsOf(document: SearchDocument, path: string): Need[] {
  const needs: Need[] = [];
  const known: string[] = [];
  for (const match of path.matchAll(slotPattern)) {
    const before = path.slice(0, match.index);
    const noun = readId(match[1]!);
    const isWhole = before.endsWith('/');
    if (noun !== undefined && isWhole) {
      const parent = before.split('/').findLast((segment) => segment !== '' && !segment.includes('{'));
      needs.push({
        // Deep in a path, a bare id may be of anything with the name before it.
        noun: noun.length > 0 || known.length > 0 ? noun : plainTerms(parent ?? ''),
        collection: emptySlots(before),
        known: [...known],
        argument: match[1]!,
      });
    }
    known.push(match[1]!);
  }
  for (const { name, required, place } of document.parameters) {
    if (!required || place === undefined || place === 'path') continue;
    const noun = readId(name);
    if (noun !== undefined && noun.length > 0)
      needs.push({ noun, collection: undefined, known, argument: name });
  }
  return needs;
}

/** What a name is the id of, as terms: nothing for a bare `id`, undefined when it is not an id. */
function readId(name: string): readonly string[] | undefined {
  const words = plainTerms(name);
  return words.length > 0 && idWords.has(words.at(-1)!) ? words.slice(0, -1) : undefined;
}

// A name with humps yields itself whole as well; its parts are what counts here.
function plainTerms(name: string): readonly string[] {
  return termsOf(name.replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 '), true);
}

function emptySlots(path: string): string {
  return trimEndOf(path.replace(slotPattern, '{}'), '/').replace(/\.(?:json|xml)$/, '');
}

function sameTerms(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((term, at) => term === other[at]);
}
