/** Long work in small steps; each reports how many units it took. */
export type Steps<T> = Generator<number, T, void>;

/** Runs long work in slices, one slice per tick of the event loop, so that other requests are served in between. */
export interface SlicedWork {
  /** Runs a job to its end. Jobs take turns: a long one does not hold up a short one. */
  run<T>(steps: Steps<T>): Promise<T>;
  /** Runs work that cannot be divided, as the last of its slice. */
  runWhole<T>(work: () => T): Promise<T>;
  /** Resolves when this many slices have run, or no work is left. */
  afterSlices(count: number): Promise<void>;
}

interface Job {
  /** Runs steps until `units` are used up; returns how many are left, or null when the job has more to do. */
  advance(units: number): number | null;
}

/** A slice ends with the step that reaches `maxUnits`. `schedule` calls back in the next tick. */
export function createSlicedWork(
  maxUnits: number,
  schedule: (slice: () => void) => void = setImmediate,
): SlicedWork {
  const jobs: Job[] = [];
  let isScheduled = false;
  let waiting: { slicesLeft: number; readonly resolve: () => void }[] = [];

  function scheduleSlice(): void {
    if (isScheduled) return;
    isScheduled = true;
    schedule(runSlice);
  }

  function runSlice(): void {
    isScheduled = false;
    for (let left: number | null = maxUnits; left !== null && left > 0 && jobs.length > 0;) {
      const job = jobs.shift()!;
      left = job.advance(left);
      if (left === null) jobs.push(job);
    }
    waiting = waiting.filter((one) => {
      if (--one.slicesLeft > 0 && jobs.length > 0) return true;
      one.resolve();
      return false;
    });
    if (jobs.length > 0) scheduleSlice();
  }

  function add(advance: Job['advance'], reject: (error: unknown) => void): void {
    jobs.push({
      advance(units) {
        try {
          return advance(units);
        } catch (error) {
          reject(error);
          return 0;
        }
      },
    });
    scheduleSlice();
  }

  return {
    run: (steps) =>
      new Promise((resolve, reject) => {
        add((units) => {
          for (let left = units; left > 0;) {
            const step = steps.next();
            if (step.done) {
              resolve(step.value);
              return left;
            }
            left -= step.value;
          }
          return null;
        }, reject);
      }),
    runWhole: (work) =>
      new Promise((resolve, reject) => {
        add(() => {
          resolve(work());
          return 0;
        }, reject);
      }),
    afterSlices: (count) =>
      jobs.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ slicesLeft: count, resolve })),
  };
}
