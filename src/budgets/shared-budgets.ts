import { type BudgetAnswer, type BudgetAsk } from './ledger.ts';

/** Who keeps the ledger of limits that several processes share. */
export interface BudgetCoordinator {
  /** How many processes share the limits now, this one included. */
  members(): number;
  /** Answers the asks in order; rejects when the ledger is unavailable. */
  ask(asks: readonly BudgetAsk[]): Promise<readonly BudgetAnswer[]>;
}

/** Notified each time the ledger is found to be unavailable, or available again. */
export interface Trouble {
  began(error: unknown): void;
  ended(): void;
}

/** What one process may spend of shared limits without asking the ledger each time. */
export interface SharedBudgets {
  /** Whether other processes share the limits. If not, this process counts on its own. */
  isShared(): boolean;
  /** The part of a limit that this process may use while the ledger is unavailable. */
  shareOf(most: number): number;
  /** Whether one unit of a rate can be spent now; the time until it may be worth asking again when it cannot. */
  look(key: string, most: number, nowMs: number): Look;
  /** Spends one unit that `look` found, or that this process counted by itself. */
  spend(key: string, most: number, nowMs: number): void;
  /** Resolves once the ledger has answered about a key, or is taken to be away. */
  answerAbout(key: string): Promise<void>;
  /** How many turns may run here at once without asking the ledger. */
  turnsUnasked(most: number): number;
  /**
   * How many may take their turn here at once now, where `coming` more come than `load` says. While some wait, `onMore` is
   * called when it may be worth looking again.
   */
  turns(key: string, most: number, load: TurnLoad, coming: number, onMore: () => void): number;
  /** Call this when a turn has ended. */
  turnEnded(key: string): void;
  /** For metrics. */
  readonly counts: { readonly processes: number; readonly asks: number };
  close(): Promise<void>;
}

/**
 * How many turns run here, and how many wait, at the time it is read: the number reported to the ledger must not be lower
 * than the number running.
 */
export interface TurnLoad {
  readonly running: number;
  readonly waiting: number;
}

/** `yes`, `ask`: only the ledger knows; `share`: the ledger is unavailable, so this process's own share decides; or how long to wait. */
type Look = 'yes' | 'ask' | 'share' | number;

interface Lease {
  readonly key: string;
  readonly windowMs: number;
  most: number;
  /** Granted and not spent; of turns, all that it has. */
  units: number;
  /** How large the last grant was. */
  lastGrant: number;
  /** Spent since the last report to the ledger. */
  spent: [atMs: number, count: number][];
  /** Spent without a grant while the ledger had never spoken about this key. */
  onCredit: number;
  isKnown: boolean;
  emptyUntilMs: number;
  usedAtMs: number;
  load: TurnLoad;
  /** How many turns were needed at once lately: what is needed again in a moment is not given back. */
  peak: number;
  /** How many turns may be taken here while others wait for some. */
  mayHold: number;
  /** Whether others waited for some when the ledger last spoke about it. */
  isScarce: boolean;
  onMore: (() => void) | null;
  /** When `onMore` is called next without anything having happened. */
  wakesAtMs: number | null;
  readonly waiters: (() => void)[];
}

const windowMs = 60_000;
const noLoad: TurnLoad = { running: 0, waiting: 0 };
const sweepEveryMs = 500;
// Units unused for this long are more useful to other processes.
const idleMs = 1_000;
// The ledger answers within milliseconds; one that does not is away until it does.
const patienceMs = 250;
const awayMs = 1_000;
// Who waits for a turn can wait for a ledger that is only slow; those who take their share meanwhile could be too many.
const turnPatienceMs = 2_000;
// All processes together may spend this part of a limit before the ledger has heard of them.
const creditPart = 0.1;
// With every look, twice a second.
const peakLasts = 0.75;
const maxAsks = 500;
const maxSpentMoments = 100;

