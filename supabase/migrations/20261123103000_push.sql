-- Web Push (RFC 8030) for closed tabs. Each device has a subscription; new notifications go into its one pending
-- message, which the Edge Function `notification-push` claims, encrypts, sends and acknowledges. A message contains no
-- more than a mail about the same notifications would.
create table public.push_subscriptions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  -- The session that subscribed: its end ends the subscription.
  session_id uuid not null,
  -- The push resource. Knowing it is enough to address the device, so only the function reads it.
  -- A public host by its name; a push service of a developer's machine, which the function reaches only if PUSH_HOSTS names it.
  endpoint text not null unique check (
    octet_length(endpoint) <= 2000
    and endpoint ~ '^(https://([a-z0-9]([a-z0-9-]*[a-z0-9])?[.])+[a-z][a-z0-9-]*[a-z0-9](:443)?|http://(localhost|127[.]0[.]0[.]1)(:[0-9]{1,5})?)/[!-~]*$'
    and endpoint !~ '^https://[^/]*[.](local|internal|localhost|lan|home|corp)(:443)?/'
  ),
  -- The device's public key and authentication secret (RFC 8291), base64url.
  p256dh text not null check (p256dh ~ '^[A-Za-z0-9_-]{87}=?$'),
  auth text not null check (auth ~ '^[A-Za-z0-9_-]{22}(==)?$'),
  created_at timestamptz not null default now()
);
comment on table public.push_subscriptions is 'One row per device that shows notifications while no tab is open.';
create index push_subscriptions_user_idx on public.push_subscriptions (user_id, created_at);

alter table public.push_subscriptions enable row level security;
revoke all on public.push_subscriptions from anon, authenticated;
-- Endpoint and keys stay with the server.
grant select (id, user_id, session_id, created_at) on public.push_subscriptions to authenticated;
grant delete on public.push_subscriptions to authenticated;
grant all on public.push_subscriptions to service_role;
select private.require_assurance_on('public.push_subscriptions');
select private.hide_statistics('public.push_subscriptions');
create policy "Users see and end their own subscriptions" on public.push_subscriptions
  for all to authenticated using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create table private.push_messages (
  id uuid primary key default gen_random_uuid(),
  subscription_id uuid not null references public.push_subscriptions (id) on delete cascade,
  -- pending: collects notifications until it is due. sending: leased by a worker. retrying: failed, due again later.
  state text not null default 'pending' check (state in ('pending', 'sending', 'retrying', 'sent', 'skipped', 'dead')),
  due_at timestamptz not null,
  attempts smallint not null default 0,
  lease uuid,
  lease_until timestamptz,
  reason text,
  -- Since when it waits for the push service, or for its device to subscribe with the current key.
  held_since timestamptz,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint push_leased_while_sending check ((state = 'sending') = (lease is not null and lease_until is not null))
);
create unique index push_messages_pending_idx on private.push_messages (subscription_id) where state = 'pending';
create index push_messages_due_idx on private.push_messages (due_at) where state in ('pending', 'retrying');
create index push_messages_lease_idx on private.push_messages (lease_until) where state = 'sending';
create index push_messages_unfinished_idx on private.push_messages (due_at) where state in ('sending', 'retrying');
create index push_messages_dead_idx on private.push_messages (finished_at) where state = 'dead';
create index push_messages_subscription_idx on private.push_messages (subscription_id);
create index push_messages_finished_idx on private.push_messages (finished_at)
  where state in ('sent', 'skipped', 'dead');

-- Items outlive their notifications, as those of mails do: a foreign key would keep the table of notifications from being
-- truncated. private.push_items() leaves deleted notifications out.
create table private.push_message_items (
  message_id uuid not null references private.push_messages (id) on delete cascade,
  notification_id uuid not null,
  primary key (message_id, notification_id)
);
create index push_message_items_notification_idx on private.push_message_items (notification_id);

alter table private.push_messages enable row level security;
alter table private.push_message_items enable row level security;

/**
 * Subscribes the caller's device, or updates its keys. An endpoint that another account of this device subscribed moves
 * to the caller. At most 20 devices; a further one replaces the oldest. Returns the id.
 *
 * Errors: those of private.require_assurance(); PT400 push_subscription_invalid.
 */
create function public.subscribe_to_push(endpoint text, p256dh text, auth text) returns uuid
  language plpgsql security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
  most_devices constant integer := 20;
  subscribed uuid;
