/** How much work may be done, and how much may be produced. */
export interface WorkLimits {
  /** One unit is about one visited node, element or comparison; about 10 to 100 ns. */
  readonly steps: number;
  /** Everything produced along the way, kept or not. */
  readonly bytes: number;
}

/** Thrown when work exceeds its budget; the message says which limit, and how much was allowed. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

/**
 * What a piece of work may still cost. Code that evaluates or compiles text that we didn't write takes a budget
 * and charges it before doing the work, or right after if the work isn't larger than what was already charged.
 */
export class WorkBudget {
  readonly #limits: WorkLimits;
  #steps = 0;
  #bytes = 0;

  constructor(limits: WorkLimits) {
    this.#limits = limits;
  }

  /** Charges work; throws `OverBudget` if the budget doesn't cover it. */
  spend(steps: number, bytes = 0): void {
    // Written so that NaN is rejected too. Rejected work isn't charged: something smaller may still fit.
    if (!(this.#steps + steps <= this.#limits.steps))
      throw new OverBudget(`it takes more than ${this.#limits.steps.toLocaleString('en')} steps`);
    if (!(this.#bytes + bytes <= this.#limits.bytes))
      throw new OverBudget(`it produces more than ${Math.ceil(this.#limits.bytes / 1_048_576)} MB`);
    this.#steps += steps;
    this.#bytes += bytes;
  }
}
