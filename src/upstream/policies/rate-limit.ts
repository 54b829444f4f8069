import type { Caller } from '../../domain/call.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { Server } from '../../domain/server.ts';
import type { SharedBudgets } from '../../budgets/shared-budgets.ts';
import type { Call } from '../../pipeline/call.ts';
import { counted } from '../../lib/text/amounts.ts';

/** The calls of the last minute, oldest first; those of one moment together. */
interface Window {
  readonly moments: { firstMs: number; lastMs: number; count: number }[];
  count: number;
}

const windowMs = 60_000;
const maxWindows = 50_000;
// Up to this many calls a minute each is remembered by itself; above it, those of one second together.
const maxMoments = 60;

/** One limit that a call has to stay within. */
interface RateLimit {
  /** Tells it from every other. */
  readonly key: string;
  /** Calls a minute; 0 means no limit. */
  readonly perMinute: number;
}

/** Says which limit leaves no room, and in how many milliseconds it will. */
type Refuse<Limit> = (limit: Limit, waitMs: number) => HandrailError;

/**
 * Takes one of each limit, or throws without taking any. Only where the ledger of shared limits has to be asked first, it
 * takes a moment.
 */
type Admit = <Limit extends RateLimit>(
  limits: readonly Limit[],
  refuse: Refuse<Limit>,
) => void | Promise<void>;

/**
 * Counts calls per minute: each caller on a server, each access key, each tool and each API, where a limit is set; 0
 * means none. Any minute counts, not the minutes of a clock, and who has to wait is told how long exactly. With
 * `budgets`, processes that share a store share the limits.
 */
export function createRateLimit(now: () => number): (call: Call) => void;
export function createRateLimit(
  now: () => number,
  budgets: SharedBudgets | null,
): (call: Call) => void | Promise<void>;
export function createRateLimit(
  now: () => number,
  budgets: SharedBudgets | null = null,
): (call: Call) => void | Promise<void> {
  const admit = createAdmission(now, budgets);
  return (call) => {
    const { tool, server, caller } = call;
    const apiRate = tool.apiRatePerMinute;
    const toolRate = tool.tool.limits.ratePerMinute ?? 0;
    const callerRate = caller.ratePerMinute ?? 0;
    if (server.ratePerMinute === 0 && apiRate === 0 && toolRate === 0 && callerRate === 0) return undefined;
    const limits: (RateLimit & { readonly kind: Kind })[] = [];
    if (server.ratePerMinute !== 0)
      limits.push({
        kind: 'server',
        key: `server ${server.id} ${caller.id}`,
        perMinute: server.ratePerMinute,
      });
    if (callerRate !== 0) limits.push({ kind: 'caller', key: `caller ${caller.id}`, perMinute: callerRate });
    if (toolRate !== 0) limits.push({ kind: 'tool', key: `tool ${tool.tool.id}`, perMinute: toolRate });
    if (apiRate !== 0) limits.push({ kind: 'api', key: `api ${tool.api.id}`, perMinute: apiRate });
    return admit(limits, ({ kind, perMinute }, waitMs) => limited(perMinute, whose(kind, call), waitMs));
  };
}

/** What calls no API: looking up tools, and reading on in a reply that is kept. */
export type LookUpKind = 'look-up' | 'read';

// A limit of calls is there for an API, which reading what it sent already costs nothing.
const readsForEachCall = 10;
const fewestReads = 600;

/**
 * The same for what calls no API, counted apart, so that who searches has no call less: tools are looked up as often as
 * they may be called, and kept replies are read ten times as often.
 */
export function createLookUpLimit(
  now: () => number,
  budgets: SharedBudgets | null = null,
): (server: Server, caller: Caller, kind: LookUpKind) => void | Promise<void> {
  const admit = createAdmission(now, budgets);
  return (server, caller, kind) => {
    const onServer = `${kind} server ${server.id} ${caller.id}`;
    const most = (calls: number) =>
      kind === 'read' && calls > 0 ? Math.max(fewestReads, calls * readsForEachCall) : calls;
    const limits = [
      { key: onServer, perMinute: most(server.ratePerMinute) },
      { key: `${kind} caller ${caller.id}`, perMinute: most(caller.ratePerMinute ?? 0) },
    ].filter(({ perMinute }) => perMinute > 0);
    return admit(limits, ({ key, perMinute }, waitMs) => {
      const forWhom = key === onServer ? `each caller of the server "${server.slug}"` : 'this caller';
      return limited(perMinute, forWhom, waitMs, kind);
    });
  };
}

