-- Webhooks: what happens after a delivery (read, archived, bounced, complained) as signed requests to the team's own backend,
-- which the Edge Function `notification-webhooks` claims, signs, sends and acknowledges. They report only on messages of a
-- backend.

create table private.webhook_endpoints (
  id uuid primary key default gen_random_uuid(),
  -- A public host by its name; one of a developer's machine, which the function reaches only where its settings name it.
  url text not null unique check (
    octet_length(url) <= 2000
    and url ~ '^(https://([a-z0-9]([a-z0-9-]*[a-z0-9])?[.])+[a-z][a-z0-9-]*[a-z0-9](:443)?|http://(localhost|127[.]0[.]0[.]1)(:[0-9]{1,5})?)/[!-~]*$'
    and url !~ '^https://[^/]*[.](local|internal|localhost|lan|home|corp)(:443)?/'
  ),
  events text[] not null check (
    events <@ '{notification.read,notification.archived,mail.bounced,mail.complained}' and events <> '{}'
  ),
  -- Signs the requests: the part of `whsec_…` behind the underscore.
  secret bytea not null default extensions.gen_random_bytes(32),
  -- The endpoint has responded with 410: it receives nothing until it is registered again.
  gone_at timestamptz,
  created_at timestamptz not null default now()
);

create table private.webhooks (
  id uuid primary key default gen_random_uuid(),
  endpoint_id uuid not null references private.webhook_endpoints (id) on delete cascade,
  event text not null,
  -- sending: leased by a worker. retrying: failed, due again later.
  state text not null default 'pending' check (state in ('pending', 'sending', 'retrying', 'sent', 'skipped', 'dead')),
  due_at timestamptz not null default now(),
  attempts smallint not null default 0,
  lease uuid,
  lease_until timestamptz,
  reason text,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  constraint webhook_leased_while_sending check ((state = 'sending') = (lease is not null and lease_until is not null))
);
create index webhooks_endpoint_idx on private.webhooks (endpoint_id);
create index webhooks_due_idx on private.webhooks (due_at) where state in ('pending', 'retrying');
create index webhooks_lease_idx on private.webhooks (lease_until) where state = 'sending';
create index webhooks_finished_idx on private.webhooks (finished_at) where state in ('sent', 'skipped', 'dead');
create index webhooks_dead_idx on private.webhooks (finished_at) where state = 'dead';

-- The items of a request. The deletion of an account removes its items from pending requests.
create table private.webhook_items (
  webhook_id uuid not null references private.webhooks (id) on delete cascade,
  recipient_id uuid not null references auth.users (id) on delete cascade,
  -- Null: it is about the recipient's address.
  notification_id uuid,
  message_id uuid
);
create index webhook_items_webhook_idx on private.webhook_items (webhook_id);
create index webhook_items_recipient_idx on private.webhook_items (recipient_id, notification_id);

alter table private.webhook_endpoints enable row level security;
alter table private.webhooks enable row level security;
alter table private.webhook_items enable row level security;

/**
 * Registers an address that gets webhooks, or changes its events: some of `notification.read`, `notification.archived`, `mail.bounced` and
 * `mail.complained`; default: all. Returns {id, url, events, secret}, whose secret `whsec_…` verifies the requests. At most 10 addresses.
 *
 * Errors: PT400 webhook_invalid; PT409 webhooks_limit_exceeded.
 */
create function public.register_webhook(
  url text, events text[] default '{notification.read,notification.archived,mail.bounced,mail.complained}'
) returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most_endpoints constant integer := 10;
  registered private.webhook_endpoints;
begin
  lock table private.webhook_endpoints in share row exclusive mode;
  insert into private.webhook_endpoints as e (url, events) values (register_webhook.url, register_webhook.events)
  on conflict on constraint webhook_endpoints_url_key do update set events = excluded.events, gone_at = null
  returning * into registered;
  if (select count(*) from private.webhook_endpoints) > most_endpoints then
    raise sqlstate 'PT409' using message = 'webhooks_limit_exceeded',
      detail = format('A project has at most %s webhooks.', most_endpoints), hint = 'Remove some of them.';
  end if;
  return jsonb_build_object(
    'id', registered.id, 'url', registered.url, 'events', registered.events,
    'secret', 'whsec_' || replace(encode(registered.secret, 'base64'), E'\n', '')
  );
exception when check_violation or not_null_violation then
  raise sqlstate 'PT400' using message = 'webhook_invalid',
    detail = 'The url is not https to a public host name, or an event is unknown.';
end
$$;

/** Removes an address, with its pending requests. Returns whether there was one. */
create function public.remove_webhook(url text) returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
begin
  delete from private.webhook_endpoints e where e.url = remove_webhook.url;
  return found;
end
$$;

