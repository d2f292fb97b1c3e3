import { serveLocalSupabase } from 'local-supabase/worker';

// The settings of the other runs of the audits, and not those of this repository's project.
serveLocalSupabase({ assets: '/supabase/', name: null, settings: { auth: { bcryptCost: 4 } } });