function createAdmission(now: () => number, budgets: SharedBudgets | null): Admit {
  const windows = new Map<string, Window>();

  function admitAlone<Limit extends RateLimit>(limits: readonly Limit[], refuse: Refuse<Limit>): void {
    const nowMs = now();
    const open = limits.map((limit) => {
      const window = windowAt(windows, limit.key, nowMs);
      const waitMs = waitFor(window, limit.perMinute, nowMs);
      if (waitMs > 0) throw refuse(limit, waitMs);
      return window;
    });
    countAll(limits, open, nowMs);
  }

  /** Counted only once it is let through: a refused call takes nothing from anyone. */
  function countAll(limits: readonly RateLimit[], open: readonly Window[], nowMs: number): void {
    for (const [at, { key, perMinute }] of limits.entries()) {
      count(open[at]!, nowMs, perMinute);
      budgets?.spend(key, perMinute, nowMs);
    }
    if (windows.size > maxWindows) forgetOld(windows, nowMs);
  }

  /** Takes one of each, if nobody has to be asked; otherwise tells which limits the ledger has to be asked about. */
  function admitFrom<Limit extends RateLimit>(
    shared: SharedBudgets,
    limits: readonly Limit[],
    refuse: Refuse<Limit>,
  ): readonly Limit[] {
    const nowMs = now();
    const open = limits.map(({ key }) => windowAt(windows, key, nowMs));
    const unknown: Limit[] = [];
    for (const [at, limit] of limits.entries()) {
      const look = shared.look(limit.key, limit.perMinute, nowMs);
      const waitMs =
        look === 'share'
          ? waitFor(open[at]!, shared.shareOf(limit.perMinute), nowMs)
          : typeof look === 'number'
            ? look
            : 0;
      if (waitMs > 0) throw refuse(limit, waitMs);
      if (look === 'ask') unknown.push(limit);
    }
    if (unknown.length === 0) countAll(limits, open, nowMs);
    return unknown;
  }

  async function admitOnceAnswered<Limit extends RateLimit>(
    shared: SharedBudgets,
    limits: readonly Limit[],
    refuse: Refuse<Limit>,
    asked: readonly Limit[],
  ): Promise<void> {
    let unknown = asked;
    // Others may spend what was granted before we look again.
    for (let tries = 0; tries < maxTries; tries++) {
      await Promise.all(unknown.map(({ key }) => shared.answerAbout(key)));
      unknown = admitFrom(shared, limits, refuse);
      if (unknown.length === 0) return;
    }
    throw refuse(unknown[0]!, retryAfterMs);
  }

  return (limits, refuse) => {
    if (budgets === null || !budgets.isShared()) return admitAlone(limits, refuse);
    const unknown = admitFrom(budgets, limits, refuse);
    return unknown.length === 0 ? undefined : admitOnceAnswered(budgets, limits, refuse, unknown);
  };
}

const maxTries = 20;
const retryAfterMs = 1_000;

type Kind = 'server' | 'caller' | 'tool' | 'api';

function whose(kind: Kind, { server, tool, toolName }: Call): string {
  switch (kind) {
    case 'server':
      return `each caller of the server "${server.slug}"`;
    case 'caller':
      return 'this caller';
    case 'tool':
      return `the tool "${toolName}"`;
    case 'api':
      return `the API "${tool.api.slug}"`;
  }
}

function windowAt(windows: Map<string, Window>, key: string, nowMs: number): Window {
  let window = windows.get(key);
  if (window === undefined) windows.set(key, (window = { moments: [], count: 0 }));
  const { moments } = window;
  let old = 0;
  while (old < moments.length && moments[old]!.lastMs + windowMs <= nowMs)
    window.count -= moments[old++]!.count;
  if (old > 0) moments.splice(0, old);
  return window;
}

function count(window: Window, nowMs: number, perMinute: number): void {
  const last = window.moments.at(-1);
  const spanMs = perMinute <= maxMoments ? 0 : windowMs / maxMoments;
  if (last !== undefined && nowMs - last.firstMs < spanMs) {
    last.lastMs = nowMs;
    last.count++;
  } else window.moments.push({ firstMs: nowMs, lastMs: nowMs, count: 1 });
  window.count++;
}

/** How long until one more call fits; 0 when it fits now. */
function waitFor({ moments, count: calls }: Window, perMinute: number, nowMs: number): number {
  let tooMany = calls + 1 - perMinute;
  if (tooMany <= 0) return 0;
  for (const moment of moments) {
    tooMany -= moment.count;
    if (tooMany <= 0) return Math.max(1, moment.lastMs + windowMs - nowMs);
  }
  return windowMs;
}

function forgetOld(windows: Map<string, Window>, nowMs: number): void {
  for (const [key, { moments }] of windows) {
    const last = moments.at(-1);
    if (last === undefined || last.lastMs + windowMs <= nowMs) windows.delete(key);
  }
}

function limited(perMinute: number, forWhom: string, waitMs: number, what = 'call'): HandrailError {
  return new HandrailError(
    'rate_limited',
    `The limit of ${counted(perMinute, what)} a minute for ${forWhom} is reached.`,
    {
      retryAfterMs: Math.ceil(waitMs),
      notSent: true,
    },
  );
}
