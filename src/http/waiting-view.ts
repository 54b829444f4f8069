import type { Waiting } from '../domain/waiting.ts';

/** The state of a waiting call, as HTTP surfaces return it. */
export function viewWaiting({ id, for: whom, message, sinceMs, askAgainAfterMs, expiresAtMs, how }: Waiting) {
  return {
    id,
    for: whom,
    message,
    since: new Date(sinceMs).toISOString(),
    askAgainAfterMs,
    expiresAt: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
    ...(how !== undefined && { how }),
  };
}
