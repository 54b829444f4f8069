import * as undici from 'undici';
import { expect, it } from 'vitest';
import { buildConnector, Pool } from './undici-parts.ts';

it('loads the same pool and connector as the index of undici', () => {
  expect(Pool).toBe(undici.Pool);
  expect(buildConnector).toBe(undici.buildConnector);
});
