-- Notifications by email: the queue, when a mail is due, and what its recipient can see and do about it. Triggers write due
-- mails; mail_delivery.sql hands them to the Edge Function `notification-mails`.

create table private.notification_mails (
  id uuid primary key default gen_random_uuid(),
  recipient_id uuid not null references auth.users (id) on delete cascade,
  -- `digest`, `test`, `security:<event>`, `invitation:<id>`, or the thread of an instant mail: `thread:<hash>` or
  -- `kind:<kind>`.
  topic text not null check (octet_length(topic) <= 1000),
  -- pending: collects notifications until it is due. sending: leased by a worker. retrying: failed, due again later.
  state text not null default 'pending'
    check (state in ('pending', 'sending', 'retrying', 'sent', 'skipped', 'dead')),
  due_at timestamptz not null,
  item_count integer not null default 0,
  attempts smallint not null default 0,
  lease uuid,
  lease_until timestamptz,
  -- Why the mail was skipped, failed or died.
  reason text,
  -- Since when the provider does not accept it, for reasons that concern neither the mail nor its address.
  held_since timestamptz,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint leased_while_sending check ((state = 'sending') = (lease is not null and lease_until is not null))
);
comment on table private.notification_mails is
  'The queue of mails. Per recipient and topic one mail at most is pending: it carries everything until it is due.';

create unique index notification_mails_pending_idx on private.notification_mails (recipient_id, topic)
  where state = 'pending';
create index notification_mails_due_idx on private.notification_mails (due_at) where state in ('pending', 'retrying');
create index notification_mails_lease_idx on private.notification_mails (lease_until) where state = 'sending';
-- For queue_mails(), which counts these mails of a recipient besides the pending ones.
create index notification_mails_unfinished_idx on private.notification_mails (recipient_id)
  where state in ('sending', 'retrying');
create index notification_mails_recipient_idx on private.notification_mails (recipient_id, created_at);
create index notification_mails_finished_idx on private.notification_mails (finished_at) include (state)
  where state in ('sent', 'skipped', 'dead');

create index notification_mails_dead_idx on private.notification_mails (finished_at) where state = 'dead';

-- A notification belongs to one mail at most. Its row is in public.notifications or private.mail_only_notifications.
create table private.notification_mail_items (
  notification_id uuid primary key,
  mail_id uuid not null references private.notification_mails (id) on delete cascade
);
create index notification_mail_items_mail_idx on private.notification_mail_items (mail_id);

-- Addresses that bounced hard or whose owner complained, as private.address_hash(). Mails to them are skipped, also for a later account.
create table private.suppressed_addresses (
  address_hash text primary key,
  reason text not null check (reason in ('bounce', 'complaint')),
  detail text,
  created_at timestamptz not null default now()
);

create index suppressed_addresses_created_idx on private.suppressed_addresses (created_at);

-- Settings that an operator may change.
create table private.mail_settings (
  is_only_row boolean primary key default true check (is_only_row),
  -- Further notifications of the hour are in the recipient's digest: senders choose the threads, and thereby the number of mails.
  instant_mails_per_hour integer not null default 10 check (instant_mails_per_hour >= 0)
);
insert into private.mail_settings default values;

-- The keys of links in mails. The newest signs; the others are valid until their ends, see private.rotate_mail_link_key().
create table private.mail_link_key (
  id bigint generated always as identity primary key,
  secret bytea not null default extensions.gen_random_bytes(32),
  valid_until timestamptz not null default 'infinity'
);
insert into private.mail_link_key default values;

alter table private.notification_mails enable row level security;
alter table private.notification_mail_items enable row level security;
alter table private.suppressed_addresses enable row level security;
alter table private.mail_settings enable row level security;
alter table private.mail_link_key enable row level security;

/** The hash that identifies an address, regardless of case. */
create function private.address_hash(address text) returns text
  language plpgsql stable
  set search_path = ''
as $$
begin
  return private.keyed_hash(lower(address));
end
$$;

/**
 * When a mail about something that happens at `called_at` is due. A local time that a change of the clocks skips is
 * due as much later; one that happens twice is due the second time, as PostgreSQL resolves both.
 */
create function private.next_mail_at(
  frequency text, time_zone text, digest_hour integer, digest_weekday integer, called_at timestamptz
) returns timestamptz
  language plpgsql stable
  set search_path = ''
as $$
declare
  zone text;
  today date;
begin
  if frequency = 'instant' then
    return called_at + interval '2 minutes';
  elsif frequency = 'hourly' then
    return date_trunc('hour', called_at) + interval '1 hour';
  end if;
  zone := private.known_time_zone(time_zone);
  today := (called_at at time zone zone)::date;
  return (
    select min(candidate.due_at)
    from (
      select (today + day_number + make_interval(hours => digest_hour)) at time zone zone as due_at, today + day_number as day
      from generate_series(0, 8) day_number
    ) candidate
    where candidate.due_at > called_at
      and (frequency <> 'weekly' or extract(isodow from candidate.day) = digest_weekday)
  );
end
$$;

/** Whether preferences and quiet hours apply to a mail: not to test mails and to those about the account's safety. */
create function private.is_notification_mail(topic text) returns boolean
  language sql immutable parallel safe
  set search_path = ''
as $$
  select topic <> 'test' and topic not like 'security:%'
$$;

/** The thread to which an instant mail belongs, as a hash: because senders choose the length of its parts. */
create function private.mail_topic(kind text, content jsonb) returns text
  language sql immutable parallel safe
  set search_path = ''
as $$
  select case
    when content ->> 'entity_id' is null then 'kind:' || kind
    else 'thread:' || encode(
      sha256(convert_to(jsonb_build_array(content -> 'entity_type', content -> 'entity_id')::text, 'UTF8')), 'hex'
    )
  end
