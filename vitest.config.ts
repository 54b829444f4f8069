import { defineConfig } from 'vitest/config';

// `npm test` runs everything here; the slower suites under test/ that need a browser or other
// programs have configurations of their own and run from `.ci/run`.
export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'test/*.test.ts',
      'test/e2e/**/*.test.ts',
      'web/*/src/**/*.test.ts',
      'web/*/test/**/*.test.ts',
    ],
    globalSetup: ['test/support/postgres-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
});
