import type { Caller } from '../../domain/call.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { Server } from '../../domain/server.ts';
import type { Call } from '../../pipeline/types.ts';
import { counted } from '../../lib/text/counted.ts';

/** The calls of the last minute, oldest first; those of one moment together. */
interface Window {
  readonly moments: { firstMs: number; lastMs: number; count: number }[];
  count: number;
}

const windowMs = 60_000;
const mostWindows = 50_000;
// Up to this many calls a minute each is remembered by itself; above it, those of one second together.
const mostMoments = 60;

/**
 * Counts calls per minute: each caller on a server, each access key, each tool and each API, where a limit is set; 0
 * means none. Any minute counts, not the minutes of a clock, and who has to wait is told how long exactly.
 */
export function createRateLimit(now: () => number): (call: Call) => void {
  const windows = new Map<string, Window>();

  /** The window of a limit that leaves room for one more call; null when there is no such limit. */
  function windowWithRoom(
    kind: Kind,
    subject: string,
    perMinute: number,
    call: Call,
    nowMs: number,
  ): Window | null {
    if (perMinute === 0) return null;
    const window = windowAt(windows, `${kind} ${subject}`, nowMs);
    const waitMs = waitFor(window, perMinute, nowMs);
    if (waitMs > 0) throw limited(perMinute, whose(kind, call), waitMs);
    return window;
  }

  return (call) => {
    const { tool, server, caller } = call;
    const apiRate = tool.apiRatePerMinute;
    const toolRate = tool.tool.limits.ratePerMinute ?? 0;
    const callerRate = caller.ratePerMinute ?? 0;
    if (server.ratePerMinute === 0 && apiRate === 0 && toolRate === 0 && callerRate === 0) return;

    const nowMs = now();
    const onServer = `${server.id} ${caller.id}`;
    const ofServer = windowWithRoom('server', onServer, server.ratePerMinute, call, nowMs);
    const ofCaller = windowWithRoom('caller', caller.id, callerRate, call, nowMs);
    const ofTool = windowWithRoom('tool', tool.tool.id, toolRate, call, nowMs);
    const ofApi = windowWithRoom('api', tool.api.id, apiRate, call, nowMs);
    // Counted only once it is let through: a refused call takes nothing from anyone.
    if (ofServer !== null) count(ofServer, nowMs, server.ratePerMinute);
    if (ofCaller !== null) count(ofCaller, nowMs, callerRate);
    if (ofTool !== null) count(ofTool, nowMs, toolRate);
    if (ofApi !== null) count(ofApi, nowMs, apiRate);
    if (windows.size > mostWindows) forgetOld(windows, nowMs);
  };
}

/**
 * The same for what is looked up and calls no API: each caller may do so as often as it may call, counted apart, so that
 * who searches has no call less.
 */
export function createLookUpLimit(now: () => number): (server: Server, caller: Caller) => void {
  const windows = new Map<string, Window>();
  return (server, caller) => {
    const limits = [
      [
        `server ${server.id} ${caller.id}`,
        server.ratePerMinute,
        `each caller of the server "${server.slug}"`,
      ],
      [`caller ${caller.id}`, caller.ratePerMinute ?? 0, 'this caller'],
    ] as const;
    const nowMs = now();
    const open = limits
      .filter(([, perMinute]) => perMinute > 0)
      .map(([key, perMinute, forWhom]) => {
        const window = windowAt(windows, key, nowMs);
        const waitMs = waitFor(window, perMinute, nowMs);
        if (waitMs > 0) throw limited(perMinute, forWhom, waitMs, 'look-up');
        return { window, perMinute };
      });
    for (const { window, perMinute } of open) count(window, nowMs, perMinute);
    if (windows.size > mostWindows) forgetOld(windows, nowMs);
  };
}

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
  const spanMs = perMinute <= mostMoments ? 0 : windowMs / mostMoments;
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
