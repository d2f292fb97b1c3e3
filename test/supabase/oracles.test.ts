import { beforeEach, expect, it } from 'vitest';
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

/** Sends as Ada and returns everything that the answer shows. */
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
  'the answer to a sender does not tell that the recipient %s',
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

it('the answer to a sender does not tell whether the recipient has an account', async () => {
  for (const question of questions) {
    const existing = await ask(question);
    await supabase().database.exec('delete from private.send_usage');
    expect(await ask({ ...question, recipient: crypto.randomUUID() })).toEqual(existing);
  }
});

it('the answer to a sender does not tell by a conflict of ids whether the recipient deleted the notification', async () => {
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
  'the download of a sender’s data does not tell that the recipient %s',
  async (_, recipient, before, after) => {
    const open = await exported(grace.id);
    await supabase().database.exec(before);
    expect(await exported(recipient, after)).toEqual(open);
    expect(open).toHaveLength(1);
  },
);

it('the download of a sender’s data does not tell whether an invited address has an account', async () => {
  const token = await signIn(supabase(), ada.email);
  const call = (name: string, body: object) =>
    requestApi(supabase(), `/rest/v1/rpc/${name}`, { method: 'POST', token, body });
  expect((await call('create_invitation', { invitee_email: grace.email })).status).toBe(200);
  expect(await (await call('export_account_data', {})).text()).not.toContain(grace.id);
});

it('blocking a stranger is refused alike with and without an account, and shows no name', async () => {
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

it('a blocked sender is limited as every other one', async () => {
  await supabase().database.exec(secrets['blocked the sender'] ?? '');
  await ask({ prefer: 'count=exact', rows: 60 });
  expect(await ask({ prefer: 'count=exact' })).toMatchObject({
    status: 429,
    body: expect.stringContaining('notification_limit_exceeded'),
  });
});

it.each([
  ['is stored', ''],
  ['is withheld', secrets['blocked the sender'] ?? ''],
])('the duration of sending is a multiple of 10 ms per notification that %s', async (_, secret) => {
  if (secret) await supabase().database.exec(secret);
  const token = await signIn(supabase(), ada.email);
  const startedMs = performance.now();
  await requestApi(supabase(), '/rest/v1/notifications', {
    method: 'POST',
    token,
    body: Array.from({ length: 40 }, () => ({ recipient_id: grace.id, content })),
  });
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(395);
});
