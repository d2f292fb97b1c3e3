import handleMailEvents from '../../supabase/functions/mail-events/index.ts';
import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { ada, grace, useLocalSupabase } from '../support/local-supabase.ts';

const webhookSecret = `whsec_${Buffer.from('the secret of the webhook').toString('base64')}`;
// After the database's clock, because mails are due from then on; before November 2032, when the legacy API keys
// expire.
const startMs = Date.parse('2032-01-16T10:00:00Z');
let nowMs = startMs;

const supabase = useLocalSupabase({
  now: () => nowMs,
  functionEnv: { MAIL_WEBHOOK_SECRET: webhookSecret, MAIL_WEBHOOK_PASSWORD: 'p:w' },
  functionSettings: { unsubscribe: { verifyJwt: false }, 'mail-events': { verifyJwt: false } },
});

const minuteMs = 60_000;

beforeEach(async () => {
  nowMs = startMs;
  supabase().mailbox.clear();
  await supabase().database.exec(`
    delete from notifications; delete from private.notification_mails; delete from notification_preferences;
    delete from private.mail_only_notifications; delete from private.suppressed_addresses;
    delete from blocked_senders; delete from muted_threads;
    update auth.users set email_confirmed_at = now(), email = '${ada.email}' where id = '${ada.id}';
  `);
});

const prefer = (settings: Record<string, unknown>) =>
  supabase().database.query(
    `insert into notification_preferences
     select * from jsonb_populate_record(null::notification_preferences, $1)`,
    [
      JSON.stringify({
        ...columnDefaults,
        id: crypto.randomUUID(),
        user_id: ada.id,
        ...settings,
      }),
    ],
  );
const columnDefaults = {
  enable_email_notifications: true,
  enable_in_app_notifications: true,
  email_mentions: true,
  email_edits: false,
  email_comments: true,
  email_invites: true,
  in_app_mentions: true,
  in_app_edits: true,
  in_app_comments: true,
  in_app_invites: true,
  email_digest_frequency: 'daily',
  language: 'en',
  time_zone: 'UTC',
  digest_hour: 8,
  digest_weekday: 1,
  quiet_weekdays: [1, 2, 3, 4, 5, 6, 7],
  kinds: {},
  created_at: '2032-01-01T00:00:00Z',
  updated_at: '2032-01-01T00:00:00Z',
};

const notify = async (type: string, { entity = 'notes', text = 'Please look', atMs = nowMs } = {}) => {
  const [row] = await supabase().database.query<{ id: string }>(
    `insert into notifications (recipient_id, sender_id, content, created_at) values ($1, $2, $3, $4) returning id`,
    [
      ada.id,
      grace.id,
      JSON.stringify({
        type,
        entity_type: entity.length > 100 ? entity.slice(0, 200) : 'document',
        entity_id: entity,
        metadata: { actor_id: grace.id, actor_name: 'Grace Hopper' },
        data: { entity_name: `Name of ${entity}`, text },
      }),
      new Date(atMs).toISOString(),
    ],
  );
  return row?.id ?? '';
};
const sendAt = (timeMs: number) => {
  nowMs = timeMs;
  return supabase().sendDueMails();
};
const mails = () => supabase().mailbox.messages();
const states = () =>
  supabase().database.query<{ state: string; reason: string | null }>(
    'select state, reason from private.notification_mails order by created_at, due_at',
  );

