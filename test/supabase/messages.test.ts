import { beforeEach, describe, expect, it } from 'vitest';
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

beforeEach(() =>
  supabase().database.exec(
    `delete from private.messages; delete from notifications; delete from notification_preferences;
     delete from audiences; delete from blocked_senders; delete from muted_threads;
     delete from private.mail_only_notifications; delete from private.notification_mails`,
  ),
);

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
  const answers = await send(
    { recipients: [grace.id], kind: 'mention', sender: { user_id: ada.id } },
    { recipients: [grace.id], kind: 'mention', entity: { type: 'build', id: '7' } },
  );
  expect(answers.map(({ deliveries }) => deliveries[0]?.reason)).toEqual(['sender_blocked', 'muted']);
  expect(await contents()).toEqual([]);
});

it('a message takes only the channels that it names, of those that the recipient wants', async () => {
  const answers = await send(
    { recipients: [grace.id], kind: 'mention', channels: ['in_app'] },
    { recipients: [grace.id], kind: 'comment', channels: ['email'] },
    { recipients: [grace.id], kind: 'edit', channels: ['email'] },
  );
  expect(answers.map(({ deliveries }) => deliveries[0])).toMatchObject([
    { outcome: 'delivered', channels: ['in_app'] },
    { outcome: 'delivered', channels: ['email'] },
    { outcome: 'suppressed', reason: 'channels_off' },
  ]);
  expect(await contents()).toMatchObject([{ type: 'mention' }]);
  expect(await supabase().database.query('select state from private.notification_mails')).toHaveLength(1);
});

describe('an idempotency key', () => {
  it.each([['in_app'], ['email']])('sends once by %s and repeats the first answer', async (channel) => {
    const message = {
      recipients: [grace.id],
      kind: 'mention',
      channels: [channel],
      idempotency_key: 'order-7',
    };
    const [first] = await send(message);
    const [second] = await send({ ...message, text: 'another text' });
    expect(second).toEqual({ ...first, is_repeated: true });
    const sent = await supabase().database.query(
      `select id from notifications union all select id from private.mail_only_notifications`,
    );
    expect(sent).toHaveLength(1);
  });

  it('counts within a call and between simultaneous calls, too', async () => {
    const message = { recipients: [grace.id], kind: 'mention', idempotency_key: 'order-8' };
    const answers = (await Promise.all([send(message, message), send(message), send(message)])).flat();
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.filter((answer) => !answer.is_repeated)).toHaveLength(1);
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
  const answer = (await (await call('cancel_message', { message_id: canceled?.id })).json()) as Message;
  expect(answer.state).toBe('canceled');
  const deliver = () =>
    database.query<{ is_due: boolean }>(
      `select private.deliver_message_batch(10, now() + interval '61 minutes') as is_due`,
    );
  expect(await deliver()).toEqual([{ is_due: true }]);
  expect(await deliver()).toEqual([{ is_due: false }]);
  expect(await contents()).toMatchObject([{ data: { text: 'kept' } }]);
  expect(await statusOf(kept?.id ?? '')).toMatchObject({ state: 'delivered', counts: { delivered: 1 } });
  expect((await call('cancel_message', { message_id: unknownId })).status).toBe(404);
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
  const [accounts] = await database.query<{ count: number }>('select count(*)::int as count from auth.users');
  expect((await statusOf(toAudience?.id ?? '')).counts['delivered']).toBe(2);
  expect((await statusOf(toAll?.id ?? '')).counts['delivered']).toBe(accounts?.count);
  const repeated = await database.query(
    `select recipient_id, content from notifications group by 1, 2 having count(*) > 1`,
  );
  expect(repeated).toEqual([]);
});

it('an announcement to many is delivered in chunks that lose and repeat nobody, and its log is read in pages', async () => {
  const { database } = supabase();
  await database.exec(
    `insert into auth.users (instance_id, id, aud, role, email)
     select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', 'many-' || n || '@example.com'
     from generate_series(1, 250) n`,
  );
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
  [{}, /^messages\[1\] needs one of recipients, audience and everyone\.$/],
  [
    { recipients: [ada.id], everyone: true },
    /^messages\[1\] needs one of recipients, audience and everyone\.$/,
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
  [
    { everyone: true, text: 'x'.repeat(2001) },
    /^messages\[1\]\.text is empty, has more than 2000 characters/,
  ],
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
  [{ everyone: true, send_at: 'tomorrow' }, /^messages\[1\]\.send_at is not a time within a year/],
  [
    { everyone: true, send_at: '2027-02-31T25:00:00Z' },
    /^messages\[1\]\.send_at is not a time within a year/,
  ],
])('the message %j is refused with its path, and nothing is sent', async (message, detail) => {
  const response = await call('send_notifications', { messages: [{ recipients: [ada.id] }, message] });
  expect(response.status).toBe(400);
  const problem = (await response.json()) as { message: string; details: string };
  expect(problem.message).toBe('message_invalid');
  expect(problem.details).toMatch(detail);
  expect(await contents()).toEqual([]);
  expect(await supabase().database.query('select id from private.messages')).toEqual([]);
});

it.each([
  ['is delivered at once', { recipients: [grace.id, ada.id] }],
  ['is queued', { everyone: true }],
])('a message that %s reaches the others where one recipient cannot be delivered to', async (_, to) => {
  await whileRefusing(supabase().database, grace.id, async () => {
    const [message] = await send({ ...to, kind: 'comment' });
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

it('retention deletes the log of a finished message after 30 days', async () => {
  const [message] = await send({ recipients: [grace.id] });
  await supabase().database.query(`call private.run_retention(1000, now() + interval '29 days')`);
  expect((await call('message_status', { message_id: message?.id })).status).toBe(200);
  await supabase().database.query(`call private.run_retention(1000, now() + interval '31 days')`);
  expect((await call('message_status', { message_id: message?.id })).status).toBe(404);
});
