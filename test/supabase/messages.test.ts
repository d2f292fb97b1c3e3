import { beforeEach, describe, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { ada, grace, requestApi, useLocalSupabase } from '../support/local-supabase.ts';
import { whileRefusing } from '../support/refusing-trigger.ts';

const supabase = useLocalSupabase();
const unknownId = '00000000-0000-4000-8000-00000000dead';

interface Delivery {
  readonly recipient_id: string;
  readonly outcome: string;
  readonly reason?: string;
  readonly channels?: readonly string[];
}
interface Message {
  readonly id: string;
  readonly state: string;
  readonly is_repeated: boolean;
  readonly expires_at: string | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly deliveries: readonly Delivery[];
}

const call = (name: string, body: unknown) =>
  requestApi(supabase(), `/rest/v1/rpc/${name}`, {
    method: 'POST',
    apiKey: supabase().serviceRoleKey,
    token: supabase().serviceRoleKey,
    body,
  });
async function send(...messages: readonly object[]): Promise<readonly Message[]> {
  const response = await call('send_notifications', { messages });
  expect(response.status).toBe(200);
  return (await response.json()) as Message[];
}
async function statusOf(id: string, more: object = {}): Promise<Message> {
  return (await (await call('message_status', { message_id: id, ...more })).json()) as Message;
}
const contents = async () =>
  (
    await supabase().database.query<{ content: string }>(
      'select content from notifications order by recipient_id',
    )
  ).map(({ content }) => JSON.parse(content) as unknown);

/** Accounts whose addresses begin with `many-`. */
const addAccounts = (count: number) =>
  supabase().database.query(
    `insert into auth.users (instance_id, id, aud, role, email)
     select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', 'many-' || n || '@example.com'
     from generate_series(1, $1) n`,
    [count],
  );

beforeEach(() =>
  supabase().database.exec(
    `delete from private.messages; delete from notifications; delete from notification_preferences;
     delete from audiences; delete from blocked_senders; delete from muted_threads;
     delete from private.mail_only_notifications; delete from private.notification_mails`,
  ),
);

it('the messages of one call arrive in their order', async () => {
  const texts = Array.from({ length: 40 }, (_, index) => `Message ${index}`);
  await send(...texts.map((text) => ({ recipients: [ada.id], kind: 'comment', text })));
  const rows = await supabase().database.query<{ text: string }>(
    `select content::jsonb -> 'data' ->> 'text' as text from notifications order by created_at, id`,
  );
  expect(rows.map(({ text }) => text)).toEqual(texts);
});

it('a backend sends to two people, and sees the outcome of each', async () => {
  await supabase().database.query(
    'insert into notification_preferences (user_id, in_app_comments, email_comments) values ($1, false, false)',
    [grace.id],
  );
  const [message] = await send({
    recipients: [grace.id, ada.id, unknownId],
    kind: 'comment',
    text: 'The build of main is green again.',
    url: '/builds/7',
    entity: { type: 'build', id: '7', name: 'Build 7' },
    sender: { name: 'Builds' },
  });
  expect(message).toMatchObject({
    state: 'delivered',
    is_repeated: false,
    counts: { delivered: 1, suppressed: 1, failed: 0, unknown: 1 },
    deliveries: [
      { recipient_id: unknownId, outcome: 'unknown' },
      { recipient_id: grace.id, outcome: 'suppressed', reason: 'kind_off' },
      { recipient_id: ada.id, outcome: 'delivered', channels: ['in_app', 'email'] },
    ],
  });
  expect(await contents()).toEqual([
    {
      type: 'comment',
      metadata: { actor_name: 'Builds' },
      entity_type: 'build',
      entity_id: '7',
      data: { entity_name: 'Build 7', text: 'The build of main is green again.', url: '/builds/7' },
    },
  ]);
});

it('a message in the name of a user that the recipient blocked, or about a muted thread, is suppressed', async () => {
  await supabase().database.exec(
    `insert into blocked_senders (user_id, sender_id) values ('${grace.id}', '${ada.id}');
     insert into muted_threads (user_id, entity_type, entity_id) values ('${grace.id}', 'build', '7')`,
  );
  const responses = await send(
    { recipients: [grace.id], kind: 'mention', text: 'Hello', sender: { user_id: ada.id } },
    { recipients: [grace.id], kind: 'mention', entity: { type: 'build', id: '7' } },
  );
  expect(responses.map(({ deliveries }) => deliveries[0]?.reason)).toEqual(['sender_blocked', 'muted']);
  expect(await contents()).toEqual([]);
});

it('a message takes only the channels that it names, of those that the recipient wants', async () => {
  await supabase().database.query(
    `insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
     values ($1, gen_random_uuid(), 'https://push.example.com/x', repeat('a', 87), repeat('a', 22))`,
    [grace.id],
  );
  const responses = await send(
    { recipients: [grace.id], kind: 'mention', text: 'Hello', channels: ['in_app'] },
    { recipients: [grace.id], kind: 'comment', text: 'Hello', channels: ['email'] },
    { recipients: [grace.id], kind: 'edit', text: 'Hello', channels: ['email'] },
    { recipients: [grace.id], kind: 'mention', text: 'Hello', channels: ['in_app', 'push'] },
  );
  await supabase().database.exec('delete from push_subscriptions');
  expect(responses.map(({ deliveries }) => deliveries[0])).toMatchObject([
    { outcome: 'delivered', channels: ['in_app'] },
    { outcome: 'delivered', channels: ['email'] },
    { outcome: 'suppressed', reason: 'channels_off' },
    { outcome: 'delivered', channels: ['in_app', 'push'] },
  ]);
  expect(await contents()).toMatchObject([{ type: 'mention' }, { type: 'mention' }]);
  expect(await supabase().database.query('select state from private.notification_mails')).toHaveLength(1);
});

it('an outcome stays when its message is delivered again, although the recipient has deleted it', async () => {
  const [message] = await send({
    recipients: [grace.id],
    kind: 'mention',
    text: 'Hello',
    channels: ['in_app'],
  });
  await supabase().database.exec('delete from notifications');
  await supabase().database.query('select private.deliver_messages(array[$1::uuid], array[$2::uuid])', [
    message?.id,
    grace.id,
  ]);
  expect((await statusOf(message?.id ?? '')).deliveries).toEqual(message?.deliveries);
  expect(await contents()).toEqual([]);
});

describe('an idempotency key', () => {
  it.each([['in_app'], ['email']])('sends once by %s and repeats the first response', async (channel) => {
    const message = {
      recipients: [grace.id],
      kind: 'mention',
      text: 'Hello',
      channels: [channel],
      idempotency_key: 'order-7',
    };
    const [first] = await send(message);
    const [second] = await send(message);
    expect(second).toEqual({ ...first, is_repeated: true });
    const sent = await supabase().database.query(
      `select id from notifications union all select id from private.mail_only_notifications`,
    );
    expect(sent).toHaveLength(1);
  });

  it('deduplicates within a call and between concurrent calls', async () => {
    const message = { recipients: [grace.id], kind: 'mention', text: 'Hello', idempotency_key: 'order-8' };
    const responses = (await Promise.all([send(message, message), send(message), send(message)])).flat();
    expect(new Set(responses.map(({ id }) => id)).size).toBe(1);
    expect(responses.filter((response) => !response.is_repeated)).toHaveLength(1);
    expect(await contents()).toHaveLength(1);
  });
});

it('a scheduled message is delivered at its time, unless it was canceled before', async () => {
  const { database } = supabase();
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const [kept, canceled] = await send(
    { recipients: [grace.id], text: 'kept', send_at: soon },
    { recipients: [grace.id], text: 'canceled', send_at: soon },
  );
  expect([kept?.state, canceled?.state]).toEqual(['scheduled', 'scheduled']);
  const response = (await (await call('cancel_message', { message_id: canceled?.id })).json()) as Message;
  expect(response.state).toBe('canceled');
  const deliver = () =>
    database.query<{ is_due: boolean }>(
      `select was_busy as is_due from private.deliver_ranges(false, 10, now() + interval '61 minutes', null)`,
    );
  expect(await deliver()).toEqual([{ is_due: true }]);
  expect(await deliver()).toEqual([{ is_due: false }]);
  expect(await contents()).toMatchObject([{ data: { text: 'kept' } }]);
  expect(await statusOf(kept?.id ?? '')).toMatchObject({ state: 'delivered', counts: { delivered: 1 } });
  expect((await call('cancel_message', { message_id: unknownId })).status).toBe(404);
});

it('a message that is delivered an hour after its call is among the changes of the last minute', async () => {
  const { database } = supabase();
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  await send({ recipients: [grace.id], text: 'x', send_at: soon });
  await database.exec(`update private.messages set created_at = now() - interval '1 hour'`);
  await database.query(`select private.deliver_ranges(false, 10, now() + interval '61 minutes', null)`);
  const [row] = await runAs(database, { role: 'authenticated', userId: grace.id }, (sql) =>
    sql.query<{ changes: { changed: object[] } }>(
      `select notification_changes(now() - interval '1 minute') as changes`,
    ),
  );
  expect(row?.changes.changed).toHaveLength(1);
});

describe('the queue of messages', () => {
  const soon = () => new Date(Date.now() + 3_600_000).toISOString();
  /** Delivers to one recipient what is due in an hour. */
  const deliverOne = () =>
    supabase().database.query(`select private.deliver_ranges(false, 1, now() + interval '61 minutes', null)`);

  it('delivers important messages first', async () => {
    await send(
      { recipients: [ada.id], text: 'first', send_at: soon() },
      { recipients: [ada.id], text: 'overtakes', send_at: soon(), important: true },
    );
    await deliverOne();
    expect(await contents()).toMatchObject([{ data: { text: 'overtakes' } }]);
  });

  it.each([
    [100, 1],
    [101, 3],
  ])('puts an audience of %i into the lane %i', async (members, lane) => {
    const { database } = supabase();
    await addAccounts(members);
    await database.exec(
      `insert into audiences (name) values ('crew');
       insert into audience_members (audience, user_id) select 'crew', id from auth.users where email like 'many-%';
       insert into audiences (name) values ('others');
       insert into audience_members (audience, user_id) values ('others', '${ada.id}')`,
    );
    await send({ audience: 'crew', text: 'x', send_at: soon() });
    const lanes = await database.query('select lane, is_open from private.message_ranges');
    await database.exec(`delete from auth.users where email like 'many-%'`);
    expect(lanes).toEqual([{ lane, is_open: lane === 3 }]);
  });

  it.each([
    ['a list', { recipients: [ada.id, grace.id] }],
    ['an audience', { audience: 'crew' }],
    ['everyone', { everyone: true }],
    ['followers', { followers: true, kind: 'releases' }],
  ])('ends a part of %s at its last recipient, and counts each once', async (_, to) => {
    const { database } = supabase();
    await call('register_kind', { kind: { name: 'releases', labels: { en: 'Releases' }, topic: true } });
    await database.query(
      `with crew as (insert into audiences (name) values ('crew') returning name),
         members as (insert into audience_members (audience, user_id) select name, id from crew, unnest($1::uuid[]) id)
       insert into notification_preferences (user_id, kinds) select id, '{"releases":{"in_app":true}}' from unnest($1::uuid[]) id`,
      [[ada.id, grace.id]],
    );
    const [message] = await send({ text: 'x', send_at: soon(), ...to });
    await database.exec(
      `update private.message_ranges set is_open = false, lane = 1, last_id = '${[ada.id, grace.id].toSorted()[0]}';
       insert into private.message_ranges (message_id, lane, due_at, after_id) select message_id, 1, due_at, last_id from private.message_ranges`,
    );
    await database.query(`select private.deliver_ranges(false, 100, now() + interval '61 minutes', null)`);
    expect(await statusOf(message?.id ?? '')).toMatchObject({ state: 'delivered', counts: { delivered: 2 } });
    await call('remove_kind', { name: 'releases' });
  });

  it('counts an audience as a large one once a part of it was reached', async () => {
    await supabase().database.query(
      `with added as (insert into audiences (name) values ('crew') returning name)
       insert into audience_members (audience, user_id) select name, id from added, unnest($1::uuid[]) id`,
      [[ada.id, grace.id]],
    );
    const [message] = await send({ audience: 'crew', text: 'x', send_at: soon() });
    const lanes = () =>
      supabase().database.query('select lane from private.message_ranges where message_id = $1', [
        message?.id,
      ]);
    expect(await lanes()).toEqual([{ lane: 1 }]);
    await deliverOne();
    expect(await lanes()).toEqual([{ lane: 3 }]);
  });

  it('leaves a list of few recipients in its lane once a part of it was reached', async () => {
    const { database } = supabase();
    await send({ recipients: [ada.id, grace.id], text: 'x', send_at: soon() });
    await deliverOne();
    expect(await database.query('select lane from private.message_ranges')).toEqual([{ lane: 1 }]);
  });

  it('splits an announcement in its first turn, and delivers from the second one on', async () => {
    await send({ everyone: true, text: 'x', send_at: soon() });
    const takeTurn = () =>
      supabase().database.query(
        `select private.deliver_ranges(true, 100, now() + interval '61 minutes', null)`,
      );
    await takeTurn();
    expect(await contents()).toEqual([]);
    await takeTurn();
    expect(await contents()).toHaveLength(2);
  });

  it.each([
    ['messages to few', false, ['To one']],
    ['announcements', true, ['To all', 'To all']],
  ])('delivers nothing else in a turn of %s', async (_, areMany, texts) => {
    await send(
      { everyone: true, text: 'To all', send_at: soon() },
      { recipients: [ada.id], text: 'To one', send_at: soon() },
    );
    // The first turn of an announcement splits it.
    for (let turn = 0; turn < 3; turn += 1)
      await supabase().database.query(
        `select private.deliver_ranges($1, 100, now() + interval '61 minutes', null)`,
        [areMany],
      );
    expect(await contents()).toMatchObject(texts.map((text) => ({ data: { text } })));
  });

  it('delivers to several announcements in turns', async () => {
    const { database } = supabase();
    // The embedded service must not run, because it would begin with the first message.
    await database.exec('alter table private.message_ranges disable trigger announce_outgoing');
    await database.query(`select send_notifications($1::jsonb)`, [
      JSON.stringify(['one', 'two'].map((text) => ({ everyone: true, text }))),
    ]);
    await database.exec('call private.deliver_outgoing(batch_size => 1)');
    await database.exec('alter table private.message_ranges enable trigger announce_outgoing');
    const rows = await database.query<{ text: string }>(
      `select content::jsonb #>> '{data,text}' as text from notifications order by created_at`,
    );
    expect(rows).toHaveLength(4);
    expect(new Set([rows[0]?.text, rows[1]?.text])).toEqual(new Set(['one', 'two']));
  });

  it.each([
    ['delivered', 'mention'],
    ['suppressed', 'comment'],
    ['failed', 'mention'],
  ])('counts who was %s before the end, also of a message that is canceled', async (outcome, kind) => {
    const { database } = supabase();
    await database.query(
      `insert into notification_preferences (user_id, in_app_comments, email_comments) select $1, false, false`,
      [grace.id],
    );
    // The delivery follows the order of the ids, so Grace is first.
    const [message] = await send({ recipients: [grace.id, ada.id], kind, text: 'x', send_at: soon() });
    if (outcome === 'failed') await whileRefusing(database, grace.id, deliverOne);
    else await deliverOne();
    const counts = { delivered: 0, suppressed: 0, failed: 0, [outcome]: 1 };
    expect(await statusOf(message?.id ?? '')).toMatchObject({ state: 'scheduled', counts });
    await call('cancel_message', { message_id: message?.id });
    expect(await statusOf(message?.id ?? '')).toMatchObject({ state: 'canceled', counts });
    expect(await database.query('select content from private.messages')).toEqual([{ content: null }]);
  });
});

it('the last part of an announcement begins after the part before it', async () => {
  const { database } = supabase();
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const [message] = await send({ everyone: true, text: 'x', send_at: soon });
  await database.exec(`update private.message_ranges set after_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'`);
  for (let turn = 0; turn < 2; turn += 1)
    await database.query(`select private.deliver_ranges(true, 10, now() + interval '61 minutes', null)`);
  expect(await statusOf(message?.id ?? '')).toMatchObject({ state: 'delivered', counts: { delivered: 0 } });
});

it.each([
  ['a list', { recipient_count: '1001' }],
  ['an audience', { audience: `'crew'` }],
  ['everyone', { is_for_everyone: 'true' }],
  ['followers', { is_for_followers: 'true' }],
])('%s of more than a thousand is split into parts that contain each recipient once', async (_, to) => {
  const parts: { readonly from: string | null; readonly to: string | null; readonly is_open: boolean }[] = [];
  const undone = supabase().database.transaction(async (sql) => {
    // Without triggers and foreign keys, which take a minute.
    await sql.query('set local session_replication_role = replica');
    await sql.query(
      `create temp table many on commit drop as select gen_random_uuid() as id from generate_series(1, 1001)`,
    );
    await sql.query('insert into auth.users (id) select id from many');
    await sql.query('insert into notification_preferences (user_id) select id from many');
    await sql.query(
      `insert into audience_members (audience, user_id) select name, id from many, unnest('{crew,others}'::text[]) name`,
    );
    const [message] = await sql.query<{ id: string }>(
      `insert into private.messages (${Object.keys(to).join()}, send_at) values (${Object.values(to).join()}, 'infinity') returning id`,
    );
    await sql.query(
      'insert into private.message_recipients (message_id, recipient_id) select $1, id from many',
      [message?.id],
    );
    await sql.query(
      `insert into private.message_ranges (message_id, lane, due_at, is_open) values ($1, 3, 'infinity', true)`,
      [message?.id],
    );
    for (let turn = 0; turn < 2; turn += 1)
      await sql.query(
        `select private.split_range(r, m) from private.message_ranges r join private.messages m on m.id = r.message_id where r.is_open`,
      );
    parts.push(
      ...(await sql.query<(typeof parts)[number]>(
        'select after_id as from, last_id as to, is_open from private.message_ranges order by after_id nulls first',
      )),
    );
    const recipients = 'is_for_everyone' in to ? 'auth.users' : 'many';
    expect(
      await sql.query(`select count(*)::int as first from ${recipients} where id <= $1`, [parts[0]?.to]),
    ).toEqual([{ first: 1000 }]);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(parts).toEqual([
    { from: null, to: expect.any(String), is_open: false },
    { from: parts[0]?.to, to: null, is_open: false },
  ]);
});

it('audiences and everyone are delivered to in chunks, each account once', async () => {
  const { database } = supabase();
  await database.exec(
    `insert into audiences (name) values ('admins');
     insert into audience_members (audience, user_id) select 'admins', id from auth.users limit 2`,
  );
  const [toAudience, toAll] = await send(
    { audience: 'admins', text: 'To admins' },
    { everyone: true, text: 'To all' },
  );
  await expect.poll(async () => (await statusOf(toAll?.id ?? '')).state).toBe('delivered');
  const [accounts] = await database.query<{ count: number }>(
    'select count(*)::int as count from auth.users where confirmed_at is not null',
  );
  expect((await statusOf(toAudience?.id ?? '')).counts['delivered']).toBe(2);
  expect((await statusOf(toAll?.id ?? '')).counts['delivered']).toBe(accounts?.count);
  const repeated = await database.query(
    `select recipient_id, content from notifications group by 1, 2 having count(*) > 1`,
  );
  expect(repeated).toEqual([]);
});

it('an announcement to many is delivered in chunks without a lost or repeated recipient, and its log is read in pages', async () => {
  const { database } = supabase();
  await addAccounts(250);
  const ids = (
    await database.query<{ id: string }>(`select id from auth.users where email like 'many-%' order by id`)
  ).map(({ id }) => id);
  const [message] = await send({ recipients: [...ids, ids[0]], text: 'To many' });
  expect(message).toMatchObject({ state: 'queued', counts: { delivered: 0 } });
  await expect.poll(async () => (await statusOf(message?.id ?? '')).state).toBe('delivered');
  const first = await statusOf(message?.id ?? '', { page_size: 200 });
  expect(first.counts['delivered']).toBe(250);
  const rest = await statusOf(message?.id ?? '', {
    page_size: 200,
    after: first.deliveries.at(-1)?.recipient_id,
  });
  const reached = [...first.deliveries, ...rest.deliveries].map((delivery) => delivery.recipient_id);
  expect(reached).toEqual(ids);
  const one = await statusOf(message?.id ?? '', { user_id: ids[7] });
  expect(one.deliveries).toMatchObject([{ recipient_id: ids[7], outcome: 'delivered' }]);
  await database.exec(`delete from auth.users where email like 'many-%'`);
});

it.each([
  [{}, /^messages\[1\] needs one of recipients, audience, everyone and followers\.$/],
  [
    { recipients: [ada.id], everyone: true },
    /^messages\[1\] needs one of recipients, audience, everyone and followers\.$/,
  ],
  [{ recipients: [] }, /^messages\[1\]\.recipients is not a list of 1 to 10000 account ids\.$/],
  [{ recipients: [ada.id, 'ada'] }, /^messages\[1\]\.recipients\[1\] is not the id of an account\.$/],
  [{ audience: 'nobody' }, /^messages\[1\]\.audience is unknown\.$/],
  [{ everyone: 'yes' }, /^messages\[1\]\.everyone is not true or false\.$/],
  [{ everyone: true, title: 'x' }, /^messages\[1\]\.title is unknown; known are recipients, /],
  [
    { everyone: true, kind: 'Build failed' },
    /^messages\[1\]\.kind is neither a kind of the application nor registered by register_kind\.$/,
  ],
  [{ everyone: true, important: 'yes' }, /^messages\[1\]\.important is not true or false\.$/],
  [{ everyone: true, text: 7 }, /^messages\[1\]\.text is not a string\.$/],
  [{ everyone: true, text: 'x'.repeat(2001) }, /^messages\[1\]\.text has more than 2000 characters\.$/],
  [
    { everyone: true, url: 'https://example.com' },
    /^messages\[1\]\.url is not a path of the application, such as \/orders\/7\.$/,
  ],
  [{ everyone: true, entity: { type: 'build' } }, /^messages\[1\]\.entity needs type and id\.$/],
  [
    { everyone: true, entity: { type: 'build', id: '7', nom: 'x' } },
    /^messages\[1\]\.entity\.nom is unknown/,
  ],
  [
    { everyone: true, sender: { name: 'A', user_id: ada.id } },
    /^messages\[1\]\.sender needs either user_id or name\.$/,
  ],
  [
    { everyone: true, sender: { user_id: unknownId } },
    /^messages\[1\]\.sender\.user_id is not the id of an account\.$/,
  ],
  [
    { everyone: true, channels: ['sms'] },
    /^messages\[1\]\.channels is not a list of in_app, email and push\.$/,
  ],
  [{ everyone: true, send_at: 'tomorrow' }, /^messages\[1\]\.send_at is not a time such as/],
  [{ everyone: true, send_at: '2027-02-31T25:00:00Z' }, /^messages\[1\]\.send_at is not a time such as/],
])('the message %j is refused with its path, and nothing is sent', async (message, detail) => {
  const response = await call('send_notifications', {
    messages: [{ recipients: [ada.id], text: 'Hello' }, message],
  });
  expect(response.status).toBe(400);
  const problem = (await response.json()) as { message: string; details: string };
  expect(problem.message).toBe('message_invalid');
  expect(problem.details).toMatch(detail);
  expect(await contents()).toEqual([]);
  expect(await supabase().database.query('select id from private.messages')).toEqual([]);
});

it.each([
  [{ text: undefined }, /\.text is missing, and neither an entity nor a template/],
  [{ kind: 'comment', text: undefined }, /\.text is missing/],
  [{ kind: 'message', text: undefined, entity: { type: 'build', id: '7' } }, /\.text is missing/],
  [{ text: ' ' }, /\.text is empty\.$/],
  [{ text: 'a\u0007b' }, /\.text has control characters/],
  [
    { fields: { n: 0 }, text: 'x', expires_at: '2020-01-01T00:00:00Z' },
    /\.expires_at is not after the time of sending\.$/,
  ],
  [{ text: 'x', send_at: '2027-01-31T09:00:00+25:00' }, /\.send_at is not a time such as/],
  [{ text: 'x', expires_at: '2999-01-31T09:00:00Z' }, /\.expires_at is not a time such as/],
  [{ text: 'x', channels: ['push'] }, /\.channels has push without in_app/],
])('a message without content, or with impossible content, is refused: %j', async (wrong, detail) => {
  const response = await call('send_notifications', { messages: [{ recipients: [ada.id], ...wrong }] });
  expect([response.status, ((await response.json()) as { details: string }).details]).toEqual([
    400,
    expect.stringMatching(detail),
  ]);
});

it.each([
  ['text', 2000],
  ['url', 1000],
  ['send_at', 40],
  ['expires_at', 40],
  ['idempotency_key', 200],
  ['entity.type', 100],
  ['entity.id', 200],
  ['entity.name', 200],
  ['sender.name', 100],
])('the field %s of a message has up to %i characters', async (path, most) => {
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19);
  const message = (length: number) => {
    const [field = '', part] = path.split('.');
    const isTime = path.endsWith('_at');
    const value = isTime ? `${inAnHour}.`.padEnd(length - 1, '0') + 'Z' : '/'.padEnd(length, 'x');
    const entity = { type: 'build', id: '7' };
    if (part === undefined) return { recipients: [grace.id], text: 'x', [field]: value };
    const parts = { ...(field === 'entity' ? entity : {}), [part]: value };
    return { recipients: [grace.id], text: 'x', [field]: parts };
  };
  expect((await call('send_notifications', { messages: [message(most)] })).status).toBe(200);
  expect(await contents()).toHaveLength(path === 'send_at' ? 0 : 1);
  const refused = await call('send_notifications', { messages: [message(most + 1)] });
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { details: `messages[0].${path} has more than ${most} characters.` },
  ]);
});

