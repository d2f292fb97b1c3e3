import { decodeJwt } from 'jose';
import webPush from 'web-push';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createPushTransport } from '../../supabase/functions/_shared/push/push-transport.ts';
import { whileDamaged } from '../support/damaged-row.ts';
import { runAs } from '../support/database-roles.ts';
import { ada, grace, requestApi, signIn, useLocalSupabase } from '../support/local-supabase.ts';
import { createPushDevice, startPushService } from '../support/push-service.ts';
import type { PushDevice, PushService } from '../support/push-service.ts';

// After the database's clock, because messages are due from then on; before November 2032, when the legacy API keys
// expire.
const startMs = Date.parse('2032-01-16T10:00:00Z');
let nowMs = startMs;
const vapid = webPush.generateVAPIDKeys();
const functionEnv: Record<string, string> = {
  VAPID_SUBJECT: 'mailto:operator@example.com',
  VAPID_PUBLIC_KEY: vapid.publicKey,
  VAPID_PRIVATE_KEY: vapid.privateKey,
};
const supabase = useLocalSupabase({ now: () => nowMs, functionEnv });
let pushService: PushService;
let device: PushDevice;
let token: string;
let sessionId: string;

beforeAll(async () => {
  pushService = await startPushService();
  functionEnv['PUSH_HOSTS'] = pushService.origin;
});
afterAll(() => pushService.close());

beforeEach(async () => {
  nowMs = startMs;
  pushService.deliveries.length = 0;
  pushService.status = 201;
  pushService.body = '';
  pushService.retryAfter = null;
  await supabase().database.exec(`
    delete from notifications; delete from push_subscriptions; delete from notification_preferences;
    delete from blocked_senders; delete from muted_threads;
    update auth.users set banned_until = null, deleted_at = null;
  `);
  device = createPushDevice();
  token = await signIn(supabase(), ada.email);
  sessionId = String(decodeJwt(token)['session_id']);
});

const call = (name: string, body: object, bearer = token) =>
  requestApi(supabase(), `/rest/v1/rpc/${name}`, { method: 'POST', token: bearer, body });
const subscribe = (endpoint = `${pushService.origin}/push/ada`, of = device, bearer = token) =>
  call('subscribe_to_push', { endpoint, ...of.keys }, bearer);
const notify = async (text: string, { type = 'mention', entity = 'notes' } = {}) => {
  const [row] = await supabase().database.query<{ id: string }>(
    `insert into notifications (recipient_id, sender_id, content, created_at) values ($1, $2, $3, $4) returning id`,
    [
      ada.id,
      grace.id,
      JSON.stringify({
        type,
        entity_type: 'document',
        entity_id: entity,
        metadata: { actor_id: grace.id, actor_name: 'Grace Hopper' },
        data: { entity_name: 'Compiler notes', text, secret: 'not for the push service' },
      }),
      new Date(nowMs).toISOString(),
    ],
  );
  return row?.id ?? '';
};
const later = (ms: number) => {
  nowMs += ms;
  return supabase().sendDuePushMessages();
};
const received = () =>
  pushService.deliveries.map(({ body }) => JSON.parse(device.decrypt(body)) as Record<string, unknown>);
const subscriptions = () => supabase().database.query('select endpoint, user_id from push_subscriptions');

it('a push message reaches the device encrypted, signed, and with no more than a mail would carry', async () => {
  expect((await subscribe()).status).toBe(200);
  const id = await notify('Please look');
  expect(await later(4_000)).toEqual({ sent: 0, failed: 0, skipped: 0 });
  expect(await later(2_000)).toEqual({ sent: 1, failed: 0, skipped: 0 });
  expect(received()).toEqual([
    {
      title: 'Grace Hopper mentioned you in Compiler notes',
      body: 'Please look',
      language: 'en',
      tag: id,
      path: `/home?open=${id}`,
      unreadCount: 1,
    },
  ]);
  const [delivery] = pushService.deliveries;
  expect(delivery?.path).toBe('/push/ada');
  expect(delivery?.headers).toMatchObject({ ttl: '86400', 'content-encoding': 'aes128gcm' });
  expect(delivery?.body.includes('Grace')).toBe(false);
  const [, jwt = ''] = /t=([^,]+)/.exec(String(delivery?.headers.authorization)) ?? [];
  expect(decodeJwt(jwt)).toMatchObject({ aud: pushService.origin, sub: 'mailto:operator@example.com' });
});

