import { defineConfig } from 'vitest/config';

// Real API descriptions, read from the folder HANDRAIL_CORPUS names; they are not part of the project.
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/corpus/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