it('a number of a field has 200 digits at most', async () => {
  const message = `[{"recipients":["${ada.id}"],"text":"x","fields":{"n":1e131071}}]`;
  await expect(
    supabase().database.query('select send_notifications($1::jsonb)', [message]),
  ).rejects.toMatchObject({
    message: 'message_invalid',
    detail: 'messages[0].fields.n has more than 200 digits.',
  });
});

it('lines may end with CRLF', async () => {
  await send({ recipients: [grace.id], text: 'one\r\ntwo' });
  expect(await contents()).toMatchObject([{ data: { text: 'one\ntwo' } }]);
});

it('an idempotency key of another message is refused, and sends nothing', async () => {
  await send({ recipients: [grace.id], text: 'first', idempotency_key: 'order-9' });
  const response = await call('send_notifications', {
    messages: [{ recipients: [ada.id], text: 'first', idempotency_key: 'order-9' }],
  });
  expect([response.status, await response.json()]).toMatchObject([
    409,
    { message: 'key_reused', details: 'messages[0].idempotency_key belongs to another message.' },
  ]);
  expect(await contents()).toHaveLength(1);
});

it('a repeated call retries the failed recipients', async () => {
  const message = {
    recipients: [ada.id, grace.id],
    kind: 'comment',
    text: 'again',
    idempotency_key: 'order-10',
  };
  await supabase().database.query(
    `insert into notification_preferences (user_id, in_app_comments, email_comments) select $1, false, false`,
    [ada.id],
  );
  const [failed] = await whileRefusing(supabase().database, grace.id, () => send(message));
  expect(failed?.counts).toMatchObject({ suppressed: 1, failed: 1 });
  const [repeated] = await send(message);
  expect(repeated).toMatchObject({ id: failed?.id, is_repeated: true });
  await expect
    .poll(async () => (await statusOf(failed?.id ?? '')).counts)
    .toMatchObject({ delivered: 1, suppressed: 1, failed: 0 });
  expect(await contents()).toHaveLength(1);
});

