/** How calls to an API behave on a bad day. Set per API, each overridable per tool. */
export interface Limits {
  readonly connectTimeoutMs: number;
  /** From the request's last byte to the reply's first. */
  readonly firstByteTimeoutMs: number;
  /** Wall clock for the whole call, retries included. */
  readonly totalTimeoutMs: number;
  /** Counted after decompression. */
  readonly maxReplyBytes: number;
  /** Further tries after the first, 0 to 5. */
  readonly retries: number;
  /** Header that carries the same random key on every try of one call; makes any method retryable. */
  readonly idempotencyKeyHeader: string | null;
  readonly maxConcurrent: number;
  readonly maxQueued: number;
  /** Calls a minute to this API, all callers together; 0 means no limit. */
  readonly ratePerMinute: number;
  /** How long a reply to a safe method may be served again; 0 means never. */
  readonly cacheTtlMs: number;
  /** Redirects followed; 0 means a redirect is an error. */
  readonly maxRedirects: number;
  /** Consecutive failures that open the circuit; 0 means no breaker. */
  readonly breakerFailures: number;
  /** How long an open circuit waits before it lets one call probe. */
  readonly breakerOpenMs: number;
}

export type LimitOverrides = Partial<Limits>;

/** What applies when neither the API nor the tool says otherwise. */
export const defaultLimits: Limits = {
  connectTimeoutMs: 5_000,
  firstByteTimeoutMs: 30_000,
  totalTimeoutMs: 60_000,
  maxReplyBytes: 5 * 1024 * 1024,
  retries: 0,
  idempotencyKeyHeader: null,
  maxConcurrent: 256,
  maxQueued: 1_024,
  ratePerMinute: 0,
  cacheTtlMs: 0,
  maxRedirects: 0,
  breakerFailures: 0,
  breakerOpenMs: 30_000,
};
