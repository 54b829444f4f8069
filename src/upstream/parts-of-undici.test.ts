import * as undici from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { expect, it } from 'vitest';

it('loads the same pool and connector as the index of undici', () => {
  expect(Pool).toBe(undici.Pool);
  expect(buildConnector).toBe(undici.buildConnector);
});