it('a message that was canceled stays canceled when its call is repeated', async () => {
  const message = {
    recipients: [ada.id, grace.id],
    text: 'x',
    send_at: new Date(Date.now() + 3_600_000).toISOString(),
    idempotency_key: 'order-11',
  };
  const [sent] = await send(message);
  // The delivery follows the order of the ids, so Grace is first.
  await whileRefusing(supabase().database, grace.id, () =>
    supabase().database.query(`select private.deliver_ranges(false, 1, now() + interval '61 minutes', null)`),
  );
  await call('cancel_message', { message_id: sent?.id });
  const [repeated] = await send(message);
  expect(repeated).toMatchObject({ state: 'canceled', counts: { delivered: 0, failed: 1 } });
});

it('the response names the first 100 of many recipients that are unknown', async () => {
  const ids = Array.from({ length: 101 }, () => crypto.randomUUID());
  const [message] = await send({ recipients: ids, text: 'x' });
  expect(message?.counts['unknown']).toBe(101);
  expect(message?.deliveries.map(({ recipient_id: id }) => id)).toEqual(ids.toSorted().slice(0, 100));
});

it('an account that was deleted softly receives nothing, and is unknown', async () => {
  const { database } = supabase();
  await addAccounts(1);
  const [deleted] = await database.query<{ id: string }>(
    `update auth.users set deleted_at = now() where email like 'many-%' returning id`,
  );
  const [message] = await send({ recipients: [deleted?.id, ada.id], text: 'x' });
  await database.exec(`delete from auth.users where email like 'many-%'`);
  expect(message?.counts).toEqual({ delivered: 1, suppressed: 0, failed: 0, unknown: 1 });
  expect(message?.deliveries).toHaveLength(2);
});

