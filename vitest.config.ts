import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    // Most tests wait for processes of their own: one file a core would leave cores idle.
    maxWorkers: '150%',
    // Processes, browsers and databases share a small machine there; a test that fails twice has failed.
    retry: process.env.CI === undefined ? 0 : 1,
    hookTimeout: 60_000,
  },
});
