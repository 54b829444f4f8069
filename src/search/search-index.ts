import { fieldWeights, type SearchDocument } from './tool-document.ts';
import { PrerequisiteFinder, type SearchHit } from './prerequisites.ts';
import { sayingsOf, termOfMethod } from './verbs.ts';
import { spellings, termsOf } from './words.ts';

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** How many documents match any part of the query. */
  readonly total: number;
}

export interface SearchRequest {
  readonly query: string;
  readonly limit: number;
  /** Whether a document may be shown. */
  readonly allows?: (key: string) => boolean;
  /** Visible documents ranked by another method; that ranking is fused with the ranking by words. */
  readonly alsoRanked?: readonly string[];
}

const weights = Object.values(fieldWeights);
const k1 = 2;
const b = 0.75;
const synonymWeight = 0.3;
const spellingWeight = 0.7;
const groupWeight = 0.4;
const adjacencyWeight = 0.15;
const nameCoverageWeight = 0.3;
const reranked = 100;
const maxQueryTerms = 64;
const maxOrdered = 96;
const maxDescription = 4_000;

// A posting is one number: slot (18 bits), field (3 bits), term frequency (9 bits). It fits a small integer.
const maxSlots = 2 ** 18;
const maxCount = 511;

// How many postings can be moved in the time it takes to add one term.
const postingsPerTerm = 2_000;

// Whether a document may be shown.
const unknown = 0;
const yes = 1;
const no = 2;

interface Entry {
  readonly key: string;
  readonly groupName: string;
  readonly group: number;
  /** Distinct terms, needed to remove the document again. */
  readonly terms: Int32Array;
  /** Terms of the name and then of the description in order, with a gap in between. */
  readonly ordered: Int32Array;
  readonly nameLength: number;
}

interface Term {
  readonly text: string;
  readonly postings: number[];
  documents: number;
}

/**
 * Finds tools by words: BM25F over weighted fields, plus evidence from a tool's whole API, near misses for
 * unknown words, and the operations that return the IDs others need. Adding or removing a document touches only
 * that document's words.
 */
export class SearchIndex {
  readonly #terms = new Map<string, number>();
  readonly #byTerm: Term[] = [];
  readonly #freeTerms: number[] = [];
  readonly #entries: (Entry | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #slots = new Map<string, number>();
  readonly #groups = new Map<string, number>();
  readonly #groupSizes: number[] = [];
  readonly #prerequisites = new PrerequisiteFinder();
  // Per field: the length in each slot, and the sum.
  readonly #lengths: number[][] = weights.map(() => []);
  readonly #lengthSums: number[] = weights.map(() => 0);

  // Scratch buffers, reused between queries.
  #scores = new Float64Array(0);
  #shown = new Uint8Array(0);
  // Rebuilt after a change.
  #norms = new Float32Array(0);
  #groupScores = new Float64Array(0);
  #groupBest = new Float64Array(0);
  readonly #groupsOfTerm: number[] = [];

  get size(): number {
    return this.#slots.size;
  }

  /** Adds a document, replacing one with the same key. Returns the work done, in terms. */
  add(document: SearchDocument): number {
    let work = this.remove(document.key);
    this.#norms = new Float32Array(0);
    const slot = this.#freeSlots.pop() ?? this.#entries.length;
    if (slot >= maxSlots) throw new RangeError(`A search index holds at most ${maxSlots} tools.`);
    const counts = new Map<number, number[]>();
    const ordered: number[] = [];
    let nameLength = 0;
    fieldTexts(document).forEach((texts, field) => {
      let length = 0;
      for (const text of texts) {
        for (const term of termsOf(text, field <= 2)) {
          const id = this.#termId(term);
          let count = counts.get(id);
          if (!count) counts.set(id, (count = []));
          count[field] = (count[field] ?? 0) + 1;
          length++;
          if ((field === 0 || field === 3) && ordered.length < maxOrdered) ordered.push(id);
        }
      }
      if (field === 0) {
        nameLength = ordered.length;
        ordered.push(-1);
      }
      work += length;
      this.#lengths[field]![slot] = length;
      this.#lengthSums[field]! += length;
    });
    const method = document.method === undefined ? undefined : termOfMethod(document.method);
    if (method !== undefined) counts.set(this.#termId(method), [1]);
    for (const [id, count] of counts) {
      const term = this.#byTerm[id]!;
      term.documents++;
      count.forEach((times, field) => {
        term.postings.push(slot * 4096 + field * 512 + Math.min(times, maxCount));
      });
    }
    const group = this.#groupId(document.group);
    this.#groupSizes[group]!++;
    this.#slots.set(document.key, slot);
    this.#entries[slot] = {
      key: document.key,
      groupName: document.group,
      group,
      terms: Int32Array.from(counts.keys()),
      ordered: Int32Array.from(ordered),
      nameLength,
    };
    this.#prerequisites.add(document);
    return work;
  }