it.each([
  [100, 'delivered'],
  [101, 'queued'],
])('a call with %i recipients in all returns when they are %s', async (count, state) => {
  const { database } = supabase();
  await addAccounts(count);
  const ids = (
    await database.query<{ id: string }>(`select id from auth.users where email like 'many-%' order by id`)
  ).map(({ id }) => id);
  const messages = await send(
    { recipients: ids.slice(0, 99), text: 'x' },
    { recipients: ids.slice(99), text: 'x' },
  );
  await database.exec(`delete from auth.users where email like 'many-%'`);
  expect(messages.map((message) => message.state)).toEqual([state, state]);
});

describe('an undeliverable message is not reported as delivered', () => {
  it.each([
    ['bounced', `select suppress_mail_address('${grace.email}', 'bounce')`],
    ['is not confirmed', `update auth.users set email_confirmed_at = null where id = '${grace.id}'`],
  ])('by mail alone, where the address %s', async (_, cause) => {
    const { database } = supabase();
    await database.exec(cause);
    const responses = await send(
      { recipients: [grace.id], kind: 'comment', text: 'x', channels: ['email'] },
      { recipients: [grace.id], kind: 'comment', text: 'x' },
    );
    await database.exec(
      `delete from private.suppressed_addresses; update auth.users set email_confirmed_at = now() where id = '${grace.id}'`,
    );
    expect(responses.map(({ deliveries }) => deliveries[0])).toMatchObject([
      { outcome: 'suppressed', reason: 'no_address' },
      { outcome: 'delivered', channels: ['in_app'] },
    ]);
  });

  it('by the app alone, which the recipient has switched off, whatever its address', async () => {
    await supabase().database.query(
      'insert into notification_preferences (user_id, in_app_comments, email_comments) values ($1, false, true)',
      [grace.id],
    );
    const [message] = await send({
      recipients: [grace.id],
      kind: 'comment',
      text: 'x',
      channels: ['in_app'],
    });
    expect(message?.deliveries).toMatchObject([{ outcome: 'suppressed', reason: 'channels_off' }]);
  });

  it('to an audience that was renamed before the message was due', async () => {
    const { database } = supabase();
    await database.exec(
      `insert into audiences (name) values ('crew'); insert into audience_members (audience, user_id) values ('crew', '${grace.id}')`,
    );
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const [message] = await send({ audience: 'crew', text: 'x', send_at: soon });
    await database.exec(`update audiences set name = 'staff' where name = 'crew'`);
    await database.query(`select private.deliver_ranges(false, 10, now() + interval '61 minutes', null)`);
    expect(await statusOf(message?.id ?? '')).toMatchObject({ state: 'delivered', counts: { delivered: 1 } });
  });
});

