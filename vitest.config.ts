import { defineConfig } from 'vitest/config';
import { sharedSources } from './web/admin/shared-sources.ts';

// `npm test` runs everything here. Tests named *.slow.test.ts, and the suites under test/ that need a browser or other
// programs, have their own configurations and run from `.ci/run`.
export default defineConfig({
  resolve: { alias: sharedSources },
  test: {
    include: [
      'src/**/*.test.ts',
      'test/*.test.ts',
      'test/deploy/*.test.ts',
      'test/documents/*.test.ts',
      'test/code/**/*.test.ts',
      'test/e2e/**/*.test.ts',
      'web/*/src/**/*.test.ts',
      'web/*/test/**/*.test.ts',
    ],
    exclude: ['**/*.slow.test.ts', '**/node_modules/**'],
    globalSetup: ['test/support/postgres/postgres-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // No test asserts a time, so these only end what hangs: long enough for a machine that has other things to do.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
