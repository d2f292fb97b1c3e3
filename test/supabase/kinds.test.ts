import { beforeEach, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { ada, grace, requestApi, useLocalSupabase } from '../support/local-supabase.ts';

// After the database's clock, because mails are due from then on; before November 2032, when the legacy API keys
// expire.
const startMs = Date.parse('2032-01-16T10:00:00Z');
let nowMs = startMs;
const supabase = useLocalSupabase({
  now: () => nowMs,
  functionSettings: { unsubscribe: { verifyJwt: false } },
});

const call = async (name: string, body: unknown, key = supabase().serviceRoleKey) => {
  const response = await requestApi(supabase(), `/rest/v1/rpc/${name}`, {
    method: 'POST',
    apiKey: key,
    token: key,
    body,
  });
  return { status: response.status, body: (await response.json()) as unknown };
};
const buildFailed = {
  name: 'build_failed',
  labels: { en: 'Failed builds', de: 'Fehlgeschlagene Builds' },
  icon: 'alert',
  templates: {
    en: { title: '{branch} failed after {minutes} minutes', text: '{text}' },
    de: { title: '{branch} ist nach {minutes} Minuten gescheitert' },
  },
};
const register = async (kind: object = buildFailed) =>
  expect(await call('register_kind', { kind })).toMatchObject({ status: 200 });
const send = async (more: object = {}) => {
  const { status, body } = await call('send_notifications', {
    messages: [
      { recipients: [ada.id], kind: 'build_failed', fields: { branch: 'main', minutes: 7 }, ...more },
    ],
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  const [{ deliveries }] = body as [
    { deliveries: [{ outcome: string; reason?: string; channels?: string[] }] },
  ];
  return deliveries[0];
};
/** Ada's choices, written as her browser writes them. */
const choose = (choices: Record<string, unknown>) => {
  const columns = { user_id: ada.id, ...choices };
  return runAs(supabase().database, { role: 'authenticated', userId: ada.id }, (sql) =>
    sql.query(
      `insert into notification_preferences (${Object.keys(columns).join()})
       select ${Object.keys(columns).join()} from jsonb_populate_record(null::notification_preferences, $1)`,
      [JSON.stringify(columns)],
    ),
  );
};
const mailAfterTwoMinutes = async () => {
  nowMs += 2 * 60_000;
  await supabase().sendDueMails();
  return supabase().mailbox.messages()[0];
};

beforeEach(async () => {
  nowMs = startMs;
  supabase().mailbox.clear();
  await supabase().database.exec(
    `delete from private.messages; delete from notifications; delete from notification_preferences;
     delete from private.mail_only_notifications; delete from private.notification_mails;
     delete from notification_kinds where name <> 'system';`,
  );
});

it('a registered kind is sent, and the message has its fields', async () => {
  await register();
  expect(await send({ text: 'Three tests fail.' })).toMatchObject({ channels: ['in_app', 'email'] });
  const [row] = await supabase().database.query<{ kind: string; content: string }>(
    'select kind, content from notifications',
  );
  expect(row?.kind).toBe('build_failed');
  expect(JSON.parse(row?.content ?? '')).toMatchObject({
    type: 'build_failed',
    data: { text: 'Three tests fail.', fields: { branch: 'main', minutes: '7' } },
  });
});

it.each([
  [{}, { outcome: 'delivered', channels: ['in_app', 'email'] }],
  [{ kinds: { build_failed: { email: false } } }, { channels: ['in_app'] }],
  [{ kinds: { build_failed: { in_app: false } } }, { channels: ['email'] }],
  [
    { kinds: { build_failed: { in_app: false, email: false } } },
    { outcome: 'suppressed', reason: 'kind_off' },
  ],
  [{ kinds: { other_kind: { in_app: false } } }, { channels: ['in_app', 'email'] }],
  [{ enable_email_notifications: false }, { channels: ['in_app'] }],
  [{ email_digest_frequency: 'never' }, { channels: ['in_app'] }],
  [{ enable_in_app_notifications: false }, { channels: ['email'] }],
])('the preferences %j decide about the channels of a registered kind', async (columns, expected) => {
  await register();
  await choose(columns);
  expect(await send()).toMatchObject(expected);
});

it('the default channels of a kind count until the recipient chooses', async () => {
  await register({ ...buildFailed, channels: ['in_app'] });
  expect(await send()).toMatchObject({ channels: ['in_app'] });
  await choose({ kinds: { build_failed: { email: true } } });
  expect(await send()).toMatchObject({ channels: ['in_app', 'email'] });
});

it('the kind system is mailed to those who choose it, or where the team changes its default', async () => {
  expect(await send({ kind: 'system', text: 'News', fields: {} })).toMatchObject({ channels: ['in_app'] });
  await register({ name: 'system', labels: { en: 'System', de: 'System' }, icon: 'info' });
  expect(await send({ kind: 'system', text: 'News', fields: {} })).toMatchObject({
    channels: ['in_app', 'email'],
  });
  await choose({ kinds: { system: { email: false } } });
  expect(await send({ kind: 'system', text: 'News', fields: {} })).toMatchObject({ channels: ['in_app'] });
  await register({ name: 'system', labels: { en: 'System' }, icon: 'info', channels: ['in_app', 'push'] });
});

it('users read the kinds, and neither register nor remove one', async () => {
  await register();
  const asAda = { role: 'authenticated', userId: ada.id } as const;
  const kinds = await runAs(supabase().database, asAda, (sql) =>
    sql.query('select name, icon from notification_kinds order by name'),
  );
  expect(kinds).toEqual([
    { name: 'build_failed', icon: 'alert' },
    { name: 'system', icon: 'info' },
  ]);
  for (const statement of [
    `select public.remove_kind('build_failed')`,
    `select public.register_kind('{}')`,
    'delete from notification_kinds',
    `update notification_kinds set icon = 'bell'`,
  ]) {
    await expect(runAs(supabase().database, asAda, (sql) => sql.query(statement))).rejects.toMatchObject({
      code: '42501',
    });
  }
  expect(await call('remove_kind', { name: 'build_failed' }, supabase().anonKey)).toMatchObject({
    status: 401,
  });
});

it('a kind that is registered again has a later time of its change', async () => {
  const changedAt = async () =>
    (
      await supabase().database.query<{ at: string }>(
        `select updated_at::text as at from notification_kinds where name = 'build_failed'`,
      )
    )[0]?.at;
  await register();
  const before = await changedAt();
  await register({ ...buildFailed, icon: 'check' });
  expect(await changedAt()).not.toEqual(before);
});

it('a removed kind is refused, and its notifications stay', async () => {
  await register();
  await send();
  expect(await call('remove_kind', { name: 'build_failed' })).toEqual({ status: 200, body: true });
  expect(await call('remove_kind', { name: 'build_failed' })).toEqual({ status: 200, body: false });
  const again = await call('send_notifications', { messages: [{ everyone: true, kind: 'build_failed' }] });
  expect(again.body).toMatchObject({ message: 'message_invalid' });
  expect(await supabase().database.query('select kind from notifications')).toEqual([
    { kind: 'build_failed' },
  ]);
});

it('a mail has the title, text and label of the kind in the language of its recipient, escaped', async () => {
  await register();
  await choose({ language: 'de-AT', email_digest_frequency: 'instant' });
  await send({ text: 'Two < three & more', fields: { branch: '<b>{minutes}</b>', minutes: 7 } });
  const mail = await mailAfterTwoMinutes();
  expect(mail?.subject).toBe('<b>{minutes}</b> ist nach 7 Minuten gescheitert');
  expect(mail?.html).toContain('&lt;b&gt;{minutes}&lt;/b&gt; ist nach 7 Minuten');
  expect(mail?.html).toContain('Two &lt; three &amp; more');
  expect(mail?.html).toContain('Fehlgeschlagene Builds');
  expect(mail?.html).not.toContain('<b>');
});

it.each(['fil', 'zh-Hant-TW'])('a mail has the words of a kind in the language %s', async (language) => {
  await register({
    name: 'build_failed',
    labels: { en: 'Failed builds', [language]: 'Mga build' },
    templates: { en: { title: 'failed' }, [language]: { title: '{branch} ay nabigo' } },
  });
  await choose({ language, email_digest_frequency: 'instant' });
  await send();
  expect((await mailAfterTwoMinutes())?.subject).toBe('main ay nabigo');
});

it('a kind that is not registered is listed and not mailed', async () => {
  await choose({ email_digest_frequency: 'instant' });
  const { database } = supabase();
  await database.exec(
    `delete from private.notification_mails;
     insert into notifications (recipient_id, content) values ('${ada.id}', '{"type":"unheard_of"}')`,
  );
  expect(await database.query('select kind from notifications')).toEqual([{ kind: 'unheard_of' }]);
  expect(await database.query('select from private.notification_mails')).toEqual([]);
});

it('a digest groups the notifications of a kind below its label', async () => {
  await register({ ...buildFailed, templates: {} });
  await choose({ email_digest_frequency: 'hourly' });
  await send({ text: 'main failed' });
  await send({ text: 'next failed' });
  await send({ kind: 'mention', text: 'Hello', fields: {} });
  nowMs += 60 * 60_000;
  await supabase().sendDueMails();
  const [mail] = supabase().mailbox.messages();
  expect(mail?.subject).toBe('3 unread notifications');
  expect(mail?.text).toMatch(/Mentions\n[^]*Failed builds\n\n\* next failed\n[^]*\* main failed\n/);
  expect(mail?.text).toContain('Unsubscribe from “Failed builds”');
});

it('unsubscribing by a mail of a registered kind names the kind, turns it off, and can be undone', async () => {
  await register();
  await choose({ email_digest_frequency: 'instant' });
  await send();
  const mail = await mailAfterTwoMinutes();
  const oneClick = /<([^>]+)>/.exec(mail?.headers['List-Unsubscribe'] ?? '')?.[1] ?? '';
  const { search, searchParams } = new URL(oneClick);
  expect(searchParams.get('kind')).toBe('build_failed');
  const act = async (action: string) => {
    const response = await supabase().fetch(`${supabase().url}/functions/v1/unsubscribe${search}`, {
      method: 'POST',
      body: new URLSearchParams({ action }),
    });
    return response.json();
  };
  const shown = { kind: 'build_failed', label: 'Failed builds', language: 'en' };
  expect(await act('show')).toEqual({ ...shown, is_off: false });
  expect(await act('unsubscribe')).toEqual({ ...shown, is_off: true });
  expect(await send()).toMatchObject({ channels: ['in_app'] });
  expect(await act('undo')).toEqual({ ...shown, is_off: false });
});

it.each([
  [{ name: 'Build failed' }, /^kind\.name is not a name such as build_failed\.$/],
  [{ name: 'mentions' }, /^kind\.name is a kind of the application\.$/],
  [{ name: 'other' }, /^kind\.name is a kind of the application\.$/],
  [{ labels: { de: 'Builds' } }, /^kind\.labels\.en is missing/],
  [{ labels: { en: 7 } }, /^kind\.labels\.en is not a string\.$/],
  [{ labels: { en: 'Builds', English: 'x' } }, /^kind\.labels\.English is not a language/],
  [{ labels: 'Builds' }, /^kind\.labels is not an object by language\.$/],
  [{ icon: 'dragon' }, /^kind\.icon is not an icon of the application\.$/],
  [{ channels: ['sms'] }, /^kind\.channels is not a list of in_app, email and push\.$/],
  [{ templates: { en: { titel: 'x' } } }, /^kind\.templates\.en\.titel is unknown/],
  [{ templates: { de: { title: 'x' } } }, /^kind\.templates\.en is missing/],
  [{ templates: { en: { title: 'x'.repeat(151) } } }, /^kind\.templates\.en\.title has more than 150/],
  [{ callbacks: ['delete_account'] }, /^kind\.callbacks\[0\] is not a function \(notification_id uuid\)/],
  [{ labels: {} }, /^kind\.labels does not have 1 to 20 languages\.$/],
  [
    { labels: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`en-${n + 10}`, 'x'])) },
    /^kind\.labels does not have 1 to 20 languages\.$/,
  ],
  [
    { labels: { en: 'x', [`en-${'a2345678-'.repeat(3)}a23456`]: 'x' } },
    /is not a language such as en or de-AT\.$/,
  ],
  [{ topic: 'yes' }, /^kind\.topic is not true or false\.$/],
  [{ callbacks: 'retry' }, /^kind\.callbacks is not a list of up to 10 functions\.$/],
  [
    { callbacks: Array.from({ length: 11 }, () => 'x') },
    /^kind\.callbacks is not a list of up to 10 functions\.$/,
  ],
  [{ color: 'red' }, /^kind\.color is unknown; known are name, labels, icon/],
])('the kind %j is refused with its path', async (wrong, detail) => {
  const { status, body } = await call('register_kind', { kind: { ...buildFailed, ...wrong } });
  expect(status).toBe(400);
  expect(body).toMatchObject({ message: 'kind_invalid', details: expect.stringMatching(detail) as string });
});

