import { readFile } from 'node:fs/promises';
import type { Client } from 'pg';
import { heavyUser } from './fill.ts';
import type { ScaleDatabase } from './scale-database.ts';
import { writeDuring, writerRecipients } from './writers.ts';
import type { Waits } from './writers.ts';

const plan = await readFile(new URL('partition-by-month.sql', import.meta.url), 'utf8');
const exchangeStart = plan.indexOf('\nbegin;');
/** The part that builds indexes while the table is in use, and the exchange in one transaction. */
const [preparation, exchange] = [plan.slice(0, exchangeStart), plan.slice(exchangeStart)];

type RunScript = (sql: string) => Promise<void>;
type Connect = () => Promise<Client>;

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
 * after. Before that, both parts meet a reader that does not end: they must give up and leave the table as it was.
 */
export async function partitionByMonth(
  database: ScaleDatabase,
  runScript: RunScript,
  connect: Connect,
): Promise<Partitioned> {
  const read = async () => (await database.query<Record<string, unknown>>(facts))[0] ?? {};
  const before = await read();
  const problems = await giveUpTwice(database, runScript, connect);
  problems.push(...differences('Giving up', before, await read()));
  const startedMs = performance.now();
  const waits = await writeDuring(connect, () => runScript(plan));
  const seconds = (performance.now() - startedMs) / 1000;
  problems.push(...differences('The partitions', before, await read()), ...waits.failures);
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

function differences(
  name: string,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] {
  return Object.keys(before)
    .filter((fact) => before[fact] !== after[fact])
    .map((fact) => `${name}: ${fact}: ${String(before[fact])} became ${String(after[fact])}`);
}

/** Runs both parts against an open transaction that has read the table, and removes what the first one built. */
async function giveUpTwice(
  database: ScaleDatabase,
  runScript: RunScript,
  connect: Connect,
): Promise<string[]> {
  const problems: string[] = [];
  const reader = await connect();
  try {
    for (const [name, part] of Object.entries({ preparation, exchange })) {
      await reader.query('begin; select from public.notifications limit 1');
      const refusal = await runScript(part).then(
        () => 'it ran',
        (problem: unknown) => String(problem),
      );
      await reader.query('rollback');
      if (!refusal.includes('canceling statement due to lock timeout'))
        problems.push(`The ${name} did not give up beside a reader: ${refusal}`);
      if (part === preparation) await runScript(preparation);
    }
  } finally {
    await reader.end();
  }
  await database.exec(`
    alter table public.notifications drop constraint is_before_partitions;
    alter table public.notifications reset (autovacuum_enabled);
    drop index public.notifications_partition_key, public.notifications_partition_identity;
  `);
  return problems;
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
