import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/sign-in/*.test.ts'],
    globalSetup: [],
    maxWorkers: 1,
  },
});
