import { defineConfig } from 'vitest/config';

// Several instances on one PostgreSQL, behind nginx and PgBouncer and with Redis: all must be on the machine.
export default defineConfig({
  test: {
    include: ['test/many/**/*.test.ts'],
    globalSetup: ['test/support/postgres/postgres-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 300_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
