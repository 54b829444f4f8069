import type { createClient } from '@redis/client';

/** Sends one command and resolves with its reply; what is sent in one turn goes out together, in its order. */
export type SendCommand = (command: readonly string[]) => Promise<unknown>;

/** One connection to a Redis-protocol server, made when it is needed. */
export interface RedisConnection {
  /** Runs `work` on it; rejects when the server is unreachable, returns an error, or takes too long. */
  use<T>(work: (send: SendCommand) => Promise<T>): Promise<T>;
  close(): void;
}

type Client = Pick<ReturnType<typeof createClient>, 'connect' | 'destroy' | 'on' | 'sendCommand'>;

/** A connection that is made, or was; `client` is there once the library is loaded. */
interface Link {
  readonly ready: Promise<Client>;
  client: Client | null;
  /** Why it was dropped. */
  error?: unknown;
}

// Longer than calls have patience with a ledger, so that one that is only slow is not taken to be broken.
const patienceMs = 2_000;
// However often something is asked for, a server that is away is not asked more often than this.
const againAfterMs = 500;

/**
 * Creates a connection to the server at an address that the settings accept. A connection that fails or hangs is dropped:
 * the next use makes a new one. Nothing reconnects on its own, so attempts can neither pile up nor spin.
 */
export function createRedisConnection(address: string, answersWithinMs = patienceMs): RedisConnection {
  let link: Link | null = null;
  let isClosed = false;
  let failed: { readonly error: unknown; readonly atMs: number } | null = null;

  function connected(): Link {
    if (link !== null) return link;
    const made: Link = { ready: connect(() => made), client: null };
    return (link = made);
  }

  async function connect(own: () => Link): Promise<Client> {
    // The library takes 0.2 s to load and 18 MB: it is loaded only when limits are shared this way.
    const { createClient } = await import('@redis/client');
    const client: Client = createClient(optionsOf(address, answersWithinMs));
    // Includes errors that occur while nothing waits for a reply.
    client.on('error', (error: unknown) => drop(own(), error));
    own().client = client;
    // It may have taken too long while the library was loaded.
    if (link !== own()) throw new Error('the connection was given up');
    await client.connect();
    return client;
  }

  function drop(which: Link, error: unknown): void {
    // The first is the reason for all that follow.
    which.error ??= error;
    if (link !== which) return;
    link = null;
    failed = { error, atMs: performance.now() };
    // Pending requests are rejected with the reason first.
    queueMicrotask(() => which.client?.destroy());
  }

  return {
    async use(work) {
      if (isClosed) throw new Error('the connection is closed');
      if (link === null && failed !== null && performance.now() - failed.atMs < againAfterMs)
        throw failed.error;
      const mine = connected();
      let late: NodeJS.Timeout | undefined;
      const tooLate = new Promise<never>((_, reject) => {
        late = setTimeout(() => reject(new Error('the server does not answer')), answersWithinMs);
      });
      const done = mine.ready.then((client) => work((command) => client.sendCommand([...command])));
      try {
        return await Promise.race([done, tooLate]);
      } catch (error) {
        drop(mine, error);
        throw mine.error;
      } finally {
        clearTimeout(late);
      }
    },
    close() {
      isClosed = true;
      link?.client?.destroy();
      link = null;
    },
  };
}

function optionsOf(address: string, connectTimeout: number): Parameters<typeof createClient>[0] {
  const { protocol, hostname, port, username, password, pathname } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = {
    host,
    port: port === '' ? 6379 : Number(port),
    connectTimeout,
    reconnectStrategy: false,
  } as const;
  return {
    socket: protocol === 'rediss:' ? { ...socket, tls: true } : socket,
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    database: Number(pathname.slice(1)),
    // Understood by every server that speaks the protocol.
    RESP: 2,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
  };
}
