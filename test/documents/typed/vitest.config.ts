import { defineConfig } from 'vitest/config';

// Types what the README and the first pages print, in an empty folder with an empty home.
export default defineConfig({
  test: {
    root: new URL('../../..', import.meta.url).pathname,
    include: ['test/documents/typed/*.test.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
