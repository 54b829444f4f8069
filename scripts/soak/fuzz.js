// An hour of mutated inputs on every entry point, each run with another seed: `npm run soak -- fuzz [SECONDS]
// [SEED]`.
import { join } from 'node:path';
import { root, runOrExit } from '../prepare.js';

const [seconds = '3600', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
console.log(`seed ${seed}`);
runOrExit(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'test/hostile/vitest.config.ts', 'fuzz'],
  { ...process.env, HANDRAIL_FUZZ_SECONDS: seconds, HANDRAIL_SEED: seed },
);
