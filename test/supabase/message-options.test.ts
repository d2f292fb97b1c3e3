import { beforeEach, describe, expect, it } from 'vitest';
import { ada, grace, requestApi, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase({ functionSettings: { 'notification-mails': { verifyJwt: false } } });
const unknownId = '00000000-0000-4000-8000-00000000dead';

const callApi = async (path: string, body: unknown) => {
  const { serviceRoleKey } = supabase();
  const response = await requestApi(supabase(), path, {
    method: 'POST',
    apiKey: serviceRoleKey,
    token: serviceRoleKey,
    body,
  });
  return { status: response.status, body: (await response.json()) as never };
};
const send = async (message: object, more: object = {}) => {
  const { status, body } = await callApi('/rest/v1/rpc/send_notifications', { messages: [message], ...more });
  return { status, response: (status === 200 ? body[0] : body) as Record<string, never> };
};
const reached = async () =>
  (
    await supabase().database.query<{ recipient_id: string }>(
      'select recipient_id from notifications order by recipient_id',
    )
  ).map(({ recipient_id: id }) => id);
/** Everything that is stored about messages and notifications, in rows. */
const stored = () =>
  supabase().database.query(
    `select (select count(*)::int from notifications) as notifications, (select count(*)::int from private.messages) as messages,
       (select count(*)::int from private.message_ranges) as ranges, (select count(*)::int from private.message_deliveries) as log,
       (select count(*)::int from private.notification_mails) as mails,
       (select count(*)::int from private.mail_only_notifications) as mail_only,
       (select sum(unread)::int from notification_counters) as unread`,
  );

beforeEach(() =>
  supabase().database.exec(
    `delete from private.messages; delete from notifications; delete from notification_preferences; delete from audiences;
     delete from private.notification_mails; delete from private.mail_only_notifications;
     delete from notification_kinds where name <> 'system'`,
  ),
);

describe('a message at a local time', () => {
  const deliver = (at: Date) =>
    supabase().database.query('select private.deliver_ranges(false, 100, $1, null)', [at.toISOString()]);
  const zones = async () => {
    await supabase().database.query(
      `insert into notification_preferences (user_id, time_zone) values ($1, 'Asia/Tokyo'), ($2, 'America/Los_Angeles')`,
      [ada.id, grace.id],
    );
  };

  it('arrives when it is that time for each recipient, and at once where that has passed', async () => {
    await zones();
    const { status, response } = await send({
      recipients: [ada.id, grace.id, unknownId],
      text: 'Good morning',
      send_at: { local_time: '2027-01-05T09:00' },
    });
    expect([status, response]).toMatchObject([
      200,
      { state: 'scheduled', send_at: '2027-01-04T19:00:00+00:00', local_time: '2027-01-05T09:00:00' },
    ]);
    await deliver(new Date('2027-01-04T23:59:00Z'));
    expect(await reached()).toEqual([]);
    await deliver(new Date('2027-01-05T00:00:00Z'));
    expect(await reached()).toEqual([ada.id]);
    // The time is UTC for recipients without a time zone: the only such recipient has no account.
    await deliver(new Date('2027-01-05T09:00:00Z'));
    expect(await reached()).toEqual([ada.id]);
    await deliver(new Date('2027-01-05T17:00:00Z'));
    expect(await reached()).toEqual([grace.id, ada.id].toSorted());
    const status2 = await callApi('/rest/v1/rpc/message_status', { message_id: response['id'] });
    expect(status2.body).toMatchObject({
      state: 'delivered',
      counts: { delivered: 2, failed: 0, unknown: 1 },
    });
  });

  it('reaches a recipient who moves to a later zone in the meantime only once', async () => {
    await zones();
    await send({ recipients: [ada.id, grace.id], text: 'x', send_at: { local_time: '2027-01-05T09:00' } });
    await deliver(new Date('2027-01-05T00:00:00Z'));
    await supabase().database.exec(`update notification_preferences set time_zone = 'America/Los_Angeles'`);
    await deliver(new Date('2027-01-05T17:00:00Z'));
    expect(await reached()).toHaveLength(2);
  });

  it('waits for that time although zones further east have reached it', async () => {
    const localTime = new Date(Date.now() + 2 * 3_600_000).toISOString().slice(0, 16);
    const { response } = await send({ recipients: [ada.id], text: 'x', send_at: { local_time: localTime } });
    expect(response['counts']).toMatchObject({ delivered: 0 });
    expect(await reached()).toEqual([]);
  });

  it('counts a recipient once whose delivery is retried when it is that time for others', async () => {
    const { database } = supabase();
    await zones();
    const { response } = await send({
      recipients: [ada.id, grace.id],
      text: 'x',
      send_at: { local_time: '2027-01-05T09:00' },
    });
    await database.exec(`
      create function public.fail_for_now() returns trigger language plpgsql as
        $$ begin raise object_not_in_prerequisite_state using message = 'not yet'; end $$;
      create trigger fail_for_now before insert on public.notifications for each row execute function public.fail_for_now()`);
    await deliver(new Date('2027-01-05T00:00:00Z'));
    await database.exec(`
      update private.message_ranges set due_at = '2027-01-05T17:00:00Z';
      drop trigger fail_for_now on public.notifications; drop function public.fail_for_now()`);
    await deliver(new Date('2027-01-05T17:00:00Z'));
    const { body } = await callApi('/rest/v1/rpc/message_status', { message_id: response['id'] });
    expect(body).toMatchObject({ state: 'delivered', counts: { delivered: 2 } });
  });

  it.each([
    ['2027-01-05', /send_at\.local_time is not a local time/],
    ['2027-01-05T09:00Z', /send_at\.local_time is not a local time/],
    ['2027-02-30T09:00', /send_at\.local_time is not a local time/],
    ['2030-01-05T09:00', /send_at\.local_time is not a local time/],
  ])('is refused as %s', async (localTime, detail) => {
    const { status, response } = await send({
      recipients: [ada.id],
      text: 'x',
      send_at: { local_time: localTime },
    });
    expect([status, response['details']]).toEqual([400, expect.stringMatching(detail)]);
  });

  it('does not expire before it is that time in the last zone', async () => {
    const { response } = await send({
      recipients: [ada.id],
      text: 'x',
      send_at: { local_time: '2027-01-05T09:00' },
      expires_at: '2027-01-05T20:00:00Z',
    });
    expect(response['details']).toMatch(/expires_at is not after the time of sending/);
  });
});

describe('a topic', () => {
  const topic = { name: 'releases', labels: { en: 'Releases' }, topic: true };
  const choose = (userId: string, kinds: object) =>
    supabase().database.query(
      `insert into notification_preferences (user_id, kinds) values ($1, $2)
       on conflict (user_id) do update set kinds = excluded.kinds`,
      [userId, JSON.stringify(kinds)],
    );

  it('is off by default, and reaches its followers by the channels that they chose', async () => {
    expect((await callApi('/rest/v1/rpc/register_kind', { kind: topic })).body).toMatchObject({
      is_topic: true,
      in_app: false,
      email: false,
      push: true,
    });
    const { response: toAda } = await send({ recipients: [ada.id], kind: 'releases', text: 'x' });
    expect(toAda['deliveries']).toMatchObject([{ outcome: 'suppressed', reason: 'kind_off' }]);
    await choose(ada.id, { releases: { email: true } });
    await choose(grace.id, { releases: { in_app: false } });
    const { response } = await send({ followers: true, kind: 'releases', text: 'Version 7' });
    await expect
      .poll(async () => (await callApi('/rest/v1/rpc/message_status', { message_id: response['id'] })).body)
      .toMatchObject({
        state: 'delivered',
        counts: { delivered: 1, suppressed: 0 },
        deliveries: [{ recipient_id: ada.id, channels: ['email'] }],
      });
  });

  it('is left by the link in its mail', async () => {
    await callApi('/rest/v1/rpc/register_kind', { kind: topic });
    await choose(ada.id, { releases: { email: true } });
    const [{ token } = { token: '' }] = await supabase().database.query<{ token: string }>(
      `select private.create_mail_token('unsubscribe', $1, now() + interval '1 day') as token`,
      [ada.id],
    );
    expect(
      (await callApi('/rest/v1/rpc/unsubscribe_from_mails', { token, kind: 'releases' })).body,
    ).toMatchObject({ label: 'Releases', is_off: true });
    const { response } = await send({ followers: true, kind: 'releases', text: 'x' });
    await expect
      .poll(async () => (await callApi('/rest/v1/rpc/message_status', { message_id: response['id'] })).body)
      .toMatchObject({ state: 'delivered', deliveries: [] });
  });

  it.each([
    [{ followers: true, text: 'x' }, /followers needs a kind that is a topic/],
    [{ followers: 'yes', text: 'x' }, /followers is not true or false/],
    [
      { followers: true, everyone: true, text: 'x' },
      /needs one of recipients, audience, everyone and followers/,
    ],
  ])('is refused as %j', async (message, detail) => {
    const { response } = await send(message);
    expect(response['details']).toMatch(detail);
  });

  it('cannot be another kind that the team has registered', async () => {
    await callApi('/rest/v1/rpc/register_kind', {
      kind: { name: 'deployed', labels: { en: 'Deployments' } },
    });
    const { response } = await send({ followers: true, kind: 'deployed', text: 'x' });
    expect(response['details']).toMatch(/followers needs a kind that is a topic/);
    await callApi('/rest/v1/rpc/remove_kind', { name: 'deployed' });
  });
});

it.each([
  ['the app alone', { channels: ['in_app'] }, false],
  ['mail', { channels: ['email'] }, true],
])('a delivery by %s in quiet hours says when they end: %s', async (_, more, isDelayed) => {
  await supabase().database.query(
    `insert into notification_preferences (user_id, quiet_hours_start, quiet_hours_end) values ($1, '00:00', '00:00')`,
    [ada.id],
  );
  const { response } = await send({ recipients: [ada.id], kind: 'mention', text: 'x', ...more });
  const [delivery] = response['deliveries'] as unknown as readonly Record<string, string>[];
  expect(delivery).toMatchObject({ outcome: 'delivered', ...more });
  expect(String(delivery?.['quiet_until'])).toMatch(isDelayed ? /T00:00:00\+00:00$/ : /^undefined$/);
});

it('a message is sent within a year, and its announcement expires 90 days after that', async () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const late = await send({ recipients: [ada.id], text: 'x', send_at: inDays(370) });
  expect(late.response['details']).toBe('messages[0].send_at is more than a year ahead.');
  const { response } = await send({ everyone: true, text: 'x', send_at: inDays(360) });
  const expiresAt = Date.parse(String(response['expires_at']));
  expect(Math.round((expiresAt - Date.now()) / 86_400_000)).toBe(450);
  const [deleted] = await supabase().database.query<{ id: string }>(
    `insert into auth.users (id, email, deleted_at) values (gen_random_uuid(), 'left@example.com', now()) returning id`,
  );
  const inItsName = await send({ recipients: [ada.id], text: 'x', sender: { user_id: deleted?.id } });
  await supabase().database.query('delete from auth.users where id = $1', [deleted?.id]);
  expect(inItsName.response['details']).toBe('messages[0].sender.user_id is not the id of an account.');
});

