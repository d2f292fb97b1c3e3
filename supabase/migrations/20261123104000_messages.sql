-- What a team's backend sends: one call takes messages to accounts, to audiences or to everyone, and a log says what became of
-- each message for each recipient.

-- Named groups of recipients. A message to an audience goes to those who are its members at the time of the delivery.
create table public.audiences (
  name text primary key check (name ~ '^[a-z0-9][a-z0-9_.-]{0,99}$'),
  created_at timestamptz not null default now()
);
create table public.audience_members (
  audience text not null references public.audiences (name) on update cascade on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (audience, user_id)
);
create index audience_members_user_idx on public.audience_members (user_id);

alter table public.audiences enable row level security;
alter table public.audience_members enable row level security;
revoke all on public.audiences, public.audience_members from anon, authenticated;
grant all on public.audiences, public.audience_members to service_role;
select private.require_assurance_on('public.audiences');
select private.require_assurance_on('public.audience_members');
select private.hide_statistics('public.audiences');
select private.hide_statistics('public.audience_members');

create table private.messages (
  id uuid primary key default gen_random_uuid(),
  idempotency_key text unique,
  sender_id uuid references auth.users (id) on delete set null,
  -- Both are erased when the message is finished: the notifications have the content, the log the recipients.
  content text,
  recipients uuid[],
  audience text,
  is_for_everyone boolean not null default false,
  -- Null: all channels that the recipients want.
  channels text[],
  send_at timestamptz not null,
  state text not null default 'queued' check (state in ('queued', 'delivered', 'canceled')),
  -- Recipients are delivered to in the order of their ids.
  last_recipient_id uuid,
  unknown_recipients uuid[] not null default '{}',
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint finished_unless_queued check ((state = 'queued') = (finished_at is null))
);
create index messages_queued_idx on private.messages (send_at, id) where state = 'queued';
create index messages_finished_idx on private.messages (finished_at) where state <> 'queued';
create index messages_sender_idx on private.messages (sender_id) where sender_id is not null;

create table private.message_deliveries (
  message_id uuid not null references private.messages (id) on delete cascade,
  recipient_id uuid not null references auth.users (id) on delete cascade,
  notification_id uuid not null unique,
  -- Null only within the statement that delivers.
  outcome text check (outcome in ('delivered', 'suppressed', 'failed')),
  reason text,
  channels text[] not null default '{}',
  quiet_until timestamptz,
  created_at timestamptz not null,
  primary key (message_id, recipient_id)
);
create index message_deliveries_recipient_idx on private.message_deliveries (recipient_id);

alter table private.messages enable row level security;
alter table private.message_deliveries enable row level security;

create trigger announce_outgoing after insert on private.messages
  for each statement execute function private.announce_outgoing();

/** Refuses what a backend has sent: PT400 message_invalid, or kind_invalid for a kind, with the path of the field in the detail. */
create function private.refuse_message(path text, problem text) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  raise sqlstate 'PT400' using message = case when path ~ '^messages' then 'message_invalid' else 'kind_invalid' end, detail = path || ' ' || problem || '.';
end
$$;

/** The text of a field, which must be a string of `max_length` characters at most; null where the field is missing. */
create function private.message_text(fields jsonb, field text, path text, max_length integer) returns text
  language plpgsql
  set search_path = ''
as $$
declare
  given text := fields ->> field;
begin
  if fields -> field is null or jsonb_typeof(fields -> field) = 'null' then
    return null;
  elsif jsonb_typeof(fields -> field) <> 'string' then
    perform private.refuse_message(path || '.' || field, 'is not a string');
  elsif private.bounded_text(given, max_length) is distinct from trim(given) then
    perform private.refuse_message(
      path || '.' || field,
      format('is empty, has more than %s characters, or has control characters', max_length)
    );
  end if;
  return trim(given);
end
$$;

/** Refuses a value that is no object, or has fields that are not allowed. */
create function private.check_fields(given jsonb, path text, allowed text[]) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  unknown_field text;
begin
  if jsonb_typeof(given) <> 'object' then
    perform private.refuse_message(path, 'is not an object');
  end if;
  select k into unknown_field from jsonb_object_keys(given) k where k <> all (allowed) order by k limit 1;
  if unknown_field is not null then
    perform private.refuse_message(path || '.' || unknown_field, 'is unknown; known are ' || array_to_string(allowed, ', '));
  end if;
