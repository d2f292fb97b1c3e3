/** Creates the data folder of a new project; `npm start` runs it in a separate process. */
import { createLocalSupabase } from 'local-supabase';
import { localProject } from './local-project.ts';

const supabase = await createLocalSupabase({ config: false, dataDir: localProject.dataDir });
await supabase.close();
