import { type Infer, type Schema, object } from '../../lib/schema/schema.ts';
import { accessKey } from '../access-key.ts';
import { apiToken } from '../admin-api-token.ts';
import { api } from '../api.ts';
import { identityProvider } from '../identity-provider.ts';
import { composedTool } from '../composed-tool.ts';
import { check } from '../models/check.ts';
import { credential } from '../credential.ts';
import { model } from '../models/model.ts';
import { server } from '../server.ts';
import { setting } from '../settings.ts';
import { tool } from '../tool.ts';
import { type ReadRow, readRow } from './read-row.ts';
import { toolNameText } from '../names.ts';
import { idText } from '../fields/row-fields.ts';
import type { Problem } from '../../lib/schema/problems.ts';
import { HandrailError } from '../errors.ts';

const nouns = {
  api,
  tool,
  server,
  'composed-tool': composedTool,
  credential,
  key: accessKey,
  setting,
  model,
  check,
  'identity-provider': identityProvider,
  'api-token': apiToken,
} as const;

export type EntityKind = keyof typeof nouns;

/** The type of each kind. */
export type RegistryEntities = { readonly [K in EntityKind]: Infer<(typeof nouns)[K]> };

/** The schemas of everything the registry stores as a whole, by kind. */
export const storedNouns: { readonly [K in EntityKind]: Schema<RegistryEntities[K]> } = nouns;

/** A readable name for each kind. */
export const nounNames: Readonly<Record<SetAsideRow['kind'], string>> = {
  api: 'API',
  tool: 'tool',
  server: 'server',
  'composed-tool': 'composed tool',
  credential: 'credential',
  key: 'access key',
  setting: 'setting',
  model: 'model',
  check: 'check',
  'identity-provider': 'identity provider',
  'api-token': 'API token',
  'given-name': 'given name',
};

/** Reads the text of a stored row of a kind. */
export function readStored<K extends EntityKind>(kind: K, text: string): ReadRow<RegistryEntities[K]> {
  return readRow(storedNouns[kind], text);
}

/** A name that a server gave a tool because its own was taken. */
export const givenName = object({ serverId: idText, toolId: idText, name: toolNameText });

export type GivenName = Infer<typeof givenName>;

/** A stored row that cannot be read. It is kept unchanged, is not served, and still reserves its names. */
export interface SetAsideRow {
  readonly kind: EntityKind | 'given-name';
  /** Its id; for a given name the ids of server and tool, separated by a slash. */
  readonly id: string;
  /** The columns by which it can be looked up, such as `slug`. */
  readonly columns: Readonly<Record<string, string | null>>;
  readonly problems: readonly Problem[];
}

/** A readable label of a row, as far as its columns allow. */
export function labelOfRow({ id, columns }: Pick<SetAsideRow, 'id' | 'columns'>): string {
  return columns['slug'] ?? columns['name'] ?? columns['name_key'] ?? id;
}

/** The error for invalid input, with its problems. */
export function invalidInputError(what: string, problems: readonly Problem[]): HandrailError {
  return new HandrailError('invalid_input', `${what}: ${sentenceOf(problems)}.`, { problems });
}

/** Problems in one line, each with its place. */
export function sentenceOf(problems: readonly Problem[]): string {
  return problems
    .map(({ path, message }) => (path === '' ? `it ${message}` : `${path} ${message}`))
    .join('; ');
}
