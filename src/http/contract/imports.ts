import { z } from 'zod';
import { baseUrlText, originText } from '../../domain/fields/addresses.ts';
import { apiFields, parameterRules, watchInterval } from '../../domain/api.ts';
import { authScheme } from '../../domain/auth-scheme.ts';
import { toolKinds } from '../../domain/tool.ts';
import { slug, timestamp } from './common.ts';
import { documentOrigin } from './apis.ts';
import { fieldsFromDomain, fromDomain } from './from-domain.ts';
import { defineRoute } from './route.ts';
import { listCost } from './search.ts';

const note = z.object({
  code: z.string(),
  message: z.string(),
  at: z.string().optional().describe('The place in the document: a JSON Pointer or a line.'),
});

const fieldChange = z.object({
  path: z.string().describe('JSON Pointer into the tool.'),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});

const waiting = z
  .enum(['new', 'returned', 'leaving', 'changed'])
  .describe('What is waiting for approval: a new or returning tool, a removal, or a newer version.');

const reportLine = z.object({
  operation: z.string(),
  tool: z.string().nullable().describe('Null when it was not imported or not selected.'),
  tags: z.array(z.string()),
  description: z.string().optional().describe('The start of its description in the document.'),
  arguments: z
    .array(z.object({ name: z.string(), type: z.string().optional(), required: z.boolean() }))
    .optional()
    .describe('Arguments that a model supplies; absent when it cannot be a tool.'),
  fidelity: z.enum(['exact', 'noted', 'skipped']),
  selected: z.boolean(),
  at: z.string(),
  notes: z.array(note),
  tokens: z
    .number()
    .int()
    .optional()
    .describe('Token cost of its tool in a tool list (o200k); absent without a tool.'),
});

/** The planned or applied changes of an import to one API. */
export const importResult = z
  .object({
    api: z.string().describe('Slug of the API.'),
    name: z.string().describe('Name of the API.'),
    isNewApi: z.boolean(),
    baseUrl: z.string().describe('Base URL of the API.'),
    applied: z.boolean(),
    credentialStored: z.boolean().describe('A secret found in the document was stored as the credential.'),
    apiFields: z.array(fieldChange).describe('Changes to the API itself.'),
    added: z.array(
      z.object({
        tool: z.string(),
        operation: z.string(),
        returns: z
          .boolean()
          .describe(
            'The document had it before; it returns with its old settings, including whether it was disabled.',
          ),
        pending: z.boolean().describe('It is not served until it is approved.'),
      }),
    ),
    changed: z.array(
      z.object({
        tool: z.string(),
        operation: z.string(),
        fields: z.array(fieldChange).describe('The exact changes in the document.'),
        kept: z.array(z.string()).describe('Fields where a manual edit wins over a change in the document.'),
        pending: z.boolean().describe('It is waiting for approval.'),
      }),
    ),
    removed: z.array(
      z.object({
        tool: z.string(),
        operation: z.string(),
        pending: z.boolean().describe('It is served until its removal is approved.'),
      }),
    ),
    unchanged: z.array(z.object({ tool: z.string(), operation: z.string() })),
    report: z.array(reportLine),
    notes: z.array(note).describe('About the document as a whole.'),
    cost: listCost.describe(
      'Token cost of a server with just the tools of this API, once the import is applied.',
    ),
    constants: z
      .array(
        z.object({
          name: z.string().describe('The name on the wire.'),
          in: z.enum(['path', 'query', 'header', 'cookie', 'body']),
          operations: z.number().int().describe('How many operations have it.'),
          of: z.number().int(),
          required: z.boolean(),
          suggestion: z.string().optional().describe('A value found in the document.'),
          values: z.array(z.string()).optional(),
          description: z.string().optional(),
        }),
      )
      .describe(
        'Inputs that are the same for the whole API: set one with `fix`, and tools no longer ask for it.',
      ),
    origins: z.array(documentOrigin).describe('Other origins that the document sends operations to.'),
    auth: fromDomain(authScheme).describe('Authentication scheme of the API.'),
    authChoices: z
      .array(z.object({ name: z.string(), auth: fromDomain(authScheme) }))
      .describe('All authentication schemes that the document offers.'),
    serverTemplate: fromDomain(apiFields.serverTemplate.optional)
      .optional()
      .describe('The base URL with its variables; set their values in `variables`.'),
  })
  .meta({ id: 'ImportResult' });