it('a push message combines a burst, in the language of the preferences', async () => {
  await subscribe();
  await supabase().database.query(
    `insert into notification_preferences (user_id, language) values ($1, 'de')`,
    [ada.id],
  );
  await notify('One');
  nowMs += 1_000;
  await notify('Two', { type: 'comment' });
  expect(await later(6_000)).toMatchObject({ sent: 1 });
  expect(received()).toMatchObject([
    { title: 'Grace Hopper hat Compiler notes kommentiert (und 1 weitere)', path: '/home', unreadCount: 2 },
  ]);
});

it('a push message of a registered kind has its English words without preferences', async () => {
  const { database } = supabase();
  const templates = { en: { title: 'A build failed' }, de: { title: 'Ein Build ist gescheitert' } };
  const labels = { en: 'Failed builds', de: 'Fehlgeschlagene Builds' };
  await database.query('select public.register_kind($1)', [
    JSON.stringify({ name: 'build_failed', labels, templates }),
  ]);
  try {
    await subscribe();
    await notify('Three tests failed', { type: 'build_failed' });
    expect(await later(6_000)).toMatchObject({ sent: 1 });
    expect(received()).toMatchObject([{ title: 'A build failed' }]);
  } finally {
    await database.exec(`select public.remove_kind('build_failed')`);
  }
});

it('a push message is not affected by the preferences, notifications and ban of another user', async () => {
  const { database } = supabase();
  await subscribe();
  await database.query(`insert into notification_preferences (user_id, language) values ($1, 'de')`, [
    grace.id,
  ]);
  await database.query('insert into notifications (recipient_id) values ($1)', [grace.id]);
  await database.query(`update auth.users set banned_until = '2999-01-01' where id = $1`, [grace.id]);
  await notify('Hello');
  expect(await later(6_000)).toMatchObject({ sent: 1 });
  expect(received()).toMatchObject([{ language: 'en', unreadCount: 1 }]);
});

it('a push message counts all unread notifications for the badge', async () => {
  await subscribe();
  await notify('One');
  await later(6_000);
  const snoozed = await notify('Later', { entity: 'later' });
  await supabase().database.query('update notifications set snoozed_until = $2 where id = $1', [
    snoozed,
    '2032-02-01',
  ]);
  await notify('Two', { entity: 'other' });
  await later(6_000);
  expect(received().map(({ body, unreadCount }) => [body, unreadCount])).toEqual([
    ['One', 1],
    ['Two', 2],
  ]);
});

it.each([
  ['was read', `update notifications set status = 'read'`],
  ['is snoozed', `update notifications set snoozed_until = '2032-02-01'`],
  ['comes from a sender who is blocked', `insert into blocked_senders values ('${ada.id}', '${grace.id}')`],
  [
    'belongs to a muted thread',
    `insert into muted_threads (user_id, entity_type, entity_id) values ('${ada.id}', 'document', 'notes')`,
  ],
  [
    'is of a kind that is off by now',
    `insert into notification_preferences (user_id, in_app_mentions) values ('${ada.id}', false)`,
  ],
])('a push message is not sent about a notification that %s', async (_what, sql) => {
  await subscribe();
  await notify('Please look');
  await supabase().database.exec(sql);
  expect(await later(6_000)).toEqual({ sent: 0, failed: 0, skipped: 1 });
  expect(pushService.deliveries).toEqual([]);
});

