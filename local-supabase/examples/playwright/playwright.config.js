/** Starts the local Supabase of this project before the tests, and ends it after them. */
const port = Number(process.env.SUPABASE_PORT ?? 54321);

/** @type {import('@playwright/test').PlaywrightTestConfig} */
const config = {
  testMatch: 'todos.spec.js',
  use: { baseURL: `http://127.0.0.1:${port}` },
  webServer: {
    command: `npx local-supabase start --in-memory --project ../project --port ${port} --database-port 0 --mailbox-port 0 --data-dir test-results/supabase`,
    url: `http://127.0.0.1:${port}/auth/v1/health`,
    timeout: 120_000,
    reuseExistingServer: !process.env.CI,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 5000 },
  },
};

export default config;
