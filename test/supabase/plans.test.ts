import { beforeAll, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { ada, grace, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();

beforeAll(async () => {
  const { database } = supabase();
  await database.query(
    `insert into notifications (recipient_id, status, content, created_at)
     select $1, (array['unread', 'read', 'archived'])[1 + n % 3],
       json_build_object(
         'type', (array['mention', 'invite'])[1 + n / 3 % 2], 'entity_type', 'document', 'entity_id', n % 50
       )::text,
       now() - n * interval '1 minute'
     from generate_series(1, 1200) n`,
    [grace.id],
  );
  await database.exec('vacuum analyze notifications');
});

interface PlanRow {
  readonly 'QUERY PLAN': string;
}

/** The plan of a list, as a prepared statement that has run so often that PostgreSQL considers a generic plan. */
function planOf(conditions: string, values: readonly string[]) {
  return runAs(supabase().database, { role: 'authenticated', userId: grace.id }, async (sql) => {
    await sql.query(
      `select set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), true)
       from pg_roles, unnest(rolconfig) setting where rolname = 'authenticated'`,
    );
    await sql.query(
      `prepare list as select * from notifications where recipient_id = $1 and ${conditions}
       order by created_at desc, id desc limit 30`,
    );
    const execute = `execute list (${[grace.id, ...values].map((value) => `'${value}'`).join(', ')})`;
    for (let run = 0; run < 6; run += 1) await sql.query(execute);
    const plan = await sql.query<PlanRow>(`explain (analyze, costs off, timing off) ${execute}`);
    await sql.query('deallocate list');
    return plan.map((row) => row['QUERY PLAN']).join('\n');
  });
}

it.each([
  ['status <> $2', ['archived'], 'notifications_inbox_idx'],
  ['status = $2', ['unread'], 'notifications_unread_idx'],
  ['status = $2', ['archived'], 'notifications_archived_idx'],
  ['status <> $2 and kind = $3', ['archived', 'invite'], 'notifications_inbox_kind_idx'],
  ['status = $2 and kind = $3', ['unread', 'invite'], 'notifications_unread_kind_idx'],
  ['status = $2 and kind = $3', ['archived', 'invite'], 'notifications_archived_kind_idx'],
])(
  'the list of a small account with %s, %j is read from the top of %s',
  async (conditions, values, index) => {
    const plan = await planOf(conditions, values);
    expect(plan).toContain(`Index Scan using ${index} `);
    expect(plan).not.toMatch(/Sort|Rows Removed/);
  },
);

it('the thread of a notification is read by the index of threads', async () => {
  const plan = await planOf('status <> $2 and thread = $3', ['archived', 'document/7']);
  expect(plan).toContain('Index Scan using notifications_thread_idx ');
  expect(plan).not.toContain('Sort');
});

it('the list of a small account is read by ids if the request filters by id', async () => {
  const plan = await planOf('id = $2', [ada.id]);
  expect(plan).toMatch(/Index Scan using notifications_(identity_idx|pkey) /);
});

it('jobs, workers, users and the deletion of an account read by indexes, except from these tables', async () => {
  const { database } = supabase();
  const countScans = async () => {
    await database.exec('select pg_stat_force_next_flush()');
    return database.query<{ name: string; scans: number }>(
      `select relname::text as name, seq_scan::int as scans from pg_stat_user_tables
       where schemaname in ('public', 'private') order by relname`,
    );
  };
  await database.exec('set enable_seqscan = off; discard plans');
  try {
    const before = new Map((await countScans()).map(({ name, scans }) => [name, scans]));
    await runAs(database, { role: 'authenticated', userId: grace.id }, (sql) =>
      sql.query(
        `select public.notification_changes(now()), public.notification_counts(), public.list_invitations(),
           public.recent_senders_and_threads(), public.search_notifications('notes')`,
      ),
    );
    for (const statement of [
      'call private.deliver_outgoing()',
      'select public.claim_notification_mails(), public.claim_push_messages(), public.claim_webhooks()',
      'select private.has_due_mails(), private.has_due_push_messages(), private.has_due_webhooks()',
      `select private.repair_counters('${grace.id}'), public.queue_health()`,
      'call private.run_retention()',
      `delete from auth.users where id = '${grace.id}'`,
    ])
      await database.exec(statement);
    const scanned = (await countScans()).filter(({ name, scans }) => scans !== before.get(name));
    expect(scanned.map(({ name }) => name)).toEqual([
      'forgotten_words',
      'message_ranges',
      'push_subscriptions',
      'webhook_endpoints',
      'webhooks',
    ]);
  } finally {
    await database.exec('reset enable_seqscan; discard plans');
  }
});
