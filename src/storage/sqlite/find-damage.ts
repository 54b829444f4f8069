import { openInThread } from './connection-in-thread.ts';
import { sqliteErrorCode } from './driver.ts';

const maxFindings = 10;

/** What an operator does about a damaged file. */
export const howToRestore = 'Stop the gateway and restore a backup: "handrail restore FILE --replace".';

// Small, and what everything depends on; the records of calls can be gigabytes.
const registryTables = [
  'apis',
  'tools',
  'servers',
  'credentials',
  'access_keys',
  'people',
  'person_groups',
  'identity_providers',
  'api_tokens',
  'people_seq',
  'settings',
  'given_names',
  'registry_seq',
  'registry_changes',
  'meta',
];

/**
 * Looks through a database file, in a thread, for pages and indexes that contradict each other: all of it, or the tables
 * of the registry, which takes a moment. Returns what it found.
 */
export async function findDamage(file: string, part: 'registry' | 'all'): Promise<readonly string[]> {
  const checks =
    part === 'all'
      ? [`pragma integrity_check(${maxFindings})`]
      : registryTables.map((table) => `pragma integrity_check('${table}')`);
  const connection = openInThread(file);
  const found: string[] = [];
  try {
    for (const check of checks) {
      const { rows } = await connection.run(check);
      for (const row of rows) {
        const finding: unknown = typeof row === 'object' && row !== null ? Object.values(row)[0] : null;
        if (finding !== 'ok' && typeof finding === 'string') found.push(finding);
      }
      if (found.length >= maxFindings) break;
    }
  } catch (thrown) {
    // Some damage is such that even looking fails.
    if (!sqliteErrorCode(thrown)?.startsWith('SQLITE_CORRUPT')) throw thrown;
    found.push(thrown instanceof Error ? thrown.message : 'it cannot be read');
  } finally {
    await connection.close();
  }
  return found.slice(0, maxFindings);
}
