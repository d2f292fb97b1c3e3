import { defineConfig } from 'vitest/config';

/** The fast tests that import the mutated files: each runs once per mutant that it covers. */
export default defineConfig({
  test: {
    environment: 'node',
    // Stryker refuses to begin where one test is slow, as on a busy machine.
    testTimeout: 90_000,
    include: [
      'test/platform/retry.test.ts',
      'test/auth-client/*.test.ts',
      'test/rest-client/*.test.ts',
      'test/realtime-client/*.test.ts',
      'test/inbox/shared/outbox/*.test.ts',
    ],
  },
});
