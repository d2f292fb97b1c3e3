-- Quiet hours delay emails. The columns are those of public.notification_preferences: quiet_hours_start,
-- quiet_hours_end, quiet_weekdays and time_zone.

comment on column public.notification_preferences.quiet_hours_start is
  'Null: no quiet hours. An end before the start is on the next day, an end equal to the start 24 hours later; '
  'quiet_weekdays name the day of the start.';

/**
 * When the quiet hours end that are in force for a user at `called_at`; null where none are. Periods that touch or
 * overlap are one. Where the whole week is quiet, the first period's end counts, so that a mail is late by a day at most.
 *
 * Both ends are local times of each day and are converted one by one, so that a period lasts an hour less or more when
 * the clocks change. A local time that does not exist, or exists twice, is resolved as in private.next_mail_at().
 */
create function private.quiet_until(user_id uuid, called_at timestamptz) returns timestamptz
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  chosen record;
  zone text;
  today date;
  period record;
  first_end timestamptz;
  quiet_end timestamptz;
begin
  select p.quiet_hours_start as starts, p.quiet_hours_end as ends, p.quiet_weekdays as weekdays, p.time_zone
  into chosen
  from public.notification_preferences p
  where p.user_id = quiet_until.user_id and p.quiet_hours_start is not null;
  if not found then
    return null;
  end if;
  zone := private.known_time_zone(chosen.time_zone);
  today := (called_at at time zone zone)::date;
  for period in
    select
      (day + chosen.starts) at time zone zone as starts_at,
      (day + case when chosen.ends <= chosen.starts then 1 else 0 end + chosen.ends) at time zone zone as ends_at
    from (select today + day_number as day from generate_series(-2, 8) day_number) days
    where extract(isodow from day) = any (chosen.weekdays)
    order by 1
  loop
    if period.starts_at <= coalesce(quiet_end, called_at) and period.ends_at > coalesce(quiet_end, called_at) then
      quiet_end := period.ends_at;
      first_end := coalesce(first_end, quiet_end);
    end if;
  end loop;
  return case when quiet_end > called_at + interval '7 days' then first_end else quiet_end end;
end
$$;

/** Whether the quiet hours of a user are in force. */
create function private.is_quiet(user_id uuid, called_at timestamptz) returns boolean
  language sql stable security definer
  set search_path = ''
as $$ select private.quiet_until(user_id, called_at) is not null $$;

/** The time itself, or the end of the quiet hours that it is in. */
create function private.after_quiet_hours(user_id uuid, called_at timestamptz) returns timestamptz
  language sql stable security definer
  set search_path = ''
as $$ select coalesce(private.quiet_until(user_id, called_at), called_at) $$;

/**
 * Adds new notifications to the pending mails of their recipients. The conflicting row is updated, not ignored: its
 * lock keeps a worker from claiming the mail before the transaction that adds to it commits.
 */
create or replace function private.queue_mails() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  with wanted as (
    select
      a.id,
      a.recipient_id,
      a.created_at,
      coalesce(p.email_digest_frequency, 'daily') as frequency,
      coalesce(p.time_zone, 'UTC') as time_zone,
      coalesce(p.digest_hour, 8) as digest_hour,
      coalesce(p.digest_weekday, 1) as digest_weekday,
      case p.email_digest_frequency
        when 'instant' then private.mail_topic(a.kind, private.parse_json(a.content)) else 'digest'
      end as topic
    from arrived a
    left join public.notification_preferences p on p.user_id = a.recipient_id
    where (private.wanted_channels(a.recipient_id, a.kind)).by_mail
  ), mails as (
    insert into private.notification_mails as m (recipient_id, topic, due_at, item_count)
    select
      w.recipient_id,
      w.topic,
      -- Imported history is due with the next mail, not at once.
      private.after_quiet_hours(
        w.recipient_id,
        private.next_mail_at(
          w.frequency, w.time_zone, w.digest_hour, w.digest_weekday, greatest(min(w.created_at), now())
        )
      ),
      count(*)
    from wanted w
    group by w.recipient_id, w.topic, w.frequency, w.time_zone, w.digest_hour, w.digest_weekday
    order by w.recipient_id, w.topic
    on conflict (recipient_id, topic) where state = 'pending'
      do update set item_count = m.item_count + excluded.item_count
    returning m.id, m.recipient_id, m.topic
  )
  insert into private.notification_mail_items (notification_id, mail_id)
  select w.id, m.id from wanted w join mails m on m.recipient_id = w.recipient_id and m.topic = w.topic
  on conflict (notification_id) do nothing;
  return null;
end
$$;

/**
 * After a change of preferences: moves the pending digest to the time that the new choice means, and pending instant
 * mails out of the quiet hours.
 */
create or replace function private.reschedule_digest() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update private.notification_mails m
  set due_at = private.after_quiet_hours(
    new.user_id,
    case when m.topic = 'digest'
      then private.next_mail_at(
        new.email_digest_frequency, new.time_zone, new.digest_hour, new.digest_weekday, clock_timestamp()
      )
      else greatest(private.next_mail_at('instant', new.time_zone, 0, 1, m.created_at), clock_timestamp())
    end
  )
  where m.recipient_id = new.user_id and private.is_notification_mail(m.topic) and m.state = 'pending'
    and new.email_digest_frequency <> 'never';
  return null;
