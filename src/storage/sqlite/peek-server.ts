import { existsSync } from 'node:fs';
import { type Server, server as serverSchema } from '../../domain/server.ts';
import { readRow } from '../../domain/stored/read-row.ts';
import { objectOr } from '../../lib/json/plain-object.ts';
import { databaseFile } from './data-folder.ts';
import type { SqliteConnection } from './driver.ts';

/** Whether a data folder has a store in it. */
export function hasStore(dataDir: string): boolean {
  return existsSync(databaseFile(dataDir));
}

/** What can be read from a store without opening it. */
export interface PeekedServer {
  readonly server: Server;
  /** Sequence number of the registry. */
  readonly seq: number;
  /** The fact that was requested as well. */
  readonly fact: string | null;
}

/**
 * Reads one server's row and a fact without opening the store, for a process that must answer immediately.
 * Null when no server has that slug; problems with the store are reported when it is opened.
 */
export async function peekServer(
  dataDir: string,
  slug: string,
  factName: string,
): Promise<PeekedServer | null> {
  const [{ openReadOnly }, { isWalMissing }] = await Promise.all([
    import('./driver.ts'),
    import('./in-use-mark.ts'),
  ]);
  const file = databaseFile(dataDir);
  let connection: SqliteConnection | undefined;
  try {
    // Opening the file would make a new log, and hide that the old one is missing.
    if (isWalMissing(file)) return null;
    connection = openReadOnly(file);
    const first = (text: string, values: readonly string[]) =>
      objectOr(connection?.run(text, values).rows[0]);
    const { doc } = first('select doc from servers where slug = ?', [slug]);
    const { seq } = first('select seq from registry_seq', []);
    if (typeof doc !== 'string' || typeof seq !== 'number') return null;
    const read = readRow(serverSchema, doc);
    if (!read.ok || read.entity.slug !== slug) return null;
    const { value } = first('select value from meta where name = ?', [factName]);
    return { server: read.entity, seq, fact: typeof value === 'string' ? value : null };
  } catch {
    return null;
  } finally {
    connection?.close();
  }
}