  /** Removes a document if it exists. Returns the work done, in terms. */
  remove(key: string): number {
    const slot = this.#slots.get(key);
    if (slot === undefined) return 0;
    this.#norms = new Float32Array(0);
    const entry = this.#entries[slot]!;
    let moved = 0;
    for (const id of entry.terms) moved += this.#removePostings(id, slot);
    this.#lengths.forEach((lengths, field) => {
      this.#lengthSums[field]! -= lengths[slot]!;
    });
    this.#groupSizes[entry.group]!--;
    this.#entries[slot] = undefined;
    this.#freeSlots.push(slot);
    this.#slots.delete(key);
    this.#prerequisites.remove({ key, group: entry.groupName });
    return entry.terms.length + Math.ceil(moved / postingsPerTerm);
  }

  /**
   * The documents that match a query, best first; operations that return a needed ID come right after the first
   * hit that needs it.
   */
  search({ query, limit, allows = () => true, alsoRanked = [] }: SearchRequest): SearchAnswer {
    const asked = this.#readQuery(query);
    const touched = this.#score(asked, allows);
    const scores = this.#scores;
    const byScore = (one: number, other: number) => scores[other]! - scores[one]! || one - other;
    const first = this.#best(touched, reranked).sort(byScore).slice(0, reranked);
    this.#rerank(first, asked);
    first.sort(byScore);
    const byWords = first.map((slot) => this.#entries[slot]!.key);
    const others = alsoRanked.filter((key) => this.#slots.has(key));
    const keys = others.length === 0 ? byWords : fuseRanks([byWords, others]);
    const ranked = keys.map((key) => ({ key, group: this.#entries[this.#slots.get(key)!]!.groupName }));
    const further = others.filter((key) => scores[this.#slots.get(key)!] === 0).length;
    for (const slot of touched) scores[slot] = 0;
    return { hits: this.#prerequisites.weave(ranked, limit, allows), total: touched.length + further };
  }

  #termId(text: string): number {
    let id = this.#terms.get(text);
    if (id === undefined) {
      id = this.#freeTerms.pop() ?? this.#byTerm.length;
      this.#byTerm[id] = { text, postings: [], documents: 0 };
      this.#terms.set(text, id);
    }
    return id;
  }

  #groupId(name: string): number {
    let id = this.#groups.get(name);
    if (id === undefined) {
      id = this.#groupSizes.length;
      this.#groups.set(name, id);
      this.#groupSizes.push(0);
    }
    return id;
  }

  #removePostings(id: number, slot: number): number {
    const term = this.#byTerm[id]!;
    const { postings } = term;
    const before = postings.length;
    let kept = 0;
    for (const posting of postings) if (posting >>> 12 !== slot) postings[kept++] = posting;
    postings.length = kept;
    if (--term.documents > 0) return before;
    this.#terms.delete(term.text);
    this.#freeTerms.push(id);
    return before;
  }

  #readQuery(query: string): QueryTerm[] {
    const text = query.slice(0, maxDescription);
    const said = termsOf(text);
    const words = (said.length > 0 ? said : termsOf(text, true)).slice(0, maxQueryTerms);
    const terms = new Map<string, QueryTerm>();
    words.forEach((word, at) => {
      const known = terms.get(word);
      if (known) known.places.push(at);
      else terms.set(word, { text: word, id: this.#terms.get(word), places: [at] });
    });
    return [...terms.values()];
  }

  /** Adds up each term's contribution to each document. Returns the slots with a score. */
  #score(asked: readonly QueryTerm[], allows: (key: string) => boolean): number[] {
    this.#makeRoom();
    const scores = this.#scores;
    const groupScores = this.#groupScores;
    const touched: number[] = [];
    const groups = new Set<number>();
    for (const [id, worth] of this.#worths(asked, allows)) {
      this.#addMatches(id, worth, touched, allows);
      for (const group of this.#groupsOfTerm) {
        groups.add(group);
        groupScores[group]! += this.#groupBest[group]!;
        this.#groupBest[group] = 0;
      }
      this.#groupsOfTerm.length = 0;
    }
    for (const slot of touched) {
      const { group } = this.#entries[slot]!;
      // A large API matches something in every query.
      const damping = 1 / Math.sqrt(1 + Math.log(this.#groupSizes[group]!));
      scores[slot]! += groupWeight * damping * groupScores[group]!;
    }
    for (const group of groups) groupScores[group] = 0;
    return touched;
  }

  /**
   * The weights of the terms to look for: the query's own, synonyms of its verbs, and corrections of likely
   * typos.
   */
  #worths(asked: readonly QueryTerm[], allows: (key: string) => boolean): Map<number, number> {
    const worths = new Map<number, number>();
    const add = (id: number, worth: number) => worths.set(id, (worths.get(id) ?? 0) + worth);
    for (const { text, id, places } of asked) {
      const repeated = 1 + 0.3 * Math.log(places.length);
      const isKnown = id !== undefined && this.#hasMatch(id, allows);
      const idf = isKnown ? this.#idf(id) : Infinity;
      if (isKnown) add(id, repeated * idf);
      const sayings = sayingsOf(text);
      for (const saying of sayings) {
        const other = this.#terms.get(saying);
        // A verb doesn't weigh more just because only one API uses it.
        if (other !== undefined) add(other, synonymWeight * repeated * Math.min(this.#idf(other), idf));
      }
      if (isKnown || sayings.length > 0) continue;
      for (const near of spellings(text, this.#terms)) add(near, spellingWeight * repeated * this.#idf(near));
    }
    return worths;
  }

  #hasMatch(id: number, allows: (key: string) => boolean): boolean {
    return this.#byTerm[id]!.postings.some((posting) => this.#isShown(posting >>> 12, allows));
  }

  #isShown(slot: number, allows: (key: string) => boolean): boolean {
    const shown = this.#shown;
    if (shown[slot] === unknown) shown[slot] = allows(this.#entries[slot]!.key) ? yes : no;
    return shown[slot] === yes;
  }

  #makeRoom(): void {
    const slots = this.#entries.length;
    if (this.#scores.length < slots) {
      this.#scores = new Float64Array(slots * 2);
      this.#shown = new Uint8Array(slots * 2);
    }
    const groups = this.#groupSizes.length;
    if (this.#groupScores.length < groups) {
      this.#groupScores = new Float64Array(groups * 2);
      this.#groupBest = new Float64Array(groups * 2);
    }
    this.#shown.fill(unknown);
    if (this.#norms.length === 0) this.#norms = this.#makeNorms();
  }

  /** The weight of a word by slot and field; lower in a long text. */
  #makeNorms(): Float32Array<ArrayBuffer> {
    const norms = new Float32Array(this.#entries.length * 8);
    const count = this.#slots.size;
    weights.forEach((weight, field) => {
      const slope = this.#lengthSums[field] === 0 ? 0 : (b * count) / this.#lengthSums[field]!;
      this.#lengths[field]!.forEach((length, slot) => {
        norms[slot * 8 + field] = weight / (1 - b + slope * length);
      });
    });
    return norms;
  }

  /** Adds one term's contribution to each document that contains it. */
  #addMatches(id: number, worth: number, touched: number[], allows: (key: string) => boolean): void {
    const { postings } = this.#byTerm[id]!;
    const scores = this.#scores;
    const norms = this.#norms;
    for (let at = 0; at < postings.length;) {
      const slot = postings[at]! >>> 12;
      let frequency = 0;
      for (; at < postings.length && postings[at]! >>> 12 === slot; at++) {
        const posting = postings[at]!;
        // Slot and field together index the norm.
        frequency += norms[posting >>> 9]! * (posting & maxCount);
      }
      if (!this.#isShown(slot, allows)) continue;
      const gain = (worth * frequency) / (k1 + frequency);
      if (scores[slot] === 0) touched.push(slot);
      scores[slot]! += gain;
      const { group } = this.#entries[slot]!;
      const best = this.#groupBest[group]!;
      if (best === 0) this.#groupsOfTerm.push(group);
      if (gain > best) this.#groupBest[group] = gain;
    }
  }

  #idf(id: number): number {
    const { documents } = this.#byTerm[id]!;
    return Math.log(1 + (this.#slots.size - documents + 0.5) / (documents + 0.5));
  }

  /** At least `count` slots with the highest scores, unordered. Uses coarse buckets instead of a sort. */
  #best(touched: readonly number[], count: number): number[] {
    if (touched.length <= count) return [...touched];
    const scores = this.#scores;
    let highest = 0;
    for (const slot of touched) if (scores[slot]! > highest) highest = scores[slot]!;
    const steps = new Uint32Array(1001);
    for (const slot of touched) steps[Math.floor((scores[slot]! / highest) * 1000)]!++;
    let step = 1001;
    for (let taken = 0; taken < count; taken += steps[step]!) step--;
    return touched.filter((slot) => Math.floor((scores[slot]! / highest) * 1000) >= step);
  }

  #rerank(slots: readonly number[], asked: readonly QueryTerm[]): void {
    const worth = new Map<number, number>();
    const byPlace: (number | undefined)[] = [];
    for (const { id, places } of asked) {
      if (id === undefined) continue;
      worth.set(id, this.#idf(id));
      for (const place of places) byPlace[place] = id;
    }
    const pairs = new Set<number>();
    byPlace.forEach((id, at) => {
      const next = byPlace[at + 1];
      if (id !== undefined && next !== undefined && id !== next) pairs.add(pairOf(id, next));
    });
    for (const slot of slots) {
      const { ordered, nameLength } = this.#entries[slot]!;
      const seen = new Set<number>();
      for (let at = 0; at + 1 < ordered.length; at++) {
        const pair = pairOf(ordered[at]!, ordered[at + 1]!);
        if (pairs.has(pair)) seen.add(pair);
      }
      let all = 0;
      let covered = 0;
      for (let at = 0; at < nameLength; at++) {
        const idf = worth.get(ordered[at]!);
        if (idf !== undefined) covered += idf;
        all += idf ?? this.#idf(ordered[at]!);
      }
      const coverage = all === 0 ? 0 : covered / all;
      this.#scores[slot]! *= 1 + adjacencyWeight * Math.min(seen.size, 3) + nameCoverageWeight * coverage;
    }
  }
}

interface QueryTerm {
  readonly text: string;
  readonly id: number | undefined;
  /** Its position in the query. */
  readonly places: number[];
}

function pairOf(one: number, other: number): number {
  return one * 2 ** 24 + other;
}

function fieldTexts(document: SearchDocument): readonly (readonly string[])[] {
  return [
    [document.name],
    document.groupWords,
    // Path parameters are indexed with the parameters.
    [document.path.replace(/\{[^{}/]+\}/g, ' ')],
    [document.description.slice(0, maxDescription)],
    document.parameters.map(({ name }) => name),
    document.parameters.map(({ description }) => description.slice(0, 500)),
    document.replyFields,
  ];
}

// How quickly lower ranks lose weight; the constant comes from the paper (Cormack, Clarke and Büttcher, 2009).
const softening = 60;

/**
 * Merges several rankings by reciprocal rank: an item near the top of any of them ends up near the top. Ties
 * keep the order of the first ranking.
 */
export function fuseRanks(orders: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const order of orders)
    order.forEach((key, rank) => scores.set(key, (scores.get(key) ?? 0) + 1 / (softening + rank + 1)));
  return [...scores].sort(([, one], [, other]) => other - one).map(([key]) => key);
}