it.each([
  ['kind.name', 50, (value: string) => ({ name: value })],
  ['kind.labels.de', 60, (value: string) => ({ labels: { en: 'Builds', de: value } })],
  ['kind.templates.en.title', 150, (value: string) => ({ templates: { en: { title: value } } })],
  ['kind.templates.en.text', 500, (value: string) => ({ templates: { en: { title: 'x', text: value } } })],
])('the text %s has up to %i characters', async (path, most, fields) => {
  await register({ ...buildFailed, ...fields('x'.repeat(most)) });
  expect(
    await call('register_kind', { kind: { ...buildFailed, ...fields('x'.repeat(most + 1)) } }),
  ).toMatchObject({ status: 400, body: { details: `${path} has more than ${most} characters.` } });
});

it('a registration has defaults, and replaces each part of the earlier one', async () => {
  const rowOf = async (kind: object) => {
    const { body } = await call('register_kind', { kind: { name: 'changing', ...kind } });
    const { created_at: _created, updated_at: _updated, ...row } = body as Record<string, unknown>;
    return row;
  };
  const plain = {
    name: 'changing',
    labels: { en: 'One' },
    icon: 'bell',
    in_app: true,
    email: true,
    push: true,
  };
  const empty = { templates: {}, callbacks: [], is_topic: false };
  expect(await rowOf({ labels: { en: 'One', de: null }, templates: null, callbacks: null })).toEqual({
    ...plain,
    ...empty,
  });
  const templates = { en: { title: 'Two' } };
  expect(
    await rowOf({ labels: { en: 'Two' }, icon: 'card', templates, channels: ['in_app', 'push'] }),
  ).toEqual({
    ...plain,
    ...empty,
    labels: { en: 'Two' },
    icon: 'card',
    templates,
    email: false,
  });
  expect(await rowOf({ labels: { en: 'Two' }, channels: ['email'] })).toMatchObject({
    icon: 'bell',
    templates: {},
    in_app: false,
    email: true,
    push: false,
  });
  expect(await rowOf({ labels: { en: 'Two' }, topic: true })).toMatchObject({
    is_topic: true,
    in_app: false,
    email: false,
    push: true,
  });
});