it('a push message waits for the end of the quiet hours', async () => {
  await subscribe();
  await supabase().database.query(
    `insert into notification_preferences (user_id, quiet_hours_start, quiet_hours_end) values ($1, '09:00', '12:00')`,
    [ada.id],
  );
  await notify('One');
  expect(await later(6_000)).toEqual({ sent: 0, failed: 0, skipped: 1 });
  await notify('Two');
  expect(await later(3600_000)).toEqual({ sent: 0, failed: 0, skipped: 0 });
  expect(await later(3600_000)).toMatchObject({ sent: 1 });
  expect(received()).toMatchObject([{ unreadCount: 2 }]);
});

it('a push message that is retried waits for the end of the quiet hours, too', async () => {
  await subscribe();
  await notify('One');
  pushService.status = 503;
  expect(await later(6_000)).toMatchObject({ failed: 1 });
  pushService.status = 201;
  await supabase().database.query(
    `insert into notification_preferences (user_id, quiet_hours_start, quiet_hours_end) values ($1, '10:00', '12:00')`,
    [ada.id],
  );
  expect(await later(3600_000)).toEqual({ sent: 0, failed: 0, skipped: 1 });
  expect(await later(3600_000)).toMatchObject({ sent: 1 });
});

it('a push message is sent about a snoozed notification once its time has come', async () => {
  await subscribe();
  await notify('Please look');
  await supabase().database.query('update notifications set snoozed_until = $1', [
    new Date(startMs + 6_000).toISOString(),
  ]);
  expect(await later(6_000)).toMatchObject({ sent: 1 });
  expect(received()).toMatchObject([{ unreadCount: 1 }]);
});

it('a push message is sent about a registered kind, unless its alerts are off', async () => {
  await subscribe();
  for (const [name, channels] of [
    ['loud', ['in_app', 'push']],
    ['silent', ['in_app']],
  ])
    await call(
      'register_kind',
      { kind: { name, labels: { en: 'Kind' }, channels } },
      supabase().serviceRoleKey,
    );
  await notify('Quiet', { type: 'silent' });
  expect(await later(6_000)).toEqual({ sent: 0, failed: 0, skipped: 0 });
  await notify('Look', { type: 'loud' });
  expect(await later(6_000)).toMatchObject({ sent: 1 });
  for (const name of ['loud', 'silent']) await call('remove_kind', { name }, supabase().serviceRoleKey);
});

it.each([
  [0, 1],
  [3601, 3600],
])('a push message with a requested wait of %i seconds waits for %i', async (retrySeconds, seconds) => {
  const { database } = supabase();
  await subscribe();
  await notify('Please look');
  const [row] = await database.query<{ claim: { messages: readonly [{ id: string; lease: string }] } }>(
    'select claim_push_messages(called_at => $1) as claim',
    [new Date(nowMs + 6_000).toISOString()],
  );
  const [message] = row?.claim.messages ?? [];
  await database.query(`select finish_push_message($1, $2, 'failed', 'busy', $3, $4)`, [
    message?.id,
    message?.lease,
    retrySeconds,
    new Date(nowMs).toISOString(),
  ]);
  expect(await database.query('select due_at from private.push_messages')).toEqual([
    { due_at: new Date(nowMs + seconds * 1000) },
  ]);
});

it('a push message is not queued about a notification that arrives as read', async () => {
  await subscribe();
  await supabase().database.query(`insert into notifications (recipient_id, status) values ($1, 'read')`, [
    ada.id,
  ]);
  expect(await supabase().database.query('select * from private.push_messages')).toEqual([]);
});

it.each([
  ['banned', `banned_until = '2032-02-01'`],
  ['deleted', 'deleted_at = now()'],
])('an account that is %s receives no push message', async (_, change) => {
  const { database } = supabase();
  await subscribe();
  await notify('Please look');
  await database.query(`update auth.users set ${change} where id = $1`, [ada.id]);
  expect(await later(6_000)).toEqual({ sent: 0, failed: 0, skipped: 1 });
  expect(await database.query('select state, reason from private.push_messages')).toEqual([
    { state: 'skipped', reason: 'account' },
  ]);
});