describe('an instant mail', () => {
  beforeEach(() => prefer({ email_digest_frequency: 'instant' }));

  it('an instant mail is sent two minutes after the first event of a thread, with all of its events, and links to the notification', async () => {
    const first = await notify('mention');
    nowMs += minuteMs;
    const second = await notify('comment', { text: 'One <b>more</b> & last' });
    expect(await sendAt(startMs + 2 * minuteMs - 1)).toEqual({ sent: 0, failed: 0, skipped: 0 });
    expect(await sendAt(startMs + 2 * minuteMs)).toEqual({ sent: 1, failed: 0, skipped: 0 });
    const [mail, ...others] = mails();
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      to: { address: ada.email, name: 'Ada Lovelace' },
      subject: 'Grace Hopper commented on Name of notes (and 1 more)',
    });
    expect(mail?.html).toContain('One &lt;b&gt;more&lt;/b&gt; &amp; last');
    expect(mail?.text).toContain('One <b>more</b> & last');
    for (const id of [first, second]) expect(mail?.links).toContain(`http://localhost:5173/home?open=${id}`);
    expect(mail?.links.some((link) => link.endsWith('/home'))).toBe(true);
  });

  it('an instant mail contains a thread whose names have the maximum length', async () => {
    const longest = '\u{1F4E8}'.repeat(200);
    await notify('mention', { entity: longest });
    expect(await sendAt(startMs + 2 * minuteMs)).toMatchObject({ sent: 1 });
  });

  it('an instant mail is not sent if everything was read within two minutes', async () => {
    await notify('mention');
    await supabase().database.exec(`update notifications set status = 'read'`);
    expect(await sendAt(startMs + 3 * minuteMs)).toEqual({ sent: 0, failed: 0, skipped: 1 });
    expect(mails()).toEqual([]);
  });

  it('an instant mail is one per thread, and refers to the same root as the next mail of its thread', async () => {
    await notify('mention', { entity: 'one' });
    await notify('mention', { entity: 'two' });
    await sendAt(startMs + 5 * minuteMs);
    await notify('mention', { entity: 'one' });
    await sendAt(nowMs + 5 * minuteMs);
    const roots = mails().map(({ headers }) => headers['References']);
    expect(roots).toHaveLength(3);
    expect(new Set(roots).size).toBe(2);
    const ids = mails().map(({ headers }) => headers['Message-ID']);
    expect(new Set(ids).size).toBe(3);
  });
});

it('a digest of three kinds goes at 08:00 in Vienna, in German, across the change to summer time', async () => {
  await prefer({ language: 'de', time_zone: 'Europe/Vienna' });
  nowMs = Date.parse('2032-03-27T12:00:00+01:00');
  await notify('mention');
  await notify('comment');
  await notify('invite', { entity: 'other' });
  const dueMs = Date.parse('2032-03-28T08:00:00+02:00');
  await sendAt(dueMs - 1);
  expect(mails()).toEqual([]);
  await sendAt(dueMs);
  expect(mails()).toMatchObject([{ subject: '3 ungelesene Benachrichtigungen' }]);
  for (const words of ['Erwähnungen', 'Kommentare', 'Einladungen', '27. März 2032 um 12:00'])
    expect(mails()[0]?.text).toContain(words);
  await sendAt(dueMs + 86_400_000);
  expect(mails()).toHaveLength(1);
});

it('a digest has one line for each thread, with its newest event and how many there were before', async () => {
  await prefer({});
  for (let number = 1; number <= 60; number += 1)
    await notify('comment', { text: `Number ${number}`, atMs: nowMs + number });
  await notify('comment', { entity: 'plan', atMs: nowMs + 61 });
  await notify('mention', { atMs: nowMs + 62 });
  for (let number = 63; number <= 65; number += 1)
    await supabase().database.query(
      `insert into notifications (recipient_id, sender_id, content, created_at) values ($1, $2, $3, $4)`,
      [
        ada.id,
        grace.id,
        JSON.stringify({ type: 'mention', metadata: { actor_name: 'Grace Hopper' } }),
        new Date(nowMs + number).toISOString(),
      ],
    );
  await sendAt(nowMs + 86_400_000);
  const [mail] = mails();
  expect(mail?.subject).toBe('65 unread notifications');
  const lines = (mail?.text ?? '').split('\n').filter((line) => /^\* |, and \d+ earlier$|Number/.test(line));
  expect(lines.map((line) => line.replace(/^.*(?=, and)/, ''))).toEqual([
    '* Grace Hopper mentioned you in a shared item',
    ', and 2 earlier',
    '* Grace Hopper mentioned you in Name of notes',
    '* Grace Hopper commented on Name of plan',
    '* Grace Hopper commented on Name of notes',
    '  Number 60',
    ', and 59 earlier',
  ]);
  expect(mail?.text).not.toContain('more in your inbox');
  expect(mail?.html).toContain('http://localhost:5173/icon-192.png');
});