/** Queues a request to each address that gets the event, given as the parallel arrays of its items. */
create function private.queue_webhooks(event text, recipients uuid[], notifications uuid[], messages uuid[]) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  with queued as (
    insert into private.webhooks (endpoint_id, event)
    select e.id, queue_webhooks.event from private.webhook_endpoints e
    where queue_webhooks.event = any (e.events) and e.gone_at is null
    returning id
  )
  insert into private.webhook_items (webhook_id, recipient_id, notification_id, message_id)
  select q.id, i.recipient, i.notification, i.message
  from queued q cross join unnest(recipients, notifications, messages) i (recipient, notification, message);
end
$$;

/**
 * Runs after notifications changed: queues those of messages that were read or archived, up to 100 in a request. A change whose
 * request is still pending is not queued again, so that a user who switches a notification back and forth does not flood the endpoints.
 */
create function private.queue_webhooks_of_changes() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if not exists (
    select from private.webhook_endpoints e
    where e.events && '{notification.read,notification.archived}' and e.gone_at is null
  ) then
    return null;
  end if;
  perform private.queue_webhooks(
    'notification.' || part.status, array_agg(part.recipient_id), array_agg(part.id), array_agg(part.message_id)
  )
  from (
    select n.status, n.recipient_id, n.id, d.message_id, (row_number() over (partition by n.status order by n.id) - 1) / 100 as number
    from new_rows n
    join old_rows o on o.id = n.id and o.status <> n.status
    join private.message_deliveries d on d.notification_id = n.id
    where n.status in ('read', 'archived') and not exists (
      select from private.webhook_items i join private.webhooks w on w.id = i.webhook_id
      where i.recipient_id = n.recipient_id and i.notification_id = n.id and w.event = 'notification.' || n.status
        and w.state in ('pending', 'retrying')
    )
  ) part
  group by part.status, part.number;
  return null;
end
$$;

create trigger queue_webhooks after update on public.notifications
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.queue_webhooks_of_changes();

/** Queues that mails to the address of an account bounce, or that its owner complained about one. */
create function private.queue_webhooks_of_address(address text, reason text) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.queue_webhooks(
    case reason when 'complaint' then 'mail.complained' else 'mail.bounced' end, array[u.id], array[null::uuid], array[null::uuid]
  )
  from auth.users u where lower(u.email) = lower(address) and u.deleted_at is null;
end
$$;

/** The request: {id, lease, url, secret, body}; null if the accounts of its items were deleted. */
create function private.webhook_request(webhook private.webhooks) returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  items jsonb := (
    select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'recipient_id', i.recipient_id, 'notification_id', i.notification_id, 'message_id', i.message_id,
      'idempotency_key', (select m.idempotency_key from private.messages m where m.id = i.message_id)
    )) order by i.notification_id, i.recipient_id)
    from private.webhook_items i where i.webhook_id = webhook.id
  );
begin
  return (
    select jsonb_build_object(
      'id', webhook.id, 'lease', webhook.lease, 'url', e.url,
      'secret', 'whsec_' || replace(encode(e.secret, 'base64'), E'\n', ''),
      'body', jsonb_build_object('type', webhook.event, 'timestamp', webhook.created_at, 'data', jsonb_build_object('items', items))::text
    )
    from private.webhook_endpoints e where e.id = webhook.endpoint_id and items is not null
  );
end
$$;

/** Whether a worker has something to do. */
create function private.has_due_webhooks(called_at timestamptz default now()) returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select exists (select from private.webhooks w where w.state in ('pending', 'retrying') and w.due_at <= called_at)
    or exists (select from private.webhooks w where w.state = 'sending' and w.lease_until <= clock_timestamp())
$$;

/**
 * Leases at most `batch_size` due requests to the caller for `lease_seconds` of the database's clock, and returns what to send. Those whose
 * lease ran out are due again, and dead after the eighth attempt. `claimed` counts all that were due: fewer than `batch_size` means that nothing else is due.
 */
create function public.claim_webhooks(
  batch_size integer default 50, lease_seconds integer default 60, called_at timestamptz default now()
) returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most_attempts constant integer := 8;
  leased_at constant timestamptz := clock_timestamp();
  webhook private.webhooks;
  request jsonb;
  claimed integer := 0;
  webhooks jsonb := '[]';
