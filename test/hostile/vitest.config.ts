import { defineConfig } from 'vitest/config';

// Attacks on a gateway in a process of its own, one after the other.
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/hostile/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