begin
  insert into public.push_subscriptions as s (user_id, session_id, endpoint, p256dh, auth)
  values (
    me, (auth.jwt() ->> 'session_id')::uuid, subscribe_to_push.endpoint, subscribe_to_push.p256dh, subscribe_to_push.auth
  )
  on conflict on constraint push_subscriptions_endpoint_key do update
    set user_id = excluded.user_id, session_id = excluded.session_id, p256dh = excluded.p256dh, auth = excluded.auth,
      created_at = now()
  returning s.id into subscribed;
  -- Messages to an earlier account of the device.
  delete from private.push_messages m
  where m.subscription_id = subscribed and m.state in ('pending', 'retrying', 'sending');
  -- A browser has one subscription: what waits for an earlier one of this session, with another key for example, goes to the new one.
  update private.push_messages m
  set subscription_id = subscribed, state = 'retrying', attempts = 0, held_since = null, lease = null, lease_until = null,
    due_at = case when m.state = 'pending' then m.due_at else now() end
  from public.push_subscriptions o
  where o.id = m.subscription_id and o.user_id = me and o.session_id = (auth.jwt() ->> 'session_id')::uuid
    and o.id <> subscribed and m.state in ('pending', 'retrying', 'sending');
  delete from public.push_subscriptions o
  where o.user_id = me and o.session_id = (auth.jwt() ->> 'session_id')::uuid and o.id <> subscribed;
  delete from public.push_subscriptions s
  where s.id in (
    select o.id from public.push_subscriptions o where o.user_id = me and o.id <> subscribed
    order by o.created_at desc offset most_devices - 1
  );
  return subscribed;
exception when check_violation or not_null_violation or invalid_text_representation then
  raise sqlstate 'PT400' using message = 'push_subscription_invalid',
    detail = 'The endpoint or a key is malformed, or the session is unknown.';
end
$$;

/** Adds new notifications to the pending message of each device of their recipients. */
create function private.queue_push_messages() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  with wanted as (
    select a.id as notification_id, s.id as subscription_id, a.created_at
    from arrived a join public.push_subscriptions s on s.user_id = a.recipient_id
    where a.status = 'unread' and private.may_use_channel(a.id, 'push')
      and not exists (select from public.notification_kinds k where k.name = a.kind and not k.push)
  ), messages as (
    insert into private.push_messages as m (subscription_id, due_at)
    -- A burst becomes one message, and a reader at an open tab has a moment to read.
    select w.subscription_id, greatest(min(w.created_at), now()) + interval '5 seconds' from wanted w
    group by w.subscription_id order by w.subscription_id
    -- Updated, not ignored: the lock keeps a worker from claiming the message before this transaction commits.
    on conflict (subscription_id) where state = 'pending' do update set due_at = m.due_at
    returning m.id, m.subscription_id
  )
  insert into private.push_message_items (message_id, notification_id)
  select m.id, w.notification_id from wanted w join messages m on m.subscription_id = w.subscription_id
  on conflict do nothing;
  return null;
end
$$;

create trigger queue_push_messages after insert on public.notifications
  referencing new table as arrived for each statement execute function private.queue_push_messages();

/** The notifications of a message that are still worth showing: unread, wanted, of no blocked sender or muted thread. */
create function private.push_items(message_id uuid, called_at timestamptz)
  returns table (id uuid, kind text, content text, created_at timestamptz)
  language sql stable security definer rows 5
  set search_path = ''
as $$
  select n.id, n.kind, n.content, n.created_at
  from private.push_message_items i
  join public.notifications n on n.id = i.notification_id
  where i.message_id = push_items.message_id
    and n.status = 'unread'
    and (n.snoozed_until is null or n.snoozed_until <= called_at)
    and (private.wanted_channels(n.recipient_id, n.kind)).in_app
    and not private.is_blocked(n.recipient_id, n.sender_id)
    and not private.is_muted(n.recipient_id, private.parse_json(n.content))
  order by n.created_at desc, n.id desc
$$;

/** Everything that a worker needs to send a message, or null and a reason in `obstacle`. */
create function private.push_payload(
  message private.push_messages, called_at timestamptz, out payload jsonb, out obstacle text
)
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  subscription public.push_subscriptions;
  items jsonb;
  total integer;
