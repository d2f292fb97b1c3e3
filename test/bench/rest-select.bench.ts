/**
 * A select on a real server, of this client compared with postgrest-js: 50 of 1,000 rows, filtered and ordered, over HTTP from the
 * embedded Supabase in the same process, whose share of the time is the same for both. Run: `npm run bench rest-select`
 */
import { PostgrestClient } from '@supabase/postgrest-js';
import { createLocalSupabase } from 'local-supabase';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createRestClient } from '../../src/rest-client/index.ts';
import { reportMetric } from './report.ts';
import { alternate, median } from './rounds.ts';

interface Schema {
  readonly public: {
    readonly Tables: {
      readonly measured: {
        readonly Row: { readonly id: number; readonly kind: string; readonly body: string };
      };
    };
  };
}

const selectsPerRound = 40;
const rowsPerSelect = 50;

const supabase = await createLocalSupabase({ config: false, port: 0 });
await supabase.database.exec(`
  create table measured (id int primary key, kind text not null, body text not null);
  insert into measured select n, case when n % 2 = 0 then 'even' else 'odd' end, repeat('x', 100) from generate_series(1, 1000) n;
  grant select on measured to service_role;
  notify pgrst, 'reload schema';
`);
const { url, serviceRoleKey } = supabase;
const ours = createRestClient<Schema>({ url, apiKey: serviceRoleKey, platform: createPlatform() });
const vendors = new PostgrestClient(`${url}/rest/v1`, {
  headers: { apikey: serviceRoleKey, authorization: `Bearer ${serviceRoleKey}` },
});

const select = {
  ours: async () =>
    (await ours.from('measured').select('id, body').eq('kind', 'even').order('id').limit(rowsPerSelect))
      .length,
  peer: async () =>
    (await vendors.from('measured').select('id, body').eq('kind', 'even').order('id').limit(rowsPerSelect))
      .data?.length,
};

const times = await alternate(25, async (side) => {
  const startedMs = performance.now();
  for (let count = 0; count < selectsPerRound; count += 1)
    if ((await select[side]()) !== rowsPerSelect) throw new Error(`${side}: not ${rowsPerSelect} rows`);
  return (performance.now() - startedMs) / selectsPerRound;
});
reportMetric({
  name: `REST: select of ${rowsPerSelect} rows from a real server`,
  ours: median(times.ours),
  peer: median(times.peer),
  unit: 'ms',
  goal: null,
});
await supabase.close();
process.exit(0);