it('everyone excludes anonymous, banned, unconfirmed and deleted accounts', async () => {
  const { database } = supabase();
  await database.exec(
    `insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at, is_anonymous, banned_until, deleted_at)
     select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', account.*
     from (values
       ('anonymous@example.com', now(), true, null, null), ('banned@example.com', now(), false, now() + interval '1 day', null),
       ('unconfirmed@example.com', null, false, null, null), ('was-banned@example.com', now(), false, now() - interval '1 day', null),
       ('deleted@example.com', now(), false, null, now())
     ) account (email, confirmed_at, is_anonymous, banned_until, deleted_at)`,
  );
  const [message] = await send({ everyone: true, text: 'x' });
  await expect.poll(async () => (await statusOf(message?.id ?? '')).state).toBe('delivered');
  const reached = await database.query<{ email: string }>(
    'select u.email from notifications n join auth.users u on u.id = n.recipient_id order by 1',
  );
  await database.exec(
    `delete from auth.users where email like '%banned@%' or email ~ '^(anonymous|unconfirmed|deleted)@'`,
  );
  expect(reached.map(({ email }) => email)).toEqual(
    [ada.email, grace.email, 'was-banned@example.com'].toSorted(),
  );
});

describe('a message that expires', () => {
  const soon = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

  it('leaves the inbox, read or not, and is not delivered afterwards', async () => {
    const { database } = supabase();
    await send({ recipients: [grace.id], text: 'x', expires_at: soon(10) });
    const [late] = await send({ recipients: [ada.id], text: 'x', send_at: soon(5), expires_at: soon(10) });
    await database.query(`call private.run_retention(1000, now() + interval '9 minutes')`);
    expect(await contents()).toHaveLength(1);
    await database.query(`call private.run_retention(1000, now() + interval '11 minutes')`);
    expect(await contents()).toEqual([]);
    await database.query(`update private.messages set expires_at = now() where id = $1`, [late?.id]);
    await database.query(`select private.deliver_ranges(false, 10, now() + interval '6 minutes', null)`);
    expect(await statusOf(late?.id ?? '')).toMatchObject({ state: 'expired', counts: { delivered: 0 } });
    expect(await contents()).toEqual([]);
  });

  it('by default is an announcement, which expires after 90 days', async () => {
    const [announcement, message] = await send(
      { everyone: true, text: 'x' },
      { recipients: [ada.id], text: 'x' },
    );
    const days = (message_: Message | undefined) =>
      message_?.expires_at && Math.round((Date.parse(message_.expires_at) - Date.now()) / 86_400_000);
    expect([days(announcement), days(message)]).toEqual([90, null]);
  });
});

