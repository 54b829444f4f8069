import { type Problem, problemsIn } from '../../lib/schema/problems.ts';
import type { Infer } from '../../lib/schema/schema.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import { accessKey } from '../access-key.ts';
import { admin } from '../admin.ts';
import { api } from '../api.ts';
import { credential } from '../credential.ts';
import { server } from '../server.ts';
import { setting } from '../settings.ts';
import { tool } from '../tool.ts';

/** Everything the registry keeps whole, by kind. */
export const storedNouns = { api, tool, server, credential, key: accessKey, admin, setting } as const;

export type EntityKind = keyof typeof storedNouns;

/** The type of each kind. */
export type RegistryEntities = { readonly [K in EntityKind]: Infer<(typeof storedNouns)[K]> };

/** What people call each kind. */
export const nounNames: Readonly<Record<EntityKind | 'given-name', string>> = {
  api: 'API',
  tool: 'tool',
  server: 'server',
  credential: 'credential',
  key: 'access key',
  admin: 'admin',
  setting: 'setting',
  'given-name': 'given name',
};

/** A row as it was read: what it holds, or what is wrong with it. */
export type ReadRow<K extends EntityKind> =
  | { readonly ok: true; readonly entity: RegistryEntities[K] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const unread = (path: string, message: string) => ({ ok: false, problems: [{ path, message }] }) as const;

/**
 * Reads the text of a stored row. A field that this version does not know was written by a newer one, and so was a row
 * that names its `layout`: neither is read by half (docs/decisions/0061-rows-that-cannot-be-read.md).
 */
export function readStored<K extends EntityKind>(kind: K, text: string): ReadRow<K> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unread('', 'is not JSON');
  }
  if (!isObject(value)) return unread('', 'is not an object');
  if (Object.hasOwn(value, 'layout'))
    return unread(
      '/layout',
      'was written by a newer version of Handrail, in a layout this one does not know',
    );
  const problems = problemsIn(storedNouns[kind], value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed: it has no problem
  if (problems.length === 0) return { ok: true, entity: value as RegistryEntities[K] };
  return { ok: false, problems: problems.map(sayNewer) };
}

function sayNewer({ path, message }: Problem): Problem {
  return message === 'is not a known field'
    ? { path, message: 'is not a known field: a newer version of Handrail may have written it' }
    : { path, message };
}
