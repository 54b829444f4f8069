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
  .describe('What waits: letting a tool in, letting it go, or a newer version of it.');

const reportLine = z.object({
  operation: z.string(),
  tool: z.string().nullable().describe('Null when it was not imported or not selected.'),
  tags: z.array(z.string()),
  description: z.string().optional().describe('The beginning of what the document says about it.'),
  arguments: z
    .array(z.object({ name: z.string(), type: z.string().optional(), required: z.boolean() }))
    .optional()
    .describe('What a model gives; absent when it cannot be a tool.'),
  fidelity: z.enum(['exact', 'noted', 'skipped']),
  selected: z.boolean(),
  at: z.string(),
  notes: z.array(note),
  tokens: z
    .number()
    .int()
    .optional()
    .describe('What its tool costs in a list of tools (o200k); absent when there is none.'),
});

/** What an import does, or did, to one API. */
export const importResult = z
  .object({
    api: z.string().describe('Slug of the API.'),
    name: z.string().describe('What the API is called, or would be.'),
    isNewApi: z.boolean(),
    baseUrl: z.string().describe('Where the API is, or would be.'),
    applied: z.boolean(),
    credentialStored: z
      .boolean()
      .describe('A secret that the document carried was stored as the credential.'),
    apiFields: z.array(fieldChange).describe('What changed about the API in its document.'),
    added: z.array(
      z.object({
        tool: z.string(),
        operation: z.string(),
        returns: z
          .boolean()
          .describe('The document had it before, and it comes back as it was, switched off if it was.'),
        pending: z.boolean().describe('It is not served until somebody approves.'),
      }),
    ),
    changed: z.array(
      z.object({
        tool: z.string(),
        operation: z.string(),
        fields: z.array(fieldChange).describe('Exactly what changed in the document.'),
        kept: z.array(z.string()).describe('Where a hand edit stands against a change of the document.'),
        pending: z.boolean().describe('It waits for approval.'),
      }),
    ),
    removed: z.array(
      z.object({
        tool: z.string(),
        operation: z.string(),
        pending: z.boolean().describe('It is served until somebody approves that it goes.'),
      }),
    ),
    unchanged: z.array(z.object({ tool: z.string(), operation: z.string() })),
    report: z.array(reportLine),
    notes: z.array(note).describe('About the document as a whole.'),
    cost: listCost.describe(
      'What the tools of the API cost once this is applied, if a server had just them.',
    ),
    constants: z
      .array(
        z.object({
          name: z.string().describe('The name on the wire.'),
          in: z.enum(['path', 'query', 'header', 'cookie', 'body']),
          operations: z.number().int().describe('How many operations have it.'),
          of: z.number().int(),
          required: z.boolean(),
          suggestion: z.string().optional().describe('A value that the document gives.'),
          values: z.array(z.string()).optional(),
          description: z.string().optional(),
        }),
      )
      .describe('Inputs that are the same for the whole API: `fix` sets one once, and no tool asks for it.'),
    origins: z.array(documentOrigin).describe('Where the document sends operations besides the base URL.'),
    auth: fromDomain(authScheme).describe('How the API signs in, or would.'),
    authChoices: z
      .array(z.object({ name: z.string(), auth: fromDomain(authScheme) }))
      .describe('Every way to sign in that the document offers.'),
    serverTemplate: fromDomain(apiFields.serverTemplate.optional)
      .optional()
      .describe('The base URL with its variables, which `variables` fills.'),
  })
  .meta({ id: 'ImportResult' });

const results = z.object({
  imports: z.array(importResult).describe('One for each API of the document.'),
  servers: z
    .array(
      z.object({
        server: z.string().describe('Its slug.'),
        change: z.enum(['added', 'changed', 'unchanged']),
        fields: z.array(fieldChange),
        notes: z.array(note),
      }),
    )
    .describe('The servers of the document; only Handrail’s own exports have any.'),
});

const rules = fieldsFromDomain(parameterRules.fields);
const list = z.array(z.string().max(500)).max(200);

/** Text that may be megabytes long; what takes long to copy arrives as bytes. */
const upload = z
  .custom<string | Uint8Array>(
    (value) => typeof value === 'string' || value instanceof Uint8Array,
    'must be text',
  )
  .meta({ type: 'string' });