begin
  select * into subscription from public.push_subscriptions s where s.id = message.subscription_id;
  if not exists (select from auth.sessions s where s.id = subscription.session_id) then
    obstacle := 'session';
    return;
  end if;
  if exists (
    select from auth.users u
    where u.id = subscription.user_id and (u.deleted_at is not null or u.banned_until > called_at)
  ) then
    obstacle := 'account';
    return;
  end if;
  select
    coalesce(jsonb_agg(jsonb_build_object(
      'id', i.id, 'kind', i.kind, 'content', private.parse_json(i.content), 'created_at', i.created_at,
      'is_in_inbox', true, 'words', private.kind_words(i.kind, i.content, subscription.user_id)
    ) order by i.position) filter (where i.position = 1), '[]'),
    count(*)
  into items, total
  from (select p.*, row_number() over () as position from private.push_items(message.id, called_at) p) i;
  if total = 0 then
    obstacle := 'nothing unread';
    return;
  end if;
  payload := jsonb_build_object(
    'id', message.id,
    'lease', message.lease,
    'endpoint', subscription.endpoint,
    'p256dh', subscription.p256dh,
    'auth', subscription.auth,
    'language', coalesce(
      (select p.language from public.notification_preferences p where p.user_id = subscription.user_id), 'en'
    ),
    'newest', items -> 0,
    'item_count', total,
    'unread_count', (
      select count(*) from public.notifications n
      where n.recipient_id = subscription.user_id and n.status = 'unread'
        and (n.snoozed_until is null or n.snoozed_until <= called_at)
    )
  );
end
$$;

/** Whether a worker has something to do. */
create function private.has_due_push_messages(called_at timestamptz default now()) returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select exists (
      select from private.push_messages m where m.state in ('pending', 'retrying') and m.due_at <= called_at
    )
    or exists (select from private.push_messages m where m.state = 'sending' and m.lease_until <= clock_timestamp())
$$;

/**
 * Leases at most `batch_size` due messages to the caller for `lease_seconds` of the database's clock and returns what to send. Messages
 * within the recipient's quiet hours are due again at their end. Those whose lease ran out are due again, and dead after the fourth attempt.
 * `claimed` counts all messages that were due: fewer than `batch_size` means that nothing else is due.
 */
create function public.claim_push_messages(
  batch_size integer default 100, lease_seconds integer default 60, called_at timestamptz default now()
) returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most_attempts constant integer := 4;
  leased_at constant timestamptz := clock_timestamp();
  message private.push_messages;
  result record;
  claimed integer := 0;
  messages jsonb := '[]';
begin
  with stopped as materialized (
    select d.id from private.push_messages d
    where d.state = 'sending' and d.lease_until <= leased_at and d.attempts >= most_attempts
    order by d.lease_until limit batch_size for update skip locked
  )
  update private.push_messages m
  set state = 'dead', lease = null, lease_until = null, finished_at = called_at,
    reason = 'The worker stopped before it acknowledged the last attempt.'
  from stopped s
  where m.id = s.id;
  for message in
    with due as materialized (
      select d.id, d.subscription_id from private.push_messages d
      where d.state in ('pending', 'retrying') and d.due_at <= called_at
      order by d.due_at limit batch_size for update skip locked
    ), timed as materialized (
      select d.id, private.quiet_until(s.user_id, called_at) as quiet_until
      from due d join public.push_subscriptions s on s.id = d.subscription_id
    ), expired as materialized (
      select d.id from private.push_messages d
      where d.state = 'sending' and d.lease_until <= leased_at and d.attempts < most_attempts
      order by d.lease_until limit batch_size for update skip locked
    ), delayed as (
      update private.push_messages m set due_at = t.quiet_until
      from timed t where m.id = t.id and t.quiet_until is not null
      returning m.*
    ), leased as (
      update private.push_messages m
      set state = 'sending', lease = gen_random_uuid(), lease_until = leased_at + make_interval(secs => lease_seconds),
        attempts = m.attempts + 1
      where m.id in (select t.id from timed t where t.quiet_until is null union all select e.id from expired e)
      returning m.*
    )
    select * from delayed union all select * from leased
  loop
    claimed := claimed + 1;
    continue when message.state <> 'sending';
    begin
      result := private.push_payload(message, called_at);
    exception when others then
      perform private.take_back('private.push_messages', message.id, most_attempts, sqlstate, sqlerrm, called_at);
      continue;
    end;
    if result.payload is not null then
      messages := messages || result.payload;
    elsif result.obstacle = 'session' then
      delete from public.push_subscriptions s where s.id = message.subscription_id;
    else
      update private.push_messages m
      set state = 'skipped', lease = null, lease_until = null, finished_at = called_at, reason = result.obstacle
      where m.id = message.id;
    end if;
  end loop;
  return jsonb_build_object('claimed', claimed, 'messages', messages);
end
$$;

/**
 * Acknowledges a leased message. Outcomes: `sent`; `failed`, tried again with backoff and dead after the fourth attempt; `held`, the push
 * service takes nothing now, or nothing with this key: tried again after `retry_seconds`, or after half of the time that it has been held,
 * between 15 seconds and an hour, without a counted attempt, and dead after a day, which is how long a push service would keep it;
 * `refused`, which no attempt changes; `gone`, the push service no longer knows the subscription, which is deleted. Returns whether the message changed.
 */
