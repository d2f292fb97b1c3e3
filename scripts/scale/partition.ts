import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { heavyUser } from './fill.ts';
import type { ScaleDatabase } from './scale-database.ts';
import { writeDuring, writerRecipients } from './writers.ts';
import type { Waits } from './writers.ts';

const plan = fileURLToPath(new URL('partition-by-month.sql', import.meta.url));

/** What must be the same before and after. */
const facts = `
  select
    (select count(*) from public.notifications
     where recipient_id not in (${writerRecipients.map((id) => `'${id}'`).join(', ')})) as rows,
    (select count(*) from pg_policies where schemaname = 'public' and tablename = 'notifications') as policies,
    (select count(*) from pg_trigger where tgrelid = 'public.notifications'::regclass and not tgisinternal) as triggers,
    (select count(*) from pg_index where indrelid = 'public.notifications'::regclass and indisvalid) as indexes,
    (select string_agg(grantee || privilege_type, ',' order by grantee, privilege_type)
     from information_schema.role_table_grants where table_schema = 'public' and table_name = 'notifications') as grants,
    (select string_agg(grantee || column_name || privilege_type, ',' order by grantee, column_name, privilege_type)
     from information_schema.role_column_grants where table_schema = 'public' and table_name = 'notifications') as column_grants,
    (select string_agg(p.oid::regprocedure || has_function_privilege('anon', p.oid, 'execute')::text
       || has_function_privilege('authenticated', p.oid, 'execute')::text, ',' order by p.oid::regprocedure::text)
     from pg_proc p where p.pronamespace = 'public'::regnamespace) as functions,
    (select row_to_json(c)::text from public.notification_counters c where user_id = '${heavyUser}') as counters`;

export interface Partitioned {
  readonly seconds: number;
  readonly waits: Waits;
  readonly problems: readonly string[];
}

/**
 * Runs the plan that partitions the notifications by month while others write, and compares what the table has before and
 * after.
 */
export async function partitionByMonth(
  database: ScaleDatabase,
  runFile: (path: string) => Promise<void>,
  connect: () => Promise<Client>,
): Promise<Partitioned> {
  const read = async () => (await database.query<Record<string, unknown>>(facts))[0] ?? {};
  const before = await read();
  const startedMs = performance.now();
  const waits = await writeDuring(connect, () => runFile(plan));
  const seconds = (performance.now() - startedMs) / 1000;
  const after = await read();
  const problems = Object.keys(before)
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name}: ${String(before[name])} became ${String(after[name])}`);
  problems.push(...waits.failures);
  await spreadOverPartitions(database);
  await database.exec('begin');
  const [written] = await database.query<{ kind: string; partition: string }>(
    `insert into public.notifications (recipient_id, content, created_at)
     values ('${heavyUser}', '{"type": "mention"}', now() + interval '1 month')
     returning kind, tableoid::regclass::text as partition`,
  );
  await database.exec('rollback');
  if (written?.kind !== 'mention' || !written.partition.startsWith('private.notifications_2'))
    problems.push(`A new row is in ${written?.partition} with the kind ${written?.kind}`);
  return { seconds, waits, problems };
}

/** Moves a twentieth of the rows, the newest, into the partition of the next month: lists then read more than one. */
async function spreadOverPartitions(database: ScaleDatabase): Promise<void> {
  await database.exec(`
    set session_replication_role = replica;
    update public.notifications set created_at = created_at + interval '1 month'
    where created_at > (
      select created_at from public.notifications order by created_at desc
      offset (select count(*) / 20 from public.notifications) limit 1
    );
    set session_replication_role = origin;
  `);
  await database.exec('vacuum analyze public.notifications');
}
