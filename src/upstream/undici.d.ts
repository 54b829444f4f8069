// The parts of undici that calls need. Its index loads five times as much (fetch, web sockets, caches, mocks) and takes
// as long as Node's own start; it also adds `request`, `stream` and the like to a pool, so that ours only dispatch.
// parts-of-undici.test.ts holds these paths to the index.

declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}

declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici';
}
