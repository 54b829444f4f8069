// The parts of undici that calls need, by their paths, in this file alone. Its index loads five times as much (fetch, web
// sockets, caches, mocks) and takes as long as Node's own start; it also adds `request`, `stream` and the like to a pool,
// so that ours only dispatch. The package promises no smaller entry; undici-parts.test.ts holds these paths to the index.
import buildConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import Pool from 'undici/lib/dispatcher/pool.js';

export { buildConnector, Client, Pool };
export type { Dispatcher } from 'undici';
