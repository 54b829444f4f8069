import { createHash } from 'node:crypto';
import { BodyStream } from '../../pipeline/request/body-stream.ts';
import type { Reply, RequestBody, Send, SendContext, SendPolicy } from '../../pipeline/types.ts';
import type { SignedRequest } from '../../pipeline/types.ts';

interface CacheEntry {
  readonly reply: Reply;
  readonly untilMs: number;
  readonly bytes: number;
}

const maxBytes = 64 * 1024 * 1024;
const maxReplyBytes = 2 * 1024 * 1024;
const overheadBytes = 512;

/**
 * Serves a reply again while it is young enough. Only GET and HEAD; calls that sign in differently never share one;
 * a reply that says `Cache-Control: no-store` is not kept. When the space is used up, the oldest are dropped first.
 */
export function cachePolicy(now: () => number, roomBytes: number = maxBytes): SendPolicy {
  const entries = new Map<string, CacheEntry>();
  let usedBytes = 0;

  const drop = (key: string, entry: CacheEntry): void => {
    entries.delete(key);
    usedBytes -= entry.bytes;
  };

  const keep = (key: string, reply: Reply, ttlMs: number): void => {
    const bytes = reply.body.byteLength + overheadBytes;
    if (bytes > Math.min(maxReplyBytes, roomBytes)) return;
    const old = entries.get(key);
    if (old !== undefined) drop(key, old);
    entries.set(key, { reply, untilMs: now() + ttlMs, bytes });
    usedBytes += bytes;
    for (const [oldest, entry] of entries) {
      if (usedBytes <= roomBytes) break;
      drop(oldest, entry);
    }
  };

  return (next) => {
    const send = async (...[request, context]: Parameters<Send>): Promise<Reply> => {
      const key = keyOf(request, context);
      const entry = entries.get(key);
      if (entry !== undefined) {
        if (now() < entry.untilMs) {
          // Moved to the end, so that what is used stays longest.
          entries.delete(key);
          entries.set(key, entry);
          return { ...entry.reply, cached: true, tries: 0, upstreamMs: 0 };
        }
        drop(key, entry);
      }
      const reply = await next(request, context);
      if (mayKeep(reply)) keep(key, reply, context.limits.cacheTtlMs);
      return reply;
    };
    return (request, context) =>
      context.limits.cacheTtlMs > 0 &&
      (request.plan.method === 'GET' || request.plan.method === 'HEAD') &&
      !(request.plan.body?.content instanceof BodyStream)
        ? send(request, context)
        : next(request, context);
  };
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

// A file is never part of what is served again.
function contentKey(body: RequestBody | null): string | null {
  return body === null || body.content instanceof BodyStream ? null : body.content.toString();
}

function mayKeep(reply: Reply): boolean {
  if (reply.status < 200 || reply.status > 299 || reply.status === 206 || reply.cut !== undefined)
    return false;
  if (reply.file !== undefined) return false;
  return !/\bno-store\b/i.test(reply.headers['cache-control'] ?? '') && reply.headers['vary']?.trim() !== '*';
}
