import type { Caller } from '../../domain/call.ts';
import { upstreamErrors } from '../../domain/error-messages/upstream.ts';
import type { HandrailError } from '../../domain/errors.ts';
import type { Server } from '../../domain/server.ts';
import type { SharedBudgets } from '../../budgets/shared-budgets.ts';
import type { Call } from '../../pipeline/call.ts';
import { counted } from '../../lib/text/amounts.ts';

/** The calls of the last minute, oldest first; calls close in time are grouped. */
interface Window {
  readonly moments: { firstMs: number; lastMs: number; count: number }[];
  count: number;
}

const windowMs = 60_000;
const maxWindows = 50_000;
// Up to this many calls per minute are tracked individually; above that, in groups of one second.
const maxMoments = 60;

/** One limit that applies to a call. */
interface RateLimit {
  /** Unique among all limits. */
  readonly key: string;
  /** Calls per minute; 0 means no limit. */
  readonly perMinute: number;
}

/** Creates the error for a limit that is used up, with the time until it allows a call again. */
type MakeError<Limit> = (limit: Limit, waitMs: number) => HandrailError;

/**
 * Counts one call against each limit, or throws without counting any. Asynchronous only if the shared ledger has to be
 * asked first.
 */
type Admit = <Limit extends RateLimit>(
  limits: readonly Limit[],
  makeError: MakeError<Limit>,
) => void | Promise<void>;

/**
 * Counts calls per minute for each caller on a server, each access key, each tool and each API that has a limit; 0 means
 * none. The window slides, and errors say exactly how long to wait. With `budgets`, processes that share a store share
 * the limits.
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
    return admit(limits, ({ kind, perMinute }, waitMs) =>
      rateLimited(perMinute, limitOwner(kind, call), waitMs),
    );
  };
}

/** Requests that don't call an API: looking up tools, and reading more of a stored reply. */
export type LookUpKind = 'look-up' | 'read';

// Call limits protect APIs, and reading a stored reply costs them nothing.
const readsForEachCall = 10;
const minReads = 600;

/**
 * The same for requests that don't call an API, counted separately, so that a search does not use up calls: tool look-ups
 * have the same limit as calls, and reads of stored replies ten times that.
 */
export function createLookUpLimit(
  now: () => number,
  budgets: SharedBudgets | null = null,
): (server: Server, caller: Caller, kind: LookUpKind) => void | Promise<void> {
  const admit = createAdmission(now, budgets);
  return (server, caller, kind) => {
    const onServer = `${kind} server ${server.id} ${caller.id}`;
    const lookUpRate = (calls: number) =>
      kind === 'read' && calls > 0 ? Math.max(minReads, calls * readsForEachCall) : calls;
    const limits = [
      { key: onServer, perMinute: lookUpRate(server.ratePerMinute) },
      { key: `${kind} caller ${caller.id}`, perMinute: lookUpRate(caller.ratePerMinute ?? 0) },
    ].filter(({ perMinute }) => perMinute > 0);
    return admit(limits, ({ key, perMinute }, waitMs) => {
      const forWhom = key === onServer ? `each caller of the server "${server.slug}"` : 'this caller';
      return rateLimited(perMinute, forWhom, waitMs, kind);
    });
  };
}

function createAdmission(now: () => number, budgets: SharedBudgets | null): Admit {
  const windows = new Map<string, Window>();

  function admitAlone<Limit extends RateLimit>(limits: readonly Limit[], makeError: MakeError<Limit>): void {
    const nowMs = now();
    const open = limits.map((limit) => {
      const window = windowAt(windows, limit.key, nowMs);
      const waitMs = waitFor(window, limit.perMinute, nowMs);
      if (waitMs > 0) throw makeError(limit, waitMs);
      return window;
    });
    countAll(limits, open, nowMs);
  }

  /** Runs only once a call is admitted: a rejected call uses up no limit. */
  function countAll(limits: readonly RateLimit[], open: readonly Window[], nowMs: number): void {
    for (const [at, { key, perMinute }] of limits.entries()) {
      count(open[at]!, nowMs, perMinute);
      budgets?.spend(key, perMinute, nowMs);
    }
    if (windows.size > maxWindows) forgetOld(windows, nowMs);
  }

  /** Counts the call against all limits if no ledger lookup is needed; otherwise returns the limits to ask about. */
  function admitFrom<Limit extends RateLimit>(
    shared: SharedBudgets,
    limits: readonly Limit[],
    makeError: MakeError<Limit>,
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
      if (waitMs > 0) throw makeError(limit, waitMs);
      if (look === 'ask') unknown.push(limit);
    }
    if (unknown.length === 0) countAll(limits, open, nowMs);
    return unknown;
  }

  async function admitOnceAnswered<Limit extends RateLimit>(
    shared: SharedBudgets,
    limits: readonly Limit[],
    makeError: MakeError<Limit>,
    asked: readonly Limit[],
  ): Promise<void> {
    let unknown = asked;
    // Other calls may use up the grant before we check again.
    for (let tries = 0; tries < maxTries; tries++) {
      await Promise.all(unknown.map(({ key }) => shared.answerAbout(key)));
      unknown = admitFrom(shared, limits, makeError);
      if (unknown.length === 0) return;
    }
    throw makeError(unknown[0]!, retryAfterMs);
  }

  return (limits, makeError) => {
    if (budgets === null || !budgets.isShared()) return admitAlone(limits, makeError);
    const unknown = admitFrom(budgets, limits, makeError);
    return unknown.length === 0 ? undefined : admitOnceAnswered(budgets, limits, makeError, unknown);
  };
}

const maxTries = 20;
const retryAfterMs = 1_000;

type Kind = 'server' | 'caller' | 'tool' | 'api';

function limitOwner(kind: Kind, { server, tool, toolName }: Call): string {
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

/** How long until one more call fits; 0 if it fits now. */
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

function rateLimited(perMinute: number, forWhom: string, waitMs: number, what = 'call'): HandrailError {
  return upstreamErrors.rateLimited(
    { calls: counted(perMinute, what), who: forWhom },
    { retryAfterMs: Math.ceil(waitMs), notSent: true },
  );
}
