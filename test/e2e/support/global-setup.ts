import { startStage } from './stage.ts';

/** One embedded Supabase and one production build for the whole run; the workers find them by environment. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const stage = await startStage({ outDir: 'test-results/app' });
  process.env.E2E_STAGE = JSON.stringify({
    appUrl: stage.appUrl,
    supabaseUrl: stage.supabase.url,
    anonKey: stage.supabase.anonKey,
    serviceRoleKey: stage.supabase.serviceRoleKey,
    mailboxUrl: stage.supabase.mailboxUrl,
  });
  return () => stage.close();
}
