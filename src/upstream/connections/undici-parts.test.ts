import * as undici from 'undici';
import { expect, it } from 'vitest';
import { buildConnector, Client, Pool } from './undici-parts.ts';

it('loads the same pool, connection and connector as the index of undici', () => {
  expect(Pool).toBe(undici.Pool);
  expect(Client).toBe(undici.Client);
  expect(buildConnector).toBe(undici.buildConnector);
});
