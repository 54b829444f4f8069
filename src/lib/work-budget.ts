/** How much work may be done, and how much may be produced. */
export interface WorkLimits {
  /** About one visited node, element or comparison each; some ten to a hundred nanoseconds. */
  readonly steps: number;
  /** Everything that is produced on the way, kept or not. */
  readonly bytes: number;
}

/** Thrown when a piece of work needs more than its budget; the message says of what, and how much was allowed. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

/**
 * What a piece of work may still cost. Whatever evaluates or compiles text that we did not write takes one and charges it
 * before it does the work, or right after where the work is no larger than what was paid for already.
 */
export class WorkBudget {
  readonly #limits: WorkLimits;
  #steps = 0;
  #bytes = 0;

  constructor(limits: WorkLimits) {
    this.#limits = limits;
  }

  /** Charges work; throws `OverBudget` when the budget does not cover it. */
  spend(steps: number, bytes = 0): void {
    // Written so that NaN is refused as well. What is refused is not charged: something smaller may still fit.
    if (!(this.#steps + steps <= this.#limits.steps))
      throw new OverBudget(`it takes more than ${this.#limits.steps.toLocaleString('en')} steps`);
    if (!(this.#bytes + bytes <= this.#limits.bytes))
      throw new OverBudget(`it produces more than ${Math.ceil(this.#limits.bytes / 1_048_576)} MB`);
    this.#steps += steps;
    this.#bytes += bytes;
  }
}