end
$$;

drop trigger reschedule_digest on public.notification_preferences;
create trigger reschedule_digest
  after update of email_digest_frequency, time_zone, digest_hour, digest_weekday,
    quiet_hours_start, quiet_hours_end, quiet_weekdays
  on public.notification_preferences
  for each row when (
    (
      old.email_digest_frequency, old.time_zone, old.digest_hour, old.digest_weekday,
      old.quiet_hours_start, old.quiet_hours_end, old.quiet_weekdays
    ) is distinct from (
      new.email_digest_frequency, new.time_zone, new.digest_hour, new.digest_weekday,
      new.quiet_hours_start, new.quiet_hours_end, new.quiet_weekdays
    )
  )
  execute function private.reschedule_digest();

/**
 * Leases at most `batch_size` due mails to the caller for `lease_seconds` and returns what to send. Mails whose lease
 * ran out are due again; after five attempts they are dead. Mails that are no longer wanted are skipped. Mails of a user
 * whose quiet hours are in force, because no worker ran in time, are due at their end; test mails and mails about the
 * account's safety are not delayed.
 *
 * `claimed` counts all mails of the batch, skipped and delayed ones too: fewer than `batch_size` means that nothing else
 * is due. `due_before`: also claims mails that are due later than `called_at`, in quiet hours too.
 */
create or replace function public.claim_notification_mails(
  batch_size integer default 50,
  lease_seconds integer default 120,
  called_at timestamptz default now(),
  due_before timestamptz default null
) returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most_attempts constant integer := 5;
  mail private.notification_mails;
  result record;
  claimed integer := 0;
  mails jsonb := '[]';
begin
  with stopped as materialized (
    select d.id from private.notification_mails d
    where d.state = 'sending' and d.lease_until <= called_at and d.attempts >= most_attempts
    order by d.lease_until limit batch_size for update skip locked
  )
  update private.notification_mails m
  set state = 'dead', lease = null, lease_until = null, finished_at = called_at,
    reason = 'The worker stopped before it acknowledged the last attempt.'
  from stopped s
  where m.id = s.id;
  for mail in
    with due as materialized (
      select d.id, d.recipient_id, d.topic from private.notification_mails d
      where d.state in ('pending', 'retrying') and d.due_at <= coalesce(due_before, called_at)
      order by d.due_at limit batch_size for update skip locked
    ), timed as materialized (
      select d.id, case when private.is_notification_mail(d.topic) and due_before is null
        then private.quiet_until(d.recipient_id, called_at) end as quiet_until
      from due d
    ), expired as materialized (
      select d.id from private.notification_mails d
      where d.state = 'sending' and d.lease_until <= called_at
      order by d.lease_until limit batch_size for update skip locked
    ), delayed as (
      update private.notification_mails m set due_at = t.quiet_until
      from timed t where m.id = t.id and t.quiet_until is not null
      returning m.*
    ), leased as (
      update private.notification_mails m
      set state = 'sending', lease = gen_random_uuid(), lease_until = called_at + make_interval(secs => lease_seconds),
        attempts = m.attempts + 1
      where m.id in (select t.id from timed t where t.quiet_until is null union all select e.id from expired e)
      returning m.*
    )
    select * from delayed union all select * from leased
  loop
    claimed := claimed + 1;
    continue when mail.state <> 'sending';
    result := private.mail_payload(mail, called_at);
    if result.payload is null then
      update private.notification_mails m
      set state = 'skipped', lease = null, lease_until = null, reason = result.obstacle, finished_at = called_at
      where m.id = mail.id;
    else
      mails := mails || result.payload;
    end if;
  end loop;
  return jsonb_build_object('claimed', claimed, 'mails', mails);
end
$$;

/**
 * What the caller's email settings lead to: the address, `obstacle` (`unconfirmed`, `suppressed` or null) with
 * `suppression_reason`, when the next mail is due and how many unread notifications wait for it. Without a waiting mail
 * `next_at` is when a notification of now would be mailed, after quiet hours.
 */
create or replace function public.mail_status() returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
begin
  return (
    select jsonb_build_object(
      'address', u.email,
      'obstacle', private.mail_obstacle(me, now()),
      'suppression_reason', (
        select s.reason from private.suppressed_addresses s where s.address = lower(u.email)
      ),
      'waiting', coalesce(waiting.items, 0),
      'next_at', coalesce(waiting.due_at, private.after_quiet_hours(me, private.next_mail_at(
        coalesce(p.email_digest_frequency, 'daily'), coalesce(p.time_zone, 'UTC'), coalesce(p.digest_hour, 8),
        coalesce(p.digest_weekday, 1), now()
      )))
    )
    from auth.users u
    left join public.notification_preferences p on p.user_id = u.id
    left join lateral (
      select min(m.due_at) as due_at, sum((select count(*) from private.mail_items(m.id, now())))::integer as items
      from private.notification_mails m
      where m.recipient_id = me and m.state in ('pending', 'retrying') and private.is_notification_mail(m.topic)
    ) waiting on true
    where u.id = me
  );
end
$$;

revoke all on all functions in schema private from public;
