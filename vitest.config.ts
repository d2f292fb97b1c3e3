import { defineConfig } from 'vitest/config';

const node = { environment: 'node' as const, testTimeout: 20_000, hookTimeout: 30_000 };

export default defineConfig({
  test: {
    reporters: ['default'],
    // All cores: vitest leaves one free, which on a machine of two is half.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...node,
          name: 'unit',
          include: [
            'test/{platform,auth-client,rest-client,realtime-client,storage-client,functions-client,scripts}/**/*.test.ts',
          ],
        },
      },
      {
        test: {
          ...node,
          name: 'local-supabase',
          // The engine is compiled once per worker, not once per file: half the time.
          isolate: false,
          include: ['test/{local-supabase,integration,supabase}/**/*.test.ts'],
        },
      },
      {
        test: {
          ...node,
          name: 'consumers',
          include: ['test/{consumers,library}/**/*.test.ts'],
          globalSetup: ['test/consumers/support/pack.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      { test: { ...node, name: 'conformance', include: ['test/conformance/**/*.test.ts'] } },
      {
        test: {
          ...node,
          name: 'app',
          environment: './test/support/jsdom-environment.ts',
          testTimeout: 45_000,
          include: ['test/{app,features,ui,react}/**/*.test.{ts,tsx}'],
        },
      },
    ],
  },
});
