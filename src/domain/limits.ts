import { type InferFields, integer, nullable, object, partial } from '../lib/schema/schema.ts';
import { settableHeaderName } from './fields/header-names.ts';

const count = (max?: number) => integer({ min: 0, ...(max !== undefined && { max }) });
const atLeastOne = (max: number) => integer({ min: 1, max });

/** How calls to an API behave on a bad day. Set per API, each overridable per tool. */
export const limitFields = {
  connectTimeoutMs: count(600_000),
  /** From the request's last byte to the reply's first. */
  firstByteTimeoutMs: count(3_600_000),
  /** Wall clock for the whole call, retries included. */
  totalTimeoutMs: atLeastOne(3_600_000),
  /** Counted after decompression. */
  maxReplyBytes: atLeastOne(1_073_741_824),
  /** Further tries after the first. */
  retries: count(5),
  /** Header that carries the same random key on every try of one call; makes any method retryable. */
  idempotencyKeyHeader: nullable(settableHeaderName),
  maxConcurrent: atLeastOne(100_000),
  maxQueued: count(1_000_000),
  /** Calls a minute to this API, all callers together; 0 means no limit. */
  ratePerMinute: count(),
  /** How long a reply to a safe method may be served again; 0 means never. */
  cacheTtlMs: count(),
  /** Redirects followed; 0 means a redirect is an error. */
  maxRedirects: count(20),
  /** Consecutive failures that open the circuit; 0 means no breaker. */
  breakerFailures: count(),
  /** How long an open circuit waits before it lets one call probe. */
  breakerOpenMs: count(),
};

export type Limits = InferFields<typeof limitFields>;

/** Some limits, in place of those that would hold otherwise. */
export const limitOverrides = object(partial(limitFields));

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
