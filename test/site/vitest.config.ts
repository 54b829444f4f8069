import { defineConfig } from 'vitest/config';

// The documentation site as a gateway serves it, in a real Chromium.
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/site/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
