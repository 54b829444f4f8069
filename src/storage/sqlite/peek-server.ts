import { existsSync } from 'node:fs';
import type { Server } from '../../domain/server.ts';
import { readStored } from '../../domain/stored/read-stored.ts';
import { databaseFile } from './data-folder.ts';

/** Whether a data folder has a store in it. */
export function hasStore(dataDir: string): boolean {
  return existsSync(databaseFile(dataDir));
}

/**
 * One server's row, read without opening the store: a process that has to answer at once cannot wait for it. Null when
 * there is nothing by that slug; what is wrong with a store is told by those who open it.
 */
export async function peekServer(dataDir: string, slug: string): Promise<Server | null> {
  const { openSqlite } = await import('./driver.ts');
  const file = databaseFile(dataDir);
  let connection;
  try {
    connection = openSqlite(file);
    const [row] = connection.run('select doc from servers where slug = ?', [slug]).rows as { doc: string }[];
    const read = row && readStored('server', row.doc);
    return read?.ok === true && read.entity.slug === slug ? read.entity : null;
  } catch {
    return null;
  } finally {
    connection?.close();
  }
}
