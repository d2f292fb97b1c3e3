import { createLocalSupabase } from '../src/entries/index.ts';

process.exitCode = 3;
const supabase = await createLocalSupabase({ config: false });
await supabase.database.query('select 1');
await supabase.close();
await supabase.close();
