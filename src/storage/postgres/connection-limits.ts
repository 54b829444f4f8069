import { Client, type ClientConfig } from 'pg';
import { errorCode } from '../../lib/thrown-errors.ts';
import type { Translate } from '../guard.ts';

const limitMs = 30_000;

/** The limits as startup parameters: the server ends what takes too long. */
const startupLimits = {
  statement_timeout: limitMs,
  idle_in_transaction_session_timeout: limitMs,
} as const;

/** The same limits for one transaction. */
export const limitTexts = Object.entries(startupLimits)
  .map(([name, value]) => `set local ${name} = ${value}`)
  .join('; ');

/** What every connection has in common. */
export function connectionOptions(databaseUrl: string): ClientConfig {
  return {
    connectionString: databaseUrl,
    application_name: 'handrail',
    keepAlive: true,
    // Also how long a statement waits for a free connection: a busy database is slow, not gone.
    connectionTimeoutMillis: 20_000,
  };
}

// protocol_violation: how poolers such as PgBouncer reject a startup parameter that they don't know.
const rejectedParameter = '08P01';

/** Finds out whether the server accepts limits as startup parameters. A pooler usually doesn't. */
export async function findLimits(
  databaseUrl: string,
  translate: Translate,
): Promise<{ readonly limits: Partial<typeof startupLimits>; readonly isPooled: boolean }> {
  const client = new Client({ ...connectionOptions(databaseUrl), ...startupLimits });
  // `connect` rejects with the error; later ones don't matter.
  client.on('error', () => {});
  try {
    await client.connect();
    return { limits: startupLimits, isPooled: false };
  } catch (thrown) {
    if (errorCode(thrown) !== rejectedParameter) throw translate(thrown);
    return { limits: {}, isPooled: true };
  } finally {
    client.end().catch(() => {});
  }
}
