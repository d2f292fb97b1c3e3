import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { ada, createUser, grace, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
const asAda = { role: 'authenticated', userId: ada.id } as const;
const asGrace = { role: 'authenticated', userId: grace.id } as const;

interface Invitation {
  status: string;
  token: string;
  is_for_me: boolean;
  invitee_email: string;
  inviter_name: string;
  entity_name: string | null;
}

async function invite(email = grace.email): Promise<string> {
  const [made] = await runAs(supabase().database, asAda, (sql) =>
    sql.query<Invitation>(`select * from create_invitation($1, 'document', 'doc-1', 'Notes')`, [email]),
  );
  return made?.token ?? '';
}

const listed = () =>
  runAs(supabase().database, asGrace, (sql) =>
    sql.query<{ token: string; entity_name: string | null }>(
      'select token, entity_name from list_invitations()',
    ),
  );

async function call(
  caller: typeof asAda | typeof asGrace,
  name: 'get' | 'accept' | 'decline' | 'withdraw',
  token: string,
): Promise<Invitation | undefined> {
  const [row] = await runAs(supabase().database, caller, (sql) =>
    sql.query<Invitation>(`select * from ${name}_invitation($1)`, [token]),
  );
  return row;
}

async function received(userId: string): Promise<Record<string, unknown>[]> {
  const rows = await supabase().database.query<{ content: string }>(
    'select content from notifications where recipient_id = $1 order by created_at',
    [userId],
  );
  return rows.map(({ content }) => JSON.parse(content) as Record<string, unknown>);
}

beforeEach(() =>
  supabase().database.exec(
    'delete from notifications; delete from invitations; delete from private.send_usage',
  ),
);

it('inviting returns a random token that expires after seven days', async () => {
  const [made] = await runAs(supabase().database, asAda, (sql) =>
    sql.query<{ token: string; days: number }>(
      `select token, extract(day from expires_at - now())::int as days from create_invitation('new@example.com')`,
    ),
  );
  expect(made?.token).toMatch(/^[\da-f]{64}$/);
  expect(made?.days).toBe(7);
});

it('an open invitation shows only its inviter and entity to a holder of its token', async () => {
  const token = await invite();
  const preview = async () =>
    runAs(supabase().database, { role: 'anon' }, (sql) =>
      sql.query('select * from preview_invitation($1)', [token]),
    );
  const [open] = await preview();
  expect(open).toEqual({
    status: 'pending',
    inviter_name: 'Ada Lovelace',
    entity_name: 'Notes',
    expires_at: expect.any(Date),
  });
  await call(asGrace, 'decline', token);
  expect(await preview()).toMatchObject([{ status: 'declined', inviter_name: null, entity_name: null }]);
  await supabase().database.exec('delete from invitations');
  expect(await preview()).toEqual([]);
});

it('all invitations that are due are delivered by one run', async () => {
  const { database } = supabase();
  await database.exec(`
    alter table private.outgoing_notifications disable trigger announce_outgoing;
    with made as (
      insert into invitations (inviter_id, invitee_email) select '${ada.id}', 'new-' || n || '@example.com' from generate_series(1, 25) n
      returning id
    )
    insert into private.outgoing_notifications (sender_id, invitation_id, created_at) select '${ada.id}', id, now() from made;
    alter table private.outgoing_notifications enable trigger announce_outgoing`);
  await database.exec('call private.deliver_outgoing()');
  const waiting = await database.query('select from private.outgoing_notifications');
  await database.exec('delete from invitations');
  expect(waiting).toEqual([]);
});

it('the list has the open invitations to the address of its reader, the last made first', async () => {
  const { database } = supabase();
  await database.query(
    `insert into invitations (inviter_id, invitee_email, entity_name, status, expires_at)
     select $1, email, name, status, now() + days * interval '1 day'
     from (values
       ($2, 'older', 'pending', 6), (upper($2), 'newer', 'pending', 7), ('else@example.com', 'of another', 'pending', 7),
       ($2, 'expired', 'pending', -1), ($2, 'accepted', 'accepted', 7), ($2, 'declined', 'declined', 7), ($2, 'revoked', 'revoked', 7)
     ) given (email, name, status, days)`,
    [ada.id, grace.email],
  );
  expect((await listed()).map(({ entity_name: name }) => name)).toEqual(['newer', 'older']);
});

it('the list has 100 invitations at most', async () => {
  await supabase().database.query(
    'insert into invitations (inviter_id, invitee_email, entity_name) select $1, $2, n::text from generate_series(1, 101) n',
    [ada.id, grace.email],
  );
  expect(await listed()).toHaveLength(100);
});

it('an invitation has the same details in the list and for its token', async () => {
  const token = await invite();
  const [stored] = await supabase().database.query<object>(
    `select id, status, inviter_id, 'Ada Lovelace' as inviter_name, invitee_email, true as is_for_me, entity_type, entity_id,
       entity_name, created_at, expires_at
     from invitations`,
  );
  expect(await call(asGrace, 'get', token)).toEqual(stored);
  const [listedRow] = await runAs(supabase().database, asGrace, (sql) =>
    sql.query('select * from list_invitations()'),
  );
  expect(listedRow).toEqual({ token, ...stored });
});

it('inviting is limited to 10 addresses a minute', async () => {
  for (let number = 0; number < 10; number += 1) await invite(`new${number}@example.com`);
  await expect(invite('one-more@example.com')).rejects.toMatchObject({
    code: 'PT429',
    message: 'invitation_limit_exceeded',
  });
});

it('inviting is limited to 3 times a minute for one address', async () => {
  for (let time = 0; time < 3; time += 1) await invite('new@example.com');
  await expect(invite('NEW@example.com')).rejects.toMatchObject({
    code: 'PT429',
    message: 'invitation_limit_exceeded',
  });
});

it('inviting notifies a known user, with the link and the inviter', async () => {
  const token = await invite('Grace@Example.com');
  await expect(received(grace.id)).resolves.toEqual([
    {
      type: 'invite',
      entity_type: 'document',
      entity_id: 'doc-1',
      metadata: { actor_id: ada.id, actor_name: 'Ada Lovelace' },
      data: expect.objectContaining({ url: `/join/${token}`, status: 'pending', entity_name: 'Notes' }),
    },
  ]);
});

it('inviting notifies an account of single sign-on, but prefers an account with a password', async () => {
  const { database } = supabase();
  const addSso = (email: string) =>
    database.query<{ id: string }>(
      `insert into auth.users
           (instance_id, id, email, email_confirmed_at, is_sso_user, aud, role, created_at, updated_at)
         values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), $1, now(), true, 'authenticated', 'authenticated', '2020-01-01', now())
         returning id`,
      [email],
    );
  const [alone] = await addSso('sso@example.com');
  const [twin] = await addSso(grace.email);
  await invite('SSO@example.com');
  await invite(grace.email);
  await expect(received(alone?.id ?? '')).resolves.toHaveLength(1);
  await expect(received(twin?.id ?? '')).resolves.toHaveLength(0);
  await expect(received(grace.id)).resolves.toHaveLength(1);
  await addSso(ada.email);
  await expect(invite(ada.email)).rejects.toThrow('invitation_to_yourself');
  await database.exec('delete from auth.users where is_sso_user');
});

it('an invitation whose delivery waits for its next attempt is not delivered with another one', async () => {
  const { database } = supabase();
  await invite();
  await database.exec(`
    delete from notifications;
    insert into private.outgoing_notifications (sender_id, invitation_id, created_at, due_at)
    select inviter_id, id, now(), now() + interval '1 hour' from invitations`);
  const other = await createUser(supabase(), `other-${crypto.randomUUID()}@example.com`);
  await invite(other.email);
  await expect.poll(() => received(other.id)).toHaveLength(1);
  expect(await received(grace.id)).toEqual([]);
  await database.exec('delete from private.outgoing_notifications');
});

it('inviting responds identically for an address without an account', async () => {
  await expect(invite('unknown@example.com')).resolves.toMatch(/^[\da-f]{64}$/);
});

it.each([
  ['type', 'entity_type', 100],
  ['id', 'entity_id', 200],
  ['name', 'entity_name', 200],
])('inviting refuses a long %s whether or not the address has an account', async (_, parameter, longest) => {
  const inviteTo = (email: string, length: number) =>
    runAs(supabase().database, asAda, (sql) =>
      sql.query(`select * from create_invitation($1, ${parameter} => repeat(E'\\x01', $2))`, [email, length]),
    );
  for (const email of [grace.email, 'unknown@example.com']) {
    await expect(inviteTo(email, longest)).resolves.toHaveLength(1);
    const refusal = { code: 'PT400', message: 'invitation_entity_invalid' };
    await expect(inviteTo(email, longest + 1)).rejects.toMatchObject(refusal);
  }
});

it.each(['accept', 'decline'] as const)(
  'an invitee can %s an invitation to an entity with the longest type and id, in characters of four bytes',
  async (answer) => {
    const { database } = supabase();
    // Characters that differ, because PostgreSQL compresses repeated ones before it indexes them.
    const text = (length: number) =>
      Array.from({ length }, (_, index) => String.fromCodePoint(0x1_0000 + ((index * 7919) % 0x5000))).join(
        '',
      );
    const [made] = await runAs(database, asAda, (sql) =>
      sql.query<Invitation>('select * from create_invitation($1, $2, $3, $3)', [
        grace.email,
        text(100),
        text(200),
      ]),
    );
    expect(await received(grace.id)).toHaveLength(1);
    const status = answer === 'accept' ? 'accepted' : 'declined';
    await expect(call(asGrace, answer, made?.token ?? '')).resolves.toMatchObject({ status });
    expect(await received(ada.id)).toHaveLength(1);
  },
);

it('a service notifies about an entity whose id no index could have', async () => {
  const content = JSON.stringify({
    type: 'edit',
    entity_type: 't'.repeat(9_000),
    entity_id: crypto.randomUUID().repeat(900),
  });
  await supabase().database.query('insert into notifications (recipient_id, content) values ($1, $2)', [
    grace.id,
    content,
  ]);
  expect(await received(grace.id)).toHaveLength(1);
});

it('an invitee blocks the inviter of an open invitation whose notification is deleted, and no longer lists it', async () => {
  const { database } = supabase();
  const stranger = await createUser(supabase(), `stranger-${crypto.randomUUID()}@example.com`);
  const block = () =>
    runAs(database, asGrace, (sql) =>
      sql.query('insert into blocked_senders (sender_id) values ($1)', [stranger.id]),
    );
  await expect(block()).rejects.toMatchObject({ message: 'sender_unknown' });
  await runAs(database, { role: 'authenticated', userId: stranger.id }, (sql) =>
    sql.query('select * from create_invitation($1)', [grace.email]),
  );
  await database.exec('delete from notifications');
  expect(await listed()).toHaveLength(1);
  await block();
  expect(await listed()).toEqual([]);
});

it('inviting truncates a long name of the inviter, so that the response stays identical', async () => {
  const { database } = supabase();
  const [inviter] = await database.query<{ id: string }>(
    `insert into auth.users (id, raw_user_meta_data, aud, role)
       values (gen_random_uuid(), jsonb_build_object('name', repeat('n', 70000)), 'authenticated', 'authenticated')
       returning id`,
  );
  await runAs(database, { role: 'authenticated', userId: inviter?.id ?? '' }, (sql) =>
    sql.query('select * from create_invitation($1)', [grace.email]),
  );
  await expect(received(grace.id)).resolves.toMatchObject([{ metadata: { actor_name: 'n'.repeat(100) } }]);
});

it('inviting honors the preferences of the invitee', async () => {
  const { database } = supabase();
  await database.query('insert into notification_preferences (user_id, in_app_invites) values ($1, false)', [
    grace.id,
  ]);
  await invite();
  await expect(received(grace.id)).resolves.toEqual([]);
  await database.exec('delete from notification_preferences');
});

it.each([
  ['text that is no address', 'nothing', 'invitation_email_invalid'],
  ['a long address', `${'a'.repeat(320)}@example.com`, 'invitation_email_invalid'],
  ['oneself', ada.email, 'invitation_to_yourself'],
])('inviting refuses %s', async (_, email, message) => {
  await expect(invite(email)).rejects.toMatchObject({ code: 'PT400', message });
});

describe('inviting the same address again', () => {
  const create = (email: string, details = '') =>
    runAs(supabase().database, asAda, (sql) =>
      sql.query<{ token: string; is_renewed: boolean; days: number }>(
        `select token, is_renewed, extract(day from expires_at - now())::int as days
         from create_invitation($1${details})`,
        [email],
      ),
    );

  it('inviting the same address again renews the open invitation: one in the list, one notification, unread again', async () => {
    const [first] = await create(grace.email, `, entity_name => 'Notes'`);
    await supabase().database.exec(
      `update invitations set expires_at = now() - interval '1 day'; update notifications set status = 'read'`,
    );
    const [second] = await create('GRACE@example.com', `, entity_name => 'notes'`);
    expect(first?.is_renewed).toBe(false);
    expect(second).toEqual({ token: first?.token, is_renewed: true, days: 7 });
    await expect(listed()).resolves.toEqual([{ token: first?.token, entity_name: 'notes' }]);
    const rows = await supabase().database.query<{ status: string }>(
      'select status from notifications where recipient_id = $1',
      [grace.id],
    );
    expect(rows).toEqual([{ status: 'unread' }]);
  });

  it('inviting the same address again queues one mail for both invitations where only mails are wanted', async () => {
    const { database } = supabase();
    await database.query(
      'insert into notification_preferences (user_id, in_app_invites, email_invites) values ($1, false, false)',
      [grace.id],
    );
    const pending = () =>
      database.query(
        `select from private.notification_mails where recipient_id = $1 and state = 'pending'
           and topic like 'invitation:%'`,
        [grace.id],
      );
    await database.exec('delete from private.notification_mails');
    await invite();
    await supabase().database.exec(`update invitations set expires_at = now() + interval '1 day'`);
    await invite();
    await expect(pending()).resolves.toHaveLength(1);
    await database.exec(`update private.notification_mails set state = 'sent'`);
    await supabase().database.exec(`update invitations set expires_at = now() + interval '1 day'`);
    await invite();
    await expect(pending()).resolves.toHaveLength(1);
    await database.exec('delete from notification_preferences; delete from private.notification_mails');
  });

  it('inviting the same address again identifies an entity by its id, and without one by its name', async () => {
    const entities = [
      '',
      `, entity_name => 'Plan'`,
      `, 'document', 'doc-1', 'Plan'`,
      `, 'document', 'doc-1', 'Renamed plan'`,
      `, 'document', 'doc-2', 'Plan'`,
      `, entity_name => repeat('n', 200)`,
    ];
    for (const entity of entities) {
      await supabase().database.exec('delete from private.send_usage');
      await create(grace.email, entity);
    }
    const names = (await listed()).map((row) => row.entity_name);
    expect(names).toHaveLength(5);
    expect(new Set(names)).toEqual(new Set([null, 'Plan', 'Renamed plan', 'n'.repeat(200)]));
  });

  it('inviting the same address again creates a new invitation once the earlier one was answered', async () => {
    const token = await invite();
    await call(asGrace, 'decline', token);
    const again = await invite();
    expect(again).not.toBe(token);
    await expect(call(asGrace, 'get', again)).resolves.toMatchObject({ status: 'pending' });
  });
});

it('reading an invitation changes nothing, and returns the details to the invitee', async () => {
  const token = await invite();
  const expected = {
    status: 'pending',
    is_for_me: true,
    inviter_name: 'Ada Lovelace',
    entity_name: 'Notes',
  };
  await expect(call(asGrace, 'get', token)).resolves.toMatchObject(expected);
  await expect(call(asGrace, 'get', token)).resolves.toMatchObject(expected);
});

it('reading an invitation reports to another account that it is not the invitee, with a shortened address', async () => {
  const token = await invite('secret.person@example.com');
  await expect(call(asGrace, 'get', token)).resolves.toMatchObject({
    is_for_me: false,
    invitee_email: 's…@example.com',
  });
  await expect(call(asAda, 'get', token)).resolves.toMatchObject({
    invitee_email: 'secret.person@example.com',
  });
});

it('reading an invitation finds nothing for an unknown token', async () => {
  await expect(call(asGrace, 'get', 'unknown')).resolves.toBeUndefined();
});

it('reading an invitation reports its answer also after seven days', async () => {
  const token = await invite();
  await call(asGrace, 'accept', token);
  await supabase().database.exec(`update invitations set expires_at = now() - interval '1 second'`);
  await expect(call(asGrace, 'get', token)).resolves.toMatchObject({ status: 'accepted' });
});

it('reading an invitation reports it as expired after seven days', async () => {
  const token = await invite();
  await supabase().database.exec(`update invitations set expires_at = now() - interval '1 second'`);
  await expect(call(asGrace, 'get', token)).resolves.toMatchObject({ status: 'expired' });
  await expect(call(asGrace, 'accept', token)).rejects.toMatchObject({
    code: 'PT410',
    message: 'invitation_expired',
  });
});

it.each([
  ['accept', 'accepted'],
  ['decline', 'declined'],
] as const)('answering an invitation by %s notifies the inviter once', async (name, status) => {
  const token = await invite();
  await expect(call(asGrace, name, token)).resolves.toMatchObject({ status, is_for_me: true });
  await expect(call(asGrace, name, token)).resolves.toMatchObject({ status });
  await expect(received(ada.id)).resolves.toEqual([
    expect.objectContaining({
      type: 'invite',
      metadata: { actor_id: grace.id, actor_name: 'Grace Hopper' },
      data: expect.objectContaining({ status, invitee_email: grace.email }),
    }),
  ]);
});

it('an invitation needs its invitee until it is answered, and the answer needs no user', async () => {
  const needy = () =>
    supabase().database.query(
      `select recipient_id from notifications where kind = 'invite' and needs_user order by created_at desc`,
    );
  await supabase().database.exec('delete from notifications');
  const token = await invite();
  await expect(needy()).resolves.toEqual([{ recipient_id: grace.id }]);
  await call(asGrace, 'accept', token);
  await expect(needy()).resolves.toEqual([]);
});

it('answering an old invitation does not reach an inviter who has blocked the invitee', async () => {
  const token = await invite();
  await supabase().database.query('insert into blocked_senders values ($1, $2)', [ada.id, grace.id]);
  expect(await call(asGrace, 'accept', token)).toMatchObject({ status: 'accepted' });
  expect(await received(ada.id)).toEqual([]);
  await supabase().database.exec('delete from blocked_senders');
});

it('answering an invitation stores the answer in the notification of the invitee, and in no other', async () => {
  const token = await invite();
  const other = await createUser(supabase(), `other-${crypto.randomUUID()}@example.com`);
  await supabase().database.query(
    `insert into notifications (recipient_id, sender_id, content)
     select $1, sender_id, content from notifications where recipient_id = $2
     union all select $2, $1, content from notifications where recipient_id = $2
     union all select $2, sender_id, '{"type":"invite","data":{"invitation_id":"x"}}' from notifications where recipient_id = $2`,
    [other.id, grace.id],
  );
  await call(asGrace, 'decline', token);
  const answered = await supabase().database.query<{ recipient_id: string }>(
    `select recipient_id from notifications where content like '%"answer"%'`,
  );
  expect(answered).toEqual([{ recipient_id: grace.id }]);
  expect(await received(grace.id)).toContainEqual(
    expect.objectContaining({
      data: expect.objectContaining({ status: 'pending', answer: 'declined' }) as unknown,
    }),
  );
});

it('an accepted invitation lets both accounts block each other', async () => {
  const block = (caller: typeof asAda | typeof asGrace, sender: string) =>
    runAs(supabase().database, caller, (sql) =>
      sql.query('insert into blocked_senders (sender_id) values ($1)', [sender]),
    );
  await supabase().database.exec('delete from private.accepted_invitations');
  const token = await invite();
  await expect(block(asAda, grace.id)).rejects.toMatchObject({ message: 'sender_unknown' });
  await call(asGrace, 'accept', token);
  await supabase().database.exec('delete from notifications');
  await block(asAda, grace.id);
  await block(asGrace, ada.id);
  await supabase().database.exec('delete from blocked_senders; delete from private.accepted_invitations');
});

it('answering an invitation cannot be replaced by the other answer', async () => {
  const token = await invite();
  await call(asGrace, 'accept', token);
  await expect(call(asGrace, 'decline', token)).rejects.toMatchObject({
    code: 'PT409',
    message: 'invitation_already_answered',
  });
});

it('answering an invitation is for the invitee alone', async () => {
  const token = await invite('another@example.com');
  await expect(call(asGrace, 'accept', token)).rejects.toMatchObject({
    code: 'PT403',
    message: 'invitation_for_another_account',
  });
});

it('answering an invitation refuses an unknown token', async () => {
  await expect(call(asGrace, 'accept', 'unknown')).rejects.toMatchObject({
    code: 'PT404',
    message: 'invitation_not_found',
  });
});

it('an invitation is withdrawn by its inviter alone, with its notification', async () => {
  const token = await invite();
  await expect(call(asGrace, 'withdraw', token)).rejects.toMatchObject({ code: 'PT404' });
  await expect(call(asAda, 'withdraw', token)).resolves.toMatchObject({ status: 'revoked' });
  await expect(call(asAda, 'withdraw', token)).resolves.toMatchObject({ status: 'revoked' });
  await expect(received(grace.id)).resolves.toEqual([]);
  await expect(call(asGrace, 'accept', token)).rejects.toMatchObject({ code: 'PT409' });
});

it('an invitation that was answered cannot be withdrawn', async () => {
  const token = await invite();
  await call(asGrace, 'accept', token);
  await expect(call(asAda, 'withdraw', token)).rejects.toMatchObject({ code: 'PT409' });
});

it('answering an invitation cannot revive one that was revoked', async () => {
  const token = await invite();
  await supabase().database.exec(`update invitations set status = 'revoked'`);
  await expect(call(asGrace, 'accept', token)).rejects.toMatchObject({ code: 'PT409' });
});

describe('an account whose address is not confirmed', () => {
  const setConfirmed = (at: string) =>
    supabase().database.query(`update auth.users set email_confirmed_at = ${at} where id = $1`, [grace.id]);
  beforeEach(() => setConfirmed('null'));
  afterEach(() => setConfirmed('now()'));

  it('an account whose address is not confirmed is not notified of an invitation to the address', async () => {
    await expect(invite()).resolves.toMatch(/^[\da-f]{64}$/);
    await expect(received(grace.id)).resolves.toEqual([]);
  });

  it('an account whose address is not confirmed is not the invitee, even with the token', async () => {
    const token = await invite();
    await expect(call(asGrace, 'get', token)).resolves.toMatchObject({
      is_for_me: false,
      invitee_email: 'g…@example.com',
    });
    const refusal = { code: 'PT403', message: 'invitation_for_another_account' };
    await expect(call(asGrace, 'accept', token)).rejects.toMatchObject(refusal);
    await expect(call(asGrace, 'decline', token)).rejects.toMatchObject(refusal);
  });

  it('an account whose address is not confirmed cannot invite itself either', async () => {
    const inviting = runAs(supabase().database, asGrace, (sql) =>
      sql.query('select * from create_invitation($1)', [grace.email]),
    );
    await expect(inviting).rejects.toMatchObject({ code: 'PT400', message: 'invitation_to_yourself' });
  });
});

it.each([['anon'], ['authenticated']] as const)('the table of invitations is closed to %s', async (role) => {
  await expect(
    runAs(supabase().database, { role, userId: ada.id }, (sql) => sql.query('select * from invitations')),
  ).rejects.toMatchObject({ code: '42501' });
});

it.each([
  [`create_invitation('x@example.com')`],
  [`get_invitation('x')`],
  [`accept_invitation('x')`],
  [`decline_invitation('x')`],
  [`withdraw_invitation('x')`],
])('the table of invitations is closed to callers without a session: %s', async (expression) => {
  await expect(
    runAs(supabase().database, { role: 'anon' }, (sql) => sql.query(`select * from ${expression}`)),
  ).rejects.toMatchObject({ code: '42501' });
});

it('an account blocks the inviter of its address only after it has confirmed the address', async () => {
  const { database } = supabase();
  const email = `newcomer-${crypto.randomUUID()}@example.com`;
  const { id } = await createUser(supabase(), email);
  const stranger = await createUser(supabase(), `stranger-${crypto.randomUUID()}@example.com`);
  const confirm = (at: string | null) =>
    database.query('update auth.users set email_confirmed_at = $1 where id = $2', [at, id]);
  await confirm(null);
  await runAs(database, { role: 'authenticated', userId: stranger.id }, (sql) =>
    sql.query('select * from create_invitation($1)', [email]),
  );
  const block = () =>
    runAs(database, { role: 'authenticated', userId: id }, (sql) =>
      sql.query('insert into blocked_senders (sender_id) values ($1)', [stranger.id]),
    );
  await expect(block()).rejects.toMatchObject({ message: 'sender_unknown' });
  await confirm('2026-11-22T12:00:00Z');
  await expect(block()).resolves.toEqual([]);
});
