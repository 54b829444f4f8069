import { HandrailError } from '../domain/errors.ts';
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
  /** Wall clock for the whole of it, redirects included. */
  readonly timeoutMs?: number;
  /** How long it may be silent before it begins to answer. */
  readonly firstByteTimeoutMs?: number;
  /** Is given a good reply that is a stream while it comes; its body is empty then. What it throws ends the request. */
  readonly onPiece?: (piece: Uint8Array) => void;
  /** Redirects followed; 0, the default, hands a redirect back as it came. */
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
  /** The API's own egress list, when the request is made for one. */
  readonly egressAllow?: readonly string[];
  readonly tls?: ClientTls;
  /** Tells client certificates apart; needed with `tls`. */
  readonly identity?: string;
  /** For which call, and where to, a good reply goes as a file instead of being read. */
  readonly file?: { readonly call: Call; readonly into: Pick<CallFiles, 'receive' | 'maxBytes'> };
}

export interface OutboundReply extends Pick<Answer, 'status' | 'headers' | 'body' | 'file'> {
  /** The address that answered, after redirects. */
  readonly url: string;
}

/** Sends one request of our own through the egress guard, within bounds. */
export type FetchGuarded = (request: OutboundRequest) => Promise<OutboundReply>;

const neverAborted = new AbortController().signal;

/** Makes the function for every request that is not a call: same guard, caps and deadline as calls. */
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
        throw new HandrailError('upstream_redirect', `${plan.origin} redirects more than ${hops} times.`, {
          upstreamStatus: status,
        });
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
    throw new HandrailError(
      'invalid_input',
      'The address is not an absolute URL such as https://api.example.com/.',
    );
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new HandrailError(
      'egress_refused',
      `Handrail calls http and https addresses only, not ${url.protocol}`,
      {
        notSent: true,
      },
    );
  }
  if (url.username || url.password) {
    throw new HandrailError(
      'invalid_input',
      'The address must not hold a user name or password: store them as a credential.',
    );
  }
  return {
    method: request.method ?? 'GET',
    origin: url.origin,
    target: url.pathname + url.search,
    headers: request.headers ?? {},
    body: request.body ?? null,
  };
}
