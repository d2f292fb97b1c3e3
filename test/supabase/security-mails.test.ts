import { beforeEach, describe, expect, it } from 'vitest';
import { createUser, requestApi, seedPassword, useLocalSupabase } from '../support/local-supabase.ts';
import type { TestUser } from '../support/local-supabase.ts';
import { type CreationOptions, createSoftwareAuthenticator } from '../support/software-authenticator.ts';
import type { QueuedMail, SecurityEvent } from '../../supabase/functions/_shared/mail/queued-mail.ts';
import { formatTime } from '../../supabase/functions/_shared/mail/mail-layout.ts';
import { renderSecurityMail } from '../../supabase/functions/_shared/mail/security-mail.ts';

const supabase = useLocalSupabase();

const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const at = '2026-11-22T12:00:00Z';
const newerFirefox = firefox.replaceAll('140', '151');
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

let user: TestUser;
beforeEach(async () => {
  supabase().mailbox.clear();
  user = await createUser(supabase(), `devices-${crypto.randomUUID()}@example.com`);
  // The network of the tests' own sign-in.
  await supabase().database.query('delete from private.known_devices where user_id = $1', [user.id]);
});

const enter = async (userAgent: string, ip = '192.0.2.7') => {
  const response = await requestApi(supabase(), '/auth/v1/token?grant_type=password', {
    method: 'POST',
    headers: { 'user-agent': userAgent, 'x-forwarded-for': ip },
    body: { email: user.email, password: seedPassword },
  });
  expect(response.status).toBe(200);
};
const subjects = async () => {
  await supabase().sendDueMails();
  return supabase()
    .mailbox.messages()
    .filter(({ to }) => to.address === user.email)
    .map(({ subject }) => subject);
};

it('a sign-in is not mailed where it is the first, or with a newer version of a known browser', async () => {
  await enter(firefox);
  await enter(newerFirefox, '192.0.77.9');
  expect(await subjects()).toEqual([]);
});

it('a sign-in from a new browser is mailed with the device, the time and the way to end it', async () => {
  await enter(firefox);
  await enter(safari);
  expect(await subjects()).toEqual(['New sign-in to your account']);
  const [mail] = supabase().mailbox.messages();
  expect(mail?.text).toContain('Safari on iPhone');
  expect(mail?.text).toContain('192.0.2.7');
  expect(mail?.links).toEqual(['http://localhost:5173/account#devices']);
});

it('sign-ins from ever new browsers are mailed ten times an hour, which suppresses no other event', async () => {
  await enter(firefox);
  for (const letter of 'abcdefghijkl') await enter(`Browser ${letter}`);
  expect(await subjects()).toHaveLength(10);
  await supabase().database.query(`select private.report_security_event($1, 'recovery_codes_created')`, [
    user.id,
  ]);
  expect(await subjects()).toContain('New recovery codes were created');
  const [{ count } = { count: 0 }] = await supabase().database.query<{ count: number }>(
    'select count(*)::integer as count from private.security_events where user_id = $1',
    [user.id],
  );
  expect(count).toBe(13);
});

it('an hour has 100 records of one kind about an account, without those of other accounts, kinds and hours', async () => {
  const { database } = supabase();
  const other = await createUser(supabase(), `other-${crypto.randomUUID()}@example.com`);
  const record = (count: number, id: string, kind: string, age: string) =>
    database.query(
      `insert into private.security_events (user_id, kind, created_at) select $1, $2, now() - $3::interval from generate_series(1, $4)`,
      [id, kind, age, count],
    );
  const recorded = async () => {
    await database.query(`select private.report_security_event($1, 'passkey_added')`, [user.id]);
    const [row] = await database.query(
      `select count(*)::int as events, (select count(*)::int from private.notification_mails where recipient_id = $1) as mails
       from private.security_events where user_id = $1 and kind = 'passkey_added' and created_at > now() - interval '59 minutes'`,
      [user.id],
    );
    return row;
  };
  await record(100, other.id, 'passkey_added', '1 minute');
  await record(100, user.id, 'passkey_removed', '1 minute');
  await record(100, user.id, 'passkey_added', '61 minutes');
  expect(await recorded()).toEqual({ events: 1, mails: 1 });
  await record(8, user.id, 'passkey_added', '1 minute');
  expect(await recorded()).toEqual({ events: 10, mails: 2 });
  expect(await recorded()).toEqual({ events: 11, mails: 2 });
  await record(88, user.id, 'passkey_added', '1 minute');
  expect(await recorded()).toEqual({ events: 100, mails: 2 });
  expect(await recorded()).toEqual({ events: 100, mails: 2 });
});

