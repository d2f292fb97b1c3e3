import { serveLocalSupabase } from 'local-supabase/worker';

serveLocalSupabase({
  assets: '/supabase/',
  functions: {
    hello: async (request) => Response.json({ hello: ((await request.json()) as { name: string }).name }),
  },
});
