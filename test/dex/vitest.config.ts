import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

// Needs a built Dex: test/suites/dex.sh.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/dex/*.test.ts'],
    globalSetup: [],
    maxWorkers: 1,
    testTimeout: 60_000,
  },
});
