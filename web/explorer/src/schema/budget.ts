import type { Budget } from './pattern.ts';

/** Thrown when validation takes more work than allowed. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
  constructor() {
    super('checking the arguments against this schema takes too much work');
  }
}

/** Counts steps. A schema of one kilobyte can require an exponential number of them. */
export class WorkBudget implements Budget {
  readonly #maxSteps: number;
  #left: number;

  constructor(maxSteps: number) {
    this.#maxSteps = maxSteps;
    this.#left = maxSteps;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWork();
  }

  restart(): void {
    this.#left = this.#maxSteps;
  }
}
