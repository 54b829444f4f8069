import type { Shape } from './verbs.ts';

/** What a document says to a ranking, besides its postings. */
export interface RankedParts {
  /**
   * Terms of the name, of the description and of the path, each in their order, with a gap between. In an index, all
   * different terms follow, for removing the document. One array, because each has a cost of its own.
   */
  readonly terms: Int32Array;
  readonly nameLength: number;
  readonly pathStart: number;
  readonly pathEnd: number;
  readonly shape: Shape;
  readonly isDeprecated: boolean;
}

/**
 * Documents indexed together, such as a thread does, in the few arrays that an index takes over. Terms are numbered within
 * the segment, slots from 0 in the order of the documents.
 */
export interface SearchSegment {
  readonly size: number;
  readonly terms: readonly string[];
  readonly groups: readonly string[];
  /** The postings of all terms, one term after the other, each in the order of slots. */
  readonly postings: Uint32Array;
  /** By term: where its postings end. */
  readonly postingEnds: Uint32Array;
  /** By slot and field. */
  readonly lengths: Uint16Array;
  /** By slot. */
  readonly groupOf: Uint32Array;
  /** `RankedParts.terms` of all documents, up to the path. */
  readonly ordered: Int32Array;
  readonly orderedEnds: Uint32Array;
  readonly nameLengths: Uint8Array;
  readonly pathStarts: Uint8Array;
  /** See `codeOf`. */
  readonly shapes: Uint8Array;
  /** What prerequisites are found by: the JSON of each document, in UTF-8. */
  readonly features: Uint8Array;
  readonly featureEnds: Uint32Array;
}

/** What a segment is sent with, so that its arrays move instead of being copied. */
export function buffersOf(segment: SearchSegment): ArrayBuffer[] {
  return Object.values<unknown>({ ...segment }).flatMap((value) =>
    ArrayBuffer.isView(value) && value.buffer instanceof ArrayBuffer ? [value.buffer] : [],
  );
}

const verbs = [undefined, 'read', 'create', 'update', 'delete'] as const;
const counts = [undefined, 'one', 'many'] as const;
const deprecatedBit = 32;

/** A shape as a number below 64. */
export function codeOf({ shape, isDeprecated }: Pick<RankedParts, 'shape' | 'isDeprecated'>): number {
  return verbs.indexOf(shape.verb) + 8 * counts.indexOf(shape.count) + (isDeprecated ? deprecatedBit : 0);
}

/** A segment within an index, its terms and slots numbered as there. */
export class AdoptedSegment {
  readonly firstSlot: number;
  readonly size: number;
  readonly postings: Uint32Array;
  /** By term of the segment: its number in the index. */
  readonly termIds: Int32Array;
  /** How many of its documents are still there. */
  live: number;
  readonly #segment: SearchSegment;

  constructor(segment: SearchSegment, firstSlot: number, termIds: Int32Array, slotUnit: number) {
    this.#segment = segment;
    this.firstSlot = firstSlot;
    this.size = this.live = segment.size;
    this.termIds = termIds;
    this.postings = segment.postings;
    for (let at = 0; at < this.postings.length; at++) this.postings[at]! += firstSlot * slotUnit;
    const { ordered } = segment;
    for (let at = 0; at < ordered.length; at++) if (ordered[at]! >= 0) ordered[at] = termIds[ordered[at]!]!;
  }

  has(slot: number): boolean {
    return slot >= this.firstSlot && slot < this.firstSlot + this.size;
  }

  partsOf(slot: number): RankedParts {
    const { ordered, orderedEnds, nameLengths, pathStarts, shapes } = this.#segment;
    const at = slot - this.firstSlot;
    const start = at === 0 ? 0 : orderedEnds[at - 1]!;
    const terms = ordered.subarray(start, orderedEnds[at]);
    const code = shapes[at]!;
    return {
      terms,
      nameLength: nameLengths[at]!,
      pathStart: pathStarts[at]!,
      pathEnd: terms.length,
      shape: { verb: verbs[code & 7], count: counts[(code >> 3) & 3] },
      isDeprecated: (code & deprecatedBit) !== 0,
    };
  }

  featuresOf(slot: number): unknown {
    const { features, featureEnds } = this.#segment;
    const at = slot - this.firstSlot;
    const bytes = features.subarray(at === 0 ? 0 : featureEnds[at - 1]!, featureEnds[at]);
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  }
}
