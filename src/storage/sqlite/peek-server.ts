import { existsSync } from 'node:fs';
import { type Server, server as serverSchema } from '../../domain/server.ts';
import { readRow } from '../../domain/stored/read-row.ts';
import { databaseFile } from './data-folder.ts';

/** Whether a data folder has a store in it. */
export function hasStore(dataDir: string): boolean {
  return existsSync(databaseFile(dataDir));
}

/** What can be had of a store at once. */
export interface PeekedServer {
  readonly server: Server;
  /** Sequence number of the registry. */
  readonly seq: number;
  /** The fact that was asked for besides. */
  readonly fact: string | null;
}

/**
 * One server's row and a fact, read without opening the store: a process that has to answer at once cannot wait for it.
 * Null when there is nothing by that slug; what is wrong with a store is told by those who open it.
 */
export async function peekServer(
  dataDir: string,
  slug: string,
  factName: string,
): Promise<PeekedServer | null> {
  const { openSqlite } = await import('./driver.ts');
  const file = databaseFile(dataDir);
  let connection;
  try {
    connection = openSqlite(file);
    const [row] = connection.run('select doc from servers where slug = ?', [slug]).rows as { doc: string }[];
    const [registry] = connection.run('select seq from registry_seq', []).rows as { seq: number }[];
    const read = row && readRow(serverSchema, row.doc);
    if (registry === undefined || read?.ok !== true || read.entity.slug !== slug) return null;
    const [fact] = connection.run('select value from meta where name = ?', [factName]).rows as {
      value: string;
    }[];
    return { server: read.entity, seq: registry.seq, fact: fact?.value ?? null };
  } catch {
    return null;
  } finally {
    connection?.close();
  }
}
