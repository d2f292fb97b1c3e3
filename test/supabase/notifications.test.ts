import { beforeEach, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { ada, grace, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
const asAda = { role: 'authenticated', userId: ada.id } as const;
const asGrace = { role: 'authenticated', userId: grace.id } as const;
const asService = { role: 'service_role' } as const;

interface Row {
  id: string;
  status: string;
  content: string | null;
  sender_id: string | null;
  kind: string;
  created_at: Date;
  updated_at: Date;
}

/** Sends from Ada to Grace and returns the stored notification; undefined if none was stored. */
async function send(content: unknown, columns: Record<string, unknown> = {}): Promise<Row | undefined> {
  const row = { recipient_id: grace.id, content, ...columns };
  const names = Object.keys(row);
  const marks = names.map((_, index) => `$${index + 1}`);
  await runAs(supabase().database, asAda, (sql) =>
    sql.query(`insert into notifications (${names.join()}) values (${marks.join()})`, Object.values(row)),
  );
  const [arrived] = await supabase().database.query<Row>(
    'select * from notifications where recipient_id = $1',
    [grace.id],
  );
  return arrived;
}

const decode = (row: Row | undefined): Record<string, unknown> => JSON.parse(row?.content ?? 'null');

async function setPreferences(columns: Readonly<Record<string, boolean>>): Promise<void> {
  const names = Object.keys(columns);
  await supabase().database.query(
    `insert into notification_preferences (user_id, ${names.join()}) values ($1, ${names.map((name) => columns[name]).join()})`,
    [grace.id],
  );
}

beforeEach(() => supabase().database.exec('delete from notifications; delete from notification_preferences'));

it('the policy of notifications lets a user see only their own, whatever the filter', async () => {
  const { database } = supabase();
  await send('{"type":"mention"}');
  const everything = 'select id from notifications';
  const ofGrace = `select id from notifications where recipient_id = '${grace.id}'`;
  await expect(runAs(database, asGrace, (sql) => sql.query(everything))).resolves.toHaveLength(1);
  await expect(runAs(database, asAda, (sql) => sql.query(everything))).resolves.toEqual([]);
  await expect(runAs(database, asAda, (sql) => sql.query(ofGrace))).resolves.toEqual([]);
  await expect(runAs(database, asService, (sql) => sql.query(ofGrace))).resolves.toHaveLength(1);
});

it('the policy of notifications lets a user change and delete only their own', async () => {
  const { database } = supabase();
  await send('{"type":"mention"}');
  const read = `update notifications set status = 'read' returning id`;
  const remove = 'delete from notifications returning id';
  await expect(runAs(database, asAda, (sql) => sql.query(read))).resolves.toEqual([]);
  await expect(runAs(database, asAda, (sql) => sql.query(remove))).resolves.toEqual([]);
  await expect(runAs(database, asGrace, (sql) => sql.query(read))).resolves.toHaveLength(1);
  await expect(runAs(database, asGrace, (sql) => sql.query(remove))).resolves.toHaveLength(1);
});

it.each([
  ['read', 'select * from notifications'],
  ['write', `insert into notifications (recipient_id) values ('${ada.id}')`],
  ['change', `update notifications set status = 'read'`],
  ['delete', 'delete from notifications'],
])(
  'the policy of notifications does not let a caller without a session %s notifications',
  async (_, statement) => {
    await expect(
      runAs(supabase().database, { role: 'anon' }, (sql) => sql.query(statement)),
    ).rejects.toMatchObject({ code: '42501' });
  },
);

it.each([
  ['the content', `content = 'changed'`],
  ['the recipient', `recipient_id = '${ada.id}'`],
  ['the time', `created_at = now()`],
])('the policy of notifications keeps %s of a notification as it was sent', async (_, change) => {
  await send('{"type":"mention"}');
  await expect(
    runAs(supabase().database, asGrace, (sql) => sql.query(`update notifications set ${change}`)),
  ).rejects.toMatchObject({ code: '42501' });
});

it('the policy of notifications refuses a status other than unread, read and archived', async () => {
  await send('{"type":"mention"}');
  await expect(
    runAs(supabase().database, asGrace, (sql) => sql.query(`update notifications set status = 'gone'`)),
  ).rejects.toMatchObject({ code: '23514' });
});

it('a notification that a user sends starts unread with the current time, whatever the request contains', async () => {
  const arrived = await send('{"type":"edit"}', { status: 'archived', created_at: '2001-01-01' });
  expect(arrived?.status).toBe('unread');
  expect(arrived?.created_at.getFullYear()).toBeGreaterThan(2001);
});

it('a notification that a user sends contains its real sender in place of a forged one', async () => {
  const forged = { type: 'edit', metadata: { actor_id: grace.id, actor_name: 'Grace' } };
  const arrived = await send(JSON.stringify(forged), { sender_id: grace.id });
  expect(decode(arrived)).toEqual({
    type: 'edit',
    metadata: { actor_id: ada.id, actor_name: 'Ada Lovelace' },
  });
  expect(arrived).toMatchObject({ sender_id: ada.id, kind: 'edit' });
});

it.each([['a list'], [7], [null]])(
  'a notification that a user sends contains its sender even when its metadata is %j',
  async (metadata) => {
    const content = decode(await send(JSON.stringify({ type: 'comment', metadata })));
    expect(content['metadata']).toEqual({ actor_id: ada.id, actor_name: 'Ada Lovelace' });
  },
);

it.each([['plain words'], ['[1,2]'], ['"text"'], ['{"open":']])(
  'content that is not a JSON object becomes the text of a message: %s',
  async (text) => {
    expect(decode(await send(text))).toEqual({
      type: 'message',
      data: { text },
      metadata: { actor_id: ada.id, actor_name: 'Ada Lovelace' },
    });
  },
);

it('a notification that a user sends is a message with its sender when it has no content', async () => {
  expect(decode(await send(null))).toMatchObject({ type: 'message', metadata: { actor_id: ada.id } });
});

it('a notification that a user sends is refused when it is larger than 64 kB', async () => {
  await expect(send('x'.repeat(65_537))).rejects.toMatchObject({ code: '23514' });
  expect(await send('x'.repeat(65_536))).toBeDefined();
});

it('a notification that a user sends is dropped without an error when its recipient does not exist', async () => {
  expect(await send('{}', { recipient_id: crypto.randomUUID() })).toBeUndefined();
});

it('a notification of a service is stored unchanged', async () => {
  const { database } = supabase();
  await runAs(database, asService, (sql) =>
    sql.query(`insert into notifications (recipient_id, status, content) values ($1, 'read', 'plain')`, [
      grace.id,
    ]),
  );
  await expect(database.query('select status, content from notifications')).resolves.toEqual([
    { status: 'read', content: 'plain' },
  ]);
});

it.each([
  ['in_app_mentions', 'mention'],
  ['in_app_edits', 'edit'],
  ['in_app_comments', 'comment'],
  ['in_app_invites', 'invite'],
  ['in_app_mentions', 'mentions'],
  ['in_app_edits', 'Edits'],
  ['in_app_comments', 'comments'],
  ['in_app_invites', 'Invites'],
  ['in_app_mentions', 'message'],
])(
  'the recipient’s preferences with %s off keep %s from being created, and nothing else',
  async (preference, type) => {
    await setPreferences({ [preference]: false });
    await expect(send(JSON.stringify({ type }))).resolves.toBeUndefined();
    const other = preference === 'in_app_comments' ? 'edit' : 'comment';
    await expect(send(JSON.stringify({ type: other }))).resolves.toBeDefined();
  },
);

it.each([['mention'], ['system'], ['unheard-of']])(
  'the recipient’s preferences with all in-app notifications off keep %s from being created',
  async (type) => {
    await setPreferences({ enable_in_app_notifications: false });
    await expect(send(JSON.stringify({ type }))).resolves.toBeUndefined();
  },
);

it('the recipient’s preferences for email change nothing in the application', async () => {
  await setPreferences({ enable_email_notifications: false, email_mentions: false });
  await expect(send('{"type":"mention"}')).resolves.toBeDefined();
});

it('the recipient’s preferences apply to services too', async () => {
  await setPreferences({ in_app_edits: false });
  await supabase().database.query(
    `insert into notifications (recipient_id, content) values ($1, '{"type":"edit"}')`,
    [grace.id],
  );
  await expect(supabase().database.query('select id from notifications')).resolves.toEqual([]);
});

it('the version of a notification grows with every change, also within one transaction', async () => {
  await send('{"type":"mention"}');
  const versions = await runAs(supabase().database, asGrace, async (sql) => {
    const seen: string[] = [];
    for (const status of ['read', 'archived', 'unread', 'read']) {
      const [row] = await sql.query<{ version: string }>(
        'update notifications set status = $1 returning updated_at::text as version',
        [status],
      );
      seen.push(row?.version ?? '');
    }
    return seen;
  });
  expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => (a < b ? -1 : 1)));
  expect(versions).toHaveLength(4);
});

