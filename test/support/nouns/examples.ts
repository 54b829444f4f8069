import type { AccessKey } from '../../../src/domain/access-key.ts';
import type { ApiToken } from '../../../src/domain/admin-api-token.ts';
import type { IdentityProvider } from '../../../src/domain/identity-provider.ts';
import type { Person } from '../../../src/domain/person.ts';
import type { Api } from '../../../src/domain/api.ts';
import { type AuthScheme, canBeOwn } from '../../../src/domain/auth-scheme.ts';
import type { ComposedContent, ComposedTool } from '../../../src/domain/composed-tool.ts';
import type { Credential } from '../../../src/domain/credential.ts';
import type { Check } from '../../../src/domain/models/check.ts';
import type { Model } from '../../../src/domain/models/model.ts';
import type { Server, ServerPolicy } from '../../../src/domain/server.ts';
import type { InstallationSettings } from '../../../src/domain/settings.ts';
import type { EntityKind, RegistryEntities } from '../../../src/domain/stored/read-stored.ts';
import type { Tool, ToolContent } from '../../../src/domain/tool.ts';

// One valid document of each noun that has something in every place; a field that is new and not here yet is tried all
// the same, with values that it cannot have.

const row = (id: string) => ({
  id,
  revision: 1,
  createdAtMs: 1_700_000_000_000,
  updatedAtMs: 1_700_000_000_000,
});

const limits: Required<Api['limits']> = {
  connectTimeoutMs: 1_000,
  firstByteTimeoutMs: 2_000,
  totalTimeoutMs: 3_000,
  maxReplyBytes: 4_000,
  retries: 1,
  idempotencyKeyHeader: 'Idempotency-Key',
  maxConcurrent: 5,
  maxQueued: 6,
  ratePerMinute: 7,
  cacheTtlMs: 8,
  maxRedirects: 9,
  breakerFailures: 10,
  breakerOpenMs: 11,
};

const place = { in: 'header', name: 'X-Key', prefix: 'Key ' } as const;

/** Every way to authenticate. */
export const schemes: readonly AuthScheme[] = [
  { kind: 'none' },
  { kind: 'api-key', ...place },
  { kind: 'bearer' },
  { kind: 'basic' },
  { kind: 'headers', names: ['X-One'] },
  {
    kind: 'login',
    method: 'POST',
    url: 'https://api.example.com/login',
    payloadIn: 'json',
    payloadFields: ['user'],
    tokenPath: 'token',
    place,
    ttlMs: 1,
    invalidationKeywords: ['expired'],
  },
  {
    kind: 'oauth2',
    grant: 'client_credentials',
    issuer: 'https://id.example.com',
    tokenUrl: 'https://id.example.com/token',
    authorizationUrl: 'https://id.example.com/authorize',
    scopes: ['a'],
    audience: 'b',
    clientAuth: 'client_secret_basic',
  },
  { kind: 'aws-sigv4', region: 'eu-west-1', service: 'execute-api' },
  {
    kind: 'hmac',
    algorithm: 'sha256',
    encoding: 'hex',
    parts: ['method', 'header:x-a', 'text:b'],
    separator: '\n',
    place,
    timestampHeader: 'X-Time',
    timestampFormat: 'seconds',
    nonceHeader: 'X-Nonce',
    keyIdHeader: 'X-Key-Id',
  },
  { kind: 'mutual-tls' },
  { kind: 'all', schemes: [{ kind: 'bearer' }, { kind: 'api-key', ...place }] },
];

/** A full API that authenticates in a way. */
export function fullApi(auth: AuthScheme): Api {
  return {
    ...row('api_1'),
    slug: 'pets',
    name: 'Pets',
    description: 'About pets.',
    baseUrl: 'https://api.example.com/v1',
    otherBaseUrls: ['https://eu.example.com/v1'],
    headers: { 'X-Team': 'a' },
    auth,
    limits,
    egressAllow: ['api.example.com:443'],
    forwardHeaders: ['X-Trace'],
    allowHeaders: ['X-Forwarded-For'],
    sharedCredential: true,
    ownAccounts: canBeOwn(auth),
    identity: {
      header: 'X-Identity',
      audience: 'https://api.example.com',
      claims: ['name', 'groups'],
      headers: { 'X-User': 'email' },
    },
    probe: { path: '/health', everyMs: 60_000 },
    listUnhealthy: true,
    piiRules: [
      { find: 'card', actions: ['mask-replies', 'refuse-arguments'] },
      { find: 'pattern', name: 'order', pattern: '[A-Z]{2}[0-9]{6}', actions: ['mask-records'] },
    ],
    enabled: true,
    agreedOrigins: ['https://files.example.com'],
    source: {
      kind: 'openapi',
      url: 'https://api.example.com/openapi.json',
      documentHash: 'abc',
      importedAtMs: 1_700_000_000_000,
      watchEveryMs: 3_600_000,
      approveChanges: true,
      selection: { tags: ['a'], methods: ['GET'], paths: ['/a*'], names: ['list*'], operations: ['GET /a'] },
      rules: { headers: 'hide', cookies: 'expose', fix: { 'X-A': 'b' } },
      leftOut: ['GET /b'],
      imported: {
        name: 'Pets',
        description: 'About pets.',
        baseUrl: 'https://api.example.com/v1',
        otherBaseUrls: ['https://eu.example.com/v1'],
        headers: { 'X-Team': 'a' },
        auth,
      },
    },
  };
}

