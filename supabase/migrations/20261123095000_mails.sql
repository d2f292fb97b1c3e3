-- Notifications by email. Postgres is the queue: triggers write due mails, the Edge Function `notification-mails`
-- claims them in batches, sends them and acknowledges each. Delivery is at least once; a crash between sending and
-- acknowledgement is the only way to a duplicate.
create table private.notification_mails (
  id uuid primary key default gen_random_uuid(),
  recipient_id uuid not null references auth.users (id) on delete cascade,
  -- `digest`, `test`, or the thread of an instant mail: `thread:<entity type>:<entity id>` or `kind:<kind>`.
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
create index notification_mails_recipient_idx on private.notification_mails (recipient_id, created_at);
create index notification_mails_finished_idx on private.notification_mails (finished_at)
  where state in ('sent', 'skipped', 'dead');

-- A notification belongs to one mail at most. Its row is in public.notifications or private.mail_only_notifications.
create table private.notification_mail_items (
  notification_id uuid primary key,
  mail_id uuid not null references private.notification_mails (id) on delete cascade
);
create index notification_mail_items_mail_idx on private.notification_mail_items (mail_id);

-- Addresses that bounced hard or whose owner complained. Mails to them are skipped.
create table private.suppressed_addresses (
  address text primary key check (address = lower(address)),
  reason text not null check (reason in ('bounce', 'complaint')),
  detail text,
  created_at timestamptz not null default now()
);

-- The key that signs links in mails. Deleting the row and inserting a new one ends all links.
create table private.mail_link_key (
  is_only_row boolean primary key default true check (is_only_row),
  secret bytea not null default extensions.gen_random_bytes(32)
);
insert into private.mail_link_key default values;

alter table private.notification_mails enable row level security;
alter table private.notification_mail_items enable row level security;
alter table private.suppressed_addresses enable row level security;
alter table private.mail_link_key enable row level security;

/** The zone, or UTC where this server no longer knows it: zones are renamed and removed. */
create function private.known_time_zone(time_zone text) returns text
  language plpgsql stable
  set search_path = ''
as $$
begin
  perform now() at time zone time_zone;
  return time_zone;
exception when invalid_parameter_value then
  return 'UTC';
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

/** The thread to which an instant mail belongs. */
create function private.mail_topic(kind text, content jsonb) returns text
  language sql immutable parallel safe
  set search_path = ''
as $$
  select case
    when content ->> 'entity_id' is null then 'kind:' || kind
    else 'thread:' || left(coalesce(content ->> 'entity_type', ''), 100) || ':' || left(content ->> 'entity_id', 200)
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

create function private.encode_base64url(input bytea) returns text
  language sql immutable parallel safe
  set search_path = ''
as $$
  select rtrim(translate(encode(input, 'base64'), E'+/\n', '-_'), '=')
$$;

create function private.sign_mail_token(claims text) returns text
  language sql stable security definer
  set search_path = ''
as $$
  select private.encode_base64url(extensions.hmac(convert_to(claims, 'UTF8'), k.secret, 'sha256'))
  from private.mail_link_key k
$$;

/** A token for a link in a mail: purpose, user and end in seconds since the epoch, signed with HMAC-SHA-256. */
create function private.create_mail_token(purpose text, user_id uuid, valid_until timestamptz) returns text
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  claims text := concat_ws('.', purpose, user_id, floor(extract(epoch from valid_until))::bigint);
begin
  return claims || '.' || private.sign_mail_token(claims);
end
$$;

/** The user of a token for this purpose; null where the token is forged, has ended or has another purpose. */
create function private.verify_mail_token(token text, purpose text, called_at timestamptz) returns uuid
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  parts text[] := string_to_array(token, '.');
  claims text := array_to_string(parts[1:3], '.');
begin
  -- The signatures are compared by their hashes, so that the time of the comparison tells nothing about them.
  if cardinality(parts) is distinct from 4
    or sha256(convert_to(parts[4], 'UTF8')) <> sha256(convert_to(private.sign_mail_token(claims), 'UTF8'))
    or parts[1] <> purpose
    or parts[3]::bigint < extract(epoch from called_at)
  then
    return null;
  end if;
  return parts[2]::uuid;
end
$$;

/**
 * The notifications of a mail that are still worth mailing: unread, wanted, and of no blocked sender or muted thread; or the
 * invitation that it is about.
 */
create function private.mail_items(mail_id uuid, called_at timestamptz)
  returns table (id uuid, kind text, content text, created_at timestamptz, is_in_inbox boolean)
  language plpgsql stable security definer rows 20
  set search_path = ''
as $$
begin
  return query select n.id, n.kind, n.content, n.created_at, n.is_in_inbox
  from (
    select n.id, n.recipient_id, n.sender_id, n.kind, n.content, n.created_at, true as is_in_inbox
    from private.notification_mail_items i
    join public.notifications n on n.id = i.notification_id
    where i.mail_id = mail_items.mail_id and n.status = 'unread'
      and (n.snoozed_until is null or n.snoozed_until <= called_at)
    union all
    select n.id, n.recipient_id, n.sender_id, n.kind, n.content, n.created_at, false
    from private.notification_mail_items i
    join private.mail_only_notifications n on n.id = i.notification_id
    where i.mail_id = mail_items.mail_id
  ) n
  where (private.wanted_channels(n.recipient_id, n.kind)).by_mail
    and not private.is_blocked(n.recipient_id, n.sender_id)
    and not private.is_muted(n.recipient_id, private.parse_json(n.content))
  order by n.created_at desc, n.id desc;
  -- A mail with notifications is about no invitation.
  if not found then
    return query select * from private.mailed_invitation(mail_items.mail_id, called_at);
  end if;
end
$$;

-- PL/pgSQL keeps the plans of these statements for the session, whereas a function in SQL is planned on each call: a claim
-- takes a quarter less processor time.

/** Why an account gets no mail now; null where it gets mail. */
create function private.mail_obstacle(user_id uuid, called_at timestamptz) returns text
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return (
    select case
      when u.id is null or u.deleted_at is not null or u.banned_until > called_at then 'account'
      when u.email is null or u.email_confirmed_at is null then 'unconfirmed'
      when s.address is not null then 'suppressed'
    end
    from (select) one
    left join auth.users u on u.id = mail_obstacle.user_id
    left join private.suppressed_addresses s on s.address = lower(u.email)
  );
end
$$;

/** Everything that a worker needs to render and send a mail, or null and a reason in `obstacle`. */
create function private.mail_payload(
  mail private.notification_mails, called_at timestamptz, out payload jsonb, out obstacle text
)
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  most_items constant integer := 50;
  account record;
  items jsonb;
  total integer;
begin
  obstacle := private.mail_obstacle(mail.recipient_id, called_at);
  if obstacle is not null then
    return;
  end if;
  select
    coalesce(jsonb_agg(jsonb_build_object(
      'id', i.id, 'kind', i.kind, 'content', private.parse_json(i.content), 'created_at', i.created_at,
      'is_in_inbox', i.is_in_inbox
    ) order by i.position) filter (where i.position <= most_items), '[]'),
    count(*)
  into items, total
  from (select m.*, row_number() over () as position from private.mail_items(mail.id, called_at) m) i;
  if total = 0 and private.is_notification_mail(mail.topic) then
    obstacle := 'nothing unread';
    return;
  end if;
  select
    u.email,
    coalesce(p.language, 'en') as language,
    private.known_time_zone(coalesce(p.time_zone, 'UTC')) as time_zone,
    coalesce(p.email_digest_frequency, 'daily') as frequency
  into account
  from auth.users u left join public.notification_preferences p on p.user_id = u.id
  where u.id = mail.recipient_id;
  payload := jsonb_build_object(
    'id', mail.id,
    'lease', mail.lease,
    'lease_until', mail.lease_until,
    'topic', mail.topic,
    'thread_id', encode(sha256(convert_to(mail.recipient_id || mail.topic, 'UTF8')), 'hex'),
    'due_at', mail.due_at,
    'address', account.email,
    'name', private.display_name(mail.recipient_id),
    'language', account.language,
    'time_zone', account.time_zone,
    'frequency', account.frequency,
    'items', items,
    'item_count', total,
    'security_event', (
      select jsonb_build_object('kind', e.kind, 'detail', e.detail, 'created_at', e.created_at)
      from private.security_events e
      where mail.topic like 'security:%' and e.id = substr(mail.topic, length('security:') + 1)::uuid
    ),
    'unsubscribe_token', private.create_mail_token('unsubscribe', mail.recipient_id, called_at + interval '90 days')
  );
end
$$;

/** Whether a worker has something to do. */
create function private.has_due_mails(called_at timestamptz default now()) returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select exists (
      select from private.notification_mails m where m.state in ('pending', 'retrying') and m.due_at <= called_at
    )
    or exists (select from private.notification_mails m where m.state = 'sending' and m.lease_until <= called_at)
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
create function public.claim_notification_mails(
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
 * Acknowledges a leased mail. Returns whether the mail changed. Outcomes:
 * - `sent`, which counts without the lease too: a mail that left must not be sent again because its worker was slow;
 * - `failed`: tried again with backoff, and dead after the fifth attempt;
 * - `delayed`: the provider limits the rate. Tried again after `retry_after_seconds`; the attempt does not count;
 * - `refused`: the provider does not accept this mail. Dead;
 * - `rejected`: the address does not exist. Dead, and the address is suppressed.
 */
create function public.finish_notification_mail(
  mail_id uuid, lease uuid, outcome text, reason text default null, called_at timestamptz default now(),
  retry_after_seconds double precision default 0
) returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most_attempts constant integer := 5;
  mail private.notification_mails;
  is_retried boolean;
begin
  if outcome is null or outcome not in ('sent', 'failed', 'delayed', 'refused', 'rejected') then
    raise sqlstate 'PT400' using message = 'outcome_invalid',
      detail = 'The outcome is sent, failed, delayed, refused or rejected.';
  end if;
  select * into mail from private.notification_mails m
  where m.id = finish_notification_mail.mail_id and m.state in ('sending', 'retrying')
    and (m.lease = finish_notification_mail.lease or outcome = 'sent')
  for update;
  if mail.id is null then
    return false;
  end if;
  is_retried := outcome = 'delayed' or (outcome = 'failed' and mail.attempts < most_attempts);
  update private.notification_mails m
  set
    state = case when outcome = 'sent' then 'sent' when is_retried then 'retrying' else 'dead' end,
    attempts = case when outcome = 'delayed' then mail.attempts - 1 else mail.attempts end,
    due_at = case when is_retried then called_at + greatest(
        make_interval(secs => coalesce(retry_after_seconds, 0)),
        -- 1, 4, 16 and 64 minutes, each between half and one and a half of it.
        case when outcome = 'failed' then interval '1 minute' * power(4, mail.attempts - 1) * (0.5 + random()) end
      ) else mail.due_at end,
    finished_at = case when not is_retried then called_at end,
    lease = null,
    lease_until = null,
    reason = left(finish_notification_mail.reason, 500)
  where m.id = mail.id;
  if outcome = 'rejected' then
    perform public.suppress_mail_address((select u.email from auth.users u where u.id = mail.recipient_id), 'bounce', reason);
  end if;
  return true;
end
$$;

/** Sends no more mail to an address. Reasons: `bounce`, `complaint`. */
create function public.suppress_mail_address(address text, reason text, detail text default null) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  insert into private.suppressed_addresses as s (address, reason, detail)
  values (lower(suppress_mail_address.address), suppress_mail_address.reason, left(suppress_mail_address.detail, 500))
  on conflict on constraint suppressed_addresses_pkey do update set reason = excluded.reason, detail = excluded.detail;
end
$$;

/** For operators: makes dead mails due again, all or those with these ids. Returns how many. */
create function private.requeue_dead_mails(mail_ids uuid[] default null) returns integer
  language plpgsql security definer
  set search_path = ''
as $$
declare
  requeued integer;
begin
  update private.notification_mails m
  set state = 'retrying', attempts = 0, due_at = now(), finished_at = null, reason = null
  where m.state = 'dead' and (mail_ids is null or m.id = any (mail_ids));
  get diagnostics requeued = row_count;
  return requeued;
end
$$;

/**
 * Turns mails of one kind, or all of them, off (or on again) for the user of a link's token. Returns null for a token
 * that is forged or has ended, else `{kind, is_off, language}`.
 */
create function public.unsubscribe_from_mails(
  token text, kind text default null, undo boolean default false, dry_run boolean default false,
  called_at timestamptz default now()
) returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  subscriber uuid := private.verify_mail_token(token, 'unsubscribe', called_at);
  chosen public.notification_preferences;
begin
  if subscriber is null or not exists (select from auth.users u where u.id = subscriber) then
    return null;
  end if;
  if not dry_run then
    insert into public.notification_preferences as p (user_id) values (subscriber) on conflict (user_id) do nothing;
    update public.notification_preferences p
    set
      enable_email_notifications = case
        when unsubscribe_from_mails.kind is null then undo else p.enable_email_notifications or undo end,
      email_mentions = case when unsubscribe_from_mails.kind in ('mention', 'message') then undo else p.email_mentions end,
      email_edits = case when unsubscribe_from_mails.kind = 'edit' then undo else p.email_edits end,
      email_comments = case when unsubscribe_from_mails.kind = 'comment' then undo else p.email_comments end,
      email_invites = case when unsubscribe_from_mails.kind = 'invite' then undo else p.email_invites end
    where p.user_id = subscriber;
  end if;
  select * into chosen from public.notification_preferences p where p.user_id = subscriber;
  return jsonb_build_object(
    'kind', unsubscribe_from_mails.kind,
    'is_off', case unsubscribe_from_mails.kind
      when 'mention' then not chosen.email_mentions
      when 'message' then not chosen.email_mentions
      when 'edit' then not chosen.email_edits
      when 'comment' then not chosen.email_comments
      when 'invite' then not chosen.email_invites
      else not coalesce(chosen.enable_email_notifications, true)
    end,
    'language', coalesce(chosen.language, 'en')
  );
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

/** Sends mail to the caller's address again, although it bounced or a mail to it was reported. */
create function public.allow_mail_address() returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
begin
  delete from private.suppressed_addresses s using auth.users u where u.id = me and s.address = lower(u.email);
  return found;
end
$$;

/** Queues a test mail to the caller. Error: PT429 test_mail_limit_exceeded, more than one within a minute. */
create function public.send_test_mail() returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
begin
  -- Two requests at once would both find no earlier mail.
  perform from auth.users u where u.id = me for no key update;
  if exists (
    select from private.notification_mails m
    where m.recipient_id = me and m.topic = 'test' and m.created_at > now() - interval '1 minute'
  ) then
    raise sqlstate 'PT429' using message = 'test_mail_limit_exceeded', detail = 'One test mail a minute is sent.',
      hint = 'Try again in 60 seconds.';
  end if;
  insert into private.notification_mails (recipient_id, topic, due_at) values (me, 'test', now())
  on conflict (recipient_id, topic) where state = 'pending' do nothing;
end
$$;

insert into private.retention (name, keep) values ('notification_mails', '30 days');

/** Deletes at most `batch_size` finished mails that are past their time at `called_at`. Returns how many. */
create function private.delete_expired_mails(batch_size integer, called_at timestamptz) returns integer
  language plpgsql security definer
  set search_path = ''
as $$
declare
  deleted integer;
begin
  delete from private.notification_mails m
  where m.id in (
    select o.id from private.notification_mails o
    where o.state in ('sent', 'skipped', 'dead')
      and o.finished_at < called_at - (select r.keep from private.retention r where r.name = 'notification_mails')
    order by o.finished_at
    limit batch_size
    for update skip locked
  );
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

/** Calls the Edge Function that sends mails while mails are due. */
create function private.call_mail_worker() returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if private.has_due_mails() then
    perform private.call_edge_function('notification-mails');
  end if;
end
$$;
revoke all on function
  public.claim_notification_mails(integer, integer, timestamptz, timestamptz),
  public.finish_notification_mail(uuid, uuid, text, text, timestamptz, double precision),
  public.suppress_mail_address(text, text, text),
  public.unsubscribe_from_mails(text, text, boolean, boolean, timestamptz),
  public.mail_status(),
  public.allow_mail_address(),
  public.send_test_mail()
  from public, anon, authenticated;
grant execute on function
  public.claim_notification_mails(integer, integer, timestamptz, timestamptz),
  public.finish_notification_mail(uuid, uuid, text, text, timestamptz, double precision),
  public.suppress_mail_address(text, text, text),
  public.unsubscribe_from_mails(text, text, boolean, boolean, timestamptz)
  to service_role;
grant execute on function public.mail_status(), public.allow_mail_address(), public.send_test_mail() to authenticated;

-- With pg_cron and pg_net the worker runs each minute; without them, call the function by another scheduler.
do $$
begin
  if (select count(*) from pg_available_extensions where name in ('pg_cron', 'pg_net')) = 2 then
    create extension if not exists pg_cron;
    create extension if not exists pg_net;
    execute $job$ select cron.schedule('notification-mails', '* * * * *', 'select private.call_mail_worker()') $job$;
  end if;
exception when others then
  raise notice 'pg_cron and pg_net cannot be used here: %', sqlerrm;
end
$$;

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

-- An invitation reaches an account whose owner has turned off notifications about invitations: it is listed by
-- public.list_invitations() in any case, and mailed on its own. Only "no email at all" and a blocked sender prevent the mail.

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
 * Runs after an invitation was made or renewed: queues a mail of its own, unless the notification about it is mailed. Like a mail about a
 * thread it goes after two minutes, and not within quiet hours.
 */
create function private.mail_invitation() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  invitee uuid := private.account_of_address(new.invitee_email);
begin
  if invitee is null or private.is_blocked(invitee, new.inviter_id) or not private.wants_mail(invitee)
    or (private.wanted_channels(invitee, 'invite')).by_mail
  then
    return null;
  end if;
  insert into private.notification_mails (recipient_id, topic, due_at, item_count)
  values (
    invitee,
    'invitation:' || new.id,
    private.after_quiet_hours(invitee, private.next_mail_at('instant', 'UTC', 0, 1, now())),
    1
  )
  on conflict (recipient_id, topic) where state = 'pending' do nothing;
  return null;
end
$$;

create trigger mail_invitation after insert on public.invitations
  for each row execute function private.mail_invitation();
create trigger mail_renewed_invitation after update of expires_at on public.invitations
  for each row when (new.expires_at > old.expires_at) execute function private.mail_invitation();

/** The invitation of a mail that is about one, in the form of an item of private.mail_items(), while it can be answered. */
create function private.mailed_invitation(mail_id uuid, called_at timestamptz)
  returns table (id uuid, kind text, content text, created_at timestamptz, is_in_inbox boolean)
  language plpgsql stable security definer rows 1
  set search_path = ''
as $$
begin
  return query
  select
    i.id,
    'invite',
    jsonb_strip_nulls(jsonb_build_object(
      'type', 'invite',
      'metadata', jsonb_build_object('actor_id', i.inviter_id, 'actor_name', private.display_name(i.inviter_id)),
      'entity_type', i.entity_type,
      'entity_id', i.entity_id,
      'data', jsonb_build_object('status', i.status, 'entity_name', i.entity_name, 'url', '/join/' || i.token)
    ))::text,
    i.created_at,
    false
  from private.notification_mails m
  join public.invitations i
    on i.id = case when m.topic like 'invitation:%' then substr(m.topic, length('invitation:') + 1)::uuid end
  where m.id = mailed_invitation.mail_id and i.status = 'pending' and i.expires_at > called_at
    and private.wants_mail(m.recipient_id) and not private.is_blocked(m.recipient_id, i.inviter_id);
end
$$;

revoke all on all functions in schema private from public;
