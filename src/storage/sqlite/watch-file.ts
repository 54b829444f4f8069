import { objectOr } from '../../lib/json/plain-object.ts';
import { openReadOnly, type SqliteConnection } from './driver.ts';

const pollEveryMs = 200;

/** Looks for commits of other connections; `data_version` costs next to nothing and the sequence number tells commits of the registry and of people from others. */
export function watchFile(file: string, onChange: () => void): () => void {
  let connection: SqliteConnection | null = openReadOnly(file);
  const read = (text: string, column: string) => {
    connection ??= openReadOnly(file);
    return objectOr(connection.run(text, []).rows[0])[column];
  };
  const version = () => read('pragma data_version', 'data_version');
  // Both only grow.
  const committed = () =>
    read('select (select seq from registry_seq) + (select seq from people_seq) as seq', 'seq');
  const close = () => {
    connection?.close();
    connection = null;
  };
  let lastVersion = version();
  let lastSeq = committed();
  const timer = setInterval(() => {
    try {
      const nextVersion = version();
      if (nextVersion === lastVersion) return;
      const nextSeq = committed();
      lastVersion = nextVersion;
      if (nextSeq === lastSeq) return;
      lastSeq = nextSeq;
    } catch {
      // Locked for a moment. The statement may still be open, so the next look takes another connection.
      close();
      return;
    }
    onChange();
  }, pollEveryMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    close();
  };
}