end
$$;

/** The ids of a list of recipients, each once and in order. */
create function private.message_recipients(given jsonb, path text) returns uuid[]
  language plpgsql
  set search_path = ''
as $$
declare
  most_recipients constant integer := 10000;
  place integer;
begin
  if jsonb_typeof(given) <> 'array' or jsonb_array_length(given) not between 1 and most_recipients then
    perform private.refuse_message(path, format('is not a list of 1 to %s account ids', most_recipients));
  end if;
  select r.place - 1 into place from jsonb_array_elements(given) with ordinality r (id, place)
  where jsonb_typeof(r.id) <> 'string' or r.id #>> '{}' !~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
  order by r.place limit 1;
  if place is not null then
    perform private.refuse_message(format('%s[%s]', path, place), 'is not the id of an account');
  end if;
  return array(select distinct (r.id #>> '{}')::uuid from jsonb_array_elements(given) r (id) order by 1);
end
$$;

/** The channels that a message is restricted to; null where it goes by all. */
create function private.message_channels(given jsonb, path text) returns text[]
  language plpgsql
  set search_path = ''
as $$
begin
  if given is null or jsonb_typeof(given) = 'null' then
    return null;
  end if;
  if jsonb_typeof(given) <> 'array' or given = '[]' or not given <@ '["in_app", "email", "push"]' then
    perform private.refuse_message(path, 'is not a list of in_app, email and push');
  end if;
  return array(select distinct c from jsonb_array_elements_text(given) c order by 1);
end
$$;

/** When a message is sent: a time of ISO 8601 with its zone, within a year; now where it is missing or past. */
create function private.message_time(given text, path text) returns timestamptz
  language plpgsql stable
  set search_path = ''
as $$
declare
  send_at timestamptz;
begin
  if given is null then
    return now();
  end if;
  begin
    if given ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$' then
      send_at := given::timestamptz;
    end if;
  exception when datetime_field_overflow or invalid_datetime_format then
    send_at := null;
  end;
  if send_at is null or send_at > now() + interval '1 year' then
    perform private.refuse_message(path, 'is not a time within a year, such as 2027-01-31T09:00:00Z');
  end if;
  return greatest(send_at, now());
end
$$;

/** The content of the notifications of a message, and the account in whose name they are sent. */
create function private.message_content(message jsonb, path text, out content jsonb, out sender_id uuid)
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  kind text := coalesce(private.message_text(message, 'kind', path, 50), 'system');
  url text := private.message_text(message, 'url', path, 1000);
  entity jsonb := case when jsonb_typeof(message -> 'entity') <> 'null' then message -> 'entity' end;
  sender jsonb := case when jsonb_typeof(message -> 'sender') <> 'null' then message -> 'sender' end;
  sender_name text;
begin
  kind := private.notification_kind(jsonb_build_object('type', kind));
  if not private.is_built_in_kind(kind) and not exists (select from public.notification_kinds k where k.name = kind) then
    perform private.refuse_message(path || '.kind', 'is neither a kind of the application nor registered by register_kind');
  elsif url is not null and private.application_path(url) is null then
    perform private.refuse_message(path || '.url', 'is not a path of the application, such as /orders/7');
  end if;
  if coalesce(jsonb_typeof(message -> 'important'), 'boolean') <> 'boolean' then
    perform private.refuse_message(path || '.important', 'is not true or false');
  end if;
  if entity is not null then
    perform private.check_fields(entity, path || '.entity', '{type,id,name}');
    if private.message_text(entity, 'type', path || '.entity', 100) is null
      or private.message_text(entity, 'id', path || '.entity', 200) is null
    then
      perform private.refuse_message(path || '.entity', 'needs type and id');
    end if;
  end if;
  if sender is not null then
    perform private.check_fields(sender, path || '.sender', '{user_id,name}');
    sender_name := private.message_text(sender, 'name', path || '.sender', 100);
    if num_nonnulls(sender ->> 'user_id', sender_name) <> 1 then
      perform private.refuse_message(path || '.sender', 'needs either user_id or name');
    elsif sender_name is null then
      sender_id := (
        select u.id from auth.users u
        where u.id = (private.message_recipients(jsonb_build_array(sender -> 'user_id'), path || '.sender.user_id'))[1]
          and u.deleted_at is null
      );
      if sender_id is null then
        perform private.refuse_message(path || '.sender.user_id', 'is not the id of an account');
      end if;
      sender_name := private.display_name(sender_id);
    end if;
  end if;
  content := jsonb_strip_nulls(jsonb_build_object(
    'type', kind,
    'metadata', nullif(jsonb_strip_nulls(jsonb_build_object('actor_id', sender_id, 'actor_name', sender_name)), '{}'),
    'entity_type', private.message_text(entity, 'type', path || '.entity', 100),
    'entity_id', private.message_text(entity, 'id', path || '.entity', 200),
    'data', nullif(jsonb_strip_nulls(jsonb_build_object(
      'entity_name', private.message_text(entity, 'name', path || '.entity', 200),
      'text', private.message_text(message, 'text', path, 2000),
      'url', url,
      'fields', private.message_fields(message, kind, path),
      'actions', private.message_actions(message -> 'actions', kind, path || '.actions'),
      'important', nullif(coalesce(message -> 'important', 'false'), 'false')
    )), '{}')
  ));
end
$$;

/** A message of the call as a row of private.messages, checked. */
create function private.parse_message(message jsonb, path text) returns private.messages
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  parsed private.messages;
  content jsonb;
begin
  perform private.check_fields(
    message, path,
    '{recipients,audience,everyone,kind,text,url,entity,sender,fields,actions,important,channels,send_at,idempotency_key}'
  );
  select c.content::text, c.sender_id into parsed.content, parsed.sender_id from private.message_content(message, path) c;
  parsed.audience := private.message_text(message, 'audience', path, 100);
  parsed.is_for_everyone := coalesce(message -> 'everyone', 'false') = 'true';
  if coalesce(jsonb_typeof(message -> 'everyone'), 'boolean') <> 'boolean' then
    perform private.refuse_message(path || '.everyone', 'is not true or false');
  elsif num_nonnulls(message -> 'recipients', parsed.audience, nullif(parsed.is_for_everyone, false)) <> 1 then
    perform private.refuse_message(path, 'needs one of recipients, audience and everyone');
  elsif parsed.audience is not null and not exists (select from public.audiences a where a.name = parsed.audience) then
    perform private.refuse_message(path || '.audience', 'is unknown');
  end if;
  if message ? 'recipients' then
    parsed.recipients := private.message_recipients(message -> 'recipients', path || '.recipients');
  end if;
  parsed.channels := private.message_channels(message -> 'channels', path || '.channels');
  parsed.send_at := private.message_time(private.message_text(message, 'send_at', path, 40), path || '.send_at');
  parsed.idempotency_key := private.message_text(message, 'idempotency_key', path, 200);
  parsed.id := gen_random_uuid();
  return parsed;
end
$$;

/** Whether a notification may use a channel: the message that it belongs to is restricted to some, or to none. */
create function private.may_use_channel(notification_id uuid, channel text) returns boolean
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return not exists (
    select from private.message_deliveries d join private.messages m on m.id = d.message_id
    where d.notification_id = may_use_channel.notification_id and not channel = any (m.channels)
  );
end
$$;

/** The channels that a notification went by. */
create function private.used_channels(notification_id uuid) returns text[]
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return array_remove(array[
    (select 'in_app' from public.notifications n where n.id = used_channels.notification_id),
    (select 'email' from private.notification_mail_items i where i.notification_id = used_channels.notification_id),
    (select 'push' from private.push_message_items i where i.notification_id = used_channels.notification_id limit 1)
  ], null);
end
$$;

/**
 * Delivers messages to recipients, given as pairs, and logs what became of each. All notifications are one statement, whose triggers
 * update the counters last and in the order of their users, so that two deliveries and the clicks of recipients never wait in a circle.
 * Recipients without an account are left out.
 */
create function private.deliver_messages(message_ids uuid[], recipient_ids uuid[]) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  called_at timestamptz := clock_timestamp();
begin
  insert into private.message_deliveries (message_id, recipient_id, notification_id, created_at)
  select pair.message_id, account.id, gen_random_uuid(), called_at
  from unnest(message_ids, recipient_ids) pair (message_id, recipient_id)
  -- The lock keeps an account from being deleted between the log and the notification.
  join (
    select u.id from auth.users u where u.id = any (recipient_ids) and u.deleted_at is null order by u.id for key share
  ) account on account.id = pair.recipient_id
  order by account.id
  on conflict do nothing;
  update private.messages m set unknown_recipients = m.unknown_recipients || missing.ids
  from (
    select pair.message_id, array_agg(pair.recipient_id order by pair.recipient_id) as ids
    from unnest(message_ids, recipient_ids) pair (message_id, recipient_id)
    where (pair.message_id, pair.recipient_id) not in (
      select d.message_id, d.recipient_id from private.message_deliveries d
      where d.message_id = any (message_ids) and d.recipient_id = any (recipient_ids)
    )
    group by pair.message_id
  ) missing
  where m.id = missing.message_id and m.recipients is not null;
  -- From here on the counters of the recipients are locked: what can be done before is done.
  insert into public.notifications (id, recipient_id, sender_id, content, created_at, updated_at)
  select d.notification_id, d.recipient_id, m.sender_id, m.content, called_at, clock_timestamp()
  from private.message_deliveries d join private.messages m on m.id = d.message_id
  where d.message_id = any (message_ids) and d.recipient_id = any (recipient_ids) and d.outcome is null
  order by d.recipient_id;
  with found as materialized (
    select n.message_id, n.recipient_id, private.used_channels(n.notification_id) as channels
    from private.message_deliveries n
    where n.message_id = any (message_ids) and n.recipient_id = any (recipient_ids) and n.outcome is null
  )
  update private.message_deliveries d
  set
    channels = f.channels,
    outcome = case when f.channels = '{}' then 'suppressed' else 'delivered' end,
    reason = case when f.channels = '{}' then
      case
        when private.is_blocked(d.recipient_id, m.sender_id) then 'sender_blocked'
        when private.is_muted(d.recipient_id, private.parse_json(m.content)) then 'muted'
        when m.channels is not null and exists (
          select from private.wanted_channels(d.recipient_id, private.notification_kind(private.parse_json(m.content))) w
          where w.in_app or w.by_mail
        ) then 'channels_off'
        else 'kind_off'
      end
    end,
    quiet_until = case when f.channels && '{email,push}' then private.quiet_until(d.recipient_id, called_at) end
  from found f join private.messages m on m.id = f.message_id
  where d.message_id = f.message_id and d.recipient_id = f.recipient_id;
end
$$;

/**
 * Delivers messages to recipients, given as pairs. A recipient to whom a message cannot be delivered is logged as `failed` and stops no
 * other; after a deadlock, a full disk or a cancelled statement nothing is delivered, and the error is raised.
 */
create function private.deliver_or_fail(message_ids uuid[], recipient_ids uuid[]) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  pair record;
begin
  perform private.deliver_messages(message_ids, recipient_ids);
exception when others then
  if private.is_transient(sqlstate) then
    raise;
  end if;
  for pair in select * from unnest(message_ids, recipient_ids) p (message_id, recipient_id) loop
    begin
      perform private.deliver_messages(array[pair.message_id], array[pair.recipient_id]);
    exception when others then
      if private.is_transient(sqlstate) then
        raise;
      end if;
      insert into private.message_deliveries (message_id, recipient_id, notification_id, outcome, reason, created_at)
      select pair.message_id, u.id, gen_random_uuid(), 'failed', sqlerrm, clock_timestamp()
      from auth.users u where u.id = pair.recipient_id;
    end;
  end loop;
end
$$;

/** Ends messages: their content and recipients are needed no more. */
create function private.finish_messages(message_ids uuid[], end_state text) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update private.messages m
  set state = end_state, finished_at = clock_timestamp(), content = null, recipients = null
  where m.id = any (message_ids) and m.state = 'queued';
end
$$;

/**
 * Delivers the oldest message that is due to its next recipients, and ends it after the last.
 *
 * Returns whether there was such a message.
 */
create function private.deliver_message_batch(batch_size integer, called_at timestamptz default now()) returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
declare
  message private.messages;
  chunk uuid[];
begin
  select * into message from private.messages m
  where m.state = 'queued' and m.send_at <= called_at
  order by m.send_at, m.id limit 1 for no key update skip locked;
  if message.id is null then
    return false;
  end if;
  chunk := case
    when message.recipients is not null then array(
      select r from unnest(message.recipients) r
      where message.last_recipient_id is null or r > message.last_recipient_id order by r limit batch_size
    )
    when message.audience is not null then array(
      select a.user_id from public.audience_members a
      where a.audience = message.audience and (message.last_recipient_id is null or a.user_id > message.last_recipient_id)
      order by a.user_id limit batch_size
    )
    else array(
      select u.id from auth.users u
      where message.last_recipient_id is null or u.id > message.last_recipient_id order by u.id limit batch_size
    )
  end;
  perform private.deliver_or_fail(array_fill(message.id, array[cardinality(chunk)]), chunk);
  if cardinality(chunk) < batch_size then
    perform private.finish_messages(array[message.id], 'delivered');
  else
    update private.messages m set last_recipient_id = chunk[batch_size] where m.id = message.id;
  end if;
  return true;
end
$$;

/** When the next queued message is due; null without one. For schedulers that are no job of each second. */
create function private.next_message_at() returns timestamptz
  language sql stable security definer
  set search_path = ''
as $$
  select min(m.send_at) from private.messages m where m.state = 'queued'
$$;

/** The public form of a message, with the newest of its deliveries: {id, state, counts, deliveries, …}. */
create function private.describe_message(message private.messages, user_id uuid, after uuid, page_size integer) returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', message.id,
    'idempotency_key', message.idempotency_key,
    'state', case when message.state = 'queued' and message.send_at > now() then 'scheduled' else message.state end,
    'send_at', message.send_at,
    'created_at', message.created_at,
    'finished_at', message.finished_at,
    'counts', (
      select jsonb_build_object(
        'delivered', count(*) filter (where d.outcome = 'delivered'),
        'suppressed', count(*) filter (where d.outcome = 'suppressed'),
        'failed', count(*) filter (where d.outcome = 'failed'),
        'unknown', cardinality(message.unknown_recipients)
      )
      from private.message_deliveries d where d.message_id = message.id
    ),
    'deliveries', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(page)) order by page.recipient_id), '[]')
      from (
        select * from (
          select
            d.recipient_id, d.outcome, d.reason, d.notification_id,
            case when d.outcome = 'delivered' then d.channels end as channels,
            d.quiet_until,
            (
              select m.state from private.notification_mail_items i join private.notification_mails m on m.id = i.mail_id
              where i.notification_id = d.notification_id
            ) as mail_state,
            d.created_at
          from private.message_deliveries d where d.message_id = message.id
          union all
          select r, 'unknown', null, null, null, null, null, null from unnest(message.unknown_recipients) r
        ) every
        where (describe_message.user_id is null or every.recipient_id = describe_message.user_id)
          and (after is null or every.recipient_id > after)
        order by every.recipient_id
        limit page_size
      ) page
    )
  );
