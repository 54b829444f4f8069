import { defineConfig } from 'vitest/config';

// The suites that drive a real Chromium. One file at a time: each starts a browser of its own.
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/browser/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
