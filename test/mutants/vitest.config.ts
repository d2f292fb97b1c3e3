import { defineConfig } from 'vitest/config';

/** The fast tests that import the mutated files: each runs once per mutant that it covers. */
export default defineConfig({
  test: {
    environment: 'node',
    // A few random runs for each mutant.
    env: { MODEL_RUNS: '30', RACES: '20' },
    include: [
      'test/platform/retry.test.ts',
      'test/auth-client/*.test.ts',
      'test/rest-client/*.test.ts',
      'test/realtime-client/*.test.ts',
      'test/inbox/shared/outbox/*.test.ts',
      'test/inbox/features/notifications/{inbox,inbox.model,inbox-actions,inbox-commands,inbox-snooze,list-entries,many-rows,notification,notification-filter}.test.ts',
    ],
  },
});
