import { api, apiFields, apiFitsTogether } from '../../../domain/api.ts';
import { describedServerFields } from '../../../domain/description.ts';
import { tool, toolFields } from '../../../domain/tool.ts';
import { choice, type Infer, list, object, optional, text, withRule } from '../../../lib/schema/schema.ts';

// Handrail's own export: everything about APIs, their tools and servers, except ids, revisions and secrets.

/** The version of the format that is written; readers accept it and earlier ones. */
export const formatVersion = 1;

const exportedTool = object({
  ...toolFields,
  tags: optional(toolFields.tags),
  annotations: optional(toolFields.annotations),
  reply: optional(toolFields.reply),
  limits: optional(toolFields.limits),
  enabled: optional(toolFields.enabled),
  source: tool.fields.source,
});

export type ExportedTool = Infer<typeof exportedTool>;

const exportedApi = withRule(
  object({
    ...apiFields,
    headers: optional(apiFields.headers),
    auth: optional(apiFields.auth),
    limits: optional(apiFields.limits),
    enabled: optional(apiFields.enabled),
    builtIn: api.fields.builtIn,
    agreedOrigins: api.fields.agreedOrigins,
    source: api.fields.source,
    tools: list(exportedTool, { max: 100_000 }),
  }),
  apiFitsTogether,
);

export type ExportedApi = Infer<typeof exportedApi>;

const exportedServer = object({
  ...describedServerFields,
  tools: optional(describedServerFields.tools),
  overrides: optional(describedServerFields.overrides),
  givenNames: optional(describedServerFields.givenNames),
  ratePerMinute: optional(describedServerFields.ratePerMinute),
  enabled: optional(describedServerFields.enabled),
});

export type ExportedServer = Infer<typeof exportedServer>;

/** The schema of Handrail's own export. */
export const handrailExport = object({
  handrail: choice(formatVersion),
  /** For people; importing ignores it. */
  omitted: optional(list(text({ max: 1_000 }), { max: 100 })),
  apis: list(exportedApi, { max: 10_000 }),
  servers: optional(list(exportedServer, { max: 10_000 })),
});