end
$$;

/**
 * Sends notifications, for a backend with the secret key. `messages` is a list of 1 to 100 objects:
 * - `recipients`: 1 to 10,000 account ids; or `audience`: a name of public.audiences; or `everyone`: true;
 * - `kind`: `mention`, `comment`, `edit`, `invite`, `message`, `system` (default), or one of public.register_kind();
 * - `text`: up to 2,000 characters; `url`: a path of the application; `entity`: {type, id, name?};
 * - `sender`: {user_id} of an account, or {name}; default: the product itself;
 * - `fields`: up to 20 texts or numbers for the placeholders of the kind's templates;
 * - `actions`: up to 3 buttons of {label, url} or {label, callback}, with a path of the application or a callback of the kind;
 * - `important`: true where the inbox lists it above the rest until it is read;
 * - `channels`: some of `in_app`, `email`, `push`, of those that the recipients want; default: all of these;
 * - `send_at`: a time within a year; default: now;
 * - `idempotency_key`: up to 200 characters. A repeated key sends nothing and returns what became of the first message, for 30 days.
 *
 * Up to 100 recipients in all are delivered to at once; more, audiences and everyone are queued for the job of each second. One
 * recipient without an account stops no other. Returns a list in the order of the messages, each as of public.message_status(), with
 * `is_repeated`.
 *
 * Error: PT400 message_invalid; the detail names the field. Then nothing is sent.
 */