it.each([404, 410])(
  'a push service that no longer knows the device (%i) ends the subscription',
  async (status) => {
    await subscribe();
    await notify('Please look');
    pushService.status = status;
    expect(await later(6_000)).toMatchObject({ sent: 0, failed: 1 });
    expect(await subscriptions()).toEqual([]);
  },
);

it('a busy push service gets the message again after its Retry-After', async () => {
  await subscribe();
  await notify('Please look');
  pushService.status = 429;
  pushService.retryAfter = '30';
  expect(await later(6_000)).toMatchObject({ failed: 1 });
  pushService.status = 201;
  expect(await later(29_000)).toEqual({ sent: 0, failed: 0, skipped: 0 });
  expect(await later(2_000)).toMatchObject({ sent: 1 });
});

it('a push service that is down for hours gets the message when it is back', async () => {
  await subscribe();
  await notify('Please look');
  pushService.status = 500;
  await later(3600_000);
  // The shortest wait is 7.5 s.
  await later(7_000);
  expect(pushService.deliveries).toHaveLength(1);
  for (let attempt = 1; attempt < 6; attempt += 1) await later(2 * 3600_000);
  expect(pushService.deliveries).toHaveLength(6);
  pushService.status = 201;
  expect(await later(2 * 3600_000)).toMatchObject({ sent: 1 });
});

it.each([400, 403])(
  'a key that the push service refuses (%i) ends neither message nor subscription: the device subscribes again',
  async (status) => {
    await subscribe();
    await notify('Please look');
    pushService.status = status;
    pushService.body = '{"reason":"VapidPkHashMismatch"}';
    for (let attempt = 0; attempt < 5; attempt += 1) await later(600_000);
    await notify('Another');
    pushService.status = 201;
    await subscribe(`${pushService.origin}/push/again`);
    expect(await subscriptions()).toMatchObject([{ endpoint: `${pushService.origin}/push/again` }]);
    pushService.deliveries.length = 0;
    expect(await later(6_000)).toMatchObject({ sent: 2 });
    expect(pushService.deliveries.map(({ path }) => path)).toEqual(['/push/again', '/push/again']);
  },
);

it('one call requeues dead push messages, and a stopped worker loses none', async () => {
  await subscribe();
  await notify('Please look');
  pushService.status = 500;
  for (let attempt = 0; attempt < 3; attempt += 1) await later(13 * 3600_000);
  pushService.status = 201;
  expect(await later(13 * 3600_000)).toEqual({ sent: 0, failed: 0, skipped: 0 });
  const resent = await call('resend_dead_letters', {}, supabase().serviceRoleKey);
  expect(await resent.json()).toEqual({ mails: 0, push: 1, webhooks: 0, outgoing: 0, skipped: {} });
  await supabase().database.query('select claim_push_messages(called_at => $1)', [
    new Date(nowMs).toISOString(),
  ]);
  expect(await later(3600_000)).toEqual({ sent: 0, failed: 0, skipped: 0 });
  await supabase().database.exec(
    'update private.push_messages set lease_until = now() where lease is not null',
  );
  expect(await later(0)).toMatchObject({ sent: 1 });
});

it('one call requeues only push messages that died since a time, or those that it names', async () => {
  const { database } = supabase();
  await subscribe();
  await notify('Please look');
  await database.query(`update private.push_messages set state = 'dead', finished_at = $1`, [
    new Date(nowMs).toISOString(),
  ]);
  const [message] = await database.query<{ id: string }>('select id from private.push_messages');
  const resend = async (args: object) => {
    const response = await call('resend_dead_letters', args, supabase().serviceRoleKey);
    return ((await response.json()) as { push: number }).push;
  };
  expect(await resend({ died_after: new Date(nowMs + 1).toISOString() })).toBe(0);
  expect(await resend({ letter_ids: [sessionId] })).toBe(0);
  expect(await resend({ letter_ids: [message?.id], died_after: new Date(nowMs).toISOString() })).toBe(1);
});