it('a digest begins with what needs the user, however much came later', async () => {
  await prefer({});
  await notify('mention');
  for (let number = 1; number <= 60; number += 1)
    await notify('comment', { entity: `plan ${number}`, atMs: nowMs + number });
  await sendAt(nowMs + 86_400_000);
  const lines = (mails()[0]?.text ?? '').split('\n').filter((line) => line.startsWith('* '));
  expect(lines).toHaveLength(50);
  expect(lines.slice(0, 2)).toEqual([
    '* Grace Hopper mentioned you in Name of notes',
    '* Grace Hopper commented on Name of plan 60',
  ]);
});

it('a digest that was queued before its user had preferences moves to the time that they choose', async () => {
  await notify('mention');
  await prefer({ time_zone: 'America/New_York' });
  expect(
    await supabase().database.query(
      `select to_char(due_at at time zone 'America/New_York', 'HH24:MI') as due from private.notification_mails`,
    ),
  ).toEqual([{ due: '08:00' }]);
});

it('a digest moves when another frequency, hour or zone is chosen, and those of other users stay', async () => {
  await prefer({ email_digest_frequency: 'weekly' });
  await notify('mention');
  await supabase().database.query(
    `insert into private.notification_mails (recipient_id, topic, due_at) values ($1, 'digest', '2999-01-01')`,
    [grace.id],
  );
  await supabase().database.exec(
    `update notification_preferences set email_digest_frequency = 'instant' where user_id = '${ada.id}'`,
  );
  const [mail] = await supabase().database.query<{ is_soon: boolean }>(
    `select due_at between now() and now() + interval '3 minutes' as is_soon from private.notification_mails order by due_at`,
  );
  expect(
    await supabase().database.query('select due_at from private.notification_mails where recipient_id = $1', [
      grace.id,
    ]),
  ).toEqual([{ due_at: new Date('2999-01-01') }]);
  expect(mail?.is_soon).toBe(true);
});

it('a digest does not move when mails are switched off', async () => {
  await prefer({ email_digest_frequency: 'weekly' });
  await notify('mention');
  const due = () => supabase().database.query('select due_at from private.notification_mails');
  const before = await due();
  await supabase().database.exec(
    `update notification_preferences set email_digest_frequency = 'never' where user_id = '${ada.id}'`,
  );
  expect(await due()).toEqual(before);
});

it('a mail that waits for its next attempt does not move with the hour of the digest', async () => {
  await prefer({ email_digest_frequency: 'daily' });
  await notify('mention');
  await supabase().database.exec(
    `update private.notification_mails set state = 'retrying', due_at = '2032-01-17T08:04:00Z';
     update notification_preferences set digest_hour = 20 where user_id = '${ada.id}'`,
  );
  expect(await supabase().database.query('select due_at from private.notification_mails')).toEqual([
    { due_at: new Date('2032-01-17T08:04:00Z') },
  ]);
});

it.each([
  ['email_mentions', 'mention'],
  ['email_mentions', 'message'],
  ['email_comments', 'comment'],
  ['email_invites', 'invite'],
  ['email_edits', 'edit'],
])('the switch %s decides about mails of its kind', async (column, kind) => {
  await prefer({ [column]: false });
  await notify(kind);
  await sendAt(startMs + 2 * 86_400_000);
  expect(mails()).toEqual([]);
  await supabase().database.exec('delete from notification_preferences');
  await prefer({ [column]: true });
  await notify(kind);
  await sendAt(nowMs + 2 * 86_400_000);
  expect(mails()).toHaveLength(1);
});

it('a kind that is off in the app and on by email is mailed only', async () => {
  await prefer({ in_app_mentions: false });
  await notify('mention');
  expect(await supabase().database.query('select * from notifications')).toEqual([]);
  await sendAt(startMs + 86_400_000);
  expect(mails()).toMatchObject([{ subject: '1 unread notification' }]);
});