const content: ToolContent = {
  name: 'get_pet',
  title: 'Get a pet',
  description: 'Gets one.',
  tags: ['pets'],
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  deprecated: false,
  operation: {
    method: 'POST',
    path: '/pets/{id}',
    baseUrl: 'https://files.example.com',
    parameters: [
      {
        name: 'id',
        in: 'path',
        key: 'id',
        schema: { type: 'string' },
        required: true,
        description: 'Which one.',
        default: 'a',
        hidden: false,
        style: 'simple',
        explode: false,
        allowReserved: false,
      },
      { name: 'v', in: 'query', schema: {}, required: false, fixed: '1', contentType: 'application/json' },
      { name: 'note', in: 'body', schema: { $ref: '#/$defs/Note' }, required: false },
    ],
    body: {
      mediaType: 'application/json',
      shape: 'template',
      template: '{"note": "{{note}}"}',
      encoding: {
        note: {
          contentType: 'text/plain',
          style: 'form',
          explode: true,
          allowReserved: false,
          headers: { 'X-Part': 'a' },
          file: false,
        },
      },
      required: true,
      binary: false,
    },
    accept: 'application/json',
    replySchema: { type: 'object' },
    defs: { Note: { type: 'string' } },
    security: [{ key: ['read'] }],
  },
};

export const fullTool: Tool = {
  ...row('tool_1'),
  apiId: 'api_1',
  ...content,
  reply: {
    select: 'data.items',
    template: '{{name}} is {{age}}',
    maxBytes: 1_000,
    wrapUntrusted: true,
    phrases: 'report',
  },
  scrubArguments: 'redact',
  limits,
  enabled: true,
  source: {
    operationKey: 'POST /pets/{id}',
    imported: content,
    pending: content,
    standing: 'kept',
    goneAtMs: 1_700_000_000_000,
  },
};

/** Every way to admit callers. */
export const policies: readonly ServerPolicy[] = [
  { kind: 'open' },
  { kind: 'key', header: 'X-Key', allowQuery: true },
  { kind: 'basic' },
  {
    kind: 'oauth',
    issuer: 'https://id.example.com',
    audience: ['urn:tools'],
    scopes: ['a'],
    toolScopes: { 'pets:read': ['tool_1'] },
    introspection: {
      url: 'https://id.example.com/introspect',
      clientId: 'gateway',
      clientAuth: 'client_secret_post',
      sealed: 'v1.a.b.c',
    },
  },
];

/** A full server that admits callers in a way. */
export function fullServer(policy: ServerPolicy): Server {
  return {
    ...row('srv_1'),
    slug: 'main',
    name: 'Main',
    description: 'The main one.',
    instructions: 'Be kind.',
    icons: [{ src: 'https://example.com/a.png', mimeType: 'image/png', sizes: ['48x48'] }],
    tools: [{ all: true }, { apiId: 'api_1', tag: 'pets' }, { tag: 'pets' }, { toolId: 'tool_1' }],
    overrides: { tool_1: { name: 'pet', description: 'A pet.' } },
    policy,
    ratePerMinute: 10,
    dialect: 'portable',
    prompts: [
      {
        name: 'greet',
        title: 'Greet',
        description: 'Says hello.',
        arguments: [{ name: 'who', description: 'Whom.', required: true, values: ['a'] }],
        text: 'Hello {{who}}',
      },
    ],
    resources: [
      {
        uri: 'docs://a',
        name: 'A',
        title: 'An A',
        description: 'About a.',
        mimeType: 'text/plain',
        text: 'a',
      },
      { uri: 'pets://{id}', name: 'Pet', toolId: 'tool_1' },
    ],
    pageSize: 5,
    allowAddresses: ['10.0.0.0/8'],
    piiRules: [{ find: 'email', actions: ['mask-replies', 'mask-records'] }],
    enabled: true,
  };
}