/** What an import found or did. */
export const importResults = z.object({
  imports: z.array(importResult).describe('One for each API in the document.'),
  servers: z
    .array(
      z.object({
        server: z.string().describe('Its slug.'),
        change: z.enum(['added', 'changed', 'unchanged']),
        fields: z.array(fieldChange),
        notes: z.array(note),
      }),
    )
    .describe('The servers in the document; only Handrail exports contain servers.'),
});

const rules = fieldsFromDomain(parameterRules.fields);
const list = z.array(z.string().max(500)).max(200);

/** Text that may be megabytes long; long text arrives as bytes to avoid a slow copy. */
const upload = z
  .custom<string | Uint8Array>(
    (value) => typeof value === 'string' || value instanceof Uint8Array,
    'must be text',
  )
  .meta({ type: 'string' });

/** What to import, and how. */
export const importBody = z.strictObject({
  url: z.string().max(4_000).optional().describe('Fetch the document from here.'),
  text: upload.optional().describe('The document itself.'),
  files: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(500),
        content: upload.describe('Base64, gzip or not.'),
      }),
    )
    .max(5_000)
    .optional()
    .describe('The document’s files; references between them are followed.'),
  root: z.string().max(500).optional().describe('The main file, when there are several.'),
  api: slug.optional().describe('Slug of the API to import into or create.'),
  name: fromDomain(apiFields.name)
    .optional()
    .describe('Name for the API, instead of the one in the document.'),
  baseUrl: fromDomain(baseUrlText).optional(),
  variables: z
    .record(z.string().max(200), z.string().max(2_000))
    .optional()
    .describe('Values for the variables in the document’s base URL, by name.'),
  auth: fromDomain(authScheme)
    .optional()
    .describe('Authentication scheme, instead of the one in the document.'),
  host: z
    .string()
    .max(300)
    .optional()
    .describe('For a document with several APIs, such as a recording: import only the one at this host.'),
  select: z
    .strictObject({
      tags: list,
      methods: list,
      paths: list,
      names: list,
      kinds: z.array(z.enum(toolKinds)).max(toolKinds.length).describe('What a call of the tool does.'),
      operations: z
        .array(z.string().max(4_000))
        .max(50_000)
        .describe('Operations as the report of a plan names them, such as `GET /users/{id}`.'),
    })
    .partial()
    .optional()
    .describe('Which operations become tools; `*` in paths and names is a wildcard.'),
  headers: rules.headers.optional().describe('How to treat header parameters.'),
  cookies: rules.cookies.optional().describe('How to treat cookie parameters.'),
  technical: rules.technical
    .optional()
    .describe(
      'How to treat optional parameters for output format, debugging or transport, such as prettyPrint; hidden by default.',
    ),
  fix: z
    .record(z.string().max(1_000), z.string().max(64_000).nullable())
    .optional()
    .describe(
      'Parameters that always have this value, by their name on the wire; tools do not ask for them. Values from earlier imports stay; null removes one.',
    ),
  slashes: rules.slashes
    .optional()
    .describe(
      'Keep slashes in path arguments that the document marks as paths; "." and ".." are still rejected.',
    ),
  overlays: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(500).describe('Name used in messages.'),
        text: z.string().min(1).max(2_000_000),
      }),
    )
    .max(20)
    .optional()
    .describe(
      'OpenAPI Overlays 1.0 and 1.1, applied to the document before it is read, in this order. They are stored for refreshes; an empty list removes them.',
    ),
  approveChanges: z.boolean().optional().describe('Tools whose meaning changes upstream wait for approval.'),
  agreeOrigins: z
    .array(fromDomain(originText))
    .max(100)
    .optional()
    .describe(
      'Origins named in the document that may receive the API’s secrets; only owners can allow this.',
    ),
  watchEveryMs: fromDomain(watchInterval).optional().describe('How often to check the URL for changes.'),
  dryRun: z.boolean().default(false).describe('Plan only.'),
});