it('a sign-in from a new network is mailed, once', async () => {
  await enter(firefox);
  await enter(firefox, '198.51.100.1');
  await enter(firefox, '198.51.200.1');
  expect(await subjects()).toEqual(['New sign-in to your account']);
});

it('a network of IPv6 is known by its first 32 bits', async () => {
  await enter(firefox, '2001:db8:1::1');
  await enter(firefox, '2001:db8:2::9');
  expect(await subjects()).toEqual([]);
  await enter(firefox, '2001:db9:1::1');
  expect(await subjects()).toEqual(['New sign-in to your account']);
});

it('a sign-in is mailed in the language of the preferences, whatever they switch off, in quiet hours too', async () => {
  await supabase().database.query(
    `insert into notification_preferences
         (user_id, enable_email_notifications, email_digest_frequency, language, quiet_hours_start, quiet_hours_end)
       values ($1, false, 'never', 'de', '00:00', '23:59')`,
    [user.id],
  );
  await enter(firefox);
  await enter(safari);
  expect(await subjects()).toEqual(['Neue Anmeldung bei deinem Konto']);
  expect(supabase().mailbox.messages()[0]?.text).toContain('Safari unter iPhone');
});

it('a sign-in succeeds where the comparison with known devices fails', async () => {
  await supabase().database.exec('alter table private.known_devices rename to hidden_devices');
  try {
    await expect(enter(safari)).resolves.toBeUndefined();
  } finally {
    await supabase().database.exec('alter table private.hidden_devices rename to known_devices');
  }
});

describe('a passkey', () => {
  const post = async (path: string, body: object) => {
    const response = await requestApi(supabase(), `/auth/v1/passkeys/${path}`, {
      method: 'POST',
      token: user.token,
      body,
    });
    expect(response.status).toBe(200);
    return (await response.json()) as { id: string; challenge_id: string; options: CreationOptions };
  };
  const addPasskey = async () => {
    const { challenge_id, options } = await post('registration/options', {});
    const credential = createSoftwareAuthenticator('http://localhost:5173').create(options);
    return (await post('registration/verify', { challenge_id, credential })).id;
  };

  it('a passkey that is added or removed is mailed with its name and the way to remove it', async () => {
    const id = await addPasskey();
    expect(await subjects()).toEqual(['A passkey was added to your account']);
    const [mail] = supabase().mailbox.messages();
    expect(mail?.text).toContain('The passkey “Passkey” was added');
    expect(mail?.links).toEqual(['http://localhost:5173/account#passkeys']);

    const path = `/auth/v1/passkeys/${id}`;
    const body = { friendly_name: 'Work laptop' };
    await requestApi(supabase(), path, { method: 'PATCH', token: user.token, body });
    await requestApi(supabase(), path, { method: 'DELETE', token: user.token });
    expect(await subjects()).toContain('A passkey was removed from your account');
    expect(
      supabase()
        .mailbox.messages()
        .map(({ text }) => text)
        .join(),
    ).toContain('“Work laptop” was removed');
  });

  it('a passkey is not mailed as removed with the account', async () => {
    await addPasskey();
    await supabase().database.query('delete from auth.users where id = $1', [user.id]);
    const events = await supabase().database.query(
      `select kind from private.security_events where user_id = $1`,
      [user.id],
    );
    expect(events).toEqual([]);
    expect(await subjects()).toEqual([]);
  });
});

