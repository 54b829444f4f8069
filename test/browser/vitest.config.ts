import { defineConfig } from 'vitest/config';

// The suites that drive a real Chromium. Each file has its own browser and gateway, so two can run side by side.
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/browser/**/*.test.ts'],
    fileParallelism: true,
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A busy machine may take longer than the default of one second.
    expect: { poll: { timeout: 120_000 } },
  },
});