/** Makes this process's part of the shared limits. */
export function createSharedBudgets(
  coordinator: BudgetCoordinator,
  now: () => number,
  trouble: Trouble,
): SharedBudgets {
  const leases = new Map<string, Lease>();
  const toAsk = new Set<Lease>();
  let isAsking = false;
  let isScheduled = false;
  let isClosed = false;
  let awayUntilMs = 0;
  let isLate = false;
  /** When the ledger was asked first of those times that it has not answered. */
  let silentSinceMs: number | null = null;
  let asks = 0;

  const isShared = () => coordinator.members() > 1;
  const isAway = () => isLate || awayUntilMs > now();
  const shareOf = (most: number) => Math.max(1, Math.floor(most / Math.max(1, coordinator.members())));
  const creditOf = (most: number) => Math.floor((most * creditPart) / Math.max(1, coordinator.members()));

  function leaseOf(key: string, most: number, forMs: number): Lease {
    let lease = leases.get(key);
    if (lease === undefined) {
      lease = {
        key,
        windowMs: forMs,
        most,
        units: 0,
        lastGrant: 0,
        spent: [],
        onCredit: 0,
        isKnown: false,
        emptyUntilMs: 0,
        usedAtMs: now(),
        load: noLoad,
        peak: 0,
        mayHold: most,
        isScarce: false,
        onMore: null,
        wakesAtMs: null,
        waiters: [],
      };
      leases.set(key, lease);
    }
    lease.most = most;
    return lease;
  }

  function askAbout(lease: Lease): void {
    toAsk.add(lease);
    if (isScheduled || isAsking || isClosed) return;
    isScheduled = true;
    // What one turn of the event loop wants is asked for together.
    setImmediate(() => {
      isScheduled = false;
      void askAll();
    });
  }

  function askOf(lease: Lease, nowMs: number): BudgetAsk {
    const { key, most, load } = lease;
    const isIdle = nowMs - lease.usedAtMs >= idleMs;
    let want = isIdle ? 0 : most;
    if (lease.windowMs === 0) {
      const needed = load.running + load.waiting;
      lease.peak = Math.max(needed, Math.floor(lease.peak * peakLasts));
      // Where there are enough, so much is kept that the next burst need not wait for an answer.
      const useful = lease.isScarce ? lease.peak : 2 * lease.peak;
      lease.units = Math.min(lease.units, Math.max(load.running, Math.min(useful, lease.mayHold)));
      want = needed > lease.units ? 2 * needed - lease.units : 0;
    } else if (isIdle) lease.units = 0;
    const spent = lease.spent.map(([atMs, count]) => [nowMs - atMs, count] as const);
    return { key, most, windowMs: lease.windowMs, spent, held: lease.units, want };
  }

  async function askAll(): Promise<void> {
    if (isAsking || toAsk.size === 0 || isClosed) return;
    isAsking = true;
    const asked = [...toAsk].slice(0, maxAsks);
    for (const lease of asked) toAsk.delete(lease);
    const nowMs = now();
    silentSinceMs ??= nowMs;
    const batch = asked.map((lease) => askOf(lease, nowMs));
    const reported = asked.map((lease) => lease.spent);
    for (const lease of asked) lease.spent = [];
    // Callers don't wait for a ledger that hangs.
    const late = setTimeout(() => {
      isLate = true;
      goAway(new Error('the ledger of shared limits does not answer'));
    }, patienceMs);
    asks++;
    try {
      const answers = await coordinator.ask(batch);
      for (const [at, lease] of asked.entries()) take(lease, answers[at]!, batch[at]!);
      awayUntilMs = 0;
      silentSinceMs = null;
      trouble.ended();
    } catch (error) {
      // The report may have arrived: if it is counted twice, the limit is a little smaller for a minute.
      for (const [at, lease] of asked.entries()) lease.spent = [...reported[at]!, ...lease.spent];
      goAway(error);
    }
    clearTimeout(late);
    isLate = false;
    isAsking = false;
    for (const lease of asked) for (const wake of lease.waiters.splice(0)) wake();
    if (toAsk.size > 0) askAbout([...toAsk][0]!);
  }

  function goAway(error: unknown): void {
    awayUntilMs = now() + awayMs;
    trouble.began(error);
    for (const lease of leases.values()) {
      for (const wake of lease.waiters.splice(0)) wake();
      // By then it has answered, or its share is what this process may take.
      if (lease.windowMs === 0) wakeAt(lease, now() + turnPatienceLeftMs());
    }
  }

  /**
   * Lets those who wait look again at a time, not before: a timer of a busy process may be early by as long as a turn of
   * its event loop took, and who looks too early finds nothing and would not be woken again.
   */
  function wakeAt(lease: Lease, atMs: number): void {
    if (lease.wakesAtMs !== null && lease.wakesAtMs <= atMs) return;
    lease.wakesAtMs = atMs;
    const look = (): void => {
      // Another is set for an earlier time.
      if (lease.wakesAtMs !== atMs) return;
      const leftMs = atMs - now();
      if (leftMs > 0) {
        setTimeout(look, leftMs).unref();
        return;
      }
      lease.wakesAtMs = null;
      lease.onMore?.();
    };
    setTimeout(look, atMs - now()).unref();
  }

  const turnPatienceLeftMs = () =>
    silentSinceMs === null ? 0 : Math.max(0, silentSinceMs + turnPatienceMs - now());

  function take(lease: Lease, answer: BudgetAnswer, ask: BudgetAsk): void {
    lease.isKnown = true;
    lease.units += answer.granted;
    if (answer.granted > 0) {
      lease.lastGrant = answer.granted;
      lease.emptyUntilMs = 0;
    } else if (ask.want > 0) lease.emptyUntilMs = now() + answer.retryInMs;
    if (lease.windowMs > 0) return;
    // What was granted just now is used for a moment, also while others wait.
    lease.mayHold = answer.granted > 0 ? lease.units : answer.mayHold;
    lease.isScarce = answer.mayHold < ask.most;
    if (lease.load.waiting === 0) return;
    if (answer.granted > 0) lease.onMore?.();
    else wakeAt(lease, now() + answer.retryInMs);
  }

  /** Returns idle units and reports what was spent, so that other processes don't wait for them. */
  function sweep(): void {
    const nowMs = now();
    for (const [key, lease] of leases) {
      forget(lease, nowMs);
      if (lease.units > 0 || lease.spent.length > 0) {
        if (isShared() && !isAway()) askAbout(lease);
      } else if (nowMs - lease.usedAtMs > windowMs && lease.waiters.length + lease.load.waiting === 0)
        leases.delete(key);
    }
    // With no leases left, nothing would ask the ledger and notice that it is available again.
    if (leases.size === 0) trouble.ended();
  }

  function forget(lease: Lease, nowMs: number): void {
    const still = lease.spent.findIndex(([atMs]) => nowMs - atMs < lease.windowMs);
    if (still !== 0) lease.spent = still === -1 ? [] : lease.spent.slice(still);
  }

  const timer = setInterval(sweep, sweepEveryMs).unref();

  return {
    isShared,
    shareOf,

    look(key, most, nowMs) {
      const lease = leaseOf(key, most, windowMs);
      if (lease.units > 0) return 'yes';
      if (nowMs < lease.emptyUntilMs) return lease.emptyUntilMs - nowMs;
      if (isAway()) return 'share';
      if (!lease.isKnown && lease.onCredit < creditOf(most)) return 'yes';
      return 'ask';
    },

    spend(key, most, nowMs) {
      const lease = leaseOf(key, most, windowMs);
      lease.usedAtMs = nowMs;
      const last = lease.spent.at(-1);
      if (last !== undefined && (nowMs === last[0] || lease.spent.length >= maxSpentMoments)) {
        last[0] = nowMs;
        last[1]++;
      } else lease.spent.push([nowMs, 1]);
      if (!isShared()) return;
      if (lease.units > 0) lease.units--;
      else if (!lease.isKnown) lease.onCredit++;
      if (lease.units <= lease.lastGrant / 2 && nowMs >= lease.emptyUntilMs && !isAway()) askAbout(lease);
    },

    answerAbout(key) {
      const lease = leases.get(key);
      if (lease === undefined || isClosed || isAway()) return Promise.resolve();
      lease.usedAtMs = now();
      return new Promise((resolve) => {
        lease.waiters.push(resolve);
        askAbout(lease);
      });
    },

    turnsUnasked: (most) => (isShared() ? creditOf(most) : most),

    turns(key, most, load, coming, onMore) {
      if (!isShared()) return most;
      const lease = leaseOf(key, most, 0);
      const nowMs = now();
      lease.usedAtMs = nowMs;
      lease.load = load;
      const needed = load.running + load.waiting + coming;
      lease.peak = Math.max(lease.peak, needed);
      lease.onMore = onMore;
      const patienceLeftMs = isAway() ? turnPatienceLeftMs() : null;
      if (patienceLeftMs === 0) return shareOf(most);
      const here = Math.max(Math.min(lease.units, lease.mayHold), creditOf(most));
      if (needed > here) {
        // In each case something triggers another look.
        if (patienceLeftMs !== null) wakeAt(lease, nowMs + patienceLeftMs);
        else if (nowMs < lease.emptyUntilMs) wakeAt(lease, lease.emptyUntilMs);
        else askAbout(lease);
      }
      return Math.min(here, most);
    },

    turnEnded(key) {
      const lease = leases.get(key);
      if (lease === undefined) return;
      lease.usedAtMs = now();
      const { load } = lease;
      if (load.waiting === 0) lease.onMore = null;
      // Others wait for it.
      if (lease.units > lease.mayHold && lease.units > load.running) askAbout(lease);
    },

    get counts() {
      return { processes: coordinator.members(), asks };
    },

    async close() {
      clearInterval(timer);
      const nowMs = now();
      const left = [...leases.values()].filter((lease) => lease.units > 0 || lease.spent.length > 0);
      isClosed = true;
      for (const lease of leases.values()) for (const wake of lease.waiters.splice(0)) wake();
      if (left.length === 0 || !isShared() || isAway()) return;
      for (const lease of left) {
        lease.units = 0;
        lease.load = noLoad;
      }
      await coordinator
        .ask(left.slice(0, maxAsks).map((lease) => ({ ...askOf(lease, nowMs), want: 0 })))
        .catch(trouble.began);
    },
  };
}
