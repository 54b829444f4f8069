import { storageErrors } from '../../domain/error-messages/storage.ts';
import { HandrailError } from '../../domain/errors.ts';
import { errorCode } from '../../lib/thrown-errors.ts';
import { referenceConflict, uniqueConflict } from '../guard.ts';
import type { Translate } from '../guard.ts';

/** Where the database is, for messages: never its user or password. */
export interface DatabaseAddress {
  readonly host: string;
  readonly database: string;
}

/** Reads an address out of a database URL, or says that it is none. */
export function parseDatabaseUrl(databaseUrl: string): DatabaseAddress {
  try {
    const url = new URL(databaseUrl);
    if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') throw new TypeError('not PostgreSQL');
    return {
      host: url.host || url.searchParams.get('host') || 'the local socket',
      database: decodeURIComponent(url.pathname.slice(1)) || decodeURIComponent(url.username) || 'postgres',
    };
  } catch {
    // Without a cause: the thrown error quotes the URL, password included.
    throw storageErrors.databaseUrlInvalid();
  }
}

function tableOf(error: Error): string | undefined {
  return 'table' in error && typeof error.table === 'string' ? error.table : undefined;
}

/** Says what a PostgreSQL error means for the operator (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
export function translatePostgres({ host, database }: DatabaseAddress): Translate {
  return (thrown) => {
    if (!(thrown instanceof Error) || thrown instanceof HandrailError) return thrown;
    const code = errorCode(thrown) ?? '';
    const options = { cause: thrown };
    if (code === '23505') return uniqueConflict(tableOf(thrown), thrown);
    if (code === '23503') return referenceConflict(thrown);
    if (code.startsWith('28')) return storageErrors.databaseLoginRejected({ host }, {}, options);
    if (code === '3D000') return storageErrors.databaseNotFound({ host, database }, {}, options);
    if (code === '42501') return storageErrors.databasePermissionDenied({ database }, {}, options);
    if (code === 'XX001' || code === 'XX002') return storageErrors.databaseDamaged({ database }, {}, options);
    if (code === '53100') return storageErrors.databaseDiskFull({ host }, {}, options);
    if (code === '53300') return storageErrors.databaseConnectionsExhausted({ host }, {}, options);
    if (code === '57014' || code === '55P03') return storageErrors.databaseTimeout({ host }, {}, options);
    if (isUnreachable(code, thrown.message)) return storageErrors.databaseUnreachable({ host }, {}, options);
    return thrown;
  };
}

/** Whether the database refused a statement for the values in it: it would do so again. */
export function isRefusedData(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  // 22: data exceptions, such as characters that the database's encoding lacks; 54: larger than it can hold.
  return code.startsWith('22') || code.startsWith('54');
}

/** Whether a statement gave up waiting for a lock. */
export function isLockTimeout(thrown: unknown): boolean {
  return errorCode(thrown) === '55P03';
}

/** Whether a row was refused because no partition is for it. */
export function isWithoutPartition(thrown: unknown): boolean {
  return errorCode(thrown) === '23514';
}

function isUnreachable(code: string, message: string): boolean {
  // 08: connection exceptions; 57P: starting, stopping or disconnected by an admin. Errors of the client library have no code.
  return (
    code.startsWith('08') ||
    code.startsWith('57P') ||
    /^E(CONN|HOST|NET|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|ADDR)|^ENOENT$|^EAI_AGAIN$/.test(code) ||
    (code === '' && /connection|timeout/i.test(message))
  );
}
