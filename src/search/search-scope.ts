/** The greatest length of a field that makes a difference, in terms. */
export const maxLength = 1_023;

// How much less a word counts in a long text, from 0 to 1 (`b` of BM25).
const lengthInfluence = 0.75;

/** Where `SearchScope.norms` has the weight of a word in a field of this length. */
export function normAt(field: number, length: number): number {
  return field * (maxLength + 1) + length;
}

/** The part of an index that statistics are computed from; see `SearchScope`. */
export interface IndexedSlots {
  /** Changes whenever a document is added or removed. */
  readonly version: number;
  readonly slotCount: number;
  readonly fieldCount: number;
  weightOf(field: number): number;
  slotOf(key: string): number | undefined;
  lengthOf(slot: number, field: number): number;
  groupOf(slot: number): number;
  /** The slots that have a term, each at least once, those of one document in a row. */
  eachSlot(term: number, visit: (slot: number) => void): void;
}

/**
 * The documents among which a search takes place, and what is counted over them alone: how many there are, how long
 * their fields are, in how many of them a term occurs. What else an index contains has no influence on any of it.
 */
export class SearchScope {
  readonly #index: IndexedSlots;
  readonly #keys: () => Iterable<string>;
  #version = -1;
  #members = new Uint8Array(0);
  #size = 0;
  #norms = new Float32Array(0);
  #groupSizes = new Map<number, number>();
  readonly #documents = new Map<number, number>();
  readonly #remembered = new Map<string, readonly string[]>();

  constructor(index: IndexedSlots, keys: () => Iterable<string>) {
    this.#index = index;
    this.#keys = keys;
  }

  get size(): number {
    return this.#size;
  }

  /** By slot: 1 if the document belongs to the scope. */
  get members(): Uint8Array {
    return this.#members;
  }

  /** By field and length: what a word in such a field weighs; see `normAt`. */
  get norms(): Float32Array {
    return this.#norms;
  }

  has(slot: number): boolean {
    return this.#members[slot] === 1;
  }

  /** Counts again if the index has changed since. */
  refresh(): void {
    const index = this.#index;
    if (this.#version === index.version) return;
    this.#version = index.version;
    this.#documents.clear();
    this.#remembered.clear();
    this.#groupSizes = new Map();
    this.#members = new Uint8Array(index.slotCount);
    this.#size = 0;
    const sums = Array.from({ length: index.fieldCount }, () => 0);
    for (const key of this.#keys()) {
      const slot = index.slotOf(key);
      if (slot === undefined || this.#members[slot] === 1) continue;
      this.#members[slot] = 1;
      this.#size++;
      for (let field = 0; field < sums.length; field++) sums[field]! += index.lengthOf(slot, field);
      const group = index.groupOf(slot);
      this.#groupSizes.set(group, (this.#groupSizes.get(group) ?? 0) + 1);
    }
    this.#norms = new Float32Array(sums.length * (maxLength + 1));
    sums.forEach((sum, field) => {
      const slope = sum === 0 ? 0 : (lengthInfluence * this.#size) / sum;
      for (let length = 0; length <= maxLength; length++)
        this.#norms[normAt(field, length)] = index.weightOf(field) / (1 - lengthInfluence + slope * length);
    });
  }

  groupSize(group: number): number {
    return this.#groupSizes.get(group) ?? 0;
  }

  /** In how many documents of the scope a term occurs. */
  documentsWith(term: number): number {
    let count = this.#documents.get(term);
    if (count !== undefined) return count;
    count = 0;
    let last = -1;
    this.#index.eachSlot(term, (slot) => {
      if (slot !== last && this.#members[slot] === 1) count!++;
      last = slot;
    });
    this.#documents.set(term, count);
    return count;
  }

  /** How rare a term is among the documents of the scope. */
  rarity(term: number): number {
    const documents = this.documentsWith(term);
    return Math.log(1 + (this.#size - documents + 0.5) / (documents + 0.5));
  }

  /** What was computed for a question about these documents, until they change. */
  remember(question: string, compute: () => readonly string[]): readonly string[] {
    let known = this.#remembered.get(question);
    if (known === undefined) this.#remembered.set(question, (known = compute()));
    return known;
  }
}
