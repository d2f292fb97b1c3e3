-- Messages of a team's backend: a call sends messages to accounts, to audiences or to everyone, and a log has the outcome of
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
  -- Of the call, without the key: another message with the same key is refused.
  request_hash bytea,
  sender_id uuid references auth.users (id) on delete set null,
  -- Erased when the message is finished: the notifications have it.
  content text,
  audience text references public.audiences (name) on update cascade on delete set null,
  is_for_everyone boolean not null default false,
  -- Whether the recipients are the followers of the kind.
  is_for_followers boolean not null default false,
  -- Null: all channels that the recipients want.
  channels text[],
  -- With a local time: the moment at which the first time zone reaches it.
  send_at timestamptz not null,
  -- The local time of each recipient. Null: all receive it at `send_at`.
  local_time timestamp(0),
  -- After this time it is no longer delivered, and it disappears from the inboxes that have it. Null: never.
  expires_at timestamptz,
  state text not null default 'queued' check (state in ('queued', 'delivered', 'canceled', 'expired')),
  -- How many recipients were named; null for an audience and for everyone.
  recipient_count integer,
  -- The outcomes so far, without those that are still counted in private.message_ranges.
  delivered_count integer not null default 0,
  suppressed_count integer not null default 0,
  failed_count integer not null default 0,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint finished_unless_queued check ((state = 'queued') = (finished_at is null))
);
create index messages_audience_idx on private.messages (audience) where audience is not null;
create index messages_finished_idx on private.messages (finished_at) where state <> 'queued';
create index messages_sender_idx on private.messages (sender_id) where sender_id is not null;

-- The recipients that a message names, until it is finished. Without a foreign key, whose check would lock the account until the
-- sender's transaction ends.
create table private.message_recipients (
  message_id uuid not null references private.messages (id) on delete cascade,
  recipient_id uuid not null,
  primary key (message_id, recipient_id)
);
create index message_recipients_recipient_idx on private.message_recipients (recipient_id);

-- The work that is left of a message: recipients in the order of their ids, after `after_id` and up to `last_id`, or one alone. Workers
-- take ranges that no other has locked. A range of many recipients is open: a worker splits its first part off before delivering to it.
create table private.message_ranges (
  id bigint generated always as identity primary key,
  message_id uuid not null references private.messages (id) on delete cascade,
  -- 0: few recipients, and important. 1: few. 2: many, and important. 3: many.
  lane smallint not null check (lane between 0 and 3),
  due_at timestamptz not null,
  after_id uuid,
  last_id uuid,
  is_open boolean not null default false,
  only_id uuid,
  -- How often the delivery to `only_id` has failed transiently.
  attempts smallint not null default 0,
  delivered_count integer not null default 0,
  suppressed_count integer not null default 0,
  failed_count integer not null default 0
);
create index message_ranges_due_idx on private.message_ranges (lane, due_at, id);
create index message_ranges_message_idx on private.message_ranges (message_id, id);
create index message_ranges_only_idx on private.message_ranges (only_id) where only_id is not null;

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
alter table private.message_recipients enable row level security;
alter table private.message_ranges enable row level security;
alter table private.message_deliveries enable row level security;

create trigger announce_outgoing after insert on private.message_ranges
  for each statement execute function private.announce_outgoing();

create trigger forget_sender before update of sender_id on private.messages
  for each row when (old.sender_id is not null and new.sender_id is null)
  execute function private.forget_sender();

/**
 * Runs after an account was deleted: removes it from the recipients of queued messages. A range that begins or ends at its id begins or ends
 * at the account before it, which means the same recipients.
 */
create function private.forget_recipient() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  delete from private.message_recipients r where r.recipient_id = old.id;
  -- The range stays, so that its message ends.
  update private.message_ranges r set only_id = gen_random_uuid(), due_at = now() where r.only_id = old.id;
  update private.message_ranges r
  set
    after_id = case when r.after_id = old.id then before.id else r.after_id end,
    last_id = case when r.last_id = old.id then before.id else r.last_id end
  from (
    select coalesce(
      (select u.id from auth.users u where u.id < old.id order by u.id desc limit 1), '00000000-0000-0000-0000-000000000000'
    ) as id
  ) before
  where old.id in (r.after_id, r.last_id);
  return null;
end
$$;

create trigger forget_recipient after delete on auth.users
  for each row execute function private.forget_recipient();

/**
 * Refuses a message of a backend: PT400 message_invalid, or kind_invalid for a kind, with the path of the field in the
 * detail.
 */
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
  given text := trim(replace(fields ->> field, E'\r\n', E'\n'));
begin
  if fields -> field is null or jsonb_typeof(fields -> field) = 'null' then
    return null;
  elsif jsonb_typeof(fields -> field) <> 'string' then
    perform private.refuse_message(path || '.' || field, 'is not a string');
  elsif given = '' then
    perform private.refuse_message(path || '.' || field, 'is empty');
  elsif length(given) > max_length then
    perform private.refuse_message(path || '.' || field, format('has more than %s characters', max_length));
  elsif private.bounded_text(given, max_length) is distinct from given then
    perform private.refuse_message(path || '.' || field, 'has control characters, or ones that change the reading direction');
  end if;
  return given;
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
create function private.recipient_ids(given jsonb, path text) returns uuid[]
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
  elsif given @> '["push"]' and not given @> '["in_app"]' then
    perform private.refuse_message(path, 'has push without in_app, which it opens');
  end if;
  return array(select distinct c from jsonb_array_elements_text(given) c order by 1);
end
$$;

