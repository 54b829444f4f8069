import { z } from 'zod';
import { pageOf, pageQuery, versioned } from './common.ts';
import { defineRoute } from './route.ts';

/** A credential as the admin API shows it: what is inside, never the values. */
export const credentialResource = z
  .object({
    ...versioned,
    name: z.string(),
    api: z.string().describe('Slug of its API.'),
    apiId: z.string(),
    callerId: z.string().optional().describe('The caller it belongs to; absent for the shared one.'),
    kind: z.string(),
    fields: z.array(z.string()).describe('Names of the values inside.'),
    references: z
      .record(z.string(), z.string())
      .optional()
      .describe('Values that are elsewhere, by field name: ${env:NAME}, ${file:PATH} or ${command:NAME}.'),
    origins: z.array(z.string()).describe('It is sent only to these origins.'),
  })
  .meta({ id: 'Credential' });

const secretValues = {
  fields: z
    .record(z.string(), z.string().max(65_536))
    .optional()
    .describe(
      'Secret values by field name. ${env:NAME}, ${file:PATH} or ${command:NAME} says where a value is instead.',
    ),
  secret: z.string().max(65_536).optional().describe('The value, for an API that takes a single one.'),
};

const testPath = {
  path: z.string().max(2_000).optional().describe('Path to request, relative to the base URL.'),
};

const testResult = z.object({
  ok: z.boolean().nullable().describe('null when the response is inconclusive.'),
  message: z.string(),
  status: z.number().int().optional(),
});

export const credentialRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/credentials',
    id: 'listCredentials',
    tag: 'credentials',
    access: 'viewer',
    summary: 'List the stored credentials, without their values',
    status: 200,
    query: pageQuery.extend({ api: z.string().optional() }),
    reply: pageOf(credentialResource),
  }),
  set: defineRoute({
    method: 'POST',
    path: '/credentials',
    id: 'setCredential',
    tag: 'credentials',
    access: 'editor',
    summary: 'Store a credential for an API, replacing the previous one',
    status: 201,
    body: z.strictObject({
      api: z.string().describe('Id or slug.'),
      callerId: z.string().min(1).max(200).optional().describe('Only for this caller, such as key:key_01J….'),
      name: z.string().min(1).max(200).optional(),
      ...secretValues,
    }),
    reply: credentialResource,
  }),
  testDraft: defineRoute({
    method: 'POST',
    path: '/credentials/test',
    id: 'testCredentialDraft',
    tag: 'credentials',
    access: 'editor',
    summary: 'Try secret values against an API without storing them',
    status: 200,
    body: z.strictObject({ api: z.string().describe('Id or slug.'), ...secretValues, ...testPath }),
    reply: testResult,
  }),
  get: defineRoute({
    method: 'GET',
    path: '/credentials/:credential',
    id: 'getCredential',
    tag: 'credentials',
    access: 'viewer',
    summary: 'Show one credential, without its values',
    status: 200,
    reply: credentialResource,
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: '/credentials/:credential',
    id: 'deleteCredential',
    tag: 'credentials',
    access: 'editor',
    summary: 'Delete a credential',
    status: 204,
  }),
  test: defineRoute({
    method: 'POST',
    path: '/credentials/:credential/test',
    id: 'testCredential',
    tag: 'credentials',
    access: 'editor',
    summary: 'Try a credential against its API and explain the result',
    status: 200,
    body: z.strictObject(testPath),
    reply: testResult,
  }),
  connect: defineRoute({
    method: 'POST',
    path: '/credentials/:credential/connect',
    id: 'connectCredential',
    tag: 'credentials',
    access: 'editor',
    summary:
      'Start an OAuth 2.0 connection; finish it in the same browser, or in the first one that opens startUrl',
    status: 200,
    reply: z.object({
      authorizationUrl: z.string().describe('For the browser that sent this request.'),
      startUrl: z.string().describe('Opens in any browser, once.'),
      redirectUri: z.string(),
    }),
  }),
  rotateKey: defineRoute({
    method: 'POST',
    path: '/credentials/rotate-key',
    id: 'rotateKey',
    tag: 'credentials',
    access: 'owner',
    summary: 'Seal every credential with a new master key',
    status: 200,
    body: z.strictObject({
      lostKey: z.boolean().default(false).describe('Give up secrets that were sealed with a lost key.'),
    }),
    reply: z.object({ keyId: z.string(), resealed: z.number().int(), unreadable: z.array(z.string()) }),
  }),
};
