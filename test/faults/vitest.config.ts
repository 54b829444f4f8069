import { defineConfig } from 'vitest/config';

// Things that break around a gateway in a process of its own. HANDRAIL_FAULTS=long waits as long as an outage does.
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/faults/**/*.test.ts'],
    globalSetup: ['test/support/postgres/postgres-setup.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
