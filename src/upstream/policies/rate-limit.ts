import { HandrailError } from '../../domain/errors.ts';
import type { Call } from '../../pipeline/types.ts';

interface Window {
  startMs: number;
  count: number;
  /** Calls of the window before, which fade out as this one goes on. */
  previous: number;
}

const windowMs = 60_000;
const mostWindows = 50_000;

/**
 * Counts calls per minute: each caller on a server, each access key, each tool and each API, where a limit is set; 0
 * means none. A sliding window, so that two bursts around a full minute do not pass as one.
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
    const apiRate = tool.api.limits.ratePerMinute ?? 0;
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
    if (ofServer !== null) ofServer.count++;
    if (ofCaller !== null) ofCaller.count++;
    if (ofTool !== null) ofTool.count++;
    if (ofApi !== null) ofApi.count++;
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
  if (window === undefined) windows.set(key, (window = { startMs: nowMs, count: 0, previous: 0 }));
  const passed = Math.floor((nowMs - window.startMs) / windowMs);
  if (passed >= 1) {
    window.previous = passed === 1 ? window.count : 0;
    window.count = 0;
    window.startMs += passed * windowMs;
  }
  return window;
}

/** How long until one more call fits; 0 when it fits now. */
function waitFor({ startMs, count, previous }: Window, perMinute: number, nowMs: number): number {
  const elapsedMs = nowMs - startMs;
  if (count + previous * (1 - elapsedMs / windowMs) + 1 <= perMinute) return 0;
  // Within this window what is left of the one before must fade; past its end, this one's own calls must.
  const room = perMinute - 1 - count;
  if (room >= 0) return Math.max(1, windowMs * (1 - room / previous) - elapsedMs);
  return windowMs - elapsedMs + Math.max(1, windowMs * (1 - (perMinute - 1) / count));
}

function forgetOld(windows: Map<string, Window>, nowMs: number): void {
  for (const [key, window] of windows) if (nowMs - window.startMs > 2 * windowMs) windows.delete(key);
}

function limited(perMinute: number, forWhom: string, waitMs: number): HandrailError {
  return new HandrailError(
    'rate_limited',
    `The limit of ${perMinute} calls a minute for ${forWhom} is reached.`,
    {
      retryAfterMs: Math.ceil(waitMs),
      notSent: true,
    },
  );
}
