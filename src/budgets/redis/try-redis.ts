import { randomUUID } from 'node:crypto';
import { errorCode, errorMessage } from '../../lib/thrown-errors.ts';
import { createRedisConnection, type RedisConnection } from './redis-connection.ts';
import { createRedisLedger } from './redis-ledger.ts';

/** Makes a gateway's requests to a Redis-protocol server, in a scope of its own, and reports which server it is. */
export async function tryRedis(address: string): Promise<{ readonly ok: boolean; readonly detail: string }> {
  const connection = createRedisConnection(address);
  try {
    const ledger = createRedisLedger(connection, `doctor ${randomUUID()}`);
    await ledger.join('doctor', 1_000);
    await ledger.ask('doctor', 1, [{ key: 'try', most: 1, windowMs: 0, spent: [], held: 0, want: 1 }]);
    await ledger.leave('doctor');
    return { ok: true, detail: `${await describe(connection)} keeps shared limits` };
  } catch (error) {
    const why = errorMessage(error) || errorCode(error) || 'it cannot be reached';
    return { ok: false, detail: `each process keeps to its share of limits: ${why}` };
  } finally {
    connection.close();
  }
}

async function describe(connection: RedisConnection): Promise<string> {
  // A user with access to keys may still lack permission for INFO.
  const info = await connection.use((send) => send(['INFO'])).catch(() => '');
  const facts = new Map(
    String(info)
      .split('\r\n')
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1)];
      }),
  );
  const isValkey = facts.get('server_name') === 'valkey';
  const version = facts.get(isValkey ? 'valkey_version' : 'redis_version');
  const policy = facts.get('maxmemory_policy') ?? 'noeviction';
  const isBounded = Number(facts.get('maxmemory') ?? 0) > 0;
  return [
    version === undefined ? 'the server' : `${isValkey ? 'Valkey' : 'Redis'} ${version}`,
    ...(isBounded && policy !== 'noeviction'
      ? [`(which forgets keys when its memory is full, by ${policy}: a limit then starts over)`]
      : []),
  ].join(' ');
}
