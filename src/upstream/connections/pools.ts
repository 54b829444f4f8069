import type { ClientTls } from '../../pipeline/request/signed-request.ts';
import { defaultLimits } from '../../domain/limits.ts';
import type { EgressGuard } from './egress.ts';
import { parseApiEgress } from './egress.ts';
import { Pool } from './undici-parts.ts';
import { UsedConnection } from './used-connection.ts';

/** What makes two connections to one origin different. */
interface PoolNeeds {
  readonly connectTimeoutMs: number;
  readonly egressAllow?: readonly string[];
  readonly tls?: ClientTls | null;
  /** Tells client certificates apart; used only with `tls`. */
  readonly identity?: string;
}

/** Connection pools by origin, made when first needed and closed when nobody used them for a while. */
export interface Pools {
  get(origin: string, needs: PoolNeeds): Pool;
  /** Ends what is open; calls that still run fail. */
  close(): Promise<void>;
}

const maxHeaderBytes = 32 * 1024;
const idleMs = 60_000;
// Whatever the server says it keeps: what stands between may forget a connection sooner, without a word.
const maxIdleMs = 15_000;

interface PoolEntry {
  readonly pool: Pool;
  usedAtMs: number;
}

/** Makes the pools; every connection of theirs goes through the guard. */
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

  // Connections that are open were allowed by the old entries: closed, they are opened again under the new ones.
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
      // As many as calls may run at once, which is for their API's `maxConcurrent` to say.
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

// Nearly every API shares the plain form, whose key is the origin itself.
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