it('a message whose worker stopped at the fourth attempt is dead', async () => {
  await subscribe();
  await notify('Please look');
  await supabase().database.exec(
    `update private.push_messages set state = 'sending', lease = id, lease_until = now(), attempts = 4`,
  );
  expect(await later(6_000)).toEqual({ sent: 0, failed: 0, skipped: 0 });
  expect(await supabase().database.query('select state, lease, reason from private.push_messages')).toEqual([
    { state: 'dead', lease: null, reason: expect.stringContaining('worker stopped') as string },
  ]);
});

it.each([
  ['https://['],
  ['https://10.0.0.1/x'],
  ['https://[::1]/x'],
  ['https://intranet/x'],
  ['https://db.internal/x'],
  ['https://push.example.com@10.0.0.1/x'],
  ['https://fcm.googleapis.com:22/x'],
  ['http://push.example.com/x'],
  ['javascript:alert(1)'],
])('an endpoint that is not a public push service is refused: %s', async (endpoint) => {
  const refused = await subscribe(endpoint);
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { message: 'push_subscription_invalid' },
  ]);
  expect(await subscriptions()).toEqual([]);
});

it('an endpoint that no URL parser takes is refused by itself, and stops no message of another device', async () => {
  const keys = webPush.generateVAPIDKeys();
  const env = {
    VAPID_SUBJECT: 'mailto:team@example.com',
    VAPID_PUBLIC_KEY: keys.publicKey,
    VAPID_PRIVATE_KEY: keys.privateKey,
  };
  const transport = createPushTransport({ env, fetch, now: Date.now });
  for (const endpoint of ['https://[', 'https://fcm.googleapis.com:22/x'])
    expect(await transport.send({ endpoint, ...device.keys }, '{}')).toMatchObject({ outcome: 'refused' });
});

it('a message whose rows are damaged is tried four times, and stops no message of another device', async () => {
  const other = await signIn(supabase(), ada.email);
  await subscribe();
  await subscribe(`${pushService.origin}/push/other`, device, other);
  await notify('Please look');
  await whileDamaged(
    supabase().database,
    'private.push_payload(private.push_messages,timestamptz)',
    `exists (select from public.push_subscriptions s where s.id = message.subscription_id and s.endpoint like '%/ada')`,
    async () => {
      for (let attempt = 0; attempt < 4; attempt += 1) await later(3_600_000);
    },
  );
  expect(received()).toHaveLength(1);
  expect(
    await supabase().database.query(
      `select state, attempts, reason from private.push_messages where state <> 'sent'`,
    ),
  ).toEqual([{ state: 'dead', attempts: 4, reason: 'damaged' }]);
});

it('a push service must belong to a browser: the function sends nothing into an internal network', async () => {
  await subscribe('http://127.0.0.1:9/internal');
  await notify('Please look');
  expect(await later(6_000)).toMatchObject({ sent: 0, failed: 1 });
  const [message] = await supabase().database.query('select state, reason from private.push_messages');
  expect(message).toEqual({ state: 'dead', reason: 'The push service is not allowed' });
});

it('a subscription ends with sign-out', async () => {
  await subscribe();
  await notify('Please look');
  const signOut = await requestApi(supabase(), '/auth/v1/logout?scope=local', { method: 'POST', token });
  expect(signOut.status).toBe(204);
  expect(await later(6_000)).toMatchObject({ sent: 0 });
  expect(pushService.deliveries).toEqual([]);
  expect(await subscriptions()).toEqual([]);
});