it('the download of all data contains events and devices', async () => {
  await enter(firefox);
  await enter(safari);
  const response = await requestApi(supabase(), '/rest/v1/rpc/export_account_data', {
    method: 'POST',
    token: user.token,
    body: {},
  });
  expect(await response.json()).toMatchObject({
    account: { email: user.email },
    security_events: [{ kind: 'new_device' }],
    known_devices: expect.arrayContaining([
      expect.objectContaining({ kind: 'network', value: '192.0.0.0/16' }),
    ]),
  });
});

it('retention deletes old events and devices', async () => {
  await enter(firefox);
  await enter(safari);
  const left = async (days: number) => {
    await supabase().database.query(`call private.run_retention(1000, now() + interval '${days} days')`);
    const [row] = await supabase().database.query(
      `select (select count(*)::int from private.security_events where user_id = $1) as events,
         (select count(*)::int from private.known_devices where user_id = $1) as devices`,
      [user.id],
    );
    return row;
  };
  expect(await left(179)).toEqual({ events: 1, devices: 3 });
  expect(await left(181)).toEqual({ events: 1, devices: 0 });
  expect(await left(364)).toEqual({ events: 1, devices: 0 });
  expect(await left(366)).toEqual({ events: 0, devices: 0 });
});

it.each([
  ['', 'an unknown device', 'einem unbekannten Gerät'],
  ['curl/8.0 (Linux)', 'Linux', 'Linux'],
  ['Firefox/140.0', 'Firefox', 'Firefox'],
  [firefox, 'Firefox on Windows', 'Firefox unter Windows'],
])('the device of the user agent %j is named %s and %s', (user_agent, english, german) => {
  const event: SecurityEvent = { kind: 'new_device', detail: { user_agent }, created_at: at };
  const intro = (language: string) =>
    renderSecurityMail({ language, time_zone: 'UTC' } as QueuedMail, event, 'http://localhost:5173').content
      .intro;
  expect(intro('en')).toContain(`signed in to from ${english} on`);
  expect(intro('de')).toContain(`mit ${german}. Wenn`);
});

it.each<
  [SecurityEvent['kind'], en: readonly string[], de: readonly string[], button: readonly [string, string]]
>([
  [
    'new_device',
    ['from Firefox on Windows on ', ' (IP address 192.0.2.7). If'],
    [' mit Firefox unter Windows (IP-Adresse 192.0.2.7). Wenn'],
    ['Check your devices', 'Geräte prüfen'],
  ],
  [
    'recovery_code_used',
    ['from Firefox on Windows on ', ' (IP address 192.0.2.7). It'],
    [' mit Firefox unter Windows ein ', ' (IP-Adresse 192.0.2.7). Er'],
    ['Check your devices', 'Geräte prüfen'],
  ],
  ['recovery_codes_created', [], [], ['Check your devices', 'Geräte prüfen']],
  [
    'passkey_added',
    ['“Work laptop” was added'],
    ['„Work laptop“ hinzu'],
    ['Check your passkeys', 'Passkeys prüfen'],
  ],
  [
    'passkey_removed',
    ['“Work laptop” was removed'],
    ['Passkey „Work laptop“ von'],
    ['Check your passkeys', 'Passkeys prüfen'],
  ],
])(
  'the mail %s has the device, the name and the local time, in both languages',
  (kind, en, de, [label, inGerman]) => {
    const event: SecurityEvent = {
      kind,
      detail: { user_agent: firefox, ip: '192.0.2.7', name: 'Work laptop' },
      created_at: at,
    };
    const contentOf = (language: string) =>
      renderSecurityMail(
        { language, time_zone: 'Europe/Vienna' } as QueuedMail,
        event,
        'http://localhost:5173',
      ).content;
    for (const [language, words, button, reason] of [
      ['en', en, label, 'it is about the security of your account'],
      ['de', de, inGerman, 'es um die Sicherheit deines Kontos geht'],
    ] as const) {
      const { intro, button: shown, why } = contentOf(language);
      for (const part of [...words, formatTime(Date.parse(at), language, 'Europe/Vienna')])
        expect(intro).toContain(part);
      expect([shown.label, why]).toEqual([button, expect.stringContaining(reason)]);
    }
  },
);