$$;

/**
 * Adds new notifications to the pending mails of their recipients. The conflicting row is updated, not ignored: its
 * lock keeps a worker from claiming the mail before the transaction that adds to it commits.
 */
create function private.queue_mails() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  with channels as (
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
    where (private.wanted_channels(a.recipient_id, a.kind)).by_mail and private.may_use_channel(a.id, 'email')
  ), ranked as (
    select
      c.*,
      c.topic <> 'digest'
        and not exists (
          select from private.notification_mails m
          where m.recipient_id = c.recipient_id and m.topic = c.topic and m.state = 'pending'
        )
        -- Mails that wait count however old they are: after quiet hours or an outage they all go at once.
        and (
          select count(*) from private.notification_mails m
          where m.recipient_id = c.recipient_id and m.created_at > now() - interval '1 hour'
            and (m.topic like 'thread:%' or m.topic like 'kind:%')
        ) + (
          select count(*) from private.notification_mails m
          where m.recipient_id = c.recipient_id and m.state = 'pending' and m.created_at <= now() - interval '1 hour'
            and (m.topic like 'thread:%' or m.topic like 'kind:%')
        ) + (
          select count(*) from private.notification_mails m
          where m.recipient_id = c.recipient_id and m.state in ('sending', 'retrying')
            and m.created_at <= now() - interval '1 hour' and (m.topic like 'thread:%' or m.topic like 'kind:%')
        ) + dense_rank() over (partition by c.recipient_id order by c.topic)
          > (select s.instant_mails_per_hour from private.mail_settings s) as is_beyond_limit
    from channels c
  ), wanted as (
    select
      r.id, r.recipient_id, r.created_at, r.time_zone, r.digest_hour, r.digest_weekday,
      case when r.is_beyond_limit then 'hourly' else r.frequency end as frequency,
      case when r.is_beyond_limit then 'digest' else r.topic end as topic
    from ranked r
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

create trigger queue_mails after insert on public.notifications
  referencing new table as arrived for each statement execute function private.queue_mails();
create trigger queue_mails after insert on private.mail_only_notifications
  referencing new table as arrived for each statement execute function private.queue_mails();

/**
 * After a change of preferences: moves the pending digest to the time that the new choice means, and pending instant
 * mails out of the quiet hours.
 */
create function private.reschedule_digest() returns trigger
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

-- Mails that were queued before the account had preferences are due by the defaults, which are in UTC.
create trigger schedule_first_digest after insert on public.notification_preferences
  for each row execute function private.reschedule_digest();

-- An invitation is mailed although its recipient has turned off notifications about invitations. Only "no email at all" and a
-- blocked sender prevent the mail; public.list_invitations() lists the invitation in any case.

/** Whether a user gets email at all: emails are not paused, and the digest is not "never". */
create function private.wants_mail(user_id uuid) returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select coalesce(
    (
      select p.enable_email_notifications and p.email_digest_frequency <> 'never'
      from public.notification_preferences p where p.user_id = wants_mail.user_id
    ),
    true
  )
$$;

/**
 * Queues a separate mail about an invitation, unless the notification about it is mailed. Like a mail about a thread it goes
 * after two minutes, and not within quiet hours.
 */
create function private.mail_invitation(invitee uuid, about public.invitations) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if not private.wants_mail(invitee) or (private.wanted_channels(invitee, 'invite')).by_mail then
    return;
  end if;
  insert into private.notification_mails (recipient_id, topic, due_at, item_count)
  values (
    invitee,
    'invitation:' || about.id,
    private.after_quiet_hours(invitee, private.next_mail_at('instant', 'UTC', 0, 1, now())),
    1
  )
  on conflict (recipient_id, topic) where state = 'pending' do nothing;
end
$$;

/**
 * What the caller's email settings lead to: the address, `obstacle` (`unconfirmed`, `suppressed` or null) with
 * `suppression_reason`, when the next mail is due and how many unread notifications wait for it. Without a waiting mail
 * `next_at` is when a notification of now would be mailed, after quiet hours.
 */
create function public.mail_status() returns jsonb
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
        select s.reason from private.suppressed_addresses s where s.address_hash = private.address_hash(u.email)
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

/** Sends mail to the caller's address again, although it bounced or a mail to it was reported. */
create function public.allow_mail_address() returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
begin
  delete from private.suppressed_addresses s using auth.users u
  where u.id = me and s.address_hash = private.address_hash(u.email);
  return found;
end
$$;

/** Queues a test mail to the caller. Error: PT429 test_mail_limit_exceeded, more than one within a minute or ten within a day. */
create function public.send_test_mail() returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
  of_minute integer;
  of_day integer;
begin
  -- Without the lock, two concurrent requests would both find no earlier mail.
  perform from auth.users u where u.id = me for no key update;
  select count(*) filter (where m.created_at > now() - interval '1 minute'), count(*) into of_minute, of_day
  from private.notification_mails m
  where m.recipient_id = me and m.topic = 'test' and m.created_at > now() - interval '1 day';
  if of_minute >= 1 or of_day >= 10 then
    raise sqlstate 'PT429' using message = 'test_mail_limit_exceeded', detail = 'One test mail a minute is sent, and ten a day.',
      hint = format('Try again in %s seconds.', case when of_day >= 10 then 86400 else 60 end);
  end if;
  insert into private.notification_mails (recipient_id, topic, due_at) values (me, 'test', now())
  on conflict (recipient_id, topic) where state = 'pending' do nothing;
end
$$;

revoke all on function public.mail_status(), public.allow_mail_address(), public.send_test_mail()
  from public, anon, authenticated;
grant execute on function public.mail_status(), public.allow_mail_address(), public.send_test_mail() to authenticated;

revoke all on all functions in schema private from public;