create function public.send_notifications(messages jsonb) returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most_messages constant integer := 100;
  most_at_once constant integer := 100;
  parsed private.messages[] := '{}';
  accepted uuid[];
  total integer;
begin
  if jsonb_typeof(messages) is distinct from 'array' or jsonb_array_length(messages) not between 1 and most_messages then
    perform private.refuse_message('messages', format('is not a list of 1 to %s messages', most_messages));
  end if;
  for place in 0 .. jsonb_array_length(messages) - 1 loop
    parsed := parsed || private.parse_message(messages -> place, format('messages[%s]', place));
  end loop;
  with added as (
    insert into private.messages (
      id, idempotency_key, sender_id, content, recipients, audience, is_for_everyone, channels, send_at
    )
    select m.id, m.idempotency_key, m.sender_id, m.content, m.recipients, m.audience, m.is_for_everyone, m.channels, m.send_at
    from unnest(parsed) m
    -- Two calls with the same keys wait for each other in one order.
    order by m.idempotency_key, m.id
    on conflict (idempotency_key) do nothing
    returning id
  )
  select array_agg(a.id) into accepted from added a;
  total := (select sum(coalesce(cardinality(m.recipients), most_at_once + 1)) from unnest(parsed) m where m.id = any (accepted));
  if total <= most_at_once then
    perform private.deliver_or_fail(array_agg(m.id), array_agg(r))
    from unnest(parsed) m, unnest(m.recipients) r
    where m.id = any (accepted) and m.send_at <= now()
    having count(*) > 0;
    perform private.finish_messages(
      array(select m.id from unnest(parsed) m where m.id = any (accepted) and m.send_at <= now()), 'delivered'
    );
  end if;
  return (
    select jsonb_agg(
      private.describe_message(kept, null, null, most_at_once)
        || jsonb_build_object('is_repeated', not coalesce(kept.id = any (accepted), false) or kept.id <> m.id)
      order by m.place
    )
    from unnest(parsed) with ordinality m (
      id, idempotency_key, sender_id, content, recipients, audience, is_for_everyone, channels, send_at, state,
      last_recipient_id, unknown_recipients, created_at, finished_at, place
    )
    join private.messages kept on kept.id = m.id or kept.idempotency_key = m.idempotency_key
  );
