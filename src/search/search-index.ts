import { fieldWeights, type SearchDocument } from './tool-document.ts';
import { PrerequisiteFinder, type SearchHit } from './prerequisites.ts';
import { type QueryTerm, readQuery, type SearchQuery } from './read-query.ts';
import { AdoptedSegment, codeOf, type RankedParts, type SearchSegment } from './search-segment.ts';
import { type IndexChange, type IndexedSlots, maxLength, normAt, SearchScope } from './search-scope.ts';
import { fitOf, sayingsOf, shapeOf, termOfMethod } from './verbs.ts';
import { spellings, termsOf } from './words.ts';

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** How many documents have anything of the query. */
  readonly total: number;
  /** The best documents, best first, whether they are among the hits or not. */
  readonly best: readonly string[];
}

export interface SearchRequest {
  readonly query: string;
  readonly limit: number;
  /** The documents to search and to count over; all by default. */
  readonly scope?: SearchScope | undefined;
  /** Whether a document of the scope may be shown. */
  readonly allows?: (key: string) => boolean;
  /** Documents that may be shown, in an order found in another way, which is fused with that of the words. */
  readonly alsoRanked?: readonly string[];
}

const weights = Object.values(fieldWeights);
const k1 = 2;
const synonymWeight = 0.3;
const relatedWeight = 0.2;
// Related words of a word that no document has.
const relatedToUnknownWeight = 0.5;
// Related words of a phrase, which is more specific than its words.
const relatedToPhraseWeight = 0.6;
const spellingWeight = 0.7;
const groupWeight = 0.6;
const groupShareExponent = 0.25;
const adjacencyWeight = 0.15;
const nameCoverageWeight = 0.3;
const pathCoverageWeight = 0.4;
const shapeWeight = 0.35;
const deprecatedFactor = 0.5;
const repetitionWeight = 0.2;
// The first places are the best documents, whatever they have in common.
const firstDiversePlace = 2;
const diversePlaces = 10;
const maxDiversified = 50;
const reranked = 100;
const maxOrdered = 96;
const maxPathTerms = 24;
const maxDescription = 4_000;

// A posting is one number: slot (18 bits), field (3), how often (9). All fit a small integer.
const maxSlots = 2 ** 18;
const maxCount = 511;
const fieldsPerSlot = 8;

// Slots are added one by one, so arrays by slot grow in proportion.
const slotGrowth = 1.5;

const maxChangesKept = 512;

// How many postings can be moved in the time it takes to add a term.
const postingsPerTerm = 2_000;

interface Entry {
  readonly key: string;
  readonly name: string;
  readonly api: string;
  /** Null for a document of a segment, which has them. */
  readonly parts: RankedParts | null;
}

/** A document as an index that adopts a segment knows it. */
export type AdoptedDocument = Pick<SearchDocument, 'key' | 'name' | 'api'>;

interface Term {
  readonly text: string;
  /** Of documents that were added one by one. */
  readonly postings: number[];
  /** How many of those have it. */
  documents: number;
  /** Of documents in segments: for each, the segment and where its postings begin and end. */
  inSegments: readonly PostingRange[];
}

interface PostingRange {
  readonly segment: AdoptedSegment;
  readonly from: number;
  readonly to: number;
}

const inNoSegment: readonly PostingRange[] = [];

/** What a term to look for is worth, and which words of the query it stands for. */
interface Worth {
  worth: number;
  /** One bit for each word of the query. */
  words: number;
}

/**
 * Finds tools by words: BM25F over weighted fields, with the evidence of a tool's tag, near misses of unknown words,
 * and the operations that yield the ids others need. Every number is counted over the scope of a search alone, so that
 * a ranking depends on the query and on the documents of its scope. Adding or removing a document touches only its own words.
 */
