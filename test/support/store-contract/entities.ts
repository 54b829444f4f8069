import type { AccessKey } from '../../../src/domain/access-key.ts';
import type { Api } from '../../../src/domain/api.ts';
import type { ComposedTool } from '../../../src/domain/composed-tool.ts';
import type { Credential } from '../../../src/domain/credential.ts';
import type { Server } from '../../../src/domain/server.ts';
import type { Tool } from '../../../src/domain/tool.ts';
import type { RegistryChange } from '../../../src/storage/ports.ts';

export const version = { revision: 1, createdAtMs: 1_700_000_000_000, updatedAtMs: 1_700_000_000_000 };

const slugOf = (id: string): string => id.replaceAll('_', '-');

export const api = (id: string, slug = slugOf(id)): Api => ({
  id,
  slug,
  name: slug,
  baseUrl: 'https://api.example.com',
  headers: {},
  auth: { kind: 'none' },
  limits: {},
  enabled: true,
  ...version,
});

export const tool = (id: string, apiId: string, name = id): Tool => ({
  id,
  apiId,
  name,
  description: 'Says "hello" — with ünïcode, \u0000 and \ud800',
  tags: [],
  annotations: {},
  operation: { method: 'GET', path: '/', parameters: [] },
  reply: {},
  limits: {},
  enabled: true,
  ...version,
});

export const server = (id: string, slug = slugOf(id)): Server => ({
  id,
  slug,
  name: slug,
  tools: [{ all: true }],
  overrides: {},
  policy: { kind: 'open' },
  ratePerMinute: 0,
  enabled: true,
  ...version,
});

export const composedTool = (id: string, serverId: string, name = id): ComposedTool => ({
  id,
  serverId,
  name,
  description: 'Joins two calls.',
  inputSchema: { type: 'object', properties: {} },
  code: 'return 1;',
  tools: ['tool_1'],
  enabled: true,
  version: 1,
  savedAtMs: version.createdAtMs,
  savedBy: 'Ada',
  versions: [],
  ...version,
});

export const credential = (id: string, apiId: string): Credential => ({
  id,
  apiId,
  name: 'key',
  kind: 'bearer',
  fields: ['token'],
  origins: ['https://api.example.com'],
  sealed: 'v1.abc',
  ...version,
});

export const key = (id: string, hash = id): AccessKey => ({ id, name: id, hash, hint: 'hr_', ...version });

export const put = {
  api: (entity: Api): RegistryChange => ({ op: 'put', kind: 'api', entity }),
  tool: (entity: Tool): RegistryChange => ({ op: 'put', kind: 'tool', entity }),
  server: (entity: Server): RegistryChange => ({ op: 'put', kind: 'server', entity }),
  composedTool: (entity: ComposedTool): RegistryChange => ({ op: 'put', kind: 'composed-tool', entity }),
  credential: (entity: Credential): RegistryChange => ({ op: 'put', kind: 'credential', entity }),
  key: (entity: AccessKey): RegistryChange => ({ op: 'put', kind: 'key', entity }),
};