begin
  with stopped as materialized (
    select d.id from private.webhooks d
    where d.state = 'sending' and d.lease_until <= leased_at and d.attempts >= most_attempts
    order by d.lease_until limit batch_size for update skip locked
  )
  update private.webhooks w
  set state = 'dead', lease = null, lease_until = null, finished_at = called_at,
    reason = 'The worker stopped before it acknowledged the last attempt.'
  from stopped s
  where w.id = s.id;
  for webhook in
    with due as materialized (
      select d.id from private.webhooks d
      where d.state in ('pending', 'retrying') and d.due_at <= called_at
        or d.state = 'sending' and d.lease_until <= leased_at and d.attempts < most_attempts
      order by d.due_at limit batch_size for update skip locked
    )
    update private.webhooks w
    set state = 'sending', lease = gen_random_uuid(), lease_until = leased_at + make_interval(secs => lease_seconds),
      attempts = w.attempts + 1
    from due d where w.id = d.id
    returning w.*
  loop
    claimed := claimed + 1;
    begin
      request := private.webhook_request(webhook);
    exception when others then
      perform private.take_back('private.webhooks', webhook.id, most_attempts, sqlstate, sqlerrm, called_at);
      continue;
    end;
    if request is null then
      update private.webhooks w
      set state = 'skipped', lease = null, lease_until = null, finished_at = called_at where w.id = webhook.id;
    else
      webhooks := webhooks || request;
    end if;
  end loop;
  return jsonb_build_object('claimed', claimed, 'webhooks', webhooks);
end
$$;

/**
 * Acknowledges a leased request. Outcomes: `sent`; `failed`, tried again after 1, 4, 16 … minutes (`retry_seconds` where the endpoint names
 * a time), at most 12 hours, and dead after the eighth attempt; `gone`, the endpoint gets nothing until it is registered again. Returns whether
 * the request changed.
 */
create function public.finish_webhook(
  webhook_id uuid, lease uuid, outcome text, reason text default null, retry_seconds integer default null,
  called_at timestamptz default now()
) returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most_attempts constant integer := 8;
  webhook private.webhooks;
  is_retried boolean;
begin
  if outcome is null or outcome not in ('sent', 'failed', 'gone') then
    raise sqlstate 'PT400' using message = 'outcome_invalid', detail = 'The outcome is sent, failed or gone.';
  end if;
  select * into webhook from private.webhooks w
  where w.id = finish_webhook.webhook_id and w.state = 'sending' and w.lease = finish_webhook.lease
  for update;
  if webhook.id is null then
    return false;
  end if;
  if outcome = 'gone' then
    update private.webhook_endpoints e set gone_at = called_at where e.id = webhook.endpoint_id;
    update private.webhooks w
    set state = 'dead', lease = null, lease_until = null, finished_at = called_at, reason = left(finish_webhook.reason, 500)
    where w.endpoint_id = webhook.endpoint_id and w.state in ('pending', 'retrying', 'sending');
    return true;
  end if;
  is_retried := outcome = 'failed' and webhook.attempts < most_attempts;
  update private.webhooks w
  set
    state = case when outcome = 'sent' then 'sent' when is_retried then 'retrying' else 'dead' end,
    due_at = case when is_retried
      then called_at + least(
        -- greatest() skips null.
        case when retry_seconds is null then interval '1 minute' * power(4, webhook.attempts - 1) * (0.5 + random())
          else make_interval(secs => greatest(retry_seconds, 1)) end,
        interval '12 hours'
      )
      else webhook.due_at end,
    finished_at = case when is_retried then null else called_at end,
    lease = null,
    lease_until = null,
    reason = left(finish_webhook.reason, 500)
  where w.id = webhook.id;
  return true;
end
$$;

insert into private.retention (name, keep) values ('webhooks', '7 days');

/** Deletes at most `batch_size` finished requests that are past their time. Returns how many. */
create function private.delete_expired_webhooks(batch_size integer, called_at timestamptz) returns integer
  language plpgsql security definer
  set search_path = ''
as $$
declare
  deleted integer;
begin
  delete from private.webhooks w
  where w.id in (
    select o.id from private.webhooks o
    where o.state in ('sent', 'skipped', 'dead')
      and o.finished_at < called_at - (select r.keep from private.retention r where r.name = 'webhooks')
    order by o.finished_at limit batch_size for update skip locked
  );
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

/** Calls the Edge Function that sends webhooks while some are due, unless this worker's last run has not ended. */
create function private.call_webhook_worker(worker integer default 1) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if private.has_due_webhooks() and not private.is_worker_running('notification-webhooks', worker) then
    perform private.call_edge_function('notification-webhooks', worker);
  end if;
end
$$;

revoke all on function
  public.register_webhook(text, text[]),
  public.remove_webhook(text),
  public.claim_webhooks(integer, integer, timestamptz),
  public.finish_webhook(uuid, uuid, text, text, integer, timestamptz)
  from public, anon, authenticated;
grant execute on function
  public.register_webhook(text, text[]),
  public.remove_webhook(text),
  public.claim_webhooks(integer, integer, timestamptz),
  public.finish_webhook(uuid, uuid, text, text, integer, timestamptz)
  to service_role;

revoke all on all functions in schema private from public;