export class SearchIndex {
  readonly #terms = new Map<string, number>();
  readonly #byTerm: Term[] = [];
  readonly #freeTerms: number[] = [];
  readonly #entries: (Entry | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #slots = new Map<string, number>();
  readonly #groups = new Map<string, number>();
  readonly #prerequisites = new PrerequisiteFinder((slot) => this.#segmentOf(slot).featuresOf(slot));
  #segments: readonly AdoptedSegment[] = [];
  /** By slot. */
  #groupOf = new Uint32Array(0);
  // By slot and field.
  #lengths = new Uint16Array(0);
  #version = 0;
  /** The last changes; the newest made the version what it is. */
  readonly #changes: IndexChange[] = [];
  readonly #everything: SearchScope;
  readonly #indexed: IndexedSlots;

  // Scratch for one query, kept between queries.
  #scores = new Float64Array(0);
  #words = new Uint32Array(0);
  #groupScores = new Float64Array(0);
  #groupBest = new Float64Array(0);
  #groupMatches = new Uint32Array(0);
  readonly #groupsOfTerm: number[] = [];

  constructor() {
    const version = () => this.#version;
    const slotCount = () => this.#entries.length;
    this.#indexed = {
      get version() {
        return version();
      },
      get slotCount() {
        return slotCount();
      },
      fieldCount: weights.length,
      weightOf: (field) => weights[field]!,
      slotOf: (key) => this.#slots.get(key),
      lengthOf: (slot, field) => this.#lengths[slot * fieldsPerSlot + field]!,
      groupOf: (slot) => this.#groupOf[slot]!,
      changesSince: (known) => {
        const count = this.#version - known;
        return count > this.#changes.length ? null : this.#changes.slice(this.#changes.length - count);
      },
      eachSlot: (term, visit) => {
        const { postings, inSegments } = this.#byTerm[term]!;
        for (const { segment, from, to } of inSegments)
          for (let at = from; at < to; at++) visit(segment.postings[at]! >>> 12);
        for (const posting of postings) visit(posting >>> 12);
      },
    };
    this.#everything = this.scope(
      () => this.#slots.keys(),
      () => true,
    );
  }

  get size(): number {
    return this.#slots.size;
  }

  /** A part of the index to search in, by the keys of its documents. */
  scope(keys: () => Iterable<string>, isMember?: (key: string) => boolean): SearchScope {
    return new SearchScope(this.#indexed, keys, isMember);
  }

  /** Counts a change; called while the document is there. */
  #note(key: string, slot: number, isAdded: boolean): void {
    this.#version++;
    // A view that is further behind counts everything.
    if (this.#changes.length >= 2 * maxChangesKept) this.#changes.splice(0, maxChangesKept);
    const lengths = this.#lengths.slice(slot * fieldsPerSlot, slot * fieldsPerSlot + weights.length);
    this.#changes.push({ key, slot, isAdded, group: this.#groupOf[slot]!, lengths });
  }

  /** Adds a document, replacing one with the same key. Returns how much work that was, in terms. */
  add(document: SearchDocument): number {
    let work = this.remove(document.key);
    const slot = this.#freeSlots.pop() ?? this.#entries.length;
    if (slot >= maxSlots) throw new RangeError(`A search index holds at most ${maxSlots} tools.`);
    this.#growSlots(slot);
    const counts = new Map<number, number[]>();
    const ordered: number[] = [];
    const pathTerms: number[] = [];
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
          if (field === 2 && pathTerms.length < maxPathTerms) pathTerms.push(id);
        }
      }
      if (field === 0) {
        nameLength = ordered.length;
        ordered.push(-1);
      }
      work += length;
      this.#lengths[slot * fieldsPerSlot + field] = Math.min(length, maxLength);
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
    ordered.push(-1);
    this.#slots.set(document.key, slot);
    this.#groupOf[slot] = this.#groupId(document.group);
    this.#entries[slot] = {
      key: document.key,
      name: document.name,
      api: document.api,
      parts: {
        terms: Int32Array.from([...ordered, ...pathTerms, ...counts.keys()]),
        nameLength,
        pathStart: ordered.length,
        pathEnd: ordered.length + pathTerms.length,
        shape: shapeOf(document, document.repliesMany),
        isDeprecated: document.isDeprecated === true,
      },
    };
    this.#prerequisites.add(document);
    this.#note(document.key, slot, true);
    return work;
  }

  /** Removes a document, if it is there. Returns how much work that was, in terms. */
  remove(key: string): number {
    const slot = this.#slots.get(key);
    if (slot === undefined) return 0;
    this.#note(key, slot, false);
    const entry = this.#entries[slot]!;
    this.#entries[slot] = undefined;
    this.#slots.delete(key);
    this.#prerequisites.remove(entry);
    if (entry.parts === null) return this.#leaveSegment(this.#segmentOf(slot));
    let moved = 0;
    const terms = entry.parts.terms.subarray(entry.parts.pathEnd);
    for (const id of terms) moved += this.#removePostings(id, slot);
    this.#freeSlots.push(slot);
    return terms.length + Math.ceil(moved / postingsPerTerm);
  }

  /** Takes over documents that were indexed elsewhere, replacing those with the same keys. Null stands for one that is not wanted any more. */
  adopt(segment: SearchSegment, documents: readonly (AdoptedDocument | null)[]): void {
    for (const document of documents) if (document !== null) this.remove(document.key);
    const firstSlot = this.#entries.length;
    if (firstSlot + segment.size > maxSlots)
      throw new RangeError(`A search index holds at most ${maxSlots} tools.`);
    this.#growSlots(firstSlot + segment.size - 1);
    this.#lengths.set(segment.lengths, firstSlot * fieldsPerSlot);
    const termIds = Int32Array.from(segment.terms, (text) => this.#termId(text));
    const groups = segment.groups.map((name) => this.#groupId(name));
    const adopted = new AdoptedSegment(segment, firstSlot, termIds, 4096);
    this.#segments = [...this.#segments, adopted];
    termIds.forEach((id, at) => {
      const term = this.#byTerm[id]!;
      const from = at === 0 ? 0 : segment.postingEnds[at - 1]!;
      term.inSegments = [...term.inSegments, { segment: adopted, from, to: segment.postingEnds[at]! }];
    });
    documents.forEach((document, at) => {
      const slot = firstSlot + at;
      this.#groupOf[slot] = groups[segment.groupOf[at]!]!;
      if (document === null) {
        this.#entries[slot] = undefined;
        adopted.live--;
        return;
      }
      const { key, name, api } = document;
      this.#entries[slot] = { key, name, api, parts: null };
      this.#slots.set(key, slot);
      this.#prerequisites.adopt({ key, api }, slot);
    });
    // So many at once are counted again rather than followed.
    this.#version += 1;
    this.#changes.length = 0;
    if (adopted.live === 0) this.#drop(adopted);
  }

  /** The documents in segments that have lost most of theirs: added again, they free the memory of the others. */
  scattered(): readonly string[] {
    const sparse = this.#segments.find(({ live, size }) => live < size / 2);
    if (sparse === undefined) return [];
    const slots = Array.from({ length: sparse.size }, (_, at) => sparse.firstSlot + at);
    return slots.flatMap((slot) => this.#entries[slot]?.key ?? []);
  }

  /** Everything in it, which was added one by one, as another index can adopt it. Call it on an index of which nothing was removed. */
  toSegment(documents: readonly SearchDocument[]): SearchSegment {
    const entries = this.#entries.map((entry) => entry!.parts!);
    const size = entries.length;
    const postings = new Uint32Array(this.#byTerm.reduce((sum, term) => sum + term.postings.length, 0));
    const postingEnds = new Uint32Array(this.#byTerm.length);
    let end = 0;
    this.#byTerm.forEach((term, id) => {
      postings.set(term.postings, end);
      postingEnds[id] = end += term.postings.length;
    });
    const ordered = new Int32Array(entries.reduce((sum, { pathEnd }) => sum + pathEnd, 0));
    const orderedEnds = new Uint32Array(size);
    let orderedEnd = 0;
    entries.forEach(({ terms, pathEnd }, slot) => {
      ordered.set(terms.subarray(0, pathEnd), orderedEnd);
      orderedEnds[slot] = orderedEnd += pathEnd;
    });
    const texts = documents.map((document) => Buffer.from(PrerequisiteFinder.textOf(document)));
    const features = new Uint8Array(texts.reduce((sum, text) => sum + text.length, 0));
    const featureEnds = new Uint32Array(size);
    let featuresEnd = 0;
    texts.forEach((text, slot) => {
      features.set(text, featuresEnd);
      featureEnds[slot] = featuresEnd += text.length;
    });
    return {
      size,
      terms: this.#byTerm.map(({ text }) => text),
      groups: [...this.#groups.keys()],
      postings,
      postingEnds,
      lengths: this.#lengths.slice(0, size * fieldsPerSlot),
      groupOf: this.#groupOf.slice(0, size),
      ordered,
      orderedEnds,
      nameLengths: Uint8Array.from(entries, ({ nameLength }) => nameLength),
      pathStarts: Uint8Array.from(entries, ({ pathStart }) => pathStart),
      shapes: Uint8Array.from(entries, codeOf),
      features,
      featureEnds,
    };
  }

  #segmentOf(slot: number): AdoptedSegment {
    return this.#segments.find((segment) => segment.has(slot))!;
  }

  /** Counts a document of a segment as gone: its slot stays taken as long as the segment. Returns how much work that was. */
  #leaveSegment(segment: AdoptedSegment): number {
    segment.live--;
    return segment.live === 0 ? this.#drop(segment) : 1;
  }

  #drop(segment: AdoptedSegment): number {
    this.#segments = this.#segments.filter((other) => other !== segment);
    for (const id of segment.termIds) {
      const term = this.#byTerm[id]!;
      term.inSegments = term.inSegments.filter((range) => range.segment !== segment);
      this.#forgetIfUnused(id, term);
    }
    for (let at = segment.size - 1; at >= 0; at--) this.#freeSlots.push(segment.firstSlot + at);
    return segment.termIds.length;
  }

  /** The documents that fit a query, best first, and the operations that yield the ids they need; see `PrerequisiteFinder`. */
  search({ query, limit, scope = this.#everything, allows, alsoRanked = [] }: SearchRequest): SearchAnswer {
    scope.refresh();
    const asked = readQuery(query);
    const scored = this.#score(asked, scope);
    const scores = this.#scores;
    const touched = allows === undefined ? scored : scored.filter((slot) => allows(this.#entries[slot]!.key));
    const byScore = (one: number, other: number) => scores[other]! - scores[one]! || this.#byName(one, other);
    const first = this.#best(touched, reranked).sort(byScore).slice(0, reranked);
    this.#rerank(first, asked, scope);
    first.sort(byScore);
    const byWords = this.#diversify(first, asked, scope).map((slot) => this.#entries[slot]!.key);
    const others = alsoRanked.filter((key) => this.#slots.has(key));
    const best = others.length === 0 ? byWords : fuseRanks([byWords, others]);
    const ranked = best.map((key) => ({ key, api: this.#entries[this.#slots.get(key)!]!.api }));
    const further = others.filter((key) => scores[this.#slots.get(key)!] === 0).length;
    for (const slot of scored) {
      scores[slot] = 0;
      this.#words[slot] = 0;
    }
    const mayShow = (key: string): boolean => scope.has(this.#slots.get(key)!) && (allows?.(key) ?? true);
    const hits = this.#prerequisites.complete(ranked, limit, scope, mayShow);
    return { hits, total: touched.length + further, best };
  }

  // Names are unique among the tools of a server; ids depend on when a tool was imported.
  #byName(one: number, other: number): number {
    const a = this.#entries[one]!;
    const c = this.#entries[other]!;
    if (a.name !== c.name) return a.name < c.name ? -1 : 1;
    return a.key < c.key ? -1 : 1;
  }

  #termId(text: string): number {
    let id = this.#terms.get(text);
    if (id === undefined) {
      id = this.#freeTerms.pop() ?? this.#byTerm.length;
      this.#byTerm[id] = { text, postings: [], documents: 0, inSegments: inNoSegment };
      this.#terms.set(text, id);
    }
    return id;
  }

  #groupId(name: string): number {
    let id = this.#groups.get(name);
    if (id === undefined) {
      id = this.#groups.size;
      this.#groups.set(name, id);
    }
    return id;
  }

  #growSlots(slot: number): void {
    if (slot < this.#groupOf.length) return;
    const slots = Math.max(256, slot + 1, Math.floor(slot * slotGrowth));
    const lengths = new Uint16Array(slots * fieldsPerSlot);
    lengths.set(this.#lengths);
    this.#lengths = lengths;
    const groupOf = new Uint32Array(slots);
    groupOf.set(this.#groupOf);
    this.#groupOf = groupOf;
  }

  #removePostings(id: number, slot: number): number {
    const term = this.#byTerm[id]!;
    const { postings } = term;
    const before = postings.length;
    let kept = 0;
    for (const posting of postings) if (posting >>> 12 !== slot) postings[kept++] = posting;
    postings.length = kept;
    term.documents--;
    this.#forgetIfUnused(id, term);
    return before;
  }

  #forgetIfUnused(id: number, term: Term): void {
    if (term.documents > 0 || term.inSegments.length > 0) return;
    this.#terms.delete(term.text);
    this.#freeTerms.push(id);
  }

  /** Sums what each term gives each document of the scope; returns the slots that got anything. */
  #score(asked: SearchQuery, scope: SearchScope): number[] {
    this.#makeRoom();
    const scores = this.#scores;
    const groupScores = this.#groupScores;
    const touched: number[] = [];
    const groups = new Set<number>();
    for (const [id, worth] of this.#worths(asked, scope)) {
      this.#addMatches(id, worth, touched, scope);
      for (const group of this.#groupsOfTerm) {
        groups.add(group);
        // A word that most tools of a tag have is what the tag is about.
        const share = this.#groupMatches[group]! / scope.groupSize(group);
        groupScores[group]! += this.#groupBest[group]! * share ** groupShareExponent;
        this.#groupBest[group] = 0;
        this.#groupMatches[group] = 0;
      }
      this.#groupsOfTerm.length = 0;
    }
    for (const group of groups) {
      // A large tag has something of every query.
      groupScores[group]! *= groupWeight / Math.sqrt(1 + Math.log(scope.groupSize(group)));
    }
    for (const slot of touched) scores[slot]! += groupScores[this.#groupOf[slot]!]!;
    for (const group of groups) groupScores[group] = 0;
    return touched;
  }

  /** What the terms to look for are worth: those of the query, what else they are called, what it may have meant. */
  #worths({ terms, related }: SearchQuery, scope: SearchScope): Map<number, Worth> {
    const worths = new Map<number, Worth>();
    const add = (id: number, worth: number, words: number) => {
      const known = worths.get(id);
      if (!known) worths.set(id, { worth, words });
      else {
        known.worth += worth;
        known.words |= words;
      }
    };
    const rarities = new Map<string, number>();
    for (const { text, places, bit } of terms) {
      const repeated = 1 + 0.3 * Math.log(places.length);
      const id = this.#known(text, scope);
      const rarity = id === undefined ? Infinity : scope.rarity(id);
      rarities.set(text, rarity);
      if (id !== undefined) add(id, repeated * rarity, bit);
      const sayings = sayingsOf(text);
      for (const saying of sayings) {
        const other = this.#known(saying, scope);
        // A verb is not worth more because its API is alone in saying it that way.
        if (other !== undefined)
          add(other, synonymWeight * repeated * Math.min(scope.rarity(other), rarity), 0);
      }
      if (id !== undefined || sayings.length > 0 || related.some(({ from }) => from.includes(text))) continue;
      for (const near of spellings(text, this.#terms))
        if (scope.documentsWith(near) > 0) add(near, spellingWeight * repeated * scope.rarity(near), bit);
    }
    for (const { term, from } of related) {
      const other = this.#known(term, scope);
      if (other === undefined || terms.some(({ text }) => text === term)) continue;
      const known = from.map((text) => rarities.get(text)).filter((rarity) => rarity !== undefined);
      const rarity = Math.min(...known);
      const weight =
        from.length > 1
          ? relatedToPhraseWeight
          : known.length > 0 && rarity === Infinity
            ? relatedToUnknownWeight
            : relatedWeight;
      const words = terms.reduce((bits, { text, bit }) => (from.includes(text) ? bits | bit : bits), 0);
      add(other, weight * Math.min(scope.rarity(other), from.length > 1 ? Infinity : rarity), words);
    }
    return worths;
  }

  /** The id of a term that a document of the scope has. */
  #known(text: string, scope: SearchScope): number | undefined {
    const id = this.#terms.get(text);
    return id !== undefined && scope.documentsWith(id) > 0 ? id : undefined;
  }

  #makeRoom(): void {
    const slots = this.#entries.length;
    if (this.#scores.length < slots) {
      this.#scores = new Float64Array(slots * 2);
      this.#words = new Uint32Array(slots * 2);
    }
    const groups = this.#groups.size;
    if (this.#groupScores.length < groups) {
      this.#groupScores = new Float64Array(groups * 2);
      this.#groupBest = new Float64Array(groups * 2);
      this.#groupMatches = new Uint32Array(groups * 2);
    }
  }

  /** Adds what one term gives to each document of the scope that has it. */
  #addMatches(id: number, worth: Worth, touched: number[], scope: SearchScope): void {
    const { postings, inSegments } = this.#byTerm[id]!;
    for (const { segment, from, to } of inSegments)
      this.#addPostings(segment.postings, from, to, worth, touched, scope);
    this.#addPostings(postings, 0, postings.length, worth, touched, scope);
  }

  #addPostings(
    postings: readonly number[] | Uint32Array,
    from: number,
    to: number,
    { worth, words }: Worth,
    touched: number[],
    scope: SearchScope,
  ): void {
    const { members, norms } = scope;
    const scores = this.#scores;
    const lengths = this.#lengths;
    const groupOf = this.#groupOf;
    for (let at = from; at < to;) {
      const slot = postings[at]! >>> 12;
      if (members[slot] !== 1) {
        at++;
        continue;
      }
      let frequency = 0;
      for (; at < to && postings[at]! >>> 12 === slot; at++) {
        const posting = postings[at]!;
        // Slot and field together are where its length is.
        const length = lengths[posting >>> 9]!;
        frequency += norms[normAt((posting >>> 9) & 7, length)]! * (posting & maxCount);
      }
      const gain = (worth * frequency) / (k1 + frequency);
      if (scores[slot] === 0) touched.push(slot);
      scores[slot]! += gain;
      this.#words[slot]! |= words;
      const group = groupOf[slot]!;
      const best = this.#groupBest[group]!;
      if (best === 0) this.#groupsOfTerm.push(group);
      this.#groupMatches[group]!++;
      if (gain > best) this.#groupBest[group] = gain;
    }
  }

  /** At least `count` slots with the highest scores, in no order, told apart by a coarse scale instead of a sort. */
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

  /** Weighs the best documents again, by what is too expensive to look at for all. */
  #rerank(slots: readonly number[], asked: SearchQuery, scope: SearchScope): void {
    const covers = this.#coveredTerms(asked, scope);
    const pairs = this.#pairsOf(asked.terms);
    for (const slot of slots) {
      const parts = this.#entries[slot]!.parts ?? this.#segmentOf(slot).partsOf(slot);
      const { terms: ordered, nameLength, pathStart, pathEnd, shape, isDeprecated } = parts;
      const seen = new Set<number>();
      for (let at = 0; at + 1 < pathStart; at++) {
        const pair = pairOf(ordered[at]!, ordered[at + 1]!);
        if (pairs.has(pair)) seen.add(pair);
      }
      this.#scores[slot]! *=
        (1 +
          adjacencyWeight * Math.min(seen.size, 3) +
          nameCoverageWeight * coverage(ordered, 0, nameLength, covers, scope) +
          pathCoverageWeight * coverage(ordered, pathStart, pathEnd, covers, scope)) *
        (1 + shapeWeight * fitOf(asked.intent, shape)) *
        (isDeprecated ? deprecatedFactor : 1);
    }
  }

  /** The terms that a query covers, those that mean nearly the same for a part. */
  #coveredTerms({ terms, related }: SearchQuery, scope: SearchScope): Map<number, number> {
    const covers = new Map<number, number>();
    for (const { text } of terms)
      for (const saying of sayingsOf(text)) {
        const id = this.#known(saying, scope);
        if (id !== undefined) covers.set(id, 0.5);
      }
    for (const { term } of related) {
      const id = this.#known(term, scope);
      if (id !== undefined) covers.set(id, 0.5);
    }
    for (const { text } of terms) {
      const id = this.#known(text, scope);
      if (id !== undefined) covers.set(id, 1);
    }
    return covers;
  }

  #pairsOf(terms: readonly QueryTerm[]): Set<number> {
    const byPlace: (number | undefined)[] = [];
    for (const { text, places } of terms) {
      const id = this.#terms.get(text);
      if (id !== undefined) for (const place of places) byPlace[place] = id;
    }
    const pairs = new Set<number>();
    byPlace.forEach((id, at) => {
      const next = byPlace[at + 1];
      if (id !== undefined && next !== undefined && id !== next) pairs.add(pairOf(id, next));
    });
    return pairs;
  }

  /** The same slots, with those further ahead that have words of the query which the ones before them lack. */
  #diversify(slots: readonly number[], { terms }: SearchQuery, scope: SearchScope): readonly number[] {
    if (slots.length <= firstDiversePlace) return slots;
    const weightOf = new Float64Array(32);
    for (const { text, bit } of terms) {
      const id = this.#known(text, scope);
      weightOf[31 - Math.clz32(bit)]! += id === undefined ? 1 : scope.rarity(id);
    }
    const sum = (words: number) => {
      let all = 0;
      for (let left = words; left !== 0; left &= left - 1) all += weightOf[31 - Math.clz32(left & -left)]!;
      return all;
    };
    const chosen = slots.slice(0, firstDiversePlace);
    const near = slots.slice(firstDiversePlace, maxDiversified).map((slot) => {
      const words = this.#words[slot]!;
      return { slot, words, all: sum(words), score: this.#scores[slot]! };
    });
    let covered = chosen.reduce((words, slot) => words | this.#words[slot]!, 0);
    while (near.length > 0 && chosen.length < diversePlaces) {
      let best = 0;
      let bestScore = -1;
      near.forEach(({ words, all, score: own }, at) => {
        const score = own * (1 - repetitionWeight * (all === 0 ? 1 : sum(words & covered) / all));
        if (score <= bestScore) return;
        best = at;
        bestScore = score;
      });
      const { slot, words } = near.splice(best, 1)[0]!;
      chosen.push(slot);
      covered |= words;
    }
    const taken = new Set(chosen);
    const rest = slots.filter((slot) => !taken.has(slot));
    return [...chosen, ...rest];
  }
}

/** How much of some terms a query covers, the rare ones counting more. */
function coverage(
  ordered: Int32Array,
  from: number,
  to: number,
  covers: ReadonlyMap<number, number>,
  scope: SearchScope,
): number {
  let all = 0;
  let covered = 0;
  for (let at = from; at < to; at++) {
    const rarity = scope.rarity(ordered[at]!);
    all += rarity;
    covered += rarity * (covers.get(ordered[at]!) ?? 0);
  }
  return all === 0 ? 0 : covered / all;
}

function pairOf(one: number, other: number): number {
  return one * 2 ** 24 + other;
}

function fieldTexts(document: SearchDocument): readonly (readonly string[])[] {
  return [
    [document.name],
    document.groupWords,
    // The value of a slot is among the parameters.
    [document.path.replace(/\{[^{}/]+\}/g, ' ')],
    [document.description.slice(0, maxDescription)],
    document.parameters.map(({ name }) => name),
    document.parameters.map(({ description }) => description.slice(0, 500)),
    document.replyFields,
  ];
}

// How much less each further place counts; the constant of the method's authors (Cormack, Clarke and Büttcher, 2009).
const softening = 60;

/** One order out of several, by reciprocal ranks: what stands high in any of them stands high. Equal ones keep the order of the first. */
export function fuseRanks(orders: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const order of orders)
    order.forEach((key, rank) => scores.set(key, (scores.get(key) ?? 0) + 1 / (softening + rank + 1)));
  return [...scores].sort(([, one], [, other]) => other - one).map(([key]) => key);
}
