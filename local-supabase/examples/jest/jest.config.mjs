export default {
  testEnvironment: 'node',
  testMatch: ['**/todos.test.mjs'],
  globalSetup: './start-supabase.mjs',
  globalTeardown: './stop-supabase.mjs',
};