end
$$;

/**
 * What became of a message: {id, idempotency_key, state, send_at, created_at, finished_at, counts: {delivered, suppressed,
 * failed, unknown}, deliveries}. The state is `scheduled`, `queued`, `delivered` or `canceled`. A delivery is {recipient_id, outcome,
 * reason, notification_id, channels, quiet_until, mail_state, created_at}; `outcome` is `delivered`, `suppressed` (`kind_off`,
 * `muted`, `sender_blocked` or `channels_off`), `failed` or `unknown`. At most `page_size` of them, up to 1,000, in the order of the recipients and after
 * `after`; or that of `user_id`.
 *
 * Error: PT404 message_not_found, after 30 days too.
 */
create function public.message_status(
  message_id uuid, user_id uuid default null, after uuid default null, page_size integer default 100
) returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  message private.messages;
begin
  select * into message from private.messages m where m.id = message_status.message_id;
  if message.id is null then
    raise sqlstate 'PT404' using message = 'message_not_found', detail = 'There is no such message.';
  end if;
  return private.describe_message(message, message_status.user_id, message_status.after, least(greatest(page_size, 1), 1000));
end
$$;

/**
 * Cancels a message that is scheduled or queued; recipients whom it has reached keep it. Returns its status, whose state tells whether
 * it was canceled or had been delivered.
 *
 * Error: PT404 message_not_found.
 */
create function public.cancel_message(message_id uuid) returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.finish_messages(array[cancel_message.message_id], 'canceled');
  return public.message_status(cancel_message.message_id);
end
$$;

insert into private.retention (name, keep) values ('messages', '30 days');

/** Deletes a few finished messages that are past their time, with their logs. Returns whether there were any. */
create function private.delete_expired_messages(called_at timestamptz) returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
begin
  delete from private.messages m
  where m.id in (
    select o.id from private.messages o
    where o.state <> 'queued'
      and o.finished_at < called_at - (select r.keep from private.retention r where r.name = 'messages')
    order by o.finished_at limit 10 for update skip locked
  );
  return found;
end
$$;

revoke all on function
  public.send_notifications(jsonb), public.message_status(uuid, uuid, uuid, integer), public.cancel_message(uuid)
  from public, anon, authenticated;
grant execute on function
  public.send_notifications(jsonb), public.message_status(uuid, uuid, uuid, integer), public.cancel_message(uuid)
  to service_role;

revoke all on all functions in schema private from public;
