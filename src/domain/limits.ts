import { type InferFields, integer, nullable, object, partial } from '../lib/schema/schema.ts';
import { settableHeaderName } from './fields/header-names.ts';

const count = (max?: number) => integer({ min: 0, ...(max !== undefined && { max }) });
const atLeastOne = (max: number) => integer({ min: 1, max });

/** Timeouts, retries and other limits of calls to an API. Set per API, each overridable per tool. */
export const limitFields = {
  connectTimeoutMs: count(600_000),
  /** From the request's last byte to the reply's first. */
  firstByteTimeoutMs: count(3_600_000),
  /** Wall-clock time of the whole call, including retries. */
  totalTimeoutMs: atLeastOne(3_600_000),
  /** Counted after decompression. */
  maxReplyBytes: atLeastOne(1_073_741_824),
  /** Additional attempts after the first. */
  retries: count(5),
  /** A header with the same random key on every attempt of a call; makes any method retryable. */
  idempotencyKeyHeader: nullable(settableHeaderName),
  maxConcurrent: atLeastOne(100_000),
  maxQueued: count(1_000_000),
  /** Calls per minute to this API, by all callers together; 0 means no limit. */
  ratePerMinute: count(),
  /** How long a reply to a safe method may be served from the cache; 0 means never. */
  cacheTtlMs: count(),
  /** Redirects to follow; with 0 a redirect is an error. */
  maxRedirects: count(20),
  /** Consecutive failures that open the circuit; 0 means no breaker. */
  breakerFailures: count(),
  /** How long a circuit stays open before one call may probe. */
  breakerOpenMs: count(),
};

export type Limits = InferFields<typeof limitFields>;

/** Limits that override the defaults. */
export const limitOverrides = object(partial(limitFields));

/** The limits that apply unless the API or the tool overrides them. */
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
