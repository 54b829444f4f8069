import { z } from 'zod';

// Handrail's own export: everything about APIs, their tools and servers but ids, revisions and secrets.

/** The version of the format that is written; readers accept it and those before it. */
export const formatVersion = 1;

const text = z.string();
const json = z.record(z.string(), z.unknown());

const toolShape = z.looseObject({
  name: text,
  description: text,
  title: text.optional(),
  tags: z.array(text).default([]),
  annotations: json.default({}),
  deprecated: z.boolean().optional(),
  operation: z.looseObject({
    method: text,
    path: text,
    parameters: z.array(z.looseObject({ name: text, in: text, schema: json, required: z.boolean() })),
  }),
  reply: json.default({}),
  limits: json.default({}),
  enabled: z.boolean().default(true),
  scrubArguments: z.enum(['off', 'redact', 'block']).optional(),
  source: z.looseObject({ operationKey: text }).optional(),
});

const apiShape = z.looseObject({
  slug: text,
  name: text,
  baseUrl: text,
  headers: z.record(z.string(), z.string()).default({}),
  auth: z.looseObject({ kind: text }).default({ kind: 'none' }),
  limits: json.default({}),
  enabled: z.boolean().default(true),
  tools: z.array(toolShape),
});

const serverShape = z.looseObject({
  slug: text,
  name: text,
  tools: z
    .array(
      z.union([
        z.strictObject({ all: z.literal(true) }),
        z.strictObject({ api: text, tag: text.optional() }),
        z.strictObject({ tag: text }),
        z.strictObject({ tool: text }),
      ]),
    )
    .default([]),
  overrides: z.record(text, json).default({}),
  givenNames: z.record(text, text).default({}),
  policy: z.looseObject({ kind: z.enum(['open', 'key', 'basic', 'oauth']) }),
  ratePerMinute: z.number().default(60),
  enabled: z.boolean().default(true),
});

export const handrailExport = z.looseObject({
  handrail: z.literal(formatVersion),
  apis: z.array(apiShape),
  servers: z.array(serverShape).optional(),
});
