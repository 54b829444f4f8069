// A thousand bodies from 1 kB to 50 MB through MCP and back: `npm run soak -- replies [HOW MANY] [FIRST] [LARGEST]`.
// HANDRAIL_REPLY_STORES names the stores, `sqlite,postgres` unless it is set.
import { join } from 'node:path';
import { root, runOrExit } from '../prepare.js';

const [howMany = '1000', first = '0', largest = '50000000'] = process.argv.slice(2);
runOrExit(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    'test/slow/vitest.config.ts',
    '--test-timeout=86400000',
    '--hook-timeout=86400000',
    'test/e2e/replies/every-byte.slow.test.ts',
  ],
  {
    ...process.env,
    HANDRAIL_REPLY_BODIES: howMany,
    HANDRAIL_REPLY_FIRST: first,
    HANDRAIL_REPLY_LARGEST: largest,
    HANDRAIL_REPLY_SKEW: '2.5',
  },
);
