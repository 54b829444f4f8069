import type { ClientTls } from '../../pipeline/request/signed-request.ts';
import { defaultLimits } from '../../domain/limits.ts';
import type { EgressGuard } from './egress.ts';
import { parseApiEgress } from './egress.ts';
import { Pool } from './undici-parts.ts';
import { UsedConnection } from './used-connection.ts';

/** What distinguishes connections to the same origin. */
interface PoolNeeds {
  readonly connectTimeoutMs: number;
  readonly egressAllow?: readonly string[];
  readonly tls?: ClientTls | null;
  /** Distinguishes client certificates; used only with `tls`. */
  readonly identity?: string;
}

/** Connection pools by origin, created on first use and closed when idle. */
export interface Pools {
  get(origin: string, needs: PoolNeeds): Pool;
  /** Closes everything; calls that are still running fail. */
  close(): Promise<void>;
}

const maxHeaderBytes = 32 * 1024;
const idleMs = 60_000;
// Regardless of the server's keep-alive: a middlebox may silently drop a connection sooner.
const maxIdleMs = 15_000;

interface PoolEntry {
  readonly pool: Pool;
  usedAtMs: number;
}

/** Creates the pools; every connection goes through the guard. */
export function createPools(guard: EgressGuard, now: () => number): Pools {
  const entries = new Map<string, PoolEntry>();
  let closed = false;

  const sweep = setInterval(() => {
    for (const [key, entry] of entries) {
      if (now() - entry.usedAtMs < idleMs || entry.pool.stats.size > 0) continue;
      entries.delete(key);
      entry.pool.close().catch(() => {});
    }
  }, idleMs).unref();

  // Open connections were allowed by the old entries, so they are closed and reopened under the new ones.
  const stopListening = guard.onChange(() => {
    const pools = [...entries.values()];
    entries.clear();
    for (const { pool } of pools) pool.close().catch(() => {});
  });

  function open(origin: string, needs: PoolNeeds): Pool {
    const url = new URL(origin);
    const only = needs.egressAllow === undefined ? undefined : parseApiEgress(needs.egressAllow);
    guard.checkUrl(url, only);
    return new Pool(origin, {
      // Unlimited here: the API's `maxConcurrent` bounds the number of calls.
      connections: null,
      pipelining: 1,
      keepAliveMaxTimeout: maxIdleMs,
      factory: (at, settings) => new UsedConnection(at, settings),
      maxHeaderSize: maxHeaderBytes,
      bodyTimeout: 0,
      connect: guard.connector(url, {
        connectTimeoutMs: needs.connectTimeoutMs,
        ...(only && { only }),
        ...(needs.tls && { tls: needs.tls }),
      }),
    });
  }

  return {
    get(origin, needs) {
      const key = poolKey(origin, needs);
      let entry = entries.get(key);
      if (entry === undefined) {
        entry = { pool: open(origin, needs), usedAtMs: 0 };
        if (!closed) entries.set(key, entry);
      }
      entry.usedAtMs = now();
      return entry.pool;
    },

    async close() {
      closed = true;
      clearInterval(sweep);
      stopListening();
      const pools = [...entries.values()];
      entries.clear();
      await Promise.allSettled(pools.map(({ pool }) => pool.destroy()));
    },
  };
}

// Nearly every API has the default settings, for which the key is just the origin.
function poolKey(origin: string, needs: PoolNeeds): string {
  if (
    !needs.tls &&
    needs.egressAllow === undefined &&
    needs.connectTimeoutMs === defaultLimits.connectTimeoutMs
  ) {
    return origin;
  }
  const identity = needs.tls ? (needs.identity ?? '') : '';
  return [origin, needs.connectTimeoutMs, identity, needs.egressAllow?.join(',') ?? '-'].join('\n');
}
