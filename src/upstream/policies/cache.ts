import { createHash } from 'node:crypto';
import { upstreamErrors } from '../../domain/error-messages/upstream.ts';
import type { HandrailError } from '../../domain/errors.ts';
import { BodyStream } from '../../pipeline/request/body-stream.ts';
import type { Cancellation } from '../../pipeline/call.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import type { RequestBody } from '../../pipeline/request/request-plan.ts';
import type { Send, SendContext, SendPolicy } from '../../pipeline/send.ts';
import type { SignedRequest } from '../../pipeline/request/signed-request.ts';
import { Deadlines, TimedWork } from '../deadlines.ts';

interface CacheEntry {
  readonly reply: Reply;
  readonly untilMs: number;
  readonly bytes: number;
}

const maxBytes = 64 * 1024 * 1024;
const maxReplyBytes = 2 * 1024 * 1024;
const overheadBytes = 512;

/**
 * Serves a reply again while it is fresh. Only GET and HEAD; calls with different credentials never share a reply; one
 * with `Cache-Control: no-store` is not kept. When the space is used up, the oldest are dropped first. Calls that arrive
 * while the same request is in progress wait for its reply; if it can't be shared, each sends its own request.
 */
export function cachePolicy(now: () => number, capacityBytes: number = maxBytes): SendPolicy {
  const entries = new Map<string, CacheEntry>();
  /** Requests in progress, with their reply if it can be shared. */
  const inProgress = new Map<string, Promise<Reply | null>>();
  const deadlines = new Deadlines(now);
  let usedBytes = 0;

  const drop = (key: string, entry: CacheEntry): void => {
    entries.delete(key);
    usedBytes -= entry.bytes;
  };

  const keep = (key: string, reply: Reply, ttlMs: number): void => {
    const bytes = reply.body.byteLength + overheadBytes;
    if (bytes > Math.min(maxReplyBytes, capacityBytes)) return;
    const old = entries.get(key);
    if (old !== undefined) drop(key, old);
    entries.set(key, { reply, untilMs: now() + ttlMs, bytes });
    usedBytes += bytes;
    for (const [oldest, entry] of entries) {
      if (usedBytes <= capacityBytes) break;
      drop(oldest, entry);
    }
  };

  return (next) => {
    const send = async (...[request, context]: Parameters<Send>): Promise<Reply> => {
      const key = keyOf(request, context);
      const entry = entries.get(key);
      if (entry !== undefined) {
        if (now() < entry.untilMs) {
          // Moved to the end, so that recently used entries stay longest.
          entries.delete(key);
          entries.set(key, entry);
          return { ...entry.reply, cached: true, tries: 0, upstreamMs: 0 };
        }
        drop(key, entry);
      }
      const before = inProgress.get(key);
      if (before !== undefined) {
        const shared = await new Promise<Reply | null>((resolve, reject) => {
          const waiting = new WaitingCall(context, reject);
          deadlines.add(waiting);
          void before.then((reply) => {
            deadlines.delete(waiting);
            return resolve(reply);
          });
        });
        if (shared !== null) return { ...shared, cached: true, tries: 0, upstreamMs: 0 };
        return next(request, context);
      }
      let share!: (reply: Reply | null) => void;
      inProgress.set(key, new Promise((resolve) => (share = resolve)));
      let kept: Reply | null = null;
      try {
        const reply = await next(request, context);
        if (mayKeep(reply)) {
          keep(key, reply, context.limits.cacheTtlMs);
          kept = reply;
        }
        return reply;
      } finally {
        inProgress.delete(key);
        share(kept);
      }
    };
    return (request, context) =>
      context.limits.cacheTtlMs > 0 &&
      (request.plan.method === 'GET' || request.plan.method === 'HEAD') &&
      !(request.plan.body?.content instanceof BodyStream)
        ? send(request, context)
        : next(request, context);
  };
}

/** A call that waits for the reply of another, up to its own deadline and while its own caller stays connected. */
class WaitingCall extends TimedWork {
  readonly deadlineMs: number;
  readonly signal: Cancellation;
  readonly #fail: (error: HandrailError) => void;

  constructor(context: SendContext, fail: (error: HandrailError) => void) {
    super();
    this.deadlineMs = context.deadlineMs;
    this.signal = context.signal;
    this.#fail = fail;
  }

  stop(why: 'deadline' | 'cancelled'): void {
    this.#fail(
      why === 'cancelled'
        ? upstreamErrors.callerLeftWhileSharing({ notSent: true })
        : upstreamErrors.sharedReplyTimedOut(),
    );
  }
}

function keyOf(request: SignedRequest, context: SendContext): string {
  const { method, origin, target, headers, body } = request.plan;
  const sorted = Object.keys(headers)
    .toSorted()
    .map((name) => [name, headers[name]]);
  return createHash('sha256')
    .update(
      JSON.stringify([
        context.tool.tool.id,
        request.credentialIdentity,
        method,
        origin,
        target,
        sorted,
        contentKey(body),
      ]),
    )
    .digest('base64url');
}

// Requests with files are never cached.
function contentKey(body: RequestBody | null): string | null {
  return body === null || body.content instanceof BodyStream ? null : body.content.toString();
}

function mayKeep(reply: Reply): boolean {
  if (reply.status < 200 || reply.status > 299 || reply.status === 206 || reply.cut !== undefined)
    return false;
  if (reply.file !== undefined) return false;
  return !/\bno-store\b/i.test(reply.headers['cache-control'] ?? '') && reply.headers['vary']?.trim() !== '*';
}