export const importRoutes = {
  run: defineRoute({
    method: 'POST',
    path: '/imports',
    id: 'runImport',
    tag: 'imports',
    access: 'editor',
    summary: 'Plan or apply an import of an API description; its kind is told from its content',
    status: 200,
    // Descriptions are larger than anything an agent sends: GitHub's has 13 MB, and base64 adds a third.
    maxBodyBytes: 64 * 1024 * 1024,
    takesUploads: true,
    body: z.strictObject({
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
      root: z.string().max(500).optional().describe('The file to begin with, when there are several.'),
      api: slug.optional().describe('Slug of the API to import into, or to make.'),
      name: fromDomain(apiFields.name)
        .optional()
        .describe('What the API is called, instead of what the document calls it.'),
      baseUrl: fromDomain(baseUrlText).optional(),
      variables: z
        .record(z.string().max(200), z.string().max(2_000))
        .optional()
        .describe('Values for the variables of the document’s address, by name.'),
      auth: fromDomain(authScheme)
        .optional()
        .describe('How the API signs in, instead of what the document proposes.'),
      host: z
        .string()
        .max(300)
        .optional()
        .describe('Of a document with several APIs, such as a recording, only the one at this host.'),
      select: z
        .strictObject({
          tags: list,
          methods: list,
          paths: list,
          names: list,
          operations: z
            .array(z.string().max(4_000))
            .max(50_000)
            .describe('Operations as the report of a plan names them, such as `GET /users/{id}`.'),
        })
        .partial()
        .optional()
        .describe('Which operations become tools; `*` in paths and names stands for anything.'),
      headers: rules.headers.optional().describe('What becomes of header parameters.'),
      cookies: rules.cookies.optional().describe('What becomes of cookie parameters.'),
      fix: z
        .record(z.string().max(1_000), z.string().max(64_000).nullable())
        .optional()
        .describe(
          'Parameters that always have this value, by their name on the wire; no tool asks for them. Those of earlier imports stay; null takes one away.',
        ),
      slashes: rules.slashes
        .optional()
        .describe(
          'Send the slashes of path arguments that the document marks as paths; "." and ".." stay refused.',
        ),
      overlays: z
        .array(
          z.strictObject({
            name: z.string().min(1).max(500).describe('As messages name it.'),
            text: z.string().min(1).max(2_000_000),
          }),
        )
        .max(20)
        .optional()
        .describe(
          'OpenAPI Overlays 1.0 and 1.1, applied to the document before it is read, in this order. They are kept for refreshes; an empty list takes them away.',
        ),
      approveChanges: z
        .boolean()
        .optional()
        .describe('Tools whose meaning changes upstream wait for approval.'),
      agreeOrigins: z
        .array(fromDomain(originText))
        .max(100)
        .optional()
        .describe(
          'Origins that the document names for operations, and that the API’s secrets may go to; only owners agree.',
        ),
      watchEveryMs: fromDomain(watchInterval).optional().describe('Look at the address this often.'),
      dryRun: z.boolean().default(false).describe('Plan only.'),
      reference: z
        .string()
        .max(100)
        .optional()
        .describe('A word of your own, by which the list of running imports shows which one is yours.'),
    }),
    reply: results,
  }),
  running: defineRoute({
    method: 'GET',
    path: '/imports',
    id: 'listRunningImports',
    tag: 'imports',
    access: 'viewer',
    summary: 'List the imports that are under way, with their progress',
    status: 200,
    reply: z.object({
      items: z.array(
        z.object({
          id: z.string(),
          reference: z.string().nullable().describe('What whoever began it called it.'),
          startedAt: timestamp,
          stage: z.enum(['fetching', 'reading', 'applying']),
          done: z.number().int(),
          total: z.number().int().describe('0 while it is not known.'),
        }),
      ),
    }),
  }),
  refresh: defineRoute({
    method: 'POST',
    path: '/apis/:api/refresh',
    id: 'refreshApi',
    tag: 'imports',
    access: 'editor',
    summary: 'Import an API’s document again from the address it came from',
    status: 200,
    body: z.strictObject({ dryRun: z.boolean().default(false) }),
    reply: results,
  }),
  pending: defineRoute({
    method: 'GET',
    path: '/tools/:tool/pending',
    id: 'getPendingChange',
    tag: 'imports',
    access: 'viewer',
    summary: 'Show what a change that waits for approval would do to a tool',
    status: 200,
    reply: z.object({
      waiting,
      fields: z.array(fieldChange),
      kept: z.array(z.string()).describe('Fields that were edited by hand and stay as they are.'),
    }),
  }),
  decide: defineRoute({
    method: 'POST',
    path: '/tools/:tool/pending',
    id: 'decidePendingChange',
    tag: 'imports',
    access: 'editor',
    summary: 'Let happen what waits for approval about a tool, or turn it down',
    status: 204,
    body: z.strictObject({ approve: z.boolean() }),
  }),
  waiting: defineRoute({
    method: 'GET',
    path: '/apis/:api/waiting',
    id: 'listWaiting',
    tag: 'imports',
    access: 'viewer',
    summary: 'List what imports of an API left for a person to decide',
    status: 200,
    reply: z.object({
      items: z.array(
        z.object({
          id: z.string(),
          tool: z.string(),
          operation: z.string(),
          kind: z.enum(toolKinds).describe('What a call of it does.'),
          enabled: z.boolean().describe('Whether it is switched on once it is let in.'),
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
    summary: 'Approve or turn down what imports of an API left to decide',
    status: 204,
    body: z.strictObject({
      approve: z
        .boolean()
        .describe('When turned down, newcomers stay but are switched off, and what would go stays.'),
      tools: z
        .array(z.string().max(200))
        .max(100_000)
        .optional()
        .describe('Ids or names; everything that waits when absent.'),
    }),
  }),
  removed: defineRoute({
    method: 'GET',
    path: '/apis/:api/removed',
    id: 'listRemovedTools',
    tag: 'imports',
    access: 'viewer',
    summary:
      'List the tools that an API’s document dropped; they come back as they were when it has them again',
    status: 200,
    reply: z.object({
      items: z.array(
        z.object({
          id: z.string(),
          tool: z.string(),
          operation: z.string(),
          removedAt: timestamp,
          enabled: z.boolean().describe('Whether it returns switched on.'),
          edited: z.boolean().describe('It was edited by hand, and the edits return with it.'),
          servers: z.array(z.string()).describe('Slugs of servers that chose this very tool.'),
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
    summary: 'Forget tools that an API’s document dropped, so that they would return as new ones',
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
