-- Quiet hours and the announcement of the next mail leave out mails about the account's safety.

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
