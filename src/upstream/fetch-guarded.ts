import { upstreamErrors } from '../domain/error-messages/upstream.ts';
import { defaultLimits } from '../domain/limits.ts';
import { MemoryBudget } from '../lib/memory/memory-budget.ts';
import { mayRepeat } from '../pipeline/request/repeatable.ts';
import type { Call, CallFiles } from '../pipeline/call.ts';
import type { ClientTls } from '../pipeline/request/signed-request.ts';
import type { RequestBody, RequestPlan } from '../pipeline/request/request-plan.ts';
import { Deadlines } from './deadlines.ts';
import type { EgressGuard } from './connections/egress.ts';
import type { Answer } from './exchange.ts';
import { exchange } from './exchange.ts';
import { createPools } from './connections/pools.ts';
import { nextHop, redirectLocation } from './redirect-hop.ts';

/** A request of Handrail's own: a login, a token, a document, a probe. */
export interface OutboundRequest {
  readonly url: string;
  readonly method?: string;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestBody | null;
  readonly maxReplyBytes?: number;
  /** Wall-clock limit, including redirects. */
  readonly timeoutMs?: number;
  /** How long to wait for the first byte of the response. */
  readonly firstByteTimeoutMs?: number;
  /** Gets the chunks of a successful streaming reply, whose body is then empty. Throwing ends the request. */
  readonly onPiece?: (piece: Uint8Array) => void;
  /** Redirects to follow; with 0, the default, a redirect is returned unchanged. */
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
  /** The API's own egress list, if the request is made for an API. */
  readonly egressAllow?: readonly string[];
  readonly tls?: ClientTls;
  /** Distinguishes client certificates; needed with `tls`. */
  readonly identity?: string;
  /** Stores a successful reply as a file for this call instead of reading it into memory. */
  readonly file?: { readonly call: Call; readonly into: Pick<CallFiles, 'receive' | 'maxBytes'> };
}

export interface OutboundReply extends Pick<Answer, 'status' | 'headers' | 'body' | 'file'> {
  /** The final URL, after redirects. */
  readonly url: string;
}

/** Sends one of Handrail's own requests through the egress guard, within limits. */
export type FetchGuarded = (request: OutboundRequest) => Promise<OutboundReply>;

const neverAborted = new AbortController().signal;

/** Creates the function for every request that is not a call, with the same guard, limits and deadline as calls. */
export function createFetchGuarded(options: {
  readonly guard: EgressGuard;
  readonly now: () => number;
  readonly memory?: MemoryBudget;
}): {
  readonly fetch: FetchGuarded;
  close(): Promise<void>;
} {
  const { now, memory = new MemoryBudget() } = options;
  const deadlines = new Deadlines(now);
  const pools = createPools(options.guard, now);

  const fetch: FetchGuarded = async (request) => {
    const deadlineMs = now() + (request.timeoutMs ?? 30_000);
    let plan = planOf(request);
    for (let hops = 0; ; hops++) {
      const pool = pools.get(plan.origin, {
        connectTimeoutMs: defaultLimits.connectTimeoutMs,
        egressAllow: request.egressAllow,
        tls: request.tls,
        identity: request.identity,
      });
      const { status, headers, body, file } = await exchange(
        pool,
        plan,
        {
          firstByteTimeoutMs: request.firstByteTimeoutMs ?? defaultLimits.firstByteTimeoutMs,
          onPiece: request.onPiece,
          maxReplyBytes: request.maxReplyBytes ?? defaultLimits.maxReplyBytes,
          deadlineMs,
          signal: request.signal ?? neverAborted,
          mayRepeat: mayRepeat(plan.method, defaultLimits),
          ...(request.file && { files: request.file.into, call: request.file.call, onlyFiles: true }),
        },
        deadlines,
        memory,
      );
      const to = request.maxRedirects ? redirectLocation(status, headers, plan) : null;
      if (to === null)
        return { status, headers, body, url: plan.origin + plan.target, ...(file && { file }) };
      if (hops >= request.maxRedirects!) {
        throw upstreamErrors.tooManyHops({ origin: plan.origin, max: hops }, { upstreamStatus: status });
      }
      plan = nextHop(status, to, plan, plan);
    }
  };

  return { fetch, close: () => pools.close() };
}

function planOf(request: OutboundRequest): RequestPlan {
  let url: URL;
  try {
    url = new URL(request.url);
  } catch {
    throw upstreamErrors.notAnAbsoluteUrl();
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw upstreamErrors.schemeNotAllowed({ scheme: url.protocol }, { notSent: true });
  }
  if (url.username || url.password) {
    throw upstreamErrors.credentialsInUrl();
  }
  return {
    method: request.method ?? 'GET',
    origin: url.origin,
    target: url.pathname + url.search,
    headers: request.headers ?? {},
    body: request.body ?? null,
  };
}
