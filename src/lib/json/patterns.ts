import { RE2JS } from 're2js';
import { OverBudget, WorkBudget, type WorkLimits } from '../work-budget.ts';

// Patterns run on RE2, so none takes exponential time. But compiling takes a microsecond or more for each step
// that `patternSteps` counts, on the thread that serves every caller, and matching can take as long for each
// character.

/** The limit for compiling one pattern: about 10 ms at worst. */
export const maxPatternSteps = 4_000;
const bytesPerStep = 170;
/** The limit for all patterns of one schema together. */
const schemaLimits: WorkLimits = { steps: 10_000, bytes: 10_000 * bytesPerStep };
// A compiled pattern takes memory in proportion to its compile time.
const maxCachedSteps = 200_000;

/**
 * Decides which patterns of a schema are checked: none that RE2 can't parse (look-around), and no more than the
 * budget allows.
 */
export class PatternRules {
  readonly #budget = new WorkBudget(schemaLimits);
  readonly #fitting = new Map<string, boolean>();

  /** Whether a pattern is within the budget, which is spent in the order of these calls. Compiles nothing. */
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

/** Whether a pattern is too large to be compiled at all. */
export function isTooLargePattern(pattern: string): boolean {
  return patternSteps(pattern) > maxPatternSteps;
}

const cache = new Map<string, RE2JS | null>();
let cachedSteps = 0;

/** The compiled pattern; null if RE2 can't parse it. Only for patterns of at most `maxPatternSteps`. */
export function compiledPattern(pattern: string): RE2JS | null {
  let compiled = cache.get(pattern);
  if (compiled === undefined) {
    compiled = compile(pattern);
    cachedSteps += patternSteps(pattern);
  } else cache.delete(pattern);
  // The most recently used one is last.
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

// A Unicode class has hundreds of ranges.
const stepsOfUnicodeClass = 50;
const count = /\{(\d+)(,(\d*))?\}/y;

/**
 * Estimates the cost of compiling a pattern without compiling it: one step per character and per instruction it
 * expands to; a counted repetition expands as often as it counts. Takes time linear in the pattern's length.
 */
export function patternSteps(pattern: string): number {
  if (pattern.length > maxPatternSteps) return pattern.length;
  // RE2 reads what follows as quoted text; other engines don't.
  if (pattern.includes('\\Q')) return Infinity;
  // The cost of each open group so far, and of its last item, which is what a repetition repeats.
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
  // A pattern with unclosed groups is invalid, but it is measured before that is known.
  const unclosed = open.reduce((sum, { total }) => sum + total, 0);
  return pattern.length + stepsOfUnicodeClass * unicode + group.total + unclosed;
}

/** Where a class ends: at the first bracket, so nothing outside it is counted as inside. */
function endOfClass(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === ']') return at;
  }
  return pattern.length;
}
