import { defineConfig } from 'vitest/config';
import { sharedSources } from '../../web/admin/shared-sources.ts';

// The tests that take longest, wherever they are: `npm test` leaves them out, so that it stays quick to run.
export default defineConfig({
  resolve: { alias: sharedSources },
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['{src,test}/**/*.slow.test.ts'],
    globalSetup: ['test/support/postgres/postgres-setup.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