const composedContent: ComposedContent = {
  name: 'pet_report',
  title: 'Report about pets',
  description: 'Tells how many pets there are.',
  inputSchema: {
    type: 'object',
    properties: { kind: { type: 'string', description: 'Which ones.' }, most: { $ref: '#/$defs/Count' } },
    required: ['kind'],
    $defs: { Count: { type: 'integer' } },
  },
  code: 'return (await tools.pets.get_pet({ id: input.kind })).length;',
  tools: ['tool_1'],
};

export const fullComposedTool: ComposedTool = {
  ...row('comp_1'),
  serverId: 'srv_1',
  ...composedContent,
  enabled: true,
  version: 2,
  savedAtMs: 1_700_000_000_000,
  savedBy: 'Ada',
  versions: [{ ...composedContent, number: 1, savedAtMs: 1_700_000_000_000, savedBy: 'Ada' }],
};

export const fullCredential: Credential = {
  ...row('cred_1'),
  apiId: 'api_1',
  callerId: 'key:key_1',
  name: 'Key',
  kind: 'bearer',
  fields: ['token'],
  origins: ['https://api.example.com'],
  sealed: 'v1.a.b.c',
};

export const fullKey: AccessKey = {
  ...row('key_1'),
  name: 'laptop',
  hash: 'a'.repeat(64),
  hint: 'hrk_abcd',
  serverIds: ['srv_1'],
  toolIds: ['tool_1'],
  expiresAtMs: 1_900_000_000_000,
  ratePerMinute: 5,
  replacesId: 'key_0',
  subjectId: 'key_0',
  revokedAtMs: 1_800_000_000_000,
};

export const fullPerson: Person = {
  ...row('person_1'),
  issuer: 'local',
  identity: 'local:person_1',
  subject: 'ada',
  email: 'ada@example.com',
  groups: ['group_1'],
  claims: ['finance'],
  version: 3,
  disabled: true,
  name: 'Ada',
  role: 'owner',
  passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$abc$def',
  invitation: { hash: 'b'.repeat(64), expiresAtMs: 1_900_000_000_000 },
};

export const fullIdentityProvider: IdentityProvider = {
  ...row('idp_1'),
  slug: 'okta',
  name: 'Okta',
  issuer: 'https://id.example.com',
  clientId: 'gateway',
  scopes: ['openid', 'groups'],
  groupsClaim: 'memberships',
  allowedDomains: ['example.com'],
  enabled: true,
  sealed: 'v1.a.b.c',
};

export const fullApiToken: ApiToken = {
  ...row('token_1'),
  name: 'deploy',
  role: 'editor',
  scopes: ['servers:write', '*:read'],
  hash: 'c'.repeat(64),
  hint: 'hrt_abcd',
  expiresAtMs: 1_900_000_000_000,
  createdBy: 'person_1',
  revokedAtMs: 1_800_000_000_000,
};

export const fullModel: Model = {
  ...row('model_1'),
  name: 'Large',
  protocol: 'openai',
  baseUrl: 'https://models.example.com/v1',
  model: 'large-1',
  prices: { input: '2.50', output: '10', currency: 'USD' },
  maxOutputTokens: 4_000,
  sealed: 'v1.a.b.c',
};

export const fullCheck: Check = {
  ...row('check_1'),
  serverId: 'srv_1',
  name: 'Open issues',
  question: 'Which issues are open?',
  mode: 'search',
  expect: {
    calls: [{ tool: 'list_issues', arguments: { state: 'open' } }],
    notCalled: ['delete_issue'],
    text: ['open'],
    maxTokens: 20_000,
    maxCalls: 5,
  },
};

export const fullSettings: InstallationSettings = {
  egressAllow: ['10.0.0.0/8'],
  limits,
  retentionDays: 30,
  contentRetentionDays: 7,
  auditRetentionDays: 365,
  recordContents: true,
  revision: 3,
};

/** Every noun, with what it is told apart by. */
export const examples: readonly (readonly [
  what: string,
  kind: EntityKind,
  document: RegistryEntities[EntityKind],
])[] = [
  ...schemes.map((auth) => [`an API with ${auth.kind}`, 'api', fullApi(auth)] as const),
  ['a tool', 'tool', fullTool],
  ...policies.map((policy) => [`a server with ${policy.kind}`, 'server', fullServer(policy)] as const),
  ['a composed tool', 'composed-tool', fullComposedTool],
  ['a credential', 'credential', fullCredential],
  ['an access key', 'key', fullKey],
  ['a model', 'model', fullModel],
  ['an identity provider', 'identity-provider', fullIdentityProvider],
  ['an API token', 'api-token', fullApiToken],
  ['a check', 'check', fullCheck],
  ['a setting', 'setting', { id: 'installation', value: JSON.stringify(fullSettings) }],
];