it('a call within a transaction of SQL is queued, and delivered after the commit', async () => {
  const { database } = supabase();
  const [row] = await database.query<{ state: string; waiting: number }>(
    `with sent as (
       select send_notifications(jsonb_build_array(jsonb_build_object('recipients', jsonb_build_array($1::text), 'text', 'x'))) as answer
     )
     select answer -> 0 ->> 'state' as state, (select count(*)::int from notifications) as waiting from sent`,
    [grace.id],
  );
  expect(row).toEqual({ state: 'queued', waiting: 0 });
  await expect.poll(contents).toHaveLength(1);
});

describe('a transient failure', () => {
  const failing = (times: number) => `
    create sequence public.tries;
    create function public.fail_at_first() returns trigger language plpgsql as $$ begin
      if nextval('public.tries') <= ${times} then raise object_not_in_prerequisite_state using message = 'not yet'; end if;
      return new;
    end $$;
    create trigger fail_at_first before insert on public.notifications
      for each row when (new.recipient_id = '${grace.id}') execute function public.fail_at_first()`;
  const mend = () =>
    supabase().database.exec(
      `drop trigger fail_at_first on public.notifications; drop function public.fail_at_first(); drop sequence public.tries`,
    );

  it('delays one recipient until a later attempt', async () => {
    const { database } = supabase();
    // A sequence is not rolled back: the batch and the recipient alone fail once each.
    await database.exec(failing(2));
    const [message] = await send({ recipients: [ada.id, grace.id], text: 'x' });
    expect(message).toMatchObject({ state: 'queued', counts: { delivered: 1, failed: 0 } });
    await expect
      .poll(async () => await statusOf(message?.id ?? ''))
      .toMatchObject({ state: 'delivered', counts: { delivered: 2, failed: 0 } });
    await mend();
  });

  it('delays the recipient longer after each attempt', async () => {
    const { database } = supabase();
    await database.exec(failing(1000));
    await send({ recipients: [ada.id, grace.id], text: 'x' });
    for (let attempt = 1; attempt < 6; attempt += 1)
      await database.query(`select private.deliver_ranges(false, 10, now() + interval '1 day', null)`);
    const [range] = await database.query<{ seconds: number }>(
      `select extract(epoch from due_at - clock_timestamp())::float8 as seconds from private.message_ranges`,
    );
    // 32 seconds after the sixth failure, less the time of this test.
    expect(range?.seconds).toBeGreaterThan(10);
    await mend();
  });

  it('delays the recipient ten minutes at most', async () => {
    const { database } = supabase();
    await database.exec(failing(1000));
    await send({ recipients: [ada.id, grace.id], text: 'x' });
    for (let attempt = 1; attempt < 11; attempt += 1)
      await database.query(`select private.deliver_ranges(false, 10, now() + interval '1 day', null)`);
    const [range] = await database.query<{ attempts: number; seconds: number }>(
      `select attempts, extract(epoch from due_at - clock_timestamp())::float8 as seconds from private.message_ranges`,
    );
    expect(range?.attempts).toBe(11);
    expect(range?.seconds).toBeLessThanOrEqual(600);
    await mend();
  });

  it('counts the attempts of each recipient alone', async () => {
    const { database } = supabase();
    await database.exec(failing(1000));
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const [message] = await send({ recipients: [ada.id, grace.id], text: 'x', send_at: soon });
    await database.query(
      `insert into private.message_ranges (message_id, lane, due_at, only_id, attempts)
       values ($1, 1, now() + interval '1 hour', $2, 11)`,
      [message?.id, ada.id],
    );
    await database.query('select private.deliver_to_one($1, $2)', [message?.id, grace.id]);
    expect(
      await database.query('select attempts from private.message_ranges where only_id = $1', [grace.id]),
    ).toEqual([{ attempts: 1 }]);
    await mend();
  });

  it('is logged as failed after the last attempt', async () => {
    const { database } = supabase();
    await database.exec(failing(1000));
    const [message] = await send({ recipients: [ada.id, grace.id], text: 'x' });
    for (let attempt = 1; attempt < 12; attempt += 1)
      await database.query(`select private.deliver_ranges(false, 10, now() + interval '1 day', null)`);
    expect(await statusOf(message?.id ?? '')).toMatchObject({
      state: 'delivered',
      counts: { delivered: 1, failed: 1 },
      deliveries: [
        { recipient_id: grace.id, outcome: 'failed', reason: 'not yet' },
        { outcome: 'delivered' },
      ],
    });
    await mend();
  });
});

