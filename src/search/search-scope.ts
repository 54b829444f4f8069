/** The greatest length of a field that makes a difference, in terms. */
export const maxLength = 1_023;

// How much less a word counts in a long text, from 0 to 1 (`b` of BM25).
const lengthInfluence = 0.75;

/** Where `SearchScope.norms` has the weight of a word in a field of this length. */
export function normAt(field: number, length: number): number {
  return field * (maxLength + 1) + length;
}

/** A document that came into an index or left it. */
export interface IndexChange {
  readonly key: string;
  readonly slot: number;
  readonly isAdded: boolean;
  readonly group: number;
  /** The lengths of its fields. */
  readonly lengths: Uint16Array;
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
  /** What happened since a version, in order; null if that is no longer known. */
  changesSince(version: number): readonly IndexChange[] | null;
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
  /** Whether a key is one of `keys`; without it, every change of the index is followed by counting again. */
  readonly #isMember: ((key: string) => boolean) | undefined;
  #version = -1;
  #members = new Uint8Array(0);
  #size = 0;
  #norms = new Float32Array(0);
  #lengthSums: number[] = [];
  #groupSizes = new Uint32Array(0);
  readonly #documents = new Map<number, number>();
  readonly #remembered = new Map<string, readonly string[]>();

  constructor(index: IndexedSlots, keys: () => Iterable<string>, isMember?: (key: string) => boolean) {
    this.#index = index;
    this.#keys = keys;
    this.#isMember = isMember;
  }

  /**
   * A scope with almost the same documents, whose counts begin with those of this one: `changed` are the keys that came,
   * went, or stand for another document.
   */
  changed(
    changed: Iterable<string>,
    keys: () => Iterable<string>,
    isMember: (key: string) => boolean,
  ): SearchScope {
    const next = new SearchScope(this.#index, keys, isMember);
    if (this.#isMember === undefined || this.#version < 0) return next;
    this.refresh();
    next.#version = this.#version;
    next.#members = this.#members.slice();
    next.#size = this.#size;
    next.#lengthSums = [...this.#lengthSums];
    next.#groupSizes = this.#groupSizes.slice();
    for (const key of changed) {
      const slot = this.#index.slotOf(key);
      if (slot === undefined || next.has(slot) === isMember(key)) continue;
      next.#count(slot, isMember(key), this.#index.groupOf(slot), (field) =>
        this.#index.lengthOf(slot, field),
      );
    }
    next.#weigh();
    return next;
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

  /** Counts what has changed in the index since. */
  refresh(): void {
    if (this.#version === this.#index.version) return;
    this.#documents.clear();
    this.#remembered.clear();
    this.#catchUp();
    this.#weigh();
  }

  #catchUp(): void {
    const index = this.#index;
    if (this.#version === index.version) return;
    const isMember = this.#isMember;
    const changes = isMember && this.#version >= 0 ? index.changesSince(this.#version) : null;
    this.#version = index.version;
    if (isMember === undefined || changes === null) {
      this.#countAll();
      return;
    }
    for (const { key, slot, isAdded, group, lengths } of changes) {
      const counts = isAdded ? isMember(key) && !this.has(slot) : this.has(slot);
      if (counts) this.#count(slot, isAdded, group, (field) => lengths[field]!);
    }
  }

  #countAll(): void {
    const index = this.#index;
    this.#groupSizes = new Uint32Array(0);
    this.#members = new Uint8Array(index.slotCount);
    this.#size = 0;
    this.#lengthSums = Array.from({ length: index.fieldCount }, () => 0);
    for (const key of this.#keys()) {
      const slot = index.slotOf(key);
      if (slot === undefined || this.#members[slot] === 1) continue;
      this.#count(slot, true, index.groupOf(slot), (field) => index.lengthOf(slot, field));
    }
  }

  #count(slot: number, isMember: boolean, group: number, lengthOf: (field: number) => number): void {
    const sign = isMember ? 1 : -1;
    if (slot >= this.#members.length) {
      const longer = new Uint8Array(Math.max(this.#index.slotCount, slot + 1));
      longer.set(this.#members);
      this.#members = longer;
    }
    if (group >= this.#groupSizes.length) {
      const longer = new Uint32Array(Math.max(64, group * 2));
      longer.set(this.#groupSizes);
      this.#groupSizes = longer;
    }
    this.#members[slot] = isMember ? 1 : 0;
    this.#size += sign;
    this.#groupSizes[group]! += sign;
    for (let field = 0; field < this.#lengthSums.length; field++)
      this.#lengthSums[field]! += sign * lengthOf(field);
  }

  #weigh(): void {
    const index = this.#index;
    this.#norms = new Float32Array(this.#lengthSums.length * (maxLength + 1));
    this.#lengthSums.forEach((sum, field) => {
      const slope = sum === 0 ? 0 : (lengthInfluence * this.#size) / sum;
      for (let length = 0; length <= maxLength; length++)
        this.#norms[normAt(field, length)] = index.weightOf(field) / (1 - lengthInfluence + slope * length);
    });
  }

  groupSize(group: number): number {
    return this.#groupSizes[group] ?? 0;
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
