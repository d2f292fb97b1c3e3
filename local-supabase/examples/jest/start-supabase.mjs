import { createLocalSupabase, readProjectConfig } from 'local-supabase';

/** Jest runs this once before all tests, which read the URL from the environment. */
export default async function startSupabase() {
  const project = process.env.PROJECT ?? '.';
  const { options } = readProjectConfig({ project });
  const supabase = await createLocalSupabase({ ...options, project, port: 0 });
  process.env.SUPABASE_URL = supabase.url;
  process.env.SUPABASE_KEY = supabase.publishableKey;
  globalThis.localSupabase = supabase;
}