it('the kind system stays', async () => {
  expect(await call('remove_kind', { name: 'system' })).toMatchObject({
    status: 400,
    body: { message: 'kind_invalid', details: 'name is a kind of the application.' },
  });
});

it('a template has the text, entity and sender of its message', async () => {
  await register({
    name: 'build_failed',
    labels: { en: 'Builds' },
    templates: { en: { title: '{sender}: {entity} is late', text: '{text} ({branch})' } },
  });
  await choose({ email_digest_frequency: 'instant' });
  await send({ text: 'Look', sender: { name: 'CI' }, entity: { type: 'build', id: '7', name: 'Build 7' } });
  const mail = await mailAfterTwoMinutes();
  expect(mail?.subject).toBe('CI: Build 7 is late');
  expect(mail?.text).toContain('Look (main)');
});

it('a project registers at most 50 kinds', async () => {
  await supabase().database.exec(
    `insert into notification_kinds (name, labels) select 'kind_' || n, '{"en": "Kind"}' from generate_series(1, 49) n`,
  );
  expect(await call('register_kind', { kind: buildFailed })).toMatchObject({
    status: 409,
    body: { message: 'notification_kinds_limit_exceeded' },
  });
  await register({ ...buildFailed, name: 'kind_49' });
});

it('a message of a kind without templates needs a text, even with an entity', async () => {
  await register({ ...buildFailed, templates: {} });
  const message = { recipients: [ada.id], kind: buildFailed.name, entity: { type: 'build', id: '7' } };
  expect(await call('send_notifications', { messages: [message] })).toMatchObject({
    status: 400,
    body: { details: expect.stringContaining('.text is missing') },
  });
  expect(await call('send_notifications', { messages: [{ ...message, text: 'Failed' }] })).toMatchObject({
    status: 200,
  });
});

