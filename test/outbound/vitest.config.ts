import { defineConfig } from 'vitest/config';

// Counterparts from npm and nginx: needs `npm ci` in this folder and nginx and openssl on the machine.
export default defineConfig({
  test: {
    include: ['test/outbound/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
