import { beforeEach, describe, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import type { Caller } from '../support/database-roles.ts';
import { ada, grace, useLocalSupabase } from '../support/local-supabase.ts';
import { whileRefusing } from '../support/refusing-trigger.ts';

const supabase = useLocalSupabase();
const asAda: Caller = { role: 'authenticated', userId: ada.id };
const asGrace: Caller = { role: 'authenticated', userId: grace.id };

interface Received {
  kind: string;
  sender_id: string | null;
  content: string;
}

const send = (content: unknown, caller: Caller = asAda, recipient = grace.id, rows = 1) =>
  runAs(supabase().database, caller, (sql) =>
    sql.query(`insert into notifications (recipient_id, content) select $1, $2 from generate_series(1, $3)`, [
      recipient,
      typeof content === 'string' ? content : JSON.stringify(content),
      rows,
    ]),
  );
const received = () =>
  supabase().database.query<Received>('select kind, sender_id, content from notifications');
const contentOf = async () => JSON.parse((await received())[0]?.content ?? 'null') as Record<string, unknown>;

beforeEach(() =>
  supabase().database.exec(
    `delete from notifications; delete from private.send_usage; delete from blocked_senders;
     delete from muted_threads; delete from notification_preferences; delete from private.mail_only_notifications`,
  ),
);

it.each([
  ['that shows nothing', '\u200b\u3164\u{e0041}', 'ada'],
  ['that claims to be the product', 'Tid\u200bings Support', 'ada'],
  ['that claims to be the product in other forms', '\uff34\uff29\uff24\uff29\uff2e\uff27\uff33', 'ada'],
  ['that claims to be the product in Greek', '\u03a4idings', 'ada'],
  ['that claims to be the product in Cyrillic', '\u0422\u0456dings', 'ada'],
  ['that claims to be the product by digits', 'T1ding5', 'ada'],
  ['that claims to be the product with accents', 'Tíďings', 'ada'],
  ['that claims to be the product in small capitals', '\u1d1b\u026a\u1d05\u026a\u0274\u0262s', 'ada'],
  ['that claims to be the product in Lisu letters and with strokes', '\ua4d4i\u0111i\u014bgs', 'ada'],
  ['that claims to be a team of the product', 'The Tidings Team', 'ada'],
  ['of several lines', 'Ada\n\n\u2028Support:\tcall us', 'Ada Support: call us'],
  ['with hidden characters', 'A\u200bda\u{e0041}', 'Ada'],
  ['behind a thousand hidden characters', `${'\u200b'.repeat(1000)}Eve`, 'ada'],
  [
    'whose script needs joiners',
    '\u0646\u0627\u0645\u200c\u0647\u0627',
    '\u0646\u0627\u0645\u200c\u0647\u0627',
  ],
])(
  'the name of a sender %s is shown without invisible characters, and never as the product’s',
  async (_, name, shown) => {
    const { database } = supabase();
    const rename = 'update auth.users set raw_user_meta_data = $2 where id = $1 returning raw_user_meta_data';
    await database.query(rename, [ada.id, { name }]);
    await send({ type: 'mention' });
    await database.query(rename, [ada.id, { name: 'Ada Lovelace' }]);
    expect((await contentOf())['metadata']).toMatchObject({ actor_name: shown });
  },
);

it.each([
  [{ name: 'Ada', full_name: 'Ada Lovelace' }, 'eve@example.com', 'Ada'],
  [{ name: '\u200b', full_name: 'Ada Lovelace' }, 'eve@example.com', 'Ada Lovelace'],
  [{ full_name: 'Tidings' }, 'eve@example.com', 'eve'],
  [{}, 'tidings@example.com', 'Someone'],
  [{}, null, 'Someone'],
])('the account with %j and the address %s is shown as %s', async (profile, email, shown) => {
  const names = await supabase().database.query(
    `with account as (insert into auth.users (id, email, raw_user_meta_data) values (gen_random_uuid(), $1, $2) returning id)
     select id from account`,
    [email, profile],
  );
  const [id] = names.map((row) => row['id']);
  const named = await supabase().database.query('select private.display_name($1) as name', [id]);
  await supabase().database.query('delete from auth.users where id = $1', [id]);
  expect(named).toEqual([{ name: shown }]);
});

it('a user keeps at most 1,000 reports and 1,000 blocked senders', async () => {
  const refusals: unknown[] = [];
  const fill = async (insert: string) => {
    const undone = supabase().database.transaction(async (sql) => {
      // Accounts without triggers, which take a minute.
      await sql.query('set local session_replication_role = replica');
      await sql.query(
        `create temp table many on commit drop as select gen_random_uuid() as id from generate_series(1, 1001)`,
      );
      await sql.query('insert into auth.users (id) select id from many');
      await sql.query('set local session_replication_role = origin');
      await sql.query(`${insert} limit 1000`);
      await sql.query(`${insert} offset 1000`);
    });
    refusals.push(
      await undone.catch(({ code, message }: { code: string; message: string }) => [code, message]),
    );
  };
  await fill(
    `insert into notification_reports (reporter_id, notification_id, reason) select '${grace.id}', id, 'spam' from many`,
  );
  await fill(`insert into blocked_senders (user_id, sender_id) select '${grace.id}', id from many`);
  expect(refusals).toEqual([
    ['PT409', 'notification_reports_limit_exceeded'],
    ['PT409', 'blocked_senders_limit_exceeded'],
  ]);
});

it.each([
  ['muted_threads', 'entity_type, entity_id', `'document', n::text`],
  ['muted_threads', 'user_id, entity_type, entity_id', `'${ada.id}', 'document', n::text`],
])('a user keeps at most 1,000 rows of %s (%s)', async (table, columns, values) => {
  const add = (from: number, to: number) =>
    runAs(supabase().database, asAda, (sql) =>
      sql.query(
        `insert into ${table} (${columns}) select ${values} from generate_series($1::int, $2::int) n`,
        [from, to],
      ),
    );
  await add(1, 1000);
  await expect(add(1001, 1001)).rejects.toMatchObject({ code: 'PT409', message: `${table}_limit_exceeded` });
  await supabase().database.exec('delete from muted_threads where entity_id = $$1$$');
  await add(1001, 1001);
});

it('a sender of forged content loses unknown fields and text above the limits', async () => {
  await send({
    type: 'mention',
    entity_type: 't'.repeat(300),
    entity_id: 'i'.repeat(300),
    metadata: { actor_name: 'Grace Hopper', inviter_name: 'Grace Hopper' },
    data: {
      title: 'Your account was suspended',
      subject: 'From Grace Hopper',
      actor_name: 'Grace Hopper',
      status: 'accepted',
      entity_name: 'n'.repeat(500),
      text: 't'.repeat(5000),
      actions: [{ label: 'Confirm', url: '/account' }],
      fields: { branch: 'main' },
    },
    headline: 'forged',
  });
  expect(await contentOf()).toEqual({
    type: 'mention',
    entity_type: 't'.repeat(100),
    entity_id: 'i'.repeat(200),
    metadata: { actor_id: ada.id, actor_name: 'Ada Lovelace' },
    data: { entity_name: 'n'.repeat(200), text: 't'.repeat(2000) },
  });
});

it.each([['system'], ['security-alert'], ['message'], [null]])(
  'a sender of forged content sends no %j: it is a message',
  async (type) => {
    await send({ type, data: { text: 'hello' } });
    expect(await received()).toMatchObject([{ kind: 'message', sender_id: ada.id }]);
    expect(await contentOf()).toMatchObject({ type: 'message', data: { text: 'hello' } });
  },
);

it('a sender of forged content cannot answer an invitation by a forged notification', async () => {
  await send({
    type: 'invite',
    data: { status: 'accepted', invitation_id: 'x', invitee_email: ada.email },
  });
  expect(await contentOf()).toEqual({
    type: 'invite',
    metadata: { actor_id: ada.id, actor_name: 'Ada Lovelace' },
  });
});

it('a sender of forged content loses characters that reverse or hide text', async () => {
  await send({ type: 'comment', data: { text: 'pay\u202Efdp.exe\u0007 \u2066now\u2069' } });
  expect(await contentOf()).toMatchObject({ data: { text: 'payfdp.exe now' } });
});

it.each([
  ['https://evil.example/'],
  ['//evil.example'],
  ['/\\evil.example'],
  ['/\t/evil.example'],
  ['javascript:alert(1)'],
  ['/a\\..\\b'],
  ['home'],
  ['/' + 'x'.repeat(1000)],
])('a sender of forged content cannot link to %j', async (url) => {
  await send({ type: 'comment', data: { text: 'hello', url } });
  expect(await contentOf()).toMatchObject({ data: { text: 'hello' } });
  expect((await contentOf())['data']).not.toHaveProperty('url');
});

it.each([['/'], ['/documents/7?line=3#top']])(
  'a sender of forged content may link to the path %s',
  async (url) => {
    await send({ type: 'comment', data: { url } });
    expect(await contentOf()).toMatchObject({ data: { url } });
  },
);

it('a service sends every kind, with a sender or without', async () => {
  const { database } = supabase();
  await runAs(database, { role: 'service_role' }, (sql) =>
    sql.query(
      `insert into notifications (recipient_id, sender_id, content) values
          ($1, null, '{"type":"system","data":{"title":"Maintenance"}}'),
          ($1, $2, '{"type":"Reactions"}')`,
      [grace.id, ada.id],
    ),
  );
  const senders = (await received()).map(({ kind, sender_id: sender }) => [kind, sender]);
  expect(Object.fromEntries(senders)).toEqual({ reactions: ada.id, system: null });
});

it('a service is not limited', async () => {
  await runAs(supabase().database, { role: 'service_role' }, (sql) =>
    sql.query(`insert into notifications (recipient_id) select $1 from generate_series(1, 500)`, [grace.id]),
  );
  expect(await received()).toHaveLength(500);
});

describe('a sender of too many notifications', () => {
  const limited = { code: 'PT429', message: 'notification_limit_exceeded' };

  it('cannot send more than 100 in one request', async () => {
    await supabase().database.exec('update private.send_limits set per_minute = per_minute * 10');
    await expect(send({ type: 'mention' }, asAda, grace.id, 101)).rejects.toMatchObject({
      code: 'PT413',
      message: 'too_many_notifications',
    });
    expect(await received()).toEqual([]);
    // A further statement of the transaction has its own count.
    await runAs(supabase().database, asAda, async (sql) => {
      for (const rows of [100, 1])
        await sql.query(`insert into notifications (recipient_id) select $1 from generate_series(1, $2)`, [
          grace.id,
          rows,
        ]);
    });
    await supabase().database.exec('update private.send_limits set per_minute = per_minute / 10');
    await expect.poll(received).toHaveLength(101);
  });

  it.each([
    ['notification', `insert into notifications (recipient_id) values ('${grace.id}')`, 500],
    ['invitation', `select create_invitation('new@example.com')`, 5],
  ])('sends an account or address each %s up to a limit of the day', async (action, statement, most) => {
    const { database } = supabase();
    const sendOne = () => runAs(database, asAda, (sql) => sql.query(statement));
    await sendOne();
    const spend = (count: number) =>
      database.query(`update private.send_usage set minute_count = 0, day_count = $1 where target <> ''`, [
        count,
      ]);
    await spend(most - 1);
    await sendOne();
    const refused = sendOne();
    await expect(refused).rejects.toMatchObject({
      message: `${action}_limit_exceeded`,
      detail: 'This account has sent too many to this recipient.',
    });
    await database.exec('delete from invitations');
  });

  it('a sender of too many invitations sends 50 a day in all', async () => {
    const { database } = supabase();
    const inviteOne = (address: string) =>
      runAs(database, asAda, (sql) => sql.query('select create_invitation($1)', [address]));
    await inviteOne('one@example.com');
    await database.exec(`update private.send_usage set minute_count = 0, day_count = 49 where target = ''`);
    await inviteOne('two@example.com');
    await expect(inviteOne('three@example.com')).rejects.toMatchObject({
      message: 'invitation_limit_exceeded',
      detail: 'This account has sent too many.',
    });
    await database.exec('delete from invitations');
  });

  it('an anonymous account neither sends nor invites, also with a token that does not say what it is', async () => {
    const { database } = supabase();
    await database.query('update auth.users set is_anonymous = true where id = $1', [ada.id]);
    try {
      await expect(send({ type: 'mention' })).rejects.toMatchObject({ message: 'sender_anonymous' });
      const inviting = runAs(database, asAda, (sql) =>
        sql.query(`select create_invitation('x@example.com')`),
      );
      await expect(inviting).rejects.toMatchObject({ code: 'PT403', message: 'sender_anonymous' });
    } finally {
      await database.query('update auth.users set is_anonymous = false where id = $1', [ada.id]);
    }
  });

  it('a sender of too many notifications sends 60 a minute to one recipient, and receives the time to retry', async () => {
    await send({ type: 'mention' }, asAda, grace.id, 60);
    await expect(send({ type: 'mention' })).rejects.toMatchObject({
      ...limited,
      hint: expect.stringMatching(/^Try again in (60|[1-5]?\d) seconds\.$/),
    });
    await supabase().database.exec(
      `update private.send_usage set minute_started_at = minute_started_at - interval '1 minute'`,
    );
    await send({ type: 'mention' });
    expect(await received()).toHaveLength(61);
  });

  it('a sender of too many notifications sends 120 a minute and 2,000 a day in all', async () => {
    const { database } = supabase();
    const spend = (column: string, number: number) =>
      database
        .query(
          `insert into private.send_usage values ($1, 'notification', '', now(), 0, now(), 0)
         on conflict (sender_id, action, target) do update set minute_count = 0, day_count = 0`,
          [ada.id],
        )
        .then(() =>
          database.query(`update private.send_usage set ${column} = $1 where target = ''`, [number]),
        );
    await spend('minute_count', 119);
    await send({ type: 'mention' });
    await expect(send({ type: 'mention' })).rejects.toMatchObject(limited);
    await spend('day_count', 2000);
    await expect(send({ type: 'mention' })).rejects.toMatchObject(limited);
  });

  it('a sender of too many notifications may send again in the next minute, and on the next day', async () => {
    const { database } = supabase();
    await database.query(
      `insert into private.send_usage values ($1, 'notification', '', now() - interval '1 day', 120, now() - interval '1 day', 2000)`,
      [ada.id],
    );
    await send({ type: 'mention' });
    expect(await received()).toHaveLength(1);
    expect(
      await database.query(`select minute_count, day_count from private.send_usage where target = ''`),
    ).toEqual([{ minute_count: 1, day_count: 1 }]);
  });

  it('a sender of too many notifications receives the end of its daily limit, which later minutes do not move', async () => {
    await supabase().database.query(
      `insert into private.send_usage values ($1, 'notification', '', now() - interval '2 minutes', 1, now() - interval '23 hours', 2000)`,
      [ada.id],
    );
    await expect(send({ type: 'mention' })).rejects.toMatchObject({
      ...limited,
      hint: expect.stringMatching(/^Try again in (3600|35\d\d) seconds\.$/),
    });
  });

  it('a sender of too many notifications stays limited when the recipient deletes notifications', async () => {
    await send({ type: 'mention' }, asAda, grace.id, 60);
    await runAs(supabase().database, asGrace, (sql) => sql.query('delete from notifications'));
    await expect(send({ type: 'mention' })).rejects.toMatchObject(limited);
  });

  it('a sender of too many notifications cannot send from an anonymous account', async () => {
    const anonymous: Caller = { ...asAda, claims: { is_anonymous: true } };
    await expect(send({ type: 'mention' }, anonymous)).rejects.toMatchObject({
      code: 'PT403',
      message: 'sender_anonymous',
    });
  });

  it('a sender of too many notifications reaches nothing and receives no error once the recipient has blocked it, until it is unblocked', async () => {
    const { database } = supabase();
    await send({ type: 'mention' });
    await runAs(database, asGrace, (sql) =>
      sql.query('insert into blocked_senders (sender_id) values ($1)', [ada.id]),
    );
    await send({ type: 'mention' });
    expect(await received()).toHaveLength(1);
    await runAs(database, asGrace, (sql) => sql.query('delete from blocked_senders'));
    await send({ type: 'mention' });
    expect(await received()).toHaveLength(2);
  });

  it('a sender of too many notifications cannot see or change the blocks against it', async () => {
    const { database } = supabase();
    await database.query('insert into blocked_senders values ($1, $2)', [grace.id, ada.id]);
    const asSender = (statement: string) => runAs(database, asAda, (sql) => sql.query(statement));
    expect(await asSender('select * from blocked_senders')).toEqual([]);
    expect(await asSender('delete from blocked_senders returning *')).toEqual([]);
    await expect(
      asSender(`insert into blocked_senders (user_id, sender_id) values ('${grace.id}', '${ada.id}')`),
    ).rejects.toMatchObject({ code: '42501' });
  });
});

it.each([
  ['a notification', 'insert into notifications (recipient_id, sender_id) values ($1, $2)'],
  [
    'a mail',
    `insert into private.mail_only_notifications (id, recipient_id, sender_id, kind, created_at)
     values (gen_random_uuid(), $1, $2, 'edit', now())`,
  ],
  [
    'an open invitation',
    'insert into invitations (inviter_id, invitee_email) select $2, email from auth.users where id = $1',
  ],
  [
    'an accepted invitation',
    'insert into private.accepted_invitations (invitation_id, invitee_id, inviter_id) values (gen_random_uuid(), $1, $2)',
  ],
  [
    'an invitation that the sender accepted',
    'insert into private.accepted_invitations (invitation_id, inviter_id, invitee_id) values (gen_random_uuid(), $1, $2)',
  ],
])('a sender is blocked because of %s, and not because of one between others', async (_, relate) => {
  const { database } = supabase();
  const other = crypto.randomUUID();
  await database.query(
    `insert into auth.users (id, email, email_confirmed_at) values ($1, 'other@example.com', now())`,
    [other],
  );
  const block = () =>
    runAs(database, asGrace, (sql) =>
      sql.query('insert into blocked_senders (sender_id) values ($1)', [ada.id]),
    );
  for (const pair of [
    [grace.id, other],
    [other, ada.id],
  ])
    await database.query(relate, pair);
  const refused = await block().catch((problem: unknown) => problem);
  await database.query(relate, [grace.id, ada.id]);
  const blocked = await block();
  await database.exec(
    'delete from private.accepted_invitations; delete from invitations; delete from blocked_senders',
  );
  await database.query('delete from auth.users where id = $1', [other]);
  expect(refused).toMatchObject({ message: 'sender_unknown' });
  expect(blocked).toEqual([]);
});

it.each([
  ['has expired', `expires_at = now()`],
  ['was declined', `status = 'declined'`],
  ['was withdrawn', `status = 'revoked'`],
])('a sender is not blocked because of an invitation that %s', async (_, change) => {
  const { database } = supabase();
  await database.query(
    'insert into invitations (inviter_id, invitee_email) select $2, email from auth.users where id = $1',
    [grace.id, ada.id],
  );
  await database.exec(`update invitations set ${change}`);
  const block = runAs(database, asGrace, (sql) =>
    sql.query('insert into blocked_senders (sender_id) values ($1)', [ada.id]),
  );
  await expect(block).rejects.toMatchObject({ code: 'PT404', message: 'sender_unknown' });
  await database.exec('delete from invitations');
});

describe('a muted thread', () => {
  const about = (id: string) => ({ type: 'edit', entity_type: 'document', entity_id: id });

  it('a muted thread sends no notifications, in the app or by mail, until the mute ends', async () => {
    const { database } = supabase();
    await runAs(database, asGrace, (sql) =>
      sql.query(
        `insert into muted_threads (entity_type, entity_id, muted_until) values
          ('document', 'doc-1', null), ('document', 'doc-2', now() - interval '1 second'), ('', 'doc-4', null)`,
      ),
    );
    for (const id of ['doc-1', 'doc-2', 'doc-3']) await send(about(id));
    await send({ type: 'comment', entity_id: 'doc-4' });
    const arrived = (await received()).map(
      ({ content }) => (JSON.parse(content) as { entity_id: string }).entity_id,
    );
    expect(new Set(arrived)).toEqual(new Set(['doc-2', 'doc-3']));
    expect(arrived).toHaveLength(2);
    expect(await database.query('select * from private.mail_only_notifications')).toEqual([]);
  });
});

it.each([
  [`blocked_senders (sender_id) values ('${grace.id}')`],
  [`muted_threads (entity_type, entity_id) values (repeat('x', 101), 'id')`],
  [`muted_threads (entity_type, entity_id) values ('type', repeat('x', 201))`],
  [`muted_threads (entity_type, entity_id, entity_name) values ('type', 'id', repeat('x', 201))`],
])('the database refuses a row of a list whose values are invalid: %s', async (row) => {
  const insert = (values: string) =>
    runAs(supabase().database, asGrace, (sql) => sql.query(`insert into ${values} returning user_id`));
  // Ada and the caller have sent the caller a notification, so that only the constraint refuses a block.
  await supabase().database.query(
    'insert into notifications (recipient_id, sender_id) select $1, unnest($2::uuid[])',
    [grace.id, `{${ada.id},${grace.id}}`],
  );
  await expect(insert(row)).rejects.toMatchObject({ code: '23514' });
  const longest = row.replaceAll('101', '100').replaceAll('201', '200').replace(grace.id, ada.id);
  expect(await insert(longest)).toHaveLength(1);
});

describe('a kind that is off in the app', () => {
  const waiting = () =>
    supabase().database.query<{ kind: string }>(
      'select kind, sender_id from private.mail_only_notifications',
    );
  const prefer = (columns: string, values: string) =>
    supabase().database.exec(
      `insert into notification_preferences (user_id, ${columns}) values ('${grace.id}', ${values})`,
    );

  it('a kind that is off in the app is pending for the next mail when mail for the kind is on', async () => {
    await prefer('in_app_comments, email_comments', 'false, true');
    await send({ type: 'comment' });
    expect(await received()).toEqual([]);
    expect(await waiting()).toEqual([{ kind: 'comment', sender_id: ada.id }]);
  });

  it.each([
    ['the kind’s mail is off', 'email_comments', 'false'],
    ['all mail is off', 'enable_email_notifications', 'false'],
    ['the digest is off', 'email_digest_frequency', `'never'`],
  ])('a kind that is off in the app is discarded when %s', async (_, column, value) => {
    await prefer(`in_app_comments, ${column}`, `false, ${value}`);
    await send({ type: 'comment' });
    expect([await received(), await waiting()]).toEqual([[], []]);
  });
});

it('the names of senders are visible to their recipients only', async () => {
  await send({ type: 'mention' });
  const names = (caller: Caller) =>
    runAs(supabase().database, caller, (sql) =>
      sql.query('select * from sender_names($1::uuid[])', [`{${ada.id},${grace.id}}`]),
    );
  expect(await names(asGrace)).toEqual([{ sender_id: ada.id, name: 'Ada Lovelace' }]);
  expect(await names(asAda)).toEqual([]);
  // The list of blocked senders shows the name also when nothing of them is left.
  await supabase().database.query('insert into blocked_senders values ($1, $2)', [grace.id, ada.id]);
  await supabase().database.exec('delete from notifications');
  expect(await names(asGrace)).toEqual([{ sender_id: ada.id, name: 'Ada Lovelace' }]);
  await supabase().database.exec('delete from blocked_senders');
  expect(await names(asGrace)).toEqual([]);
});

it('a report keeps the content and the sender, even after the notification is deleted', async () => {
  const { database } = supabase();
  await send({ type: 'mention', data: { text: 'spam' } });
  const [row] = await database.query<{ id: string }>('select id from notifications');
  const report = (caller: Caller, reason: string, comment?: string) =>
    runAs(database, caller, (sql) =>
      sql.query('select report_notification($1, $2, $3)', [row?.id, reason, comment ?? null]),
    );
  await expect(report(asAda, 'spam')).rejects.toMatchObject({ message: 'notification_not_found' });
  await expect(report(asGrace, 'dislike')).rejects.toMatchObject({ message: 'report_reason_invalid' });
  await report(asGrace, 'spam', 'first');
  for (const reason of ['abuse', 'other']) await report(asGrace, reason);
  await report(asGrace, 'phishing', 'second');
  await database.exec('delete from notifications');
  expect(
    await database.query('select sender_id, reason, comment, content from notification_reports'),
  ).toEqual([
    { sender_id: ada.id, reason: 'phishing', comment: 'second', content: expect.stringContaining('spam') },
  ]);
});

it('a report keeps the first 1,000 characters of its comment', async () => {
  const { database } = supabase();
  await send({ type: 'mention' });
  const [row] = await database.query<{ id: string }>('select id from notifications');
  for (const comment of ['x'.repeat(1000), 'x'.repeat(1001), `  ${'x'.repeat(1000)}`]) {
    await runAs(database, asGrace, (sql) =>
      sql.query(`select report_notification($1, 'spam', $2)`, [row?.id, comment]),
    );
    expect(
      await database.query(
        'select length(comment) as length from notification_reports where notification_id = $1',
        [row?.id],
      ),
    ).toEqual([{ length: 1000 }]);
  }
});

it.each([
  ['40001', true],
  ['40P01', true],
  ['53100', true],
  ['55P03', true],
  ['57P03', true],
  ['58030', true],
  ['XX001', true],
  ['22P02', false],
  ['23505', false],
  ['42P01', false],
  ['P0001', false],
  ['PT409', false],
])('a delivery that fails with %s is tried again: %s', async (code, isTransient) => {
  const { database } = supabase();
  await database.exec(`
    create function public.fail_with() returns trigger language plpgsql as
      $$ begin raise sqlstate '${code}' using message = 'broken'; end $$;
    create trigger fail_with before insert on public.notifications for each row execute function public.fail_with();
    insert into private.outgoing_notifications (sender_id, recipient_id, content, created_at, due_at)
    values ('${ada.id}', '${grace.id}', '{"type":"mention"}', now(), '2999-01-01')`);
  const codes = await database.query(
    'select private.deliver_row(o.id) as code from private.outgoing_notifications o',
  );
  const states = await database.query(
    `select due_at < 'infinity' as is_retried, reason from private.outgoing_notifications`,
  );
  await database.exec(
    `drop trigger fail_with on public.notifications; drop function public.fail_with();
     delete from private.outgoing_notifications`,
  );
  expect([codes, states]).toEqual([[{ code }], [{ is_retried: isTransient, reason: 'broken' }]]);
});

it('the next delivery is that of the earliest message or notification, without dead letters', async () => {
  const { database } = supabase();
  const next = async () => {
    const [row] = await database.query<{ at: Date | null }>('select private.next_message_at() as at');
    return row?.at?.toISOString() ?? null;
  };
  const queue = (dueAt: string) =>
    database.query(
      `insert into private.outgoing_notifications (sender_id, recipient_id, created_at, due_at) values ($1, $2, now(), $3)`,
      [ada.id, grace.id, dueAt],
    );
  await queue('infinity');
  expect(await next()).toBeNull();
  await queue('2998-01-01T00:00:00Z');
  expect(await next()).toBe('2998-01-01T00:00:00.000Z');
  await database.exec(`
    insert into private.messages (id, content, recipient_count, send_at) values ('${ada.id}', '{}', 1, now());
    insert into private.message_ranges (message_id, lane, due_at) values ('${ada.id}', 1, '2997-01-01T00:00:00Z')`);
  expect(await next()).toBe('2997-01-01T00:00:00.000Z');
  await database.exec('delete from private.outgoing_notifications; delete from private.messages');
});

it('a notification that waits for its next attempt is not delivered before', async () => {
  const { database } = supabase();
  await database.query(
    `insert into private.outgoing_notifications (sender_id, recipient_id, content, created_at, due_at)
     values ($1, $2, '{"type":"mention"}', now(), now() + interval '1 hour')`,
    [ada.id, grace.id],
  );
  await send({ type: 'comment' });
  await database.exec('call private.deliver_outgoing()');
  expect(await received()).toMatchObject([{ kind: 'comment' }]);
  await database.exec('delete from private.outgoing_notifications');
});

it('the notifications that are due first are delivered first, in batches', async () => {
  const kinds = await supabase().database.transaction(async (sql) => {
    await sql.query(
      `insert into private.outgoing_notifications (sender_id, recipient_id, content, created_at, due_at)
       select $1, $2, json_build_object('type', type), now(), now() - age
       from (values ('mention', interval '1 second'), ('edit', '3 seconds'), ('comment', '2 seconds')) queued (type, age)`,
      [ada.id, grace.id],
    );
    expect(await sql.query('select private.deliver_outgoing_batch(2) as count')).toEqual([{ count: 2 }]);
    return sql.query('select kind from notifications order by kind');
  });
  expect(kinds).toEqual([{ kind: 'comment' }, { kind: 'edit' }]);
  await supabase().database.exec('delete from private.outgoing_notifications');
});

it('a run delivers all batches, unless its time is over', async () => {
  const { database } = supabase();
  await database.exec('alter table private.outgoing_notifications disable trigger announce_outgoing');
  await database.query(
    `insert into private.outgoing_notifications (sender_id, recipient_id, content, created_at)
     select $1, $2, '{"type":"mention"}', now() from generate_series(1, 3)`,
    [ada.id, grace.id],
  );
  await database.exec('alter table private.outgoing_notifications enable trigger announce_outgoing');
  await database.exec('call private.deliver_outgoing(batch_size => 1, run_seconds => 0)');
  expect(await received()).toEqual([]);
  await database.exec('call private.deliver_outgoing(batch_size => 1)');
  expect(await received()).toHaveLength(3);
});

it('one call makes dead letters due again, unless it names mails or a later time', async () => {
  const { database } = supabase();
  await database.query(
    `insert into private.outgoing_notifications (sender_id, recipient_id, content, created_at, due_at)
     values ($1, $2, '{"type":"mention"}', now(), 'infinity')`,
    [ada.id, grace.id],
  );
  const resend = async (args: string) => {
    const [row] = await database.query<{ resent: { outgoing: number } }>(
      `select resend_dead_letters(${args}) as resent`,
    );
    return row?.resent.outgoing;
  };
  expect(await resend(`letter_ids => array[gen_random_uuid()]`)).toBe(0);
  expect(await resend(`died_after => now() + interval '1 minute'`)).toBe(0);
  expect(await resend('')).toBe(1);
  await database.exec('call private.deliver_outgoing()');
  expect(await received()).toHaveLength(1);
});

it('a notification that fails transiently is retried eleven times, and then is a dead letter', async () => {
  const { database } = supabase();
  await database.exec(`
    create function public.fail_for_now() returns trigger language plpgsql as
      $$ begin raise object_not_in_prerequisite_state using message = 'not yet'; end $$;
    create trigger fail_for_now before insert on public.notifications
      for each row when (new.recipient_id = '${grace.id}') execute function public.fail_for_now();
    insert into private.outgoing_notifications (sender_id, recipient_id, content, created_at, due_at)
    values ('${ada.id}', '${grace.id}', '{"type":"mention"}', now(), now() + interval '1 hour')`);
  const states: unknown[] = [];
  for (let attempt = 1; attempt <= 12; attempt += 1) {
    await database.exec('select private.deliver_row(o.id) from private.outgoing_notifications o');
    const [row] = await database.query<object>(
      `select attempts, reason, due_at < 'infinity' as is_retried from private.outgoing_notifications`,
    );
    states.push(row);
    // The embedded service must not deliver the notification.
    await database.exec(
      `update private.outgoing_notifications set due_at = now() + interval '1 hour' where due_at < 'infinity'`,
    );
  }
  await database.exec(
    `drop trigger fail_for_now on public.notifications; drop function public.fail_for_now();
     delete from private.outgoing_notifications`,
  );
  expect(states[0]).toEqual({ attempts: 1, reason: 'not yet', is_retried: true });
  expect(states[10]).toEqual({ attempts: 11, reason: 'not yet', is_retried: true });
  expect(states[11]).toEqual({ attempts: 12, reason: 'not yet', is_retried: false });
});

it('a notification that can never be stored does not stop those behind it', async () => {
  const { database } = supabase();
  await whileRefusing(database, grace.id, async () => {
    await send({ type: 'mention' });
    await send({ type: 'comment' }, asGrace, ada.id);
    await expect.poll(received).toMatchObject([{ kind: 'comment', sender_id: grace.id }]);
  });
  expect(await database.query('select due_at::text, reason from private.outgoing_notifications')).toEqual([
    { due_at: 'infinity', reason: 'This team refuses.' },
  ]);
  await database.exec('delete from private.outgoing_notifications');
});
