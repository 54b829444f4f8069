import { RE2JS } from 're2js';
import { OverBudget, WorkBudget, type WorkLimits } from '../work-budget.ts';

// Patterns run on RE2, so none takes exponential time. But compiling one takes a microsecond or more for each step that
// `patternSteps` counts, on the thread that answers everyone, and matching may take as long for each character.

/** What one pattern may take to compile: some ten milliseconds at worst. */
export const maxPatternSteps = 4_000;
const bytesPerStep = 170;
/** What all patterns of one schema may take together. */
const schemaLimits: WorkLimits = { steps: 10_000, bytes: 10_000 * bytesPerStep };
// A compiled pattern is as large as it is slow to compile.
const maxCachedSteps = 200_000;

/** Decides which patterns of one schema are checked: none that RE2 cannot read (look-around), and not more than a budget. */
export class PatternRules {
  readonly #budget = new WorkBudget(schemaLimits);
  readonly #fitting = new Map<string, boolean>();

  /** Whether a pattern is within the budget, in the order in which they are asked for; compiles nothing. */
  fits(pattern: string): boolean {
    let fitting = this.#fitting.get(pattern);
    if (fitting === undefined) {
      fitting = isPaid(pattern, this.#budget);
      this.#fitting.set(pattern, fitting);
    }
    return fitting;
  }

  /** Whether a pattern is checked. */
  canRun(pattern: string): boolean {
    return this.fits(pattern) && compiledPattern(pattern) !== null;
  }
}

function isPaid(pattern: string, budget: WorkBudget): boolean {
  const steps = patternSteps(pattern);
  if (isTooLargePattern(pattern)) return false;
  try {
    budget.spend(steps, steps * bytesPerStep);
    return true;
  } catch (error) {
    if (error instanceof OverBudget) return false;
    throw error;
  }
}

/** Whether a pattern is larger than any that is compiled. */
export function isTooLargePattern(pattern: string): boolean {
  return patternSteps(pattern) > maxPatternSteps;
}

const cache = new Map<string, RE2JS | null>();
let cachedSteps = 0;

/** A pattern, compiled; null when RE2 cannot read it. Only for those of at most `maxPatternSteps`. */
export function compiledPattern(pattern: string): RE2JS | null {
  let compiled = cache.get(pattern);
  if (compiled === undefined) {
    compiled = compile(pattern);
    cachedSteps += patternSteps(pattern);
  } else cache.delete(pattern);
  // The last one is the one that was used last.
  cache.set(pattern, compiled);
  for (const oldest of cache.keys()) {
    if (cachedSteps <= maxCachedSteps) break;
    cache.delete(oldest);
    cachedSteps -= patternSteps(oldest);
  }
  return compiled;
}

function compile(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    return null;
  }
}

// A class of Unicode has hundreds of ranges.
const stepsOfUnicodeClass = 50;
const count = /\{(\d+)(,(\d*))?\}/y;

/**
 * How much compiling a pattern takes, told without compiling it: a step for each of its characters and for each instruction
 * that it can come to, of which a counted repetition has as many as it counts. Takes time that grows with the pattern's length.
 */
export function patternSteps(pattern: string): number {
  if (pattern.length > maxPatternSteps) return pattern.length;
  // What RE2 quotes by these, others do not.
  if (pattern.includes('\\Q')) return Infinity;
  // What each open group came to so far, and the last thing in it, which is what a repetition repeats.
  const open: { total: number; last: number }[] = [];
  let group = { total: 2, last: 0 };
  let unicode = 0;
  const add = (instructions: number): void => {
    group.total += instructions;
    group.last = instructions;
  };
  const repeat = (times: number): void => {
    const before = group.last;
    group.last = (before + 1) * times + 1;
    group.total += group.last - before;
  };
  for (let at = 0; at < pattern.length; at++) {
    switch (pattern[at]) {
      case '\\':
        at++;
        if (pattern[at] === 'p' || pattern[at] === 'P') unicode++;
        add(1);
        break;
      case '[': {
        const end = endOfClass(pattern, at);
        unicode += pattern.slice(at, end).split(/\\[pP]/).length - 1;
        at = end;
        add(1);
        break;
      }
      case '(':
        open.push(group);
        group = { total: 2, last: 0 };
        break;
      case ')': {
        const { total } = group;
        group = open.pop() ?? group;
        add(total);
        break;
      }
      case '*':
      case '+':
      case '?':
        repeat(1);
        break;
      case '{': {
        count.lastIndex = at;
        const [whole, least, more, most] = count.exec(pattern) ?? [];
        if (whole === undefined) add(1);
        else {
          repeat(more === undefined || most !== '' ? Number(most ?? least) : Number(least) + 1);
          at += whole.length - 1;
        }
        break;
      }
      default:
        add(1);
    }
  }
  // Groups that are never closed make no pattern, but are looked at before that is known.
  const unclosed = open.reduce((sum, { total }) => sum + total, 0);
  return pattern.length + stepsOfUnicodeClass * unicode + group.total + unclosed;
}

/** Where a class ends: at the first bracket, so that what may be outside of it is never counted as inside. */
function endOfClass(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === ']') return at;
  }
  return pattern.length;
}
