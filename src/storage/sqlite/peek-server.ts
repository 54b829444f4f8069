import { existsSync } from 'node:fs';
import type { Server } from '../../domain/server.ts';
import { databaseFile } from './data-folder.ts';
import { openSqlite } from './driver.ts';

/**
 * One server's row, read without opening the store: a process that has to answer at once cannot wait for it. Null when
 * there is no store yet or nothing by that slug; what is wrong with a store is told by those who open it.
 */
export function peekServer(dataDir: string, slug: string): Server | null {
  const file = databaseFile(dataDir);
  if (!existsSync(file)) return null;
  let connection;
  try {
    connection = openSqlite(file);
    const [row] = connection.run('select doc from servers where slug = ?', [slug]).rows as { doc: string }[];
    return row ? (JSON.parse(row.doc) as Server) : null;
  } catch {
    return null;
  } finally {
    connection?.close();
  }
}
