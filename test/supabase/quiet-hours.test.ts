import { beforeEach, describe, expect, it } from 'vitest';
import { runAs } from '../support/database-roles.ts';
import { ada, useLocalSupabase } from '../support/local-supabase.ts';

let nowMs = 0;
const supabase = useLocalSupabase({ now: () => nowMs });
const minuteMs = 60_000;

interface QuietHours {
  readonly start: string | null;
  readonly end: string | null;
  readonly days?: readonly number[];
  readonly zone?: string;
  readonly frequency?: string;
}

const everyDay = [1, 2, 3, 4, 5, 6, 7];

const choose = ({ start, end, days = everyDay, zone = 'Europe/Vienna', frequency = 'instant' }: QuietHours) =>
  supabase().database.query(
    `insert into notification_preferences
       (user_id, quiet_hours_start, quiet_hours_end, quiet_weekdays, time_zone, email_digest_frequency)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (user_id) do update set quiet_hours_start = excluded.quiet_hours_start,
       quiet_hours_end = excluded.quiet_hours_end, quiet_weekdays = excluded.quiet_weekdays,
       time_zone = excluded.time_zone, email_digest_frequency = excluded.email_digest_frequency`,
    [ada.id, start, end, `{${days.join(',')}}`, zone, frequency],
  );

const quietUntil = async (at: string): Promise<string | null> => {
  const [row] = await supabase().database.query<{ quiet: boolean; until: Date | null }>(
    'select private.is_quiet($1, $2) as quiet, private.quiet_until($1, $2) as until',
    [ada.id, at],
  );
  expect(row?.quiet).toBe(row?.until !== null);
  return row?.until?.toISOString() ?? null;
};

beforeEach(() =>
  supabase().database.exec(
    'delete from notifications; delete from private.notification_mails; delete from notification_preferences',
  ),
);

it.each<[string, QuietHours, string, string | null]>([
  ['before', { start: '22:00', end: '07:00' }, '2032-01-16T21:59:59+01:00', null],
  ['at the start', { start: '22:00', end: '07:00' }, '2032-01-16T22:00:00+01:00', '2032-01-17T06:00:00.000Z'],
  [
    'after midnight',
    { start: '22:00', end: '07:00' },
    '2032-01-17T06:59:59+01:00',
    '2032-01-17T06:00:00.000Z',
  ],
  ['at the end', { start: '22:00', end: '07:00' }, '2032-01-17T07:00:00+01:00', null],
  [
    'in the daytime',
    { start: '12:00', end: '13:00' },
    '2032-01-16T12:30:00+01:00',
    '2032-01-16T12:00:00.000Z',
  ],
  // 16 January 2032 is a Friday; its period ends on Saturday.
  [
    'on the day of the start',
    { start: '22:00', end: '07:00', days: [5] },
    '2032-01-17T06:00:00+01:00',
    '2032-01-17T06:00:00.000Z',
  ],
  ['on another day', { start: '22:00', end: '07:00', days: [5] }, '2032-01-17T23:00:00+01:00', null],
  [
    'a whole weekend',
    { start: '00:00', end: '00:00', days: [6, 7] },
    '2032-01-17T10:00:00+01:00',
    '2032-01-18T23:00:00.000Z',
  ],
  [
    'always: the end of the day',
    { start: '00:00', end: '00:00' },
    '2032-01-17T10:00:00+01:00',
    '2032-01-17T23:00:00.000Z',
  ],
  // Clocks go from 02:00 to 03:00 on 28 March 2032, and from 03:00 to 02:00 on 31 October 2032.
  [
    'across summer time',
    { start: '22:00', end: '07:00' },
    '2032-03-27T23:00:00+01:00',
    '2032-03-28T05:00:00.000Z',
  ],
  [
    'across winter time',
    { start: '22:00', end: '07:00' },
    '2032-10-30T23:00:00+02:00',
    '2032-10-31T06:00:00.000Z',
  ],
  [
    'an end that the clocks skip',
    { start: '22:00', end: '02:30' },
    '2032-03-28T03:15:00+02:00',
    '2032-03-28T01:30:00.000Z',
  ],
  [
    'the repeated hour',
    { start: '22:00', end: '02:30' },
    '2032-10-31T02:45:00+02:00',
    '2032-10-31T01:30:00.000Z',
  ],
  [
    'UTC+14',
    { start: '22:00', end: '07:00', zone: 'Pacific/Kiritimati' },
    '2032-01-16T09:00:00Z',
    '2032-01-16T17:00:00.000Z',
  ],
  ['no quiet hours', { start: null, end: null }, '2032-01-16T23:00:00+01:00', null],
  ['no days', { start: '22:00', end: '07:00', days: [] }, '2032-01-16T23:00:00+01:00', null],
])('private.quiet_until() returns the end of quiet hours %s', async (_name, hours, at, until) => {
  await choose(hours);
  expect(await quietUntil(at)).toBe(until);
});

