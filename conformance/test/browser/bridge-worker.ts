import { serveLocalSupabase } from 'local-supabase/worker';

// The settings of the audits' other runs, instead of this repository's project.
serveLocalSupabase({ assets: '/supabase/', name: null, settings: { auth: { bcryptCost: 4 } } });
