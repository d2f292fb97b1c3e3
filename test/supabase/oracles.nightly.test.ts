import { beforeEach, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { ada, grace, requestApi, signIn, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();

beforeEach(() =>
  supabase().database.exec(`
    delete from notifications; delete from private.send_usage; delete from blocked_senders; delete from muted_threads;
    delete from notification_preferences; delete from private.mail_only_notifications;
    delete from private.sent_notifications;
  `),
);

/** What the recipient did, and what a sender must not learn. */
const secrets: Readonly<Record<string, string>> = {
  'switched the kind off': `insert into notification_preferences (user_id, in_app_edits, email_edits)
    values ('${grace.id}', false, false)`,
  'gets the kind by mail only': `insert into notification_preferences (user_id, in_app_edits, email_edits)
    values ('${grace.id}', false, true)`,
  'muted the thread': `insert into muted_threads (user_id, entity_type, entity_id)
    values ('${grace.id}', 'document', 'plan')`,
  'blocked the sender': `insert into blocked_senders (user_id, sender_id) values ('${grace.id}', '${ada.id}')`,
};

const content = JSON.stringify({ type: 'edit', entity_type: 'document', entity_id: 'plan' });

interface Question {
  readonly prefer: string;
  readonly query?: string;
  readonly rows?: number;
  readonly id?: string;
  readonly recipient?: string;
}

/** Sends as Ada and returns everything that the response shows. */
async function ask({ prefer, query = '', rows = 1, id, recipient = grace.id }: Question) {
  const row = { recipient_id: recipient, content, ...(id && { id }) };
  const response = await requestApi(supabase(), `/rest/v1/notifications${query}`, {
    method: 'POST',
    token: await signIn(supabase(), ada.email),
    headers: { prefer },
    body: Array.from({ length: rows }, () => row),
  });
  return {
    status: response.status,
    range: response.headers.get('content-range'),
    location: response.headers.get('location'),
    body: await response.text(),
  };
}

const chosenId = '00000000-0000-4000-8000-00000000c0de';
const questions: readonly Question[] = [
  { prefer: 'count=exact' },
  { prefer: 'count=exact', rows: 5 },
  { prefer: 'count=planned' },
  { prefer: 'return=headers-only,count=exact' },
  { prefer: 'return=representation,count=exact' },
  { prefer: 'return=representation', query: '?select=id' },
  { prefer: 'resolution=ignore-duplicates,count=exact', query: '?on_conflict=id', id: chosenId },
  { prefer: 'resolution=merge-duplicates,count=exact', query: '?on_conflict=id', id: chosenId },
];

it.each(Object.entries(secrets))(
  'the response to a sender does not reveal that the recipient %s',
  async (_, secret) => {
    for (const question of questions) {
      const open = await ask(question);
      await supabase().database.exec(`${secret} on conflict do nothing`);
      const closed = await ask(question);
      await supabase().database.exec(`
        delete from notification_preferences; delete from muted_threads; delete from blocked_senders;
        delete from private.send_usage;
      `);
      expect({ question, answer: closed }).toEqual({ question, answer: open });
    }
  },
);

it('the response to a sender does not reveal whether the recipient has an account', async () => {
  for (const question of questions) {
    const existing = await ask(question);
    await supabase().database.exec('delete from private.send_usage');
    expect(await ask({ ...question, recipient: crypto.randomUUID() })).toEqual(existing);
  }
});

it('the response to a sender does not reveal by a conflict of ids whether the recipient deleted the notification', async () => {
  const question = { prefer: 'count=exact', id: chosenId };
  const first = await ask(question);
  const [stored] = await supabase().database.query<{ id: string }>('select id from notifications');
  expect(stored?.id).not.toBe(chosenId);
  expect(await ask(question)).toEqual(first);
  expect(first.status).toBe(201);
});

/** What the download of Ada's data has of a notification to `recipient`. */
async function exported(recipient: string, whatBecomesOfIt = '') {
  const { database } = supabase();
  await database.exec('delete from private.send_usage; delete from private.sent_notifications');
  const token = await signIn(supabase(), ada.email);
  const body = { recipient_id: recipient, content };
  await requestApi(supabase(), '/rest/v1/notifications', { method: 'POST', token, body });
  await database.exec(whatBecomesOfIt);
  const download = await requestApi(supabase(), '/rest/v1/rpc/export_account_data', {
    method: 'POST',
    token,
    body: {},
  });
  const { sent_notifications: sent } = (await download.json()) as {
    sent_notifications: Record<string, unknown>[];
  };
  return sent.map(({ recipient_id: sentTo, content: text, ...rest }) => [
    sentTo === recipient,
    text,
    Object.keys(rest),
  ]);
}

it.each([
  ...Object.entries(secrets).map(([title, sql]) => [title, grace.id, sql, ''] as const),
  ['deleted the notification', grace.id, '', 'delete from notifications'] as const,
  ['has no account', crypto.randomUUID(), '', ''] as const,
])(
  'the download of a sender’s data does not reveal that the recipient %s',
  async (_, recipient, before, after) => {
    const open = await exported(grace.id);
    await supabase().database.exec(before);
    expect(await exported(recipient, after)).toEqual(open);
    expect(open).toHaveLength(1);
  },
);

it('the download of a sender’s data does not reveal whether an invited address has an account', async () => {
  const token = await signIn(supabase(), ada.email);
  const call = (name: string, body: object) =>
    requestApi(supabase(), `/rest/v1/rpc/${name}`, { method: 'POST', token, body });
  expect((await call('create_invitation', { invitee_email: grace.email })).status).toBe(200);
  expect(await (await call('export_account_data', {})).text()).not.toContain(grace.id);
});

it('blocking a stranger is refused identically with and without an account, and shows no name', async () => {
  // An inviter of the user can be blocked.
  await supabase().database.exec('delete from invitations; delete from notifications');
  const token = await signIn(supabase(), grace.email);
  const call = async (path: string, body: object) => {
    const response = await requestApi(supabase(), `/rest/v1/${path}`, { method: 'POST', token, body });
    return [response.status, await response.text()];
  };
  const known = await call('blocked_senders', { sender_id: ada.id });
  expect(known).toEqual([404, expect.stringContaining('sender_unknown')]);
  expect(await call('blocked_senders', { sender_id: crypto.randomUUID() })).toEqual(known);
  expect(await call('rpc/sender_names', { sender_ids: [ada.id] })).toEqual([200, '[]']);
});

it('a blocked sender is limited like any other', async () => {
  await supabase().database.exec(secrets['blocked the sender'] ?? '');
  await ask({ prefer: 'count=exact', rows: 60 });
  expect(await ask({ prefer: 'count=exact' })).toMatchObject({
    status: 429,
    body: expect.stringContaining('notification_limit_exceeded'),
  });
});

/** The locks that Ada's statement takes, and how often it reads and writes each table, until its transaction ends. */
function workOf(statement: string, params: readonly unknown[]) {
  return runAs(supabase().database, { role: 'authenticated', userId: ada.id }, async (sql) => {
    const count = () =>
      sql.query<{ name: string; numbers: number[] }>(
        `select schemaname || '.' || relname as name,
           array[seq_scan, coalesce(idx_scan, 0), n_tup_ins, n_tup_upd, n_tup_del]::int[] as numbers
         from pg_stat_xact_user_tables`,
      );
    const before = new Map((await count()).map(({ name, numbers }) => [name, numbers]));
    await sql.query(statement, params);
    const tables = (await count()).map(({ name, numbers }) => [
      name,
      numbers.map((number, column) => number - (before.get(name)?.[column] ?? 0)),
    ]);
    const locks = await sql.query<{ name: string; mode: string }>(
      `select relation::regclass::text as name, mode from pg_locks
       where pid = pg_backend_pid() and relation is not null order by 1, 2`,
    );
    return { tables: Object.fromEntries(tables) as Record<string, number[]>, locks };
  });
}

const insertion = 'insert into notifications (recipient_id, content) values ($1, $2)';
const invitation = 'select create_invitation($1)';

it.each([
  ['sending', insertion, [grace.id, content], [crypto.randomUUID(), content]],
  ['inviting', invitation, [grace.email], ['without-an-account@example.com']],
])(
  '%s does the same work and takes the same locks for a recipient, a blocker and an unknown one, none of them on counters',
  async (_, statement, known, unknown) => {
    const { database } = supabase();
    const reset = 'delete from private.send_usage; delete from invitations';
    await workOf(statement, known);
    await database.exec(reset);
    const open = await workOf(statement, known);
    expect(open.tables['private.outgoing_notifications']?.[2]).toBe(1);
    expect(open.locks.map(({ name }) => name)).not.toContain('notification_counters');
    await database.exec(`${reset}; ${secrets['blocked the sender']}`);
    expect(await workOf(statement, known)).toEqual(open);
    await database.exec(reset);
    expect(await workOf(statement, unknown)).toEqual(open);
  },
);

it('withdrawing an invitation does the same work and takes the same locks with and without an account', async () => {
  const { database } = supabase();
  const withdrawal = async (address: string) => {
    const [made] = await runAs(database, { role: 'authenticated', userId: ada.id }, (sql) =>
      sql.query<{ token: string }>('select token from create_invitation($1)', [address]),
    );
    return workOf('select withdraw_invitation($1)', [made?.token]);
  };
  await withdrawal(grace.email);
  const known = await withdrawal(grace.email);
  expect(known.tables['private.outgoing_notifications']?.[2]).toBe(1);
  expect(known.tables['public.notifications'] ?? []).toEqual([0, 0, 0, 0, 0]);
  expect(await withdrawal('without-an-account@example.com')).toEqual(known);
});

it('no function sleeps, because it would do so with the locks of its transaction', async () => {
  const sleeping = await supabase().database.query(
    `select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ('public', 'private') and p.prosrc ~* 'pg_sleep'`,
  );
  expect(sleeping).toEqual([]);
});
