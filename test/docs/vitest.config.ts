import { defineConfig } from 'vitest/config';

// The docs as a gateway serves them, in a real Chromium.
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/docs/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
