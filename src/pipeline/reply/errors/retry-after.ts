import type { Reply } from '../reply.ts';
import type { LabelledText } from './read-statements.ts';

const maxWaitMs = 366 * 86_400_000;

/** Retry-After as milliseconds from now (RFC 9110 section 10.2.3), including variants that some APIs send. */
export function retryAfter({ headers }: Reply, nowMs = Date.now()): number | undefined {
  const inMs = headers['retry-after-ms'] ?? headers['x-ms-retry-after-ms'];
  const ms = inMs === undefined ? undefined : waitIn(inMs, nowMs, 1);
  if (ms !== undefined) return ms;
  const plain = headers['retry-after'] ?? headers['x-retry-after'];
  return plain === undefined ? undefined : waitIn(plain, nowMs);
}

/**
 * How long the API asks callers to wait, in milliseconds from now: from Retry-After, else from the body, else from the
 * rate limit headers if the limit is used up.
 */
export function waitFor(
  reply: Reply,
  inBody: readonly LabelledText[],
  nowMs = Date.now(),
): number | undefined {
  const asked = retryAfter(reply, nowMs);
  if (asked !== undefined) return asked;
  for (const [key, text] of inBody) {
    const wait = waitIn(text, nowMs, /ms$|millis/i.test(key) ? 1 : 1000);
    if (wait !== undefined) return wait;
  }
  return limitReset(reply, nowMs);
}

/**
 * When a used-up limit resets. Every API has its own spelling: `X-RateLimit-Reset`, `RateLimit-Reset`,
 * `x-ratelimit-reset-requests`, or all in one header (`RateLimit`, in the forms of its several drafts).
 */
function limitReset({ status, headers }: Reply, nowMs: number): number | undefined {
  const usedUp: number[] = [];
  const known: number[] = [];
  const add = (wait: number | undefined, left: string | undefined): void => {
    if (wait === undefined) return;
    if (left === undefined) known.push(wait);
    else if (Number(left) <= 0) usedUp.push(wait);
  };
  for (const [name, value] of Object.entries(headers)) {
    if (name.length > 80 || !/rate-?limit/.test(name)) continue;
    if (name === 'ratelimit') {
      for (const { left, reset } of combinedLimits(value)) add(waitIn(reset, nowMs), left);
    } else if (name.includes('reset')) {
      add(waitIn(value, nowMs), headers[name.replace(/reset(?:-after)?/, 'remaining')]);
    }
  }
  if (usedUp.length > 0) return Math.max(...usedUp);
  // Many APIs send these with every reply: without a count they only matter if the status says a limit was reached.
  return status === 429 && known.length > 0 ? Math.min(...known) : undefined;
}

// `limit=100, remaining=0, reset=50` and `"default";r=0;t=50, "daily";r=10;t=3600`.
function combinedLimits(header: string): { left: string | undefined; reset: string }[] {
  const text = header.slice(0, 2_000).toLowerCase();
  if (!text.includes('"')) {
    const reset = /(?:^|[\s,;])(?:reset|t)\s?=\s?"?(\d{1,15})/.exec(text)?.[1];
    const left = /(?:^|[\s,;])(?:remaining|r)\s?=\s?"?(\d{1,15})/.exec(text)?.[1];
    return reset === undefined ? [] : [{ left, reset }];
  }
  return text.split(',').flatMap((policy) => {
    const reset = /;\s?t=(\d{1,15})/.exec(policy)?.[1];
    return reset === undefined ? [] : [{ left: /;\s?r=(\d{1,15})/.exec(policy)?.[1], reset }];
  });
}

/**
 * A wait in any of its spellings: seconds (or another unit, `unitMs`), `1m30s`, `350ms`, seconds or milliseconds
 * since 1970, or a date. Undefined for anything else.
 */
function waitIn(text: string, nowMs: number, unitMs = 1000): number | undefined {
  const value = text.trim().slice(0, 60);
  if (/^\d{1,16}(?:\.\d{1,9})?$/.test(value)) {
    const number = Number(value);
    // A number this large is a timestamp, not a duration.
    if (number >= 1e11) return within(number - nowMs);
    if (number >= 1e9 && unitMs === 1000) return within(number * 1000 - nowMs);
    return within(number * unitMs);
  }
  const span =
    /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?$/.exec(
      value,
    );
  if (span !== null && value !== '') {
    const [days, hours, minutes, seconds, ms] = span.slice(1).map((part) => Number(part ?? 0));
    return within((((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds!) * 1000 + ms!);
  }
  if (!/\d{4}/.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : within(date - nowMs);
}

function within(waitMs: number): number {
  return Math.ceil(Math.min(maxWaitMs, Math.max(0, waitMs)));
}

/** A wait in words: `12 s`, `5 min`, `3 h`. */
export function waitText(waitMs: number): string {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  if (seconds < 600) return `${seconds} s`;
  return seconds < 36_000 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}
