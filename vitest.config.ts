import { defineConfig } from 'vitest/config';

const common = {
  environment: 'node',
  // Modules are loaded, the database engine compiled and the page set up once per worker, not once per file.
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    reporters: ['default'],
    // All cores: vitest leaves one free, which on a machine of two is half.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: [
            'test/{platform,auth-client,rest-client,realtime-client,storage-client,functions-client,scripts}/**/*.test.ts',
          ],
        },
      },
      {
        test: {
          ...common,
          name: 'local-supabase',
          include: ['test/{local-supabase,integration,supabase}/**/*.test.ts'],
        },
      },
      {
        test: {
          ...common,
          name: 'consumers',
          include: ['test/{consumers,library}/**/*.test.ts'],
          globalSetup: ['test/consumers/support/pack.ts'],
        },
      },
      { test: { ...common, name: 'conformance', include: ['test/conformance/**/*.test.ts'] } },
      {
        test: {
          ...common,
          name: 'app',
          environment: './test/support/jsdom-environment.ts',
          setupFiles: ['./test/support/fresh-page.ts'],
          include: ['test/{app,features,ui,react,examples}/**/*.test.{ts,tsx}'],
        },
      },
    ],
  },
});