it.each([
  ['the frequency never', `update notification_preferences set email_digest_frequency = 'never'`],
  ['the global switch', 'update notification_preferences set enable_email_notifications = false'],
  ['the kind, turned off later', 'update notification_preferences set email_mentions = false'],
  ['an unconfirmed address', `update auth.users set email_confirmed_at = null where id = '${ada.id}'`],
  [
    'a blocked sender',
    `insert into blocked_senders (user_id, sender_id) values ('${ada.id}', '${grace.id}')`,
  ],
  [
    'a muted thread',
    `insert into muted_threads (user_id, entity_type, entity_id) values ('${ada.id}', 'document', 'notes')`,
  ],
  ['a deleted notification', 'delete from notifications'],
  ['a suppressed address', `select public.suppress_mail_address('${ada.email}', 'bounce')`],
])('a queued mail is stopped by %s', async (_name, statement) => {
  await prefer({});
  await notify('mention');
  await supabase().database.exec(statement);
  await sendAt(startMs + 86_400_000);
  expect(mails()).toEqual([]);
  expect(await states()).toMatchObject([{ state: 'skipped' }]);
});

describe('an invitation to an account with emails about invites off', () => {
  const invite = async () => {
    const [made] = await runAs(supabase().database, { role: 'authenticated', userId: grace.id }, (sql) =>
      sql.query<{ token: string }>(`select token from create_invitation($1, 'document', 'doc-1', 'Notes')`, [
        ada.email,
      ]),
    );
    // The invitation expires by the clock of the database, and is mailed by that of the test.
    await supabase().database.query('update invitations set expires_at = $1', [
      new Date(nowMs + 7 * 86_400_000).toISOString(),
    ]);
    return made?.token ?? '';
  };
  const listed = () =>
    runAs(supabase().database, { role: 'authenticated', userId: ada.id }, (sql) =>
      sql.query<{ token: string }>('select token from list_invitations()'),
    );

  beforeEach(() => supabase().database.exec('delete from invitations; delete from private.send_usage'));

  it('an invitation to an account with emails about invites off is listed, and mailed with its link after two minutes', async () => {
    await prefer({ email_invites: false, in_app_invites: false });
    const token = await invite();
    expect(await supabase().database.query('select * from notifications')).toEqual([]);
    expect(await listed()).toEqual([{ token }]);
    await sendAt(nowMs + 3 * minuteMs);
    const [mail, ...others] = mails();
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('Grace Hopper invited you to Notes');
    expect(mail?.links).toContain(`http://localhost:5173/join/${token}`);
    expect(mail?.text).toContain('even if emails about invites are off');
    // The kind is off already: only all emails together can be turned off.
    expect(mail?.headers['List-Unsubscribe']).not.toContain('kind=');
  });

  it('an invitation is mailed once where emails about invites are on', async () => {
    await prefer({ email_digest_frequency: 'instant' });
    await invite();
    await sendAt(nowMs + 3 * minuteMs);
    expect(mails()).toHaveLength(1);
  });

  it('an invitation to an account with emails about invites off waits for the end of the quiet hours', async () => {
    await prefer({ email_invites: false, quiet_hours_start: '09:00', quiet_hours_end: '12:00' });
    await invite();
    await sendAt(nowMs + 3 * minuteMs);
    expect(mails()).toEqual([]);
    await sendAt(Date.parse('2032-01-16T12:00:00Z'));
    expect(mails()).toHaveLength(1);
  });

  it.each([
    ['email is paused', { enable_email_notifications: false }, 'select'],
    ['the frequency is never', { email_digest_frequency: 'never' }, 'select'],
    [
      'the inviter is blocked',
      {},
      `insert into blocked_senders (user_id, sender_id) values ('${ada.id}', '${grace.id}')`,
    ],
  ])(
    'an invitation to an account with emails about invites off is not mailed when %s',
    async (_name, settings, statement) => {
      await prefer({ email_invites: false, ...settings });
      await supabase().database.exec(statement);
      await invite();
      await sendAt(nowMs + 3 * minuteMs);
      expect(mails()).toEqual([]);
    },
  );

  it('an invitation is not mailed after its end', async () => {
    await prefer({ email_invites: false });
    await invite();
    await supabase().database.query('update invitations set expires_at = $1', [
      new Date(nowMs + 3 * minuteMs).toISOString(),
    ]);
    await sendAt(nowMs + 3 * minuteMs);
    expect(mails()).toEqual([]);
  });

  it('an invitation is not mailed after its answer', async () => {
    await prefer({ email_invites: false });
    const token = await invite();
    await runAs(supabase().database, { role: 'authenticated', userId: ada.id }, (sql) =>
      sql.query('select * from accept_invitation($1)', [token]),
    );
    await sendAt(nowMs + 3 * minuteMs);
    expect(mails().filter(({ to }) => to.address === ada.email)).toEqual([]);
    expect(await states()).toContainEqual({ state: 'skipped', reason: 'nothing unread' });
  });
});

