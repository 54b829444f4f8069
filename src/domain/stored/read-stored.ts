import type { Infer, Schema } from '../../lib/schema/schema.ts';
import { accessKey } from '../access-key.ts';
import { admin } from '../admin.ts';
import { api } from '../api.ts';
import { composedTool } from '../composed/composed-tool.ts';
import { check } from '../models/check.ts';
import { credential } from '../credential.ts';
import { model } from '../models/model.ts';
import { server } from '../server.ts';
import { setting } from '../settings.ts';
import { tool } from '../tool.ts';
import { type ReadRow, readRow } from './read-row.ts';

const nouns = {
  api,
  tool,
  server,
  'composed-tool': composedTool,
  credential,
  key: accessKey,
  admin,
  setting,
  model,
  check,
} as const;

export type EntityKind = keyof typeof nouns;

/** The type of each kind. */
export type RegistryEntities = { readonly [K in EntityKind]: Infer<(typeof nouns)[K]> };

/** Everything the registry keeps whole, by kind. */
export const storedNouns: { readonly [K in EntityKind]: Schema<RegistryEntities[K]> } = nouns;

/** What people call each kind. */
export const nounNames: Readonly<Record<EntityKind | 'given-name', string>> = {
  api: 'API',
  tool: 'tool',
  server: 'server',
  'composed-tool': 'composed tool',
  credential: 'credential',
  key: 'access key',
  admin: 'admin',
  setting: 'setting',
  model: 'model',
  check: 'check',
  'given-name': 'given name',
};

/** Reads the text of a stored row of a kind. */
export function readStored<K extends EntityKind>(kind: K, text: string): ReadRow<RegistryEntities[K]> {
  return readRow(storedNouns[kind], text);
}