it('the first of several missing fields is named', async () => {
  await register({ ...buildFailed, templates: { en: { title: '{zone} {branch} {minutes}' } } });
  const { body } = await call('send_notifications', {
    messages: [{ recipients: [ada.id], kind: buildFailed.name }],
  });
  expect(body).toMatchObject({ details: expect.stringContaining('fields.branch is missing') });
});

it.each([
  [{ fields: {} }, /^messages\[0\]\.fields\.branch is missing: a template of the kind has it\.$/],
  [{ fields: { branch: true } }, /^messages\[0\]\.fields\.branch is not a string\.$/],
  [
    { fields: { branch: 'main', minutes: 7, text: 'x' } },
    /^messages\[0\]\.fields\.text is not the name of a field/,
  ],
  [
    { fields: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, 'x'])) },
    /^messages\[0\]\.fields is not an object of up to 20 fields\.$/,
  ],
  [{ fields: { Branch: 'main' } }, /^messages\[0\]\.fields\.Branch is not the name of a field/],
  [
    { actions: Array.from({ length: 4 }, () => ({ label: 'Open', url: '/x' })) },
    /^messages\[0\]\.actions is not a list of 1 to 3 actions\.$/,
  ],
  [
    { actions: [{ label: 'Open', url: '/x', callback: 'y' }] },
    /^messages\[0\]\.actions\[0\] needs either url or callback\.$/,
  ],
  [{ fields: 'main' }, /^messages\[0\]\.fields is not an object of up to 20 fields\.$/],
  [{ actions: [] }, /^messages\[0\]\.actions is not a list of 1 to 3 actions\.$/],
  [{ actions: [{ url: '/x' }] }, /^messages\[0\]\.actions\[0\]\.label is missing\.$/],
  [{ actions: [{ label: 'x'.repeat(41), url: '/x' }] }, /^messages\[0\]\.actions\[0\]\.label has more/],
  [{ actions: [{ label: 'Open' }] }, /^messages\[0\]\.actions\[0\] needs either url or callback\.$/],
  [
    { actions: [{ label: 'Open', url: 'https://example.com' }] },
    /^messages\[0\]\.actions\[0\]\.url is not a path of the application/,
  ],
  [
    {
      actions: [
        { label: 'Open', url: '/x' },
        { label: 'Go', callback: 'delete_account' },
      ],
    },
    /^messages\[0\]\.actions\[1\]\.callback is not a callback of the kind\.$/,
  ],
])('a message of a registered kind with %j is refused with its path', async (wrong, detail) => {
  await register();
  const { body } = await call('send_notifications', {
    messages: [
      { recipients: [grace.id], kind: 'build_failed', fields: { branch: 'main', minutes: 7 }, ...wrong },
    ],
  });
  expect(body).toMatchObject({
    message: 'message_invalid',
    details: expect.stringMatching(detail) as string,
  });
});