it('private.quiet_until() is null for a user without preferences', async () => {
  expect(await quietUntil('2032-01-16T23:00:00Z')).toBeNull();
});

describe('mails', () => {
  const notify = () =>
    supabase().database.query(
      `insert into notifications (recipient_id, content, created_at) values ($1, '{"type":"mention"}', $2)`,
      [ada.id, new Date(nowMs).toISOString()],
    );
  const dueAt = async (): Promise<number | undefined> => {
    const [mail] = await supabase().database.query<{ due_at: Date }>(
      'select due_at from private.notification_mails',
    );
    return mail?.due_at.getTime();
  };
  // After the database's clock, because mails are due from then on; before November 2032, when the legacy API keys
  // expire.
  const quietEndMs = Date.parse('2032-01-17T07:00:00+01:00');

  beforeEach(() => {
    supabase().mailbox.clear();
    nowMs = Date.parse('2032-01-16T23:00:00+01:00');
  });

  it.each(['instant', 'hourly'])(
    'mails of the frequency %s wait until quiet hours end',
    async (frequency) => {
      await choose({ start: '22:00', end: '07:00', frequency });
      await notify();
      expect(await dueAt()).toBe(quietEndMs);
      nowMs = quietEndMs - 1;
      expect(await supabase().sendDueMails()).toEqual({ sent: 0, failed: 0, skipped: 0 });
      nowMs = quietEndMs;
      expect(await supabase().sendDueMails()).toEqual({ sent: 1, failed: 0, skipped: 0 });
    },
  );

  it('mails that a worker finds after quiet hours have begun wait for their end', async () => {
    nowMs = Date.parse('2032-01-16T21:50:00+01:00');
    await choose({ start: '22:00', end: '07:00' });
    await notify();
    nowMs += 20 * minuteMs;
    expect(await supabase().sendDueMails()).toMatchObject({ sent: 0, failed: 0 });
    await notify();
    expect(await dueAt()).toBe(quietEndMs);
    nowMs = quietEndMs;
    expect(await supabase().sendDueMails()).toEqual({ sent: 1, failed: 0, skipped: 0 });
    expect(supabase().mailbox.messages()).toHaveLength(1);
  });

  it('mails move when quiet hours begin to apply, and back when they are switched off', async () => {
    const allDay = { start: '00:00', end: '00:00', zone: 'UTC' };
    nowMs = Date.now();
    await choose({ start: null, end: null, zone: 'UTC' });
    await notify();
    await choose(allDay);
    const midnight = new Date(nowMs);
    midnight.setUTCHours(24, 0, 0, 0);
    expect((await dueAt()) ?? 0).toBeGreaterThanOrEqual(midnight.getTime());
    await choose({ start: null, end: null, zone: 'UTC' });
    expect((await dueAt()) ?? Number.NaN).toBeLessThanOrEqual(Date.now() + 3 * minuteMs);
  });

  it.each([
    ['for a test', 'authenticated', 'public.send_test_mail()'],
    [
      `about the account's safety`,
      'postgres',
      `private.report_security_event('${ada.id}', 'recovery_codes_created')`,
    ],
  ])('mails %s are not delayed by quiet hours', async (_name, role, call) => {
    const always = { start: '00:00', end: '00:00', zone: 'UTC' };
    await choose(always);
    await runAs(supabase().database, { role: 'authenticated', userId: ada.id }, async (sql) => {
      await sql.query(`set local role ${role}`);
      await sql.query(`select ${call}`);
    });
    await choose({ ...always, frequency: 'hourly' });
    nowMs = Date.now() + minuteMs;
    expect(await supabase().sendDueMails()).toEqual({ sent: 1, failed: 0, skipped: 0 });
  });

  it('mails that wait are announced for the end of quiet hours', async () => {
    await choose({ start: '00:00', end: '00:00', zone: 'UTC' });
    const [row] = await runAs(supabase().database, { role: 'authenticated', userId: ada.id }, (sql) =>
      sql.query<{ status: { next_at: string } }>('select public.mail_status() as status'),
    );
    expect(row?.status.next_at).toMatch(/T00:00:00\+00:00$/);
  });
});