describe('unsubscribing', () => {
  const chosen = async () => {
    const [row] = await supabase().database.query(
      'select enable_email_notifications as all, email_mentions as mentions from notification_preferences',
    );
    return row;
  };
  const post = (link: string, body: string) =>
    supabase().fetch(link, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  const mailed = async () => {
    await prefer({ email_digest_frequency: 'instant' });
    await notify('mention');
    await sendAt(startMs + 2 * minuteMs);
    const headers = mails()[0]?.headers ?? {};
    const [, link = ''] = /^<(.+)>$/.exec(headers['List-Unsubscribe'] ?? '') ?? [];
    return { headers, link };
  };

  it('unsubscribing by one click of the mail program turns the kind off; a scanner that follows the link changes nothing', async () => {
    const { headers, link } = await mailed();
    expect(headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
    const response = await supabase().fetch(link, { redirect: 'manual' });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(
      link.replace(/^.*\?/, 'http://localhost:5173/unsubscribe.html#'),
    );
    expect(await chosen()).toEqual({ all: true, mentions: true });
    const clicked = await post(link, 'List-Unsubscribe=One-Click');
    expect(clicked.status).toBe(200);
    expect(await clicked.json()).toEqual({ kind: 'mention', label: null, is_off: true, language: 'en' });
    expect(await chosen()).toEqual({ all: true, mentions: false });
  });

  it('the page for unsubscribing shows the choices, turns one kind or all off, and undoes it', async () => {
    const { link } = await mailed();
    const { origin, pathname, searchParams } = new URL(link);
    const act = async (action: string, kind: string) => {
      const form = new URLSearchParams({ action, kind, token: searchParams.get('token') ?? '' });
      const response = await post(origin + pathname, form.toString());
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      return response.json();
    };
    expect(mails()[0]?.links).toContain(`http://localhost:5173/unsubscribe.html#${searchParams.toString()}`);
    expect(await act('show', 'mention')).toMatchObject({ is_off: false });
    expect(await chosen()).toEqual({ all: true, mentions: true });
    expect(await act('unsubscribe', 'mention')).toMatchObject({ is_off: true });
    expect(await chosen()).toEqual({ all: true, mentions: false });
    expect(await act('undo', 'mention')).toMatchObject({ is_off: false });
    expect(await chosen()).toEqual({ all: true, mentions: true });
    expect(await act('unsubscribe', '')).toMatchObject({ kind: null, is_off: true });
    expect(await chosen()).toEqual({ all: false, mentions: true });
    expect(await act('undo', 'mention')).toMatchObject({ kind: 'mention', is_off: false });
    expect(await chosen()).toEqual({ all: true, mentions: true });
  });

  it.each([
    ['mention', { email_mentions: false }],
    ['message', { email_mentions: false }],
    ['edit', { email_edits: false }],
    ['comment', { email_comments: false }],
    ['invite', { email_invites: false }],
    ['unknown', { enable_email_notifications: false }],
  ])('unsubscribing from the kind %s changes %j alone, and can be undone', async (kind, changed) => {
    const on = { email_mentions: true, email_edits: true, email_comments: true, email_invites: true };
    await prefer(on);
    const act = async (args: string) => {
      const [row] = await supabase().database.query<{ result: { is_off: boolean } }>(
        `select unsubscribe_from_mails(private.create_mail_token('unsubscribe', $1, now() + interval '1 day'), $2, ${args}) as result`,
        [ada.id, kind],
      );
      const [chosen] = await supabase().database.query(
        `select ${Object.keys(on).join()}, enable_email_notifications from notification_preferences`,
      );
      return [row?.result.is_off, chosen];
    };
    const all = { ...on, enable_email_notifications: true };
    expect(await act('dry_run => true')).toEqual([false, all]);
    expect(await act('undo => false')).toEqual([true, { ...all, ...changed }]);
    expect(await act('dry_run => true')).toEqual([true, { ...all, ...changed }]);
    expect(await act('undo => true')).toEqual([false, all]);
  });

  it('unsubscribing is refused with a forged token, a token for another account and one that has ended', async () => {
    const { link } = await mailed();
    const forged = link.replace(/(token=[^&]+)./, '$1x');
    const ofGrace = link.replace(ada.id, grace.id);
    const refusalOf = async (bad: string) => {
      const response = await post(bad, 'List-Unsubscribe=One-Click');
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    for (const bad of [forged, ofGrace, link.replace('unsubscribe.', 'sign-in.'), link.split('?')[0] ?? ''])
      expect(await refusalOf(bad)).toEqual([400, 'token_invalid']);
    nowMs += 91 * 86_400_000;
    expect(await refusalOf(link)).toEqual([400, 'token_invalid']);
    expect(await chosen()).toEqual({ all: true, mentions: true });
  });

  it('a user without preferences gets mails until the link of one turns them off', async () => {
    // The preferences of another user have no effect.
    await supabase().database.query(`delete from notification_preferences where user_id = $1`, [ada.id]);
    await supabase().database.query(
      `insert into notification_preferences (user_id, language, enable_email_notifications) values ($1, 'de', false)
       on conflict (user_id) do update set language = 'de', enable_email_notifications = false`,
      [grace.id],
    );
    const act = async (dryRun: boolean, id = ada.id) => {
      const [row] = await supabase().database.query<{ result: unknown }>(
        `select unsubscribe_from_mails(private.create_mail_token('unsubscribe', $1, now() + interval '1 day'), dry_run => $2) as result`,
        [id, dryRun],
      );
      return row?.result;
    };
    expect(await act(false, crypto.randomUUID())).toBe(null);
    expect(await act(true)).toMatchObject({ is_off: false, language: 'en' });
    expect(await act(false)).toMatchObject({ is_off: true });
    expect(await act(true)).toMatchObject({ is_off: true, language: 'en' });
    await supabase().database.query('delete from notification_preferences where user_id = $1', [grace.id]);
  });

  it('a token for another purpose unsubscribes from nothing', async () => {
    const [row] = await supabase().database.query<{ result: unknown }>(
      `select unsubscribe_from_mails(private.create_mail_token('sign-in', $1, now() + interval '1 day')) as result`,
      [ada.id],
    );
    expect(row).toEqual({ result: null });
  });

  it('links outlive a rotation of their key, unless the rotation ends the earlier key', async () => {
    const query = async (sql: string, ...values: readonly unknown[]) =>
      (await supabase().database.query<{ result: string | null }>(`select ${sql} result`, values))[0]?.result;
    const createToken = () =>
      query(`private.create_mail_token('unsubscribe', $1, now() + interval '1 day')`, ada.id);
    const verify = (token: unknown) => query(`private.verify_mail_token($1, 'unsubscribe', now())`, token);
    const earlier = await createToken();
    await query('private.rotate_mail_link_key()');
    const later = await createToken();
    expect([await verify(earlier), await verify(later)]).toEqual([ada.id, ada.id]);
    expect(later?.split('.').at(-1)).not.toBe(earlier?.split('.').at(-1));
    await query(`private.rotate_mail_link_key('0')`);
    expect([await verify(earlier), await verify(later)]).toEqual([null, null]);
    expect(await verify(await createToken())).toBe(ada.id);
    const last = await createToken();
    await query(`private.rotate_mail_link_key('1 hour')`);
    const outlives = async (minutes: number) =>
      (await query(
        `private.verify_mail_token($1, 'unsubscribe', now() + make_interval(mins => $2))`,
        last,
        minutes,
      )) === ada.id;
    expect([await outlives(59), await outlives(61)]).toEqual([true, false]);
    // A later rotation does not extend the life of an earlier key.
    await query('private.rotate_mail_link_key()');
    expect(await outlives(61)).toBe(false);
    expect(await supabase().database.query('select id from private.mail_link_key')).toHaveLength(3);
  });
});

describe('an address that does not work', () => {
  it('an address that does not work is suppressed when the mail server refuses it, until its owner tries again', async () => {
    await supabase().database.query('update auth.users set email = $1 where id = $2', [
      'ada@bounce.test',
      ada.id,
    ]);
    await notify('mention');
    expect(await sendAt(startMs + 86_400_000)).toEqual({ sent: 0, failed: 1, skipped: 0 });
    expect(await states()).toMatchObject([
      { state: 'dead', reason: expect.stringContaining('No such mailbox') },
    ]);
    const asAda = { role: 'authenticated', userId: ada.id } as const;
    const status = () =>
      runAs(supabase().database, asAda, (sql) =>
        sql.query<{ s: object }>('select public.mail_status() as s'),
      );
    expect((await status())[0]?.s).toMatchObject({ obstacle: 'suppressed', suppression_reason: 'bounce' });
    await runAs(supabase().database, asAda, (sql) => sql.query('select public.allow_mail_address()'));
    expect((await status())[0]?.s).toMatchObject({ obstacle: null, suppression_reason: null });
  });

  const deliver = (event: object, secret = webhookSecret) => {
    const body = JSON.stringify(event);
    const timestamp = String(Math.floor(nowMs / 1000));
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64');
    return supabase().fetch(`${supabase().url}/functions/v1/mail-events`, {
      method: 'POST',
      body,
      headers: { 'svix-id': 'msg_1', 'svix-timestamp': timestamp, 'svix-signature': `v1,${signature}` },
    });
  };
  const suppressed = () =>
    supabase().database.query(
      `select u.email as address, s.reason from private.suppressed_addresses s
       join auth.users u on private.address_hash(u.email) = s.address_hash`,
    );

  it('an address that does not work is suppressed by the signed webhook of the provider only', async () => {
    const bounced = {
      type: 'email.bounced',
      data: { to: ['Ada@Example.com'], bounce: { type: 'Permanent' } },
    };
    expect((await deliver(bounced, 'whsec_b3RoZXI=')).status).toBe(401);
    await deliver({ type: 'email.bounced', data: { to: [ada.email], bounce: { type: 'Transient' } } });
    await deliver({ type: 'email.delivered', data: { to: [ada.email] } });
    expect(await suppressed()).toEqual([]);
    expect((await deliver(bounced)).status).toBe(200);
    expect(await suppressed()).toEqual([{ address: ada.email, reason: 'bounce' }]);
    await deliver({ type: 'email.complained', data: { to: [ada.email] } });
    expect(await suppressed()).toEqual([{ address: ada.email, reason: 'complaint' }]);
  });

  const post = async (event: object, password = 'p:w') =>
    supabase().fetch(`${supabase().url}/functions/v1/mail-events`, {
      method: 'POST',
      body: JSON.stringify(event),
      headers: { authorization: `Basic ${Buffer.from(`events:${password}`).toString('base64')}` },
    });
  const bySns = (message: object) => ({ Type: 'Notification', Message: JSON.stringify(message) });
  const bouncedRecipients = [{ emailAddress: ada.email, diagnosticCode: '550 5.1.1' }];
  const complaint = { complainedRecipients: [{ emailAddress: ada.email }] };

  it.each<[string, object, string | null]>([
    [
      'a hard bounce of Postmark',
      { RecordType: 'Bounce', Type: 'HardBounce', Email: ada.email, Inactive: true },
      'bounce',
    ],
    [
      'a soft bounce of Postmark',
      { RecordType: 'Bounce', Type: 'SoftBounce', Email: ada.email, Inactive: false },
      null,
    ],
    [
      'a complaint of Postmark',
      { RecordType: 'SpamComplaint', Email: ada.email, Inactive: true },
      'complaint',
    ],
    ['a delivery of Postmark', { RecordType: 'Delivery', Email: ada.email }, null],
    [
      'a hard bounce of SES',
      bySns({ notificationType: 'Bounce', bounce: { bounceType: 'Permanent', bouncedRecipients } }),
      'bounce',
    ],
    [
      'a soft bounce of SES',
      bySns({ notificationType: 'Bounce', bounce: { bounceType: 'Transient', bouncedRecipients } }),
      null,
    ],
    ['a published complaint of SES', bySns({ eventType: 'Complaint', complaint }), 'complaint'],
    ...[undefined, null, 'abuse', 'fraud', 'virus', 'other', 'a type of later'].map(
      (complaintFeedbackType): [string, object, string] => [
        `a complaint of SES of the type ${complaintFeedbackType}`,
        bySns({ notificationType: 'Complaint', complaint: { ...complaint, complaintFeedbackType } }),
        'complaint',
      ],
    ),
    ...['not-spam', 'auth-failure'].map((complaintFeedbackType): [string, object, null] => [
      `a report of SES of the type ${complaintFeedbackType}`,
      bySns({ notificationType: 'Complaint', complaint: { ...complaint, complaintFeedbackType } }),
      null,
    ]),
    ['a delivery of SES', bySns({ notificationType: 'Delivery' }), null],
    [
      'a topic that another host wants confirmed',
      {
        Type: 'SubscriptionConfirmation',
        Message: '',
        SubscribeURL: 'https://sns.evil.example/?x=.amazonaws.com/',
      },
      null,
    ],
  ])('%s is taken with the password of the webhook only', async (_name, event, reason) => {
    expect((await post(event, 'wrong')).status).toBe(401);
    expect(await suppressed()).toEqual([]);
    expect((await post(event)).status).toBe(200);
    expect(await suppressed()).toEqual(reason === null ? [] : [{ address: ada.email, reason }]);
  });

  it.each([200, 500])(
    'a topic of SNS is confirmed at the service itself, which responds with %i',
    async (status) => {
      const confirmUrl = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=t';
      const requested: string[] = [];
      const request = new Request('http://localhost/mail-events', {
        method: 'POST',
        body: JSON.stringify({ Type: 'SubscriptionConfirmation', Message: '', SubscribeURL: confirmUrl }),
        headers: { authorization: `Basic ${Buffer.from('events:p:w').toString('base64')}` },
      });
      const response = await handleMailEvents(request, {
        env: { MAIL_WEBHOOK_PASSWORD: 'p:w' },
        now: Date.now,
        fetch: async (input) => {
          requested.push(new Request(input).url);
          return new Response(null, { status });
        },
      });
      // SNS repeats a confirmation that fails.
      expect([response.status, requested]).toEqual([status === 200 ? 200 : 502, [confirmUrl]]);
    },
  );
});

it('a test mail is sent with the next run, at most once a minute and ten times a day', async () => {
  const asAda = { role: 'authenticated', userId: ada.id } as const;
  const { database } = supabase();
  const request = () => runAs(database, asAda, (sql) => sql.query('select public.send_test_mail()'));
  await database.query(
    `insert into private.notification_mails (recipient_id, topic, due_at) values ($1, 'test', '2999-01-01')`,
    [grace.id],
  );
  await request();
  await expect(request()).rejects.toMatchObject({
    message: 'test_mail_limit_exceeded',
    hint: 'Try again in 60 seconds.',
  });
  await sendAt(startMs);
  expect(mails()).toMatchObject([{ subject: 'Test email from Tidings', to: { address: ada.email } }]);
  const insert = `insert into private.notification_mails (recipient_id, topic, state, due_at, created_at)
    select $1, 'test', 'sent', now(), now() - n * interval '1 hour' from generate_series(1, $2) n`;
  await database.query(`update private.notification_mails set created_at = now() - interval '2 days'`);
  await database.query(insert, [ada.id, 9]);
  await request();
  await database.query(
    `update private.notification_mails set created_at = created_at - interval '2 minutes'`,
  );
  await expect(request()).rejects.toMatchObject({
    message: 'test_mail_limit_exceeded',
    hint: 'Try again in 86400 seconds.',
  });
});