create function public.finish_push_message(
  message_id uuid, lease uuid, outcome text, reason text default null, retry_seconds integer default null,
  called_at timestamptz default now()
) returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most_attempts constant integer := 4;
  message private.push_messages;
  held_for interval;
  is_retried boolean;
begin
  if outcome is null or outcome not in ('sent', 'failed', 'held', 'refused', 'gone') then
    raise sqlstate 'PT400' using message = 'outcome_invalid', detail = 'The outcome is sent, failed, held, refused or gone.';
  end if;
  select * into message from private.push_messages m
  where m.id = finish_push_message.message_id and m.state = 'sending' and m.lease = finish_push_message.lease
  for update;
  if message.id is null then
    return false;
  end if;
  if outcome = 'gone' then
    delete from public.push_subscriptions s where s.id = message.subscription_id;
    return true;
  end if;
  held_for := coalesce(called_at - message.held_since, interval '0');
  is_retried := (outcome = 'failed' and message.attempts < most_attempts) or (outcome = 'held' and held_for < interval '1 day');
  update private.push_messages m
  set
    state = case when outcome = 'sent' then 'sent' when is_retried then 'retrying' else 'dead' end,
    attempts = case when outcome = 'held' then message.attempts - 1 else message.attempts end,
    held_since = case when outcome = 'held' then coalesce(message.held_since, called_at) else message.held_since end,
    due_at = case when is_retried
      then called_at + coalesce(
        -- least() and greatest() skip null.
        case when retry_seconds is not null then make_interval(secs => least(greatest(retry_seconds, 1), 3600)) end,
        case outcome
          -- 15, 60 and 240 seconds, each between half and one and a half of it.
          when 'failed' then interval '15 seconds' * power(4, message.attempts - 1)
          when 'held' then least(greatest(held_for / 2, interval '15 seconds'), interval '1 hour')
        end * (0.5 + random())
      )
      else message.due_at end,
    finished_at = case when is_retried then null else called_at end,
    lease = null,
    lease_until = null,
    reason = left(finish_push_message.reason, 500)
  where m.id = message.id;
  return true;
end
$$;

insert into private.retention (name, keep) values ('push_messages', '7 days');

/** Deletes at most `batch_size` finished messages that are past their time, and subscriptions whose session has ended. */
create function private.delete_expired_push_messages(batch_size integer, called_at timestamptz) returns integer
  language plpgsql security definer
  set search_path = ''
as $$
declare
  deleted integer;
begin
  delete from private.push_messages m
  where m.id in (
    select o.id from private.push_messages o
    where o.state in ('sent', 'skipped', 'dead')
      and o.finished_at < called_at - (select r.keep from private.retention r where r.name = 'push_messages')
    order by o.finished_at limit batch_size for update skip locked
  );
  get diagnostics deleted = row_count;
  delete from public.push_subscriptions s
  where not exists (select from auth.sessions a where a.id = s.session_id);
  return deleted;
end
$$;

/** Calls the Edge Function that sends push messages while messages are due, unless this worker's last run has not ended. */
create function private.call_push_worker(worker integer default 1) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if private.has_due_push_messages() and not private.is_worker_running('notification-push', worker) then
    perform private.call_edge_function('notification-push', worker);
  end if;
end
$$;

/**
 * Starts the next run of a worker, before the one that calls has ended: a run is limited in its time and its mails, and the timer
 * starts one a minute. Returns whether something is due and a run was started; false, too, where pg_net is missing.
 */
create function public.continue_worker(function_name text, worker integer) returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if to_regprocedure('net.http_post(text,jsonb,jsonb,jsonb,integer)') is null
    or not (case function_name
      when 'notification-mails' then private.has_due_mails()
      when 'notification-push' then private.has_due_push_messages()
      when 'notification-webhooks' then private.has_due_webhooks()
      else false
    end)
  then
    return false;
  end if;
  perform private.call_edge_function(function_name, worker);
  return true;
end
$$;

revoke all on function
  private.queue_push_messages(),
  private.push_items(uuid, timestamptz),
  private.push_payload(private.push_messages, timestamptz),
  private.has_due_push_messages(timestamptz),
  private.delete_expired_push_messages(integer, timestamptz),
  private.call_push_worker(integer)
  from public;
revoke all on function
  public.subscribe_to_push(text, text, text),
  public.claim_push_messages(integer, integer, timestamptz),
  public.finish_push_message(uuid, uuid, text, text, integer, timestamptz),
  public.continue_worker(text, integer)
  from public, anon, authenticated;
grant execute on function public.subscribe_to_push(text, text, text) to authenticated;
grant execute on function
  public.claim_push_messages(integer, integer, timestamptz),
  public.finish_push_message(uuid, uuid, text, text, integer, timestamptz),
  public.continue_worker(text, integer)
  to service_role;
