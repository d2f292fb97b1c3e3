import { beforeEach, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { ada, grace, requestApi, signIn, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
const asAda = { role: 'authenticated', userId: ada.id } as const;
const asGrace = { role: 'authenticated', userId: grace.id } as const;

const insert = (userId: string) =>
  `insert into notification_preferences (user_id) values ('${userId}') returning *`;

beforeEach(() => supabase().database.exec('delete from notification_preferences'));

it('notification preferences begin with the default of each column', async () => {
  const [row] = await runAs(supabase().database, asAda, (sql) => sql.query(insert(ada.id)));
  expect(row).toMatchObject({
    user_id: ada.id,
    enable_email_notifications: true,
    enable_in_app_notifications: true,
    email_mentions: true,
    email_edits: false,
    email_comments: true,
    email_invites: true,
    email_digest_frequency: 'daily',
    in_app_mentions: true,
    in_app_edits: true,
    in_app_comments: true,
    in_app_invites: true,
  });
});

it('notification preferences take language and time zone of the account, before their user opens them', async () => {
  const { database } = supabase();
  const id = crypto.randomUUID();
  const locale = () =>
    database.query('select language, time_zone from notification_preferences where user_id = $1', [id]);
  const store = (data: object) =>
    database.query('update auth.users set raw_user_meta_data = $2 where id = $1', [id, JSON.stringify(data)]);
  await database.query('insert into auth.users (id, email, raw_user_meta_data) values ($1, $2, $3)', [
    id,
    `${id}@example.com`,
    JSON.stringify({ language: 'de', time_zone: 'Europe/Berlin' }),
  ]);
  expect(await locale()).toEqual([{ language: 'de', time_zone: 'Europe/Berlin' }]);
  await store({ language: 'en', time_zone: 'America/Lima' });
  expect(await locale(), 'a zone that is set stays').toEqual([
    { language: 'en', time_zone: 'Europe/Berlin' },
  ]);
  await store({ language: 'fr', time_zone: 'America/Lima' });
  expect(await locale(), 'the language alone').toEqual([{ language: 'fr', time_zone: 'Europe/Berlin' }]);
  await database.query(`update notification_preferences set time_zone = 'UTC' where user_id = $1`, [id]);
  await store({ language: 'it' });
  expect(await locale(), 'no time zone').toEqual([{ language: 'it', time_zone: 'UTC' }]);
  await store({ language: `en${'-a2345678'.repeat(3)}-a23456`, time_zone: 'Asia/Tokyo' });
  expect(await locale(), 'a language of 36 characters').toEqual([
    { language: 'it', time_zone: 'Asia/Tokyo' },
  ]);
  await database.query(`update notification_preferences set time_zone = 'UTC' where user_id = $1`, [id]);
  await store({ language: 'fr', time_zone: 'ABC5' });
  await store({ language: 'fr', time_zone: 'Europe/Berlin' });
  expect(await locale(), 'the time zone alone').toEqual([{ language: 'fr', time_zone: 'Europe/Berlin' }]);
  await store({ language: 'en', time_zone: 'Europe/Berlin' });
  await store({ language: "x'; drop", time_zone: 'ABC5' });
  expect(await locale(), 'unknown values are ignored').toEqual([
    { language: 'en', time_zone: 'Europe/Berlin' },
  ]);
  await store({ language: 'de', time_zone: 'Europe/Berlin' });
  await database.query('delete from notification_preferences where user_id = $1', [id]);
  await runAs(database, { role: 'authenticated', userId: id }, (sql) => sql.query(insert(id)));
  expect(await locale(), 'a row that is made later').toEqual([
    { language: 'de', time_zone: 'Europe/Berlin' },
  ]);
});

it('notification preferences are one row per user', async () => {
  await runAs(supabase().database, asAda, (sql) => sql.query(insert(ada.id)));
  await expect(runAs(supabase().database, asAda, (sql) => sql.query(insert(ada.id)))).rejects.toMatchObject({
    code: '23505',
  });
});

it('notification preferences cannot be created for another user', async () => {
  // Without RETURNING, which also needs the permission to read the row.
  const unread = insert(grace.id).replace(' returning *', '');
  await expect(runAs(supabase().database, asAda, (sql) => sql.query(unread))).rejects.toMatchObject({
    code: '42501',
  });
});

it('notification preferences are read, changed and deleted only by their user', async () => {
  const { database } = supabase();
  await runAs(database, asAda, (sql) => sql.query(insert(ada.id)));
  const statements = [
    'select id from notification_preferences',
    'update notification_preferences set email_edits = true returning id',
    'delete from notification_preferences returning id',
  ];
  for (const statement of statements) {
    await expect(runAs(database, asGrace, (sql) => sql.query(statement))).resolves.toEqual([]);
  }
  for (const statement of statements) {
    await expect(runAs(database, asAda, (sql) => sql.query(statement))).resolves.toHaveLength(1);
  }
});

it('notification preferences cannot be transferred to another user', async () => {
  await runAs(supabase().database, asAda, (sql) => sql.query(insert(ada.id)));
  await expect(
    runAs(supabase().database, asAda, (sql) =>
      sql.query(`update notification_preferences set user_id = '${grace.id}'`),
    ),
  ).rejects.toMatchObject({ code: '42501' });
});

it.each([
  ['select * from notification_preferences'],
  [insert(ada.id)],
  ['delete from notification_preferences'],
])('notification preferences are closed to callers without a session: %s', async (statement) => {
  await expect(
    runAs(supabase().database, { role: 'anon' }, (sql) => sql.query(statement)),
  ).rejects.toMatchObject({ code: '42501' });
});

it.each([['never'], ['instant'], ['hourly'], ['daily'], ['weekly']])(
  'notification preferences accept the digest frequency %s',
  async (frequency) => {
    const rows = await supabase().database.query(
      'insert into notification_preferences (user_id, email_digest_frequency) values ($1, $2) returning id',
      [ada.id, frequency],
    );
    expect(rows).toHaveLength(1);
  },
);

it.each([
  ['email_digest_frequency', `'monthly'`, `'weekly'`],
  ['language', `'EN'`, `'en'`],
  ['language', `'de_AT'`, `'de-AT'`],
  ['language', `'en-' || repeat('a2345678-', 3) || 'a23456'`, `'en-' || repeat('a2345678-', 3) || 'a2345'`],
  ['digest_hour', '-1', '0'],
  ['digest_hour', '24', '23'],
  ['digest_weekday', '0', '1'],
  ['digest_weekday', '8', '7'],
  ['quiet_weekdays', `'{0}'`, `'{1,7}'`],
])('notification preferences refuse the %s %s, and accept %s', async (column, wrong, right) => {
  const insertWith = (value: string) =>
    supabase().database.query(
      `insert into notification_preferences (user_id, ${column}) values ($1, ${value}) returning user_id`,
      [ada.id],
    );
  await expect(insertWith(wrong)).rejects.toMatchObject({ code: '23514' });
  expect(await insertWith(right)).toHaveLength(1);
});

it('an account changes its language although its preferences cannot follow', async () => {
  const { database } = supabase();
  await database.exec('alter table notification_preferences rename to renamed');
  try {
    const changed = await database.query(
      `update auth.users set raw_user_meta_data = raw_user_meta_data || '{"language": "fr"}' where id = $1 returning id`,
      [grace.id],
    );
    expect(changed).toHaveLength(1);
  } finally {
    await database.exec('alter table renamed rename to notification_preferences');
  }
  await database.query(
    `update auth.users set raw_user_meta_data = raw_user_meta_data - 'language' where id = $1`,
    [grace.id],
  );
});

it.each([['Europe/Vienna'], ['America/Argentina/Buenos_Aires'], ['Pacific/Kiritimati'], ['UTC']])(
  'notification preferences accept the time zone %s',
  async (zone) => {
    const rows = await supabase().database.query(
      'insert into notification_preferences (user_id, time_zone) values ($1, $2) returning time_zone',
      [ada.id, zone],
    );
    expect(rows).toEqual([{ time_zone: zone }]);
  },
);

it.each([
  ['Mars/Olympus'],
  [''],
  ["UTC'; drop"],
  ['ABC5'],
  ['Europe/Foo5'],
  ['Europe/Vienna '],
  ['posix/Europe/Vienna'],
])('notification preferences refuse the time zone %j', async (zone) => {
  const { database } = supabase();
  const refused = { code: 'PT400', message: 'time_zone_invalid' };
  await expect(
    database.query('insert into notification_preferences (user_id, time_zone) values ($1, $2)', [
      ada.id,
      zone,
    ]),
  ).rejects.toMatchObject(refused);
  await database.query(insert(ada.id));
  await expect(
    database.query('update notification_preferences set time_zone = $2 where user_id = $1', [ada.id, zone]),
  ).rejects.toMatchObject(refused);
});

it('notification preferences accept the zones of the database by their exact names, and no variant of them', async () => {
  const wrong = await supabase().database.query(
    `with zones as (select name from pg_timezone_names where name ~ '^[A-Z][A-Za-z_]+/'),
       variants as (
         select unnest(array[name, upper(name), lower(name), name || '5', upper(name) || '-2', name || '/X']) as name from zones
       )
     select v.name from variants v where private.is_time_zone(v.name) <> (v.name in (select name from zones))`,
  );
  expect(wrong).toEqual([]);
});

it('notification preferences accept each zone that a browser offers', async () => {
  const refused = await supabase().database.query(
    `select name from unnest($1::text[]) name where not private.is_time_zone(name)`,
    [Intl.supportedValuesOf('timeZone')],
  );
  expect(refused).toEqual([]);
});

it('notification preferences refuse quiet hours without an end', async () => {
  for (const column of ['quiet_hours_start', 'quiet_hours_end'])
    await expect(
      supabase().database.query(
        `insert into notification_preferences (user_id, ${column}) values ($1, '22:00')`,
        [ada.id],
      ),
      `${column} alone`,
    ).rejects.toMatchObject({ code: '23514' });
});

it('notification preferences keep the settings of the kinds while everything is off', async () => {
  const [row] = await supabase().database.query(
    `insert into notification_preferences (user_id, email_edits) values ($1, true) returning user_id`,
    [ada.id],
  );
  expect(row).toBeDefined();
  const [changed] = await runAs(supabase().database, asAda, (sql) =>
    sql.query(`update notification_preferences set enable_email_notifications = false returning email_edits`),
  );
  expect(changed).toEqual({ email_edits: true });
});

it('notification preferences are deleted with their user', async () => {
  const id = crypto.randomUUID();
  const { database } = supabase();
  await database.query(`insert into auth.users (id, email) values ($1, 'gone@example.com')`, [id]);
  await database.query(insert(id));
  await database.query('delete from auth.users where id = $1', [id]);
  await expect(database.query('select id from notification_preferences')).resolves.toEqual([]);
});

it('notification preferences reject a repeated weekday of the quiet hours', async () => {
  const token = await signIn(supabase(), ada.email);
  const save = async (quietWeekdays: readonly number[]) => {
    const body = { user_id: ada.id, quiet_weekdays: quietWeekdays };
    return (
      await requestApi(supabase(), '/rest/v1/notification_preferences', { method: 'POST', token, body })
    ).status;
  };
  expect(await save(Array.from({ length: 8 }, () => 1))).toBe(400);
  expect(await save([1, 2, 3, 4, 5, 6, 7])).toBe(201);
});