it.each(['pending', 'retrying'])(
  'a subscription moves to the account that uses the device now: %s',
  async (state) => {
    await subscribe();
    await notify('For Ada');
    await supabase().database.query('update private.push_messages set state = $1', [state]);
    await subscribe(undefined, device, await signIn(supabase(), grace.email));
    expect(await subscriptions()).toMatchObject([{ user_id: grace.id }]);
    expect(await later(6_000)).toEqual({ sent: 0, failed: 0, skipped: 0 });
  },
);

it('a message that waits for an earlier subscription of the session goes to the new one, with all attempts', async () => {
  const { database } = supabase();
  await subscribe(`${pushService.origin}/push/earlier`);
  await notify('Hello');
  await database.exec(
    `update private.push_messages set state = 'retrying', attempts = 3, held_since = now(), due_at = '2999-01-01'`,
  );
  await subscribe(`${pushService.origin}/push/later`);
  expect(
    await database.query(
      `select m.state, m.attempts, m.held_since, m.due_at <= now() as is_due, s.endpoint like '%/later' as is_moved
       from private.push_messages m join push_subscriptions s on s.id = m.subscription_id`,
    ),
  ).toEqual([{ state: 'retrying', attempts: 0, held_since: null, is_due: true, is_moved: true }]);
});

it('a user has at most twenty subscriptions, the newest', async () => {
  await supabase().database.query(
    `insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth, created_at)
     select $1, gen_random_uuid(), 'https://push.example.com/' || n, $2, $3, now() - n * interval '1 day' from generate_series(1, 21) n`,
    [ada.id, device.keys.p256dh, device.keys.auth],
  );
  await subscribe();
  expect((await subscriptions()).map((row) => String(row['endpoint'])).toSorted()).toEqual(
    [
      `${pushService.origin}/push/ada`,
      ...Array.from({ length: 19 }, (_, n) => `https://push.example.com/${n + 1}`),
    ].toSorted(),
  );
});

it.each([{ endpoint: 'ftp://example.com' }, { p256dh: 'short' }, { auth: 'not base64url!' }])(
  'a subscription is refused where it is malformed: %j',
  async (wrong) => {
    const body = { endpoint: `${pushService.origin}/x`, ...device.keys, ...wrong };
    const response = await call('subscribe_to_push', body);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { message: 'push_subscription_invalid' },
    ]);
  },
);

it('a subscription shows its owner neither endpoint nor keys, and others nothing', async () => {
  await subscribe();
  const read = (select: string, bearer = token) =>
    requestApi(supabase(), `/rest/v1/push_subscriptions?select=${select}`, { token: bearer });
  expect((await read('endpoint')).status).toBe(403);
  expect(await (await read('session_id')).json()).toEqual([{ session_id: sessionId }]);
  expect(await (await read('id', await signIn(supabase(), grace.email))).json()).toEqual([]);
});

it('a subscription is ended by its owner, and by no other user', async () => {
  await subscribe();
  const end = (bearer: string) =>
    requestApi(supabase(), `/rest/v1/push_subscriptions?session_id=eq.${sessionId}`, {
      method: 'DELETE',
      token: bearer,
    });
  expect((await end(await signIn(supabase(), grace.email))).status).toBe(204);
  expect(await subscriptions()).toHaveLength(1);
  expect((await end(token)).status).toBe(204);
  expect(await subscriptions()).toEqual([]);
});

it('a subscription needs the second factor of an account that has one', async () => {
  await subscribe();
  const asAda = { role: 'authenticated', userId: ada.id, claims: { aal: 'aal1' } } as const;
  await supabase().database.query(
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
       values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
    [ada.id],
  );
  try {
    const rows = await runAs(supabase().database, asAda, (sql) =>
      sql.query('select id from push_subscriptions'),
    );
    expect(rows).toEqual([]);
    expect((await subscribe()).status).toBe(403);
  } finally {
    await supabase().database.exec('delete from auth.mfa_factors');
  }
});
