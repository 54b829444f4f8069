import { HandrailError } from '../domain/errors.ts';
import type { Call } from '../pipeline/types.ts';

interface Window {
  startMs: number;
  count: number;
  /** Calls of the window before, which fade out as this one goes on. */
  previous: number;
}

interface Rule {
  readonly key: string;
  readonly perMinute: number;
  readonly whose: string;
}

const windowMs = 60_000;
const mostWindows = 50_000;

/**
 * Counts calls per minute: each caller on a server, each access key, each tool and each API, where a limit is set; 0
 * means none. A sliding window, so that two bursts around a full minute do not pass as one.
 */
export function createRateLimit(now: () => number): (call: Call) => void {
  const windows = new Map<string, Window>();

  return (call) => {
    const { tool, server, caller } = call;
    const apiRate = tool.api.limits.ratePerMinute ?? 0;
    const toolRate = tool.tool.limits.ratePerMinute ?? 0;
    const callerRate = caller.ratePerMinute ?? 0;
    if (server.ratePerMinute === 0 && apiRate === 0 && toolRate === 0 && callerRate === 0) return;

    const rules: Rule[] = [];
    if (server.ratePerMinute > 0)
      rules.push({
        key: `s ${server.id} ${caller.id}`,
        perMinute: server.ratePerMinute,
        whose: `each caller of the server "${server.slug}"`,
      });
    if (callerRate > 0) rules.push({ key: `c ${caller.id}`, perMinute: callerRate, whose: 'this caller' });
    if (toolRate > 0)
      rules.push({ key: `t ${tool.tool.id}`, perMinute: toolRate, whose: `the tool "${call.toolName}"` });
    if (apiRate > 0)
      rules.push({ key: `a ${tool.api.id}`, perMinute: apiRate, whose: `the API "${tool.api.slug}"` });

    const nowMs = now();
    const found = rules.map((rule) => windowAt(windows, rule.key, nowMs));
    for (const [i, rule] of rules.entries()) {
      const waitMs = waitFor(found[i]!, rule.perMinute, nowMs);
      if (waitMs > 0) throw limited(rule, waitMs);
    }
    // Counted only once it is let through: a refused call takes nothing from anyone.
    for (const window of found) window.count++;
    if (windows.size > mostWindows) forgetOld(windows, nowMs);
  };
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

function limited(rule: Rule, waitMs: number): HandrailError {
  return new HandrailError(
    'rate_limited',
    `The limit of ${rule.perMinute} calls a minute for ${rule.whose} is reached.`,
    {
      retryAfterMs: Math.ceil(waitMs),
      notSent: true,
    },
  );
}
