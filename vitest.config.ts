import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** `npm run test:nightly` runs only the slow and rare files; `npm test` runs all others. */
const isNightly = process.env['NIGHTLY'] === '1';
const files = (folders: string, extension = 'ts') =>
  isNightly
    ? { include: [`@(${folders})/**/*.nightly.test.${extension}`] }
    : {
        include: [`@(${folders})/**/*.test.${extension}`],
        exclude: ['**/*.nightly.test.*', '**/node_modules/**'],
      };

const common = {
  environment: 'node',
  // Modules are loaded, the database engine compiled and the page set up once per worker, not once per file.
  isolate: false,
  testTimeout: 90_000,
  // The first start of a worker compiles PostgreSQL, which took more than a minute beside five other jobs on two cores.
  hookTimeout: 240_000,
  // Only a failure reaches it, on a busy machine too.
  expect: { poll: { timeout: 60_000 } },
};

export default defineConfig({
  test: {
    reporters: ['default'],
    // Tests also wait for timers, sockets and child processes: one worker more than cores fills the gaps.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          ...files(
            'test/platform|test/auth-client|test/rest-client|test/realtime-client|test/storage-client|test/functions-client|test/scripts',
          ),
        },
      },
      {
        test: {
          ...common,
          name: 'local-supabase',
          ...files('local-supabase/test|inbox-sender/test|test/integration|test/supabase'),
        },
      },
      {
        test: {
          ...common,
          name: 'consumers',
          ...files('test/consumers|test/library|test/site'),
          globalSetup: ['test/consumers/support/pack.ts'],
        },
      },
      { test: { ...common, name: 'conformance', ...files('conformance/test') } },
      {
        test: {
          ...common,
          name: 'app',
          environment: './test/support/jsdom-environment.ts',
          setupFiles: ['./test/support/fresh-page.ts'],
          ...files('test/inbox|test/react|test/examples', '{ts,tsx}'),
        },
      },
    ],
  },
});
