// The parts of undici that calls need, imported by path only here. Its index loads five times as much (fetch, WebSocket,
// caches, mocks) and takes as long as Node's own startup; it also adds `request`, `stream` and the like to a pool, while
// ours only dispatch. The package has no smaller entry point; undici-parts.test.ts checks these paths against the index.
import buildConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import Pool from 'undici/lib/dispatcher/pool.js';

export { buildConnector, Client, Pool };
export type { Dispatcher } from 'undici';