it('the actions of a message are stored, with callbacks that the kind has registered and users may call', async () => {
  await supabase().database.exec(
    `create function public.retry_build(notification_id uuid) returns void language sql as '';
     revoke all on function public.retry_build(uuid) from public, authenticated;
     create function public.by_another_name(id uuid) returns void language sql as '';
     create function public.by_text(notification_id text) returns void language sql as '';
     create function public.by_two(notification_id uuid, more text) returns void language sql as '';
     create function private.not_of_the_api(notification_id uuid) returns void language sql as '';`,
  );
  for (const callback of ['by_another_name', 'by_text', 'by_two', 'not_of_the_api'])
    expect(await call('register_kind', { kind: { ...buildFailed, callbacks: [callback] } })).toMatchObject({
      body: { details: expect.stringContaining('kind.callbacks[0] is not a function') as string },
    });
  await supabase().database.exec(
    `drop function public.by_another_name(uuid), public.by_text(text), public.by_two(uuid, text), private.not_of_the_api(uuid)`,
  );
  const kind = { ...buildFailed, callbacks: ['retry_build'] };
  expect(await call('register_kind', { kind })).toMatchObject({ status: 400 });
  await supabase().database.exec('grant execute on function public.retry_build(uuid) to authenticated');
  await register(kind);
  const actions = [
    { label: 'Retry', callback: 'retry_build' },
    { label: 'Open', url: '/builds/7' },
  ];
  await send({ actions });
  const [row] = await supabase().database.query<{ content: string }>('select content from notifications');
  expect(JSON.parse(row?.content ?? '')).toMatchObject({ data: { actions } });
  // A registration without callbacks removes those of the earlier one.
  await register(buildFailed);
  const message = {
    recipients: [ada.id],
    kind: 'build_failed',
    fields: { branch: 'main', minutes: 7 },
    actions,
  };
  expect(await call('send_notifications', { messages: [message] })).toMatchObject({ status: 400 });
  await supabase().database.exec('drop function public.retry_build(uuid)');
});

