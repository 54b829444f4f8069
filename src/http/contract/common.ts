import { z } from 'zod';
import type { JsonValue } from '../../domain/json-schema.ts';

/** Paging of every list. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).default(50).describe('How many to return, 1 to 500.'),
  cursor: z.string().max(500).optional().describe('`nextCursor` of the page before.'),
});

/** A page of something. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({
    items: z.array(item),
    nextCursor: z
      .string()
      .nullable()
      .describe('Hand it back as `cursor` for the next page; null at the end.'),
    total: z.number().int().describe('How many there are in all.'),
  });
}

export const timestamp = z.string().describe('RFC 3339.');
export const jsonSchema = z.record(z.string(), z.unknown()).describe('JSON Schema 2020-12.');
export const jsonValue: z.ZodType<JsonValue> = z.json() as z.ZodType<JsonValue>;
export const slug = z.string().min(1).max(40);

/** Fields that every stored thing has. */
export const versioned = {
  id: z.string(),
  revision: z.number().int().describe('Send it as If-Match when you edit.'),
  createdAt: timestamp,
  updatedAt: timestamp,
};

const nonNegative = z.number().int().min(0);

export const limits = z
  .strictObject({
    connectTimeoutMs: nonNegative.max(600_000),
    firstByteTimeoutMs: nonNegative.max(3_600_000),
    totalTimeoutMs: nonNegative.min(1).max(3_600_000),
    maxReplyBytes: nonNegative.min(1).max(1_073_741_824),
    retries: nonNegative.max(5),
    idempotencyKeyHeader: z.string().nullable(),
    maxConcurrent: nonNegative.min(1).max(100_000),
    maxQueued: nonNegative.max(1_000_000),
    ratePerMinute: nonNegative,
    cacheTtlMs: nonNegative,
    maxRedirects: nonNegative.max(20),
    breakerFailures: nonNegative,
    breakerOpenMs: nonNegative,
  })
  .partial();

const secretPlace = {
  in: z.enum(['header', 'query', 'cookie', 'body']),
  name: z.string().min(1),
  prefix: z.string().optional(),
};

const simpleSchemes = [
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({ kind: z.literal('api-key'), ...secretPlace }),
  z.strictObject({ kind: z.literal('bearer') }),
  z.strictObject({ kind: z.literal('basic') }),
  z.strictObject({ kind: z.literal('headers'), names: z.array(z.string().min(1)).min(1) }),
  z.strictObject({
    kind: z.literal('login'),
    method: z.string(),
    url: z.url({ protocol: /^https?$/ }),
    payloadIn: z.enum(['json', 'form', 'query', 'headers']),
    payloadFields: z.array(z.string().min(1)),
    tokenPath: z.string().optional(),
    place: z.strictObject(secretPlace),
    ttlMs: nonNegative.optional(),
    invalidationKeywords: z.array(z.string().min(1)).optional(),
  }),
  z.strictObject({
    kind: z.literal('oauth2'),
    grant: z.enum(['client_credentials', 'refresh_token', 'authorization_code']),
    issuer: z.url().optional(),
    tokenUrl: z.url().optional(),
    authorizationUrl: z.url().optional(),
    scopes: z.array(z.string()).optional(),
    audience: z.string().optional(),
    clientAuth: z.enum(['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']).optional(),
  }),
  z.strictObject({ kind: z.literal('aws-sigv4'), region: z.string().min(1), service: z.string().min(1) }),
  z.strictObject({
    kind: z.literal('hmac'),
    algorithm: z.enum(['sha1', 'sha256', 'sha512']),
    encoding: z.enum(['hex', 'base64', 'base64url']),
    parts: z.array(z.string()).min(1),
    separator: z.string(),
    place: z.strictObject(secretPlace),
    timestampHeader: z.string().optional(),
    timestampFormat: z.enum(['seconds', 'milliseconds', 'rfc3339']).optional(),
    nonceHeader: z.string().optional(),
    keyIdHeader: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('mutual-tls') }),
] as const;

export const authScheme = z.discriminatedUnion('kind', [
  ...simpleSchemes,
  z.strictObject({
    kind: z.literal('all'),
    schemes: z.array(z.discriminatedUnion('kind', simpleSchemes)).min(2),
  }),
]);