export const importRoutes = {
  run: defineRoute({
    method: 'POST',
    path: '/imports',
    id: 'runImport',
    tool: {
      fields: [
        'url',
        'text',
        'api',
        'name',
        'baseUrl',
        'variables',
        'auth',
        'host',
        'select',
        'headers',
        'cookies',
        'technical',
        'fix',
        'slashes',
        'overlays',
        'dryRun',
      ],
    },
    tag: 'imports',
    access: 'editor',
    summary: 'Plan or apply an import of an API description; the format is detected from its content',
    status: 200,
    // Descriptions are larger than anything an agent sends: GitHub's is 13 MB, and base64 adds a third.
    maxBodyBytes: 64 * 1024 * 1024,
    takesUploads: true,
    body: importBody,
    reply: importResults,
  }),
  refresh: defineRoute({
    method: 'POST',
    path: '/apis/:api/refresh',
    id: 'refreshApi',
    tool: true,
    tag: 'imports',
    access: 'editor',
    summary: 'Import an API’s document again from its source URL',
    status: 200,
    body: z.strictObject({ dryRun: z.boolean().default(false) }),
    reply: importResults,
  }),
  pending: defineRoute({
    method: 'GET',
    path: '/tools/:tool/pending',
    id: 'getPendingChange',
    tool: true,
    tag: 'imports',
    access: 'viewer',
    summary: 'Show what a change waiting for approval would do to a tool',
    status: 200,
    reply: z.object({
      waiting,
      fields: z.array(fieldChange),
      kept: z.array(z.string()).describe('Manually edited fields, which stay as they are.'),
    }),
  }),
  decide: defineRoute({
    method: 'POST',
    path: '/tools/:tool/pending',
    id: 'decidePendingChange',
    tag: 'imports',
    access: 'editor',
    summary: 'Approve or reject a pending change to a tool',
    status: 204,
    body: z.strictObject({ approve: z.boolean() }),
  }),
  waiting: defineRoute({
    method: 'GET',
    path: '/apis/:api/waiting',
    id: 'listWaiting',
    tool: true,
    tag: 'imports',
    access: 'viewer',
    summary: 'List an API’s import changes that are waiting for approval',
    status: 200,
    reply: z.object({
      items: z.array(
        z.object({
          id: z.string(),
          tool: z.string(),
          operation: z.string(),
          kind: z.enum(toolKinds).describe('What a call of it does.'),
          enabled: z.boolean().describe('Whether it is enabled once approved.'),
          waiting,
        }),
      ),
    }),
  }),
  decideWaiting: defineRoute({
    method: 'POST',
    path: '/apis/:api/waiting',
    id: 'decideWaiting',
    tag: 'imports',
    access: 'editor',
    summary: 'Approve or reject an API’s pending import changes',
    status: 204,
    body: z.strictObject({
      approve: z
        .boolean()
        .describe('When rejected, new tools stay but are disabled, and removed tools stay.'),
      tools: z
        .array(z.string().max(200))
        .max(100_000)
        .optional()
        .describe('Ids or names; all pending changes when absent.'),
    }),
  }),
  removed: defineRoute({
    method: 'GET',
    path: '/apis/:api/removed',
    id: 'listRemovedTools',
    tool: true,
    tag: 'imports',
    access: 'viewer',
    summary:
      'List tools that are no longer in an API’s document; they return with their settings if the document has them again',
    status: 200,
    reply: z.object({
      items: z.array(
        z.object({
          id: z.string(),
          tool: z.string(),
          operation: z.string(),
          removedAt: timestamp,
          enabled: z.boolean().describe('Whether it would return enabled.'),
          edited: z.boolean().describe('It was edited manually, and the edits return with it.'),
          servers: z.array(z.string()).describe('Slugs of servers that selected this tool individually.'),
        }),
      ),
    }),
  }),
  forget: defineRoute({
    method: 'DELETE',
    path: '/apis/:api/removed',
    id: 'forgetRemovedTools',
    tag: 'imports',
    access: 'editor',
    summary: 'Forget tools that are no longer in an API’s document, so that they would return as new tools',
    status: 204,
    query: z.strictObject({
      tools: z
        .string()
        .max(10_000)
        .optional()
        .describe('Ids or names, separated by commas; all when absent.'),
    }),
  }),
  export: defineRoute({
    method: 'GET',
    path: '/export',
    id: 'exportApis',
    tag: 'imports',
    access: 'viewer',
    summary: 'Export APIs with their tools, and servers, without secrets',
    status: 200,
    query: z.strictObject({
      format: z.enum(['handrail', 'handsai']).default('handrail'),
      api: z.string().optional().describe('Ids or slugs of APIs, separated by commas.'),
      server: z
        .string()
        .optional()
        .describe(
          'Ids or slugs of servers, separated by commas. Everything is exported when neither is given.',
        ),
    }),
    reply: z.unknown(),
  }),
};