/** A time of ISO 8601 with its zone, up to two years ahead; null where it is missing. */
create function private.message_time(message jsonb, field text, path text) returns timestamptz
  language plpgsql stable
  set search_path = ''
as $$
declare
  given text := private.message_text(message, field, path, 40);
  parsed timestamptz;
begin
  begin
    if given ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$' then
      parsed := given::timestamptz;
    end if;
  exception when data_exception then
    parsed := null;
  end;
  if given is not null and (parsed is null or parsed > now() + interval '2 years') then
    perform private.refuse_message(path || '.' || field, 'is not a time such as 2027-01-31T09:00:00Z');
  end if;
  return parsed;
end
$$;

/** The local time of a message that is sent by each recipient's clocks, up to a year ahead; null where it has none. */
create function private.message_local_time(message jsonb, path text) returns timestamp
  language plpgsql stable
  set search_path = ''
as $$
declare
  given text;
  parsed timestamp;
begin
  if jsonb_typeof(message -> 'send_at') is distinct from 'object' then
    return null;
  end if;
  perform private.check_fields(message -> 'send_at', path || '.send_at', '{local_time}');
  given := private.message_text(message -> 'send_at', 'local_time', path || '.send_at', 20);
  begin
    if given ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$' then
      parsed := given::timestamp;
    end if;
  exception when data_exception then
    parsed := null;
  end;
  if parsed is null or parsed > now() at time zone 'UTC' + interval '1 year' then
    perform private.refuse_message(path || '.send_at.local_time', 'is not a local time such as 2027-01-31T09:00 within a year');
  end if;
  return parsed;
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
  if jsonb_typeof(message -> 'important') <> 'boolean' then
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
        where u.id = (private.recipient_ids(jsonb_build_array(sender -> 'user_id'), path || '.sender.user_id'))[1]
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

/** Whether a notification of this content has any words: its text, its entity, or a template of its kind. */
create function private.says_something(content jsonb) returns boolean
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  kind text := content ->> 'type';
begin
  return content #> '{data,text}' is not null
    or content -> 'entity_id' is not null and private.is_built_in_kind(kind) and kind not in ('system', 'message')
    or exists (select from public.notification_kinds k where k.name = kind and k.templates <> '{}');
end
$$;

/** A message of the call as a row of private.messages, checked, and its recipients by their ids, if it names them. */
create function private.parse_message(message jsonb, path text, out parsed private.messages, out recipients uuid[])
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  perform private.check_fields(
    message, path,
    '{recipients,audience,everyone,followers,kind,text,url,entity,sender,fields,actions,important,channels,send_at,expires_at,idempotency_key}'
  );
  select c.content::text, c.sender_id into parsed.content, parsed.sender_id from private.message_content(message, path) c;
  parsed.audience := private.message_text(message, 'audience', path, 100);
  parsed.is_for_everyone := coalesce(message -> 'everyone', 'false') = 'true';
  parsed.is_for_followers := coalesce(message -> 'followers', 'false') = 'true';
  if jsonb_typeof(message -> 'everyone') <> 'boolean' then
    perform private.refuse_message(path || '.everyone', 'is not true or false');
  elsif jsonb_typeof(message -> 'followers') <> 'boolean' then
    perform private.refuse_message(path || '.followers', 'is not true or false');
  elsif num_nonnulls(
    nullif(message -> 'recipients', 'null'), parsed.audience, nullif(parsed.is_for_everyone, false),
    nullif(parsed.is_for_followers, false)
  ) <> 1 then
    perform private.refuse_message(path, 'needs one of recipients, audience, everyone and followers');
  elsif parsed.is_for_followers and not exists (
    select from public.notification_kinds k where k.name = parsed.content::jsonb ->> 'type' and k.is_topic
  ) then
    perform private.refuse_message(path || '.followers', 'needs a kind that is a topic');
  elsif parsed.audience is not null and not exists (select from public.audiences a where a.name = parsed.audience) then
    perform private.refuse_message(path || '.audience', 'is unknown');
  end if;
  recipients := case when jsonb_typeof(message -> 'recipients') <> 'null'
    then private.recipient_ids(message -> 'recipients', path || '.recipients') end;
  parsed.recipient_count := cardinality(recipients);
  parsed.channels := private.message_channels(message -> 'channels', path || '.channels');
  parsed.local_time := private.message_local_time(message, path);
  parsed.send_at := greatest(
    -- The first zone is 14 hours ahead of UTC, the last one 12 hours behind.
    case when parsed.local_time is null then private.message_time(message, 'send_at', path)
      else parsed.local_time at time zone 'UTC' - interval '14 hours' end,
    now()
  );
  if parsed.send_at > now() + interval '1 year' then
    perform private.refuse_message(path || '.send_at', 'is more than a year ahead');
  end if;
  parsed.expires_at := private.message_time(message, 'expires_at', path);
  if parsed.expires_at <= greatest(parsed.send_at, parsed.local_time at time zone 'UTC' + interval '12 hours') then
    perform private.refuse_message(path || '.expires_at', 'is not after the time of sending');
  elsif parsed.expires_at is null and recipients is null then
    parsed.expires_at := parsed.send_at + (select r.keep from private.retention r where r.name = 'announcements');
  end if;
  if not private.says_something(parsed.content::jsonb) then
    perform private.refuse_message(path || '.text', 'is missing, and neither an entity nor a template of the kind says anything');
  end if;
  parsed.idempotency_key := private.message_text(message, 'idempotency_key', path, 200);
  parsed.request_hash := sha256(convert_to((message - 'idempotency_key')::text, 'UTF8'));
  parsed.id := gen_random_uuid();
end
$$;

revoke all on all functions in schema private from public;
