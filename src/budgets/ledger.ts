/** What one process asks about one limit that it shares with others. */
export interface BudgetAsk {
  readonly key: string;
  /** The limit itself. */
  readonly most: number;
  /** How long a unit counts once it was spent; 0 for units that come back, such as turns. */
  readonly windowMs: number;
  /** What it spent since it asked last: how long ago, and how much. */
  readonly spent: readonly (readonly [agoMs: number, count: number])[];
  /** What it has of earlier grants and keeps. */
  readonly held: number;
  /** How much more it would take at most. */
  readonly want: number;
}

/** What became of an ask. */
export interface BudgetAnswer {
  readonly granted: number;
  /** When something may be free again; 0 when something was granted, or nothing wanted. */
  readonly retryInMs: number;
  /** How much of the limit this process should keep while others wait for some. */
  readonly mayHold: number;
}

/** Everything that is known about one limit. Kept as JSON where several machines share it. */
export interface BudgetState {
  /** What was spent and still counts, the oldest first. */
  readonly spent: readonly (readonly [atMs: number, count: number])[];
  /** What processes have been granted and did not report as spent. */
  readonly held: Readonly<Record<string, readonly [units: number, untilMs: number]>>;
  /** Who got nothing, and since when. */
  readonly waiting: Readonly<Record<string, readonly [sinceMs: number, untilMs: number]>>;
}

export const emptyBudget: BudgetState = { spent: [], held: {}, waiting: {} };

/**
 * Reads what is kept of a limit, nothing for an empty text. Written by this program, in this form or, by another version,
 * in one that has at least these fields.
 */
export function readBudget(text: string): BudgetState {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the sentence above
  return text === '' ? emptyBudget : { ...emptyBudget, ...(JSON.parse(text) as Partial<BudgetState>) };
}

/** A process that hasn't reported for this long loses what it was granted. */
export const grantLastsMs = 5_000;
const waitLastsMs = 2_000;
// While others hold units, one may be returned at any moment; otherwise the next is free when the oldest expires.
const lookAgainMs = 100;
const soonestMs = 10;

/**
 * Answers one ask: records what was spent and grants a slice of what is left. Slices shrink with what is left, so that the
 * last units go to processes that use them. Pure: the same for a parent's memory, a database row and a Redis key.
 */
export function settle(
  state: BudgetState,
  ask: BudgetAsk,
  member: string,
  members: number,
  nowMs: number,
): { readonly state: BudgetState; readonly answer: BudgetAnswer } {
  const { most, windowMs } = ask;
  const spent = [...state.spent, ...ask.spent.map(([agoMs, count]) => [nowMs - agoMs, count] as const)];
  const held: Record<string, readonly [number, number]> = {};
  for (const [who, [units, untilMs]] of Object.entries(state.held)) {
    if (who === member) continue;
    if (untilMs > nowMs) held[who] = [units, untilMs];
    // That process may have spent them without reporting it.
    else if (windowMs > 0) spent.push([untilMs - grantLastsMs, units]);
  }
  const counting = joined(spent, most, nowMs - windowMs);
  const heldByOthers = sum(Object.values(held).map(([units]) => units));
  const free = most - sumOf(counting) - heldByOthers - ask.held;

  const waiting = Object.fromEntries(
    Object.entries(state.waiting).filter(([who, [, untilMs]]) => untilMs > nowMs && who !== member),
  );
  const sinceMs = state.waiting[member]?.[0] ?? nowMs;
  const before = Object.values(waiting).filter(([otherSinceMs]) => otherSinceMs < sinceMs).length;
  const left = free - before;
  const slice = windowMs === 0 ? Math.ceil(left / members) : Math.floor(left / (2 * members));
  const granted = left <= 0 ? 0 : Math.min(ask.want, Math.max(1, slice));
  const isWaiting = ask.want > 0 && granted === 0;
  const others = Object.keys(waiting).length;
  if (isWaiting) waiting[member] = [sinceMs, nowMs + waitLastsMs];
  if (ask.held + granted > 0) held[member] = [ask.held + granted, nowMs + grantLastsMs];
  return {
    state: { spent: counting, held, waiting },
    answer: {
      granted,
      retryInMs: isWaiting ? retryIn(counting, heldByOthers > 0, windowMs, nowMs) : 0,
      mayHold: others === 0 ? most : Math.floor(most / (others + 1)),
    },
  };
}

function retryIn(
  counting: BudgetState['spent'],
  othersHold: boolean,
  windowMs: number,
  nowMs: number,
): number {
  const [oldest] = counting;
  const forgottenInMs = oldest === undefined ? lookAgainMs : oldest[0] + windowMs - nowMs;
  return Math.max(soonestMs, othersHold ? Math.min(lookAgainMs, forgottenInMs) : forgottenInMs);
}

/** In the order of time, without what no longer counts; of large limits, what was spent in one moment together. */
function joined(spent: BudgetState['spent'], most: number, afterMs: number): [atMs: number, count: number][] {
  const stepMs = most <= maxMoments ? 1 : momentMs;
  const kept: [number, number][] = [];
  for (const [atMs, count] of spent.toSorted(([a], [b]) => a - b)) {
    if (atMs <= afterMs) continue;
    // Never earlier than it was: a limit may be a little late to open again, not early.
    const moment = Math.ceil(atMs / stepMs) * stepMs;
    const last = kept.at(-1);
    if (last?.[0] === moment) last[1] += count;
    else kept.push([moment, count]);
  }
  return kept;
}

const maxMoments = 240;
const momentMs = 250;

const sumOf = (spent: BudgetState['spent']) => sum(spent.map(([, count]) => count));
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
