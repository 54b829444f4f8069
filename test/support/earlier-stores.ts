import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import type { StoreOptions } from '../../src/storage/open-store.ts';
import { type StoreValues, takeValues } from '../fixtures/earlier-stores/take-values.mjs';

const fixture = (name: string, file: string) =>
  readFileSync(new URL(`../fixtures/earlier-stores/${name}/${file}`, import.meta.url));

/** Fixtures that are data folders. */
export const earlierDataFolders = ['call-rows', 'json-segments', 'segments'] as const;

/** Puts the data folder of a fixture where none is. */
export function unpackDataFolder(name: (typeof earlierDataFolders)[number], dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(join(dataDir, 'handrail.db'), gunzipSync(fixture(name, 'handrail.db.gz')), { mode: 0o600 });
  writeFileSync(join(dataDir, 'secret.key'), fixture(name, 'secret.key'), { mode: 0o600 });
}

/** Makes an empty database the one of the fixture. Returns the master key that its secrets are sealed with. */
export async function restoreDatabase(databaseUrl: string): Promise<string> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(gunzipSync(fixture('postgres', 'database.sql.gz')).toString());
  } finally {
    await client.end();
  }
  return fixture('postgres', 'secret.key').toString().trim();
}

/** What the program that made a fixture found in it, and the key that opens its server "team". */
export function valuesOf(name: string): StoreValues & { readonly key: string } {
  return JSON.parse(gunzipSync(fixture(name, 'values.json.gz')).toString()) as StoreValues & { key: string };
}

/** What this version finds in a store. */
export function valuesIn(place: StoreOptions): Promise<StoreValues> {
  const program: Readonly<Record<string, () => Promise<unknown>>> = {
    'storage/open-store.js': () => import('../../src/storage/open-store.ts'),
    'calls/statistics.js': () => import('../../src/calls/statistics.ts'),
  };
  return takeValues((file) => program[file]!(), place);
}
