import { defineConfig } from 'vitest/config';

/** The fast tests that import the mutated files: each runs once per mutant that it covers. */
export default defineConfig({
  test: {
    environment: 'node',
    include: [
      'test/platform/retry.test.ts',
      'test/auth-client/*.test.ts',
      'test/rest-client/*.test.ts',
      'test/realtime-client/*.test.ts',
      'test/inbox/shared/outbox/*.test.ts',
    ],
  },
});
