import { defineConfig } from 'vitest/config';

/** `npm run test:runtimes`, apart from `npm test`: it installs half a gigabyte of programs at its first run. */
export default defineConfig({
  test: {
    root: '.',
    environment: 'node',
    include: ['test/consumers/runtimes/*.runtime.ts'],
    globalSetup: ['test/consumers/support/pack.ts'],
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
});