it('the sender of a notification is removed when the account is deleted, and the notification stays', async () => {
  const { database } = supabase();
  const id = crypto.randomUUID();
  await database.query(
    `insert into auth.users (id, email, raw_user_meta_data) values ($1, 'leaving@example.com', '{"name":"Leaving"}')`,
    [id],
  );
  await runAs(database, { role: 'authenticated', userId: id }, (sql) =>
    sql.query('insert into notifications (recipient_id, content) values ($1, $2)', [
      grace.id,
      '{"type":"comment","data":{"text":"still here"}}',
    ]),
  );
  await database.query(
    `insert into notifications (recipient_id, sender_id, content) values ($1, $2, 'words of a service')`,
    [ada.id, id],
  );
  await database.query('delete from auth.users where id = $1', [id]);
  const [row, ofService] = await database.query<Row>(
    'select * from notifications order by recipient_id = $1',
    [ada.id],
  );
  expect(ofService).toMatchObject({ sender_id: null, content: 'words of a service' });
  expect(row?.sender_id).toBeNull();
  expect(decode(row)).toEqual({ type: 'comment', metadata: {}, data: { text: 'still here' } });
});

it.each([
  [{ type: 'mention' }, true],
  [{ type: 'comment' }, false],
  [{ type: 'comment', data: { important: true } }, true],
  [{ type: 'comment', data: { important: 'true' } }, false],
  [{ type: 'invite' }, true],
  [{ type: 'invite', data: { status: 'pending' } }, true],
  [{ type: 'invite', data: { status: 'accepted' } }, false],
  [{ type: 'invite', data: { status: 'pending', answer: 'declined' } }, false],
])('a notification with %j needs its user: %s', async (content, needsUser) => {
  const rows = await supabase().database.query(
    'insert into notifications (recipient_id, content) values ($1, $2) returning needs_user',
    [grace.id, JSON.stringify(content)],
  );
  expect(rows).toEqual([{ needs_user: needsUser }]);
});

it('the realtime publication contains the tables, without deletions', async () => {
  const published = await supabase().database.query(
    `select tablename as name, pubinsert, pubupdate, pubdelete, pubtruncate
       from pg_publication_tables join pg_publication using (pubname)
       where pubname = 'supabase_realtime' order by tablename`,
  );
  const events = { pubinsert: true, pubupdate: true, pubdelete: false, pubtruncate: false };
  expect(published).toEqual([
    { name: 'notification_bulk_changes', ...events },
    { name: 'notification_preferences', ...events },
    { name: 'notifications', ...events },
  ]);
});

it('the log of a deletion has the key and the owner of a row alone, because strangers may receive it', async () => {
  const logged = await supabase().database.query(
    `select c.relname::text as name, c.relreplident as identity, array(
       select a.attname::text from pg_attribute a where a.attrelid = i.indexrelid order by a.attnum
     ) as columns
     from pg_class c join pg_index i on i.indrelid = c.oid and i.indisreplident
     where c.relnamespace = 'public'::regnamespace order by 1`,
  );
  expect(logged).toEqual([
    { name: 'notification_preferences', identity: 'i', columns: ['id', 'user_id'] },
    { name: 'notifications', identity: 'i', columns: ['id', 'recipient_id'] },
  ]);
});