it.each([
  ['is delivered at once', { recipients: [grace.id, ada.id] }],
  ['is queued', { everyone: true }],
])('a message that %s reaches the others where one recipient cannot be delivered to', async (_, to) => {
  await whileRefusing(supabase().database, grace.id, async () => {
    const [message] = await send({ ...to, kind: 'comment', text: 'Hello' });
    await expect.poll(async () => (await statusOf(message?.id ?? '')).state).toBe('delivered');
    expect(await statusOf(message?.id ?? '')).toMatchObject({
      counts: { delivered: 1, failed: 1 },
      deliveries: [
        { recipient_id: grace.id, outcome: 'failed', reason: 'This team refuses.' },
        { recipient_id: ada.id, outcome: 'delivered' },
      ],
    });
  });
});

it('a user can neither send by the call, nor read the log, nor see audiences', async () => {
  const asUser = (path: string, body?: unknown) =>
    requestApi(supabase(), path, { method: body ? 'POST' : 'GET', body });
  expect((await asUser('/rest/v1/rpc/send_notifications', { messages: [] })).status).toBe(401);
  expect((await asUser('/rest/v1/rpc/message_status', { message_id: unknownId })).status).toBe(401);
  expect((await asUser('/rest/v1/audience_members')).status).toBe(401);
});

