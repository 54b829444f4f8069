// All of the largest inputs that the limits allow: `npm run soak -- largest-bodies`.
import { join } from 'node:path';
import { root, runOrExit } from '../prepare.js';

runOrExit(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    'test/hostile/vitest.config.ts',
    'largest-bodies',
  ],
  { ...process.env, HANDRAIL_LARGEST_SHARE: '1' },
);
