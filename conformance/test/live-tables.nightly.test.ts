import { expect, it } from 'vitest';
import { createLocalTarget, startLocalSupabase } from '../bin/local-target.ts';
import { createAuditContext } from '../src/audit/audit-context.ts';
import { awaitLiveTables } from '../src/audits/realtime/live-tables.ts';

it('the audits begin once the realtime service delivers changes of the tables', async () => {
  const supabase = await startLocalSupabase();
  try {
    const { exec } = supabase.database;
    const context = createAuditContext(createLocalTarget(supabase));
    await exec(`alter publication supabase_realtime set (publish = 'update')`);
    expect(await awaitLiveTables(context, { timeoutMs: 100 })).toBe(false);
    await exec(`alter publication supabase_realtime set (publish = 'insert, update')`);
    expect(await awaitLiveTables(context)).toBe(true);
  } finally {
    await supabase.close();
  }
});