it.each([
  ['delivered', {}],
  ['canceled', { send_at: new Date(Date.now() + 3_600_000).toISOString() }],
])('retention deletes the log of a message that was %s after 30 days', async (state, more) => {
  const [message] = await send({ recipients: [grace.id], text: 'Hello', ...more });
  await call('cancel_message', { message_id: message?.id });
  expect((await statusOf(message?.id ?? '')).state).toBe(state);
  await supabase().database.query(`call private.run_retention(1000, now() + interval '29 days')`);
  expect((await call('message_status', { message_id: message?.id })).status).toBe(200);
  await supabase().database.query(`call private.run_retention(1000, now() + interval '31 days')`);
  expect((await call('message_status', { message_id: message?.id })).status).toBe(404);
});

it('retention deletes the log of a message to many in batches, and then the message', async () => {
  const { database } = supabase();
  await database.exec('delete from private.messages');
  await send({ recipients: [ada.id, grace.id], text: 'Hello' });
  const left: unknown[] = [];
  for (let batch = 0; batch < 4; batch += 1) {
    const [row] = await database.query<{ more: boolean }>(
      `select private.delete_expired_messages(1, now() + interval '31 days') as more`,
    );
    const [counts] = await database.query<{ messages: number; deliveries: number }>(
      `select (select count(*)::int from private.messages) as messages,
         (select count(*)::int from private.message_deliveries) as deliveries`,
    );
    left.push({ ...row, ...counts });
  }
  expect(left).toEqual([
    { more: true, messages: 1, deliveries: 1 },
    { more: true, messages: 1, deliveries: 0 },
    { more: true, messages: 0, deliveries: 0 },
    { more: false, messages: 0, deliveries: 0 },
  ]);
});