it('a message names 10,000 recipients at most, and its status has at least one and at most 1,000 in a page', async () => {
  const recipients = [...Array.from({ length: 9999 }, () => ada.id), grace.id];
  const { response } = await send({ recipients, text: 'x' });
  expect(response['counts']).toMatchObject({ delivered: 2 });
  const page = async (size: number) =>
    (
      (await callApi('/rest/v1/rpc/message_status', { message_id: response['id'], page_size: size }))
        .body as {
        deliveries: unknown[];
      }
    ).deliveries.length;
  expect([await page(0), await page(1), await page(2)]).toEqual([1, 1, 2]);
  const refused = await send({ recipients: [...recipients, ada.id], text: 'x' });
  expect(refused.response['details']).toBe('messages[0].recipients is not a list of 1 to 10000 account ids.');
});

describe('a dry run', () => {
  it('returns the outcome of each recipient and stores nothing', async () => {
    await supabase().database.query(
      `insert into notification_preferences (user_id, in_app_comments, email_comments) values ($1, false, false)`,
      [grace.id],
    );
    const before = await stored();
    const { response } = await send(
      { recipients: [ada.id, grace.id, unknownId], kind: 'comment', text: 'Hello', idempotency_key: 'dry-1' },
      { dry_run: true },
    );
    expect(response).toMatchObject({
      recipient_count: 3,
      deliveries: [
        { recipient_id: unknownId, outcome: 'unknown' },
        { recipient_id: grace.id, outcome: 'suppressed', reason: 'kind_off' },
        { recipient_id: ada.id, outcome: 'delivered', channels: ['in_app', 'email'] },
      ],
      words: null,
    });
    expect(response).not.toHaveProperty('deliveries.2.notification_id');
    expect(await stored()).toEqual(before);
    // The idempotency key is still unused.
    const { response: sent } = await send({ recipients: [ada.id], text: 'Hello', idempotency_key: 'dry-1' });
    expect(sent).toMatchObject({ is_repeated: false, state: 'delivered' });
  });

  it('names a recipient whose account was deleted softly as unknown', async () => {
    const { database } = supabase();
    await database.query('update auth.users set deleted_at = now() where id = $1', [grace.id]);
    const { response } = await send({ recipients: [ada.id, grace.id], text: 'x' }, { dry_run: true });
    await database.query('update auth.users set deleted_at = null where id = $1', [grace.id]);
    expect(response['deliveries']).toMatchObject([
      { recipient_id: grace.id, outcome: 'unknown' },
      { recipient_id: ada.id, outcome: 'delivered' },
    ]);
  });

  it('accepts an audience, everyone and a future time', async () => {
    await supabase().database.query(
      `with added as (insert into audiences (name) values ('crew') returning name)
       insert into audience_members (audience, user_id) select name, $1 from added`,
      [ada.id],
    );
    const { response: audience } = await send(
      { audience: 'crew', text: 'x', send_at: new Date(Date.now() + 3_600_000).toISOString() },
      { dry_run: true },
    );
    expect(audience).toMatchObject({ recipient_count: 1, deliveries: [{ recipient_id: ada.id }] });
    const { response: everyone } = await send({ everyone: true, text: 'x' }, { dry_run: true });
    expect(everyone).toMatchObject({ recipient_count: null, deliveries: [{}, {}] });
    expect(await reached()).toEqual([]);
  });

  it('refuses what sending refuses', async () => {
    await send({ recipients: [ada.id], text: 'first', idempotency_key: 'dry-2' });
    const { status, response } = await send(
      { recipients: [ada.id], text: 'second', idempotency_key: 'dry-2' },
      { dry_run: true },
    );
    expect([status, response['message']]).toEqual([409, 'key_reused']);
  });

  it('is rendered as row, mail and push message in each language of its kind', async () => {
    await callApi('/rest/v1/rpc/register_kind', {
      kind: {
        name: 'build_failed',
        labels: { en: 'Failed builds', fil: 'Mga build' },
        templates: { en: { title: '{branch} failed' }, de: { title: '{branch} ist gescheitert' } },
      },
    });
    const { response } = await send(
      { recipients: [ada.id], kind: 'build_failed', text: 'See the log.', fields: { branch: 'main' } },
      { dry_run: true },
    );
    const { status, body } = await callApi('/functions/v1/notification-mails', {
      preview: { content: response['content'], words: response['words'] },
    });
    expect([status, body]).toMatchObject([
      200,
      {
        de: {
          row: { title: 'main ist gescheitert', text: 'See the log.' },
          push: { title: 'main ist gescheitert' },
        },
        en: {
          row: { title: 'main failed', text: 'See the log.' },
          mail: { subject: 'main failed', text: expect.stringContaining('See the log.') as string },
          push: { title: 'main failed', body: 'See the log.' },
        },
        fil: { mail: { subject: 'main failed', html: expect.stringContaining('Mga build') as string } },
      },
    ]);
    expect(supabase().mailbox.messages()).toEqual([]);
  });
});