it.each<[SecurityEvent['kind'], english: string, german: string, place: string]>([
  ['new_device', 'New sign-in to your account', 'Neue Anmeldung bei deinem Konto', 'devices'],
  [
    'recovery_code_used',
    'A recovery code was used to sign in',
    'Anmeldung mit einem Wiederherstellungscode',
    'devices',
  ],
  [
    'recovery_codes_created',
    'New recovery codes were created',
    'Neue Wiederherstellungscodes wurden erstellt',
    'devices',
  ],
  [
    'passkey_added',
    'A passkey was added to your account',
    'Ein Passkey wurde deinem Konto hinzugefügt',
    'passkeys',
  ],
  [
    'passkey_removed',
    'A passkey was removed from your account',
    'Ein Passkey wurde von deinem Konto entfernt',
    'passkeys',
  ],
])(
  'the mail %s names what happened, and says what to do if it was another person',
  (kind, english, german, place) => {
    const event: SecurityEvent = { kind, detail: {}, created_at: '2026-11-22T12:00:00Z' };
    const render = (language: string) =>
      renderSecurityMail({ language, time_zone: 'UTC' } as QueuedMail, event, 'http://localhost:5173');
    expect(render('en').subject).toBe(english);
    expect(render('de').subject).toBe(german);
    expect(render('en').content.intro).toContain('If this wasn’t you, ');
    expect(render('de').content.intro).toContain('Wenn du das nicht warst, ');
    expect(render('de').content.button?.url).toBe(`http://localhost:5173/account#${place}`);
  },
);

it.each([
  ['Windows NT 10.0; Win64; x64', 'Chrome/140.0.0.0 Safari/537.36', 'Chrome on Windows'],
  ['Windows NT 10.0; Win64; x64', 'Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0', 'Edge on Windows'],
  ['Macintosh; Intel Mac OS X 10_15_7', 'Chrome/140.0.0.0 Safari/537.36 OPR/120.0.0.0', 'Opera on macOS'],
  ['Macintosh; Intel Mac OS X 10_15_7', 'Version/18.0 Safari/605.1.15', 'Safari on macOS'],
  ['iPad; CPU OS 18_0 like Mac OS X', 'CriOS/140.0.0.0 Mobile/15E148 Safari/604.1', 'Chrome on iPad'],
  [
    'iPhone; CPU iPhone OS 18_0 like Mac OS X',
    'FxiOS/140.0 Mobile/15E148 Safari/605.1.15',
    'Firefox on iPhone',
  ],
  [
    'Linux; Android 10; K',
    'SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
    'Samsung Internet on Android',
  ],
  ['X11; CrOS x86_64 14541.0.0', 'Chrome/140.0.0.0 Safari/537.36', 'Chrome on ChromeOS'],
  ['X11; Linux x86_64', 'Chrome/140.0.0.0 Safari/537.36', 'Chrome on Linux'],
])('a browser of “%s” with “%s” is named %s', (system, products, device) => {
  const user_agent = `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) ${products}`;
  const event: SecurityEvent = {
    kind: 'new_device',
    detail: { user_agent },
    created_at: '2026-11-22T12:00:00Z',
  };
  const mail = { language: 'en', time_zone: 'UTC' } as QueuedMail;
  expect(renderSecurityMail(mail, event, 'http://localhost:5173').content.intro).toContain(
    `from ${device} on`,
  );
});

it('a security mail is written for a recipient whose time zone only PostgreSQL knows', () => {
  const event: SecurityEvent = { kind: 'new_device', detail: {}, created_at: '2026-11-22T12:00:00Z' };
  const mail = { language: 'en', time_zone: 'ABC5' } as QueuedMail;
  expect(renderSecurityMail(mail, event, 'http://localhost:5173').subject).not.toBe('');
});