it.each([
  ['[]'],
  ['{"a": true}'],
  ['{"a": {"sms": true}}'],
  ['{"a": {"email": "yes"}}'],
  ['{"a": [{"email": true}]}'],
  [JSON.stringify({ ['x'.repeat(8200)]: {} })],
])('choices for kinds of another form are refused: %.40s', async (kinds) => {
  await expect(choose({ kinds: JSON.parse(kinds) as object })).rejects.toMatchObject({ code: '23514' });
});

it('the changes for a reader include the kinds at first, and again after one was registered', async () => {
  await register();
  // Make the registration older than the 30 seconds of changes that each response repeats.
  await supabase().database.exec(
    `alter table notification_kinds disable trigger user;
     update notification_kinds set updated_at = now() - interval '1 hour';
     alter table notification_kinds enable trigger user`,
  );
  const changes = (since: string) =>
    runAs(supabase().database, { role: 'authenticated', userId: ada.id }, async (sql) => {
      const [row] = await sql.query<{ changes: { as_of: string; kinds: { name: string }[] | null } }>(
        'select notification_changes($1::timestamptz) as changes',
        [since],
      );
      return row?.changes ?? { as_of: '', kinds: [] };
    });
  const first = await changes('-infinity');
  expect(first.kinds?.map(({ name }) => name)).toEqual(['build_failed', 'system']);
  expect((await changes(first.as_of)).kinds).toBeNull();
  await register({ ...buildFailed, name: 'deployed' });
  expect((await changes(first.as_of)).kinds?.map(({ name }) => name)).toEqual([
    'build_failed',
    'deployed',
    'system',
  ]);
});
