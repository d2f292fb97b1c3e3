-- The triggers that run before a notification is stored. Rows of users (the role `authenticated`) are rate-limited,
-- bounded in size and stamped with their sender; rows of services are trusted. The recipient's preferences then select
-- the delivery: in the app, by mail or not at all.
create table private.send_limits (
  action text not null check (action in ('notification', 'invitation')),
  -- `sender` counts all notifications of one user; `recipient` counts those of one user to one other user.
  scope text not null check (scope in ('sender', 'recipient')),
  per_minute integer not null,
  per_day integer not null,
  primary key (action, scope)
);
insert into private.send_limits (action, scope, per_minute, per_day)
values
  ('notification', 'sender', 120, 2000),
  ('notification', 'recipient', 60, 500),
  ('invitation', 'sender', 10, 50),
  ('invitation', 'recipient', 3, 5);

create table private.send_usage (
  sender_id uuid not null references auth.users (id) on delete cascade,
  action text not null,
  -- A keyed hash of the recipient's id, or of the invited address; empty for the sender's total.
  target text not null,
  minute_started_at timestamptz not null,
  minute_count integer not null,
  day_started_at timestamptz not null,
  day_count integer not null,
  primary key (sender_id, action, target)
) with (fillfactor = 70);
create index send_usage_day_idx on private.send_usage (day_started_at);

/**
 * Counts one sending against the limits. The row's lock serializes the requests of one sender, so that simultaneous
 * ones cannot pass a limit together.
 *
 * Errors: PT429 notification_limit_exceeded or invitation_limit_exceeded; the hint names the seconds to wait.
 */
create function private.count_sending(sender uuid, action text, target text) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  called_at timestamptz := clock_timestamp();
  allowed record;
  used private.send_usage;
  free_at timestamptz;
begin
  for allowed in
    select l.per_minute, l.per_day, case l.scope when 'sender' then '' else count_sending.target end as target
    from private.send_limits l
    where l.action = count_sending.action
    order by l.scope desc
  loop
    insert into private.send_usage as u
    values (sender, count_sending.action, allowed.target, called_at, 1, called_at, 1)
    on conflict on constraint send_usage_pkey do update set
      minute_started_at =
        case when u.minute_started_at > called_at - interval '1 minute' then u.minute_started_at else called_at end,
      minute_count = case when u.minute_started_at > called_at - interval '1 minute' then u.minute_count + 1 else 1 end,
      day_started_at =
        case when u.day_started_at > called_at - interval '1 day' then u.day_started_at else called_at end,
      day_count = case when u.day_started_at > called_at - interval '1 day' then u.day_count + 1 else 1 end
    returning * into used;
    free_at := case
      when used.day_count > allowed.per_day then used.day_started_at + interval '1 day'
      when used.minute_count > allowed.per_minute then used.minute_started_at + interval '1 minute'
    end;
    if free_at is not null then
      raise sqlstate 'PT429' using message = count_sending.action || '_limit_exceeded',
        detail = case allowed.target
          when '' then 'This account has sent too many.' else 'This account has sent too many to this recipient.' end,
        hint = format('Try again in %s seconds.', ceil(extract(epoch from free_at - called_at)));
    end if;
  end loop;
end
$$;

/** A path of the application, or null: neither another origin nor a scheme, in any spelling that browsers accept. */
create function private.application_path(input text) returns text
  language sql immutable parallel safe
  set search_path = ''
as $$
  select case when input ~ '^/([^/\\\s\u0001-\u001f\u007f]|$)[^\\\s\u0001-\u001f\u007f]*$' and length(input) <= 1000
    then input end
$$;

/** The content that is stored for a user: the known fields, bounded, with the sender. Everything else is dropped. */
create function private.bounded_content(content jsonb, plain_text text, kind text, sender uuid) returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'type', kind,
    'metadata', jsonb_build_object('actor_id', sender, 'actor_name', private.display_name(sender)),
    'entity_type', private.bounded_text(content ->> 'entity_type', 100),
    'entity_id', private.bounded_text(content ->> 'entity_id', 200),
    'data', nullif(
      jsonb_strip_nulls(jsonb_build_object(
        'entity_name', private.bounded_text(data ->> 'entity_name', 200),
        'text', private.bounded_text(case when content is null then plain_text else data ->> 'text' end, 2000),
        'url', private.application_path(data ->> 'url')
      )),
      '{}'
    )
  ))
  from (select case when jsonb_typeof(content -> 'data') = 'object' then content -> 'data' end as data) given
$$;

-- A user's INSERT into public.notifications returns the same, and does the same work, regardless of the recipient's
-- choices: a kind that is off, a muted thread, a blocked sender or a deleted account changes neither the count, nor an
-- error, nor a lock. The count of rows is always 0, because the statement only queues them: they are delivered after its
-- commit.

-- What users sent, for the download of their data. Nothing in it depends on what became of a notification, because that
-- would reveal to a sender who blocked, muted or deleted, and which accounts exist.
create table private.sent_notifications (
  id bigint generated always as identity primary key,
  sender_id uuid not null references auth.users (id) on delete cascade,
  -- Without a foreign key, because the recipient may have no account, or delete it.
  recipient_id uuid not null,
  content text,
  created_at timestamptz not null
);
create index sent_notifications_sender_idx on private.sent_notifications (sender_id, created_at);
create index sent_notifications_created_idx on private.sent_notifications (created_at);

/**
 * Runs for each row of a user's INSERT: checks that the sender may send, bounds the content, queues the row and skips it, so
 * that the statement's count, its `RETURNING` and its conflicts reveal nothing. The notification gets another id, because a
 * chosen one would reveal by a conflict whether the recipient still has it. A type that is reserved for services becomes
 * `message`.
 *
 * Errors: those of private.require_assurance() and private.count_sending(); PT403 sender_anonymous; PT413
 * too_many_notifications, at the 101st row of a statement.
 */
create function private.accept_from_user() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  sender uuid := private.require_assurance();
  content jsonb := private.parse_json(new.content);
  kind text;
  sent_at timestamptz;
  sent integer := coalesce(nullif(current_setting('private.sent_by_statement', true), ''), '0')::integer + 1;
begin
  if sent > 100 then
    raise sqlstate 'PT413' using message = 'too_many_notifications', detail = 'A request may send 100 notifications.';
  end if;
  perform set_config('private.sent_by_statement', sent::text, true);
  if octet_length(new.content) > 65536 then
    raise check_violation using message = 'The content has more than 65536 bytes.';
  end if;
  if (auth.jwt() ->> 'is_anonymous')::boolean or (select u.is_anonymous from auth.users u where u.id = sender) then
    raise sqlstate 'PT403' using message = 'sender_anonymous', detail = 'Anonymous accounts send no notifications.';
  end if;
  perform private.count_sending(sender, 'notification', private.keyed_hash(new.recipient_id::text));
  if jsonb_typeof(content) <> 'object' then
    content := null;
  end if;
  kind := private.notification_kind(content);
  if kind not in ('mention', 'edit', 'comment', 'invite') then
    kind := 'message';
  end if;
  new.content := private.bounded_content(content, new.content, kind, sender);
  sent_at := clock_timestamp();
  insert into private.sent_notifications (sender_id, recipient_id, content, created_at)
  values (sender, new.recipient_id, new.content, sent_at);
  insert into private.outgoing_notifications (sender_id, recipient_id, content, created_at)
  values (sender, new.recipient_id, new.content, sent_at);
  return null;
end
$$;

-- The WHEN condition evaluates the role of the request: in functions with SECURITY DEFINER it is their owner.
create trigger accept_from_user before insert on public.notifications
  for each row when (current_user = 'authenticated') execute function private.accept_from_user();

/** Runs after a user's INSERT: the next statement of the transaction may send 100 notifications again. */
create function private.reset_sent_by_statement() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  perform set_config('private.sent_by_statement', '', true);
  return null;
end
$$;

create trigger reset_sent_by_statement after insert on public.notifications
  for each statement when (current_user = 'authenticated') execute function private.reset_sent_by_statement();

-- Notifications that their recipient receives only by mail: no list and no count contains them.
create table private.mail_only_notifications (
  id uuid primary key,
  recipient_id uuid not null references auth.users (id) on delete cascade,
  sender_id uuid references auth.users (id) on delete cascade,
  kind text not null,
  content text,
  created_at timestamptz not null
);
create index mail_only_notifications_recipient_idx on private.mail_only_notifications (recipient_id, created_at);
create index mail_only_notifications_sender_idx on private.mail_only_notifications (sender_id);
create index mail_only_notifications_created_idx on private.mail_only_notifications (created_at);

/**
 * The channels that the recipient enabled for a kind. Without a row of preferences, the columns' defaults apply; without a choice for
 * a registered kind, those of the kind. A kind that is not registered is listed only.
 */
create function private.wanted_channels(recipient uuid, kind text, out in_app boolean, out by_mail boolean)
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  lists_kind boolean;
  mails_kind boolean;
begin
  select k.in_app, k.email into lists_kind, mails_kind from public.notification_kinds k where k.name = wanted_channels.kind;
  select
    coalesce(
      p.enable_in_app_notifications and case kind
        when 'mention' then p.in_app_mentions
        when 'message' then p.in_app_mentions
        when 'edit' then p.in_app_edits
        when 'comment' then p.in_app_comments
        when 'invite' then p.in_app_invites
        else (p.kinds #>> array[kind, 'in_app'])::boolean
      end,
      lists_kind,
      true
    ),
    coalesce(
      p.enable_email_notifications and p.email_digest_frequency <> 'never' and case kind
        when 'mention' then p.email_mentions
        when 'message' then p.email_mentions
        when 'edit' then p.email_edits
        when 'comment' then p.email_comments
        when 'invite' then p.email_invites
        else (p.kinds #>> array[kind, 'email'])::boolean
      end,
      mails_kind,
      kind in ('mention', 'message', 'comment', 'invite')
    )
  into in_app, by_mail
  from (select) one left join public.notification_preferences p on p.user_id = recipient;
end
$$;

/**
 * Runs before a notification is stored: sets its kind and thread, and skips it unless the recipient enabled it in the app. What a service sends in
 * the name of a blocked sender is skipped, too.
 */
create function private.prepare_notification() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  content jsonb := private.parse_json(new.content);
  wanted record;
begin
  new := private.stamp_lists(new);
  if private.is_muted(new.recipient_id, content) or private.is_blocked(new.recipient_id, new.sender_id) then
    return null;
  end if;
  select * into wanted from private.wanted_channels(new.recipient_id, new.kind);
  if wanted.in_app and private.may_use_channel(new.id, 'in_app') then
    return new;
  end if;
  if wanted.by_mail and private.may_use_channel(new.id, 'email') then
    insert into private.mail_only_notifications (id, recipient_id, sender_id, kind, content, created_at)
    values (new.id, new.recipient_id, new.sender_id, new.kind, new.content, new.created_at);
  end if;
  return null;
end
$$;

create trigger prepare_notification before insert on public.notifications
  for each row execute function private.prepare_notification();

/** Runs after a service changed the content. */
create function private.stamp_kind() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  return private.stamp_lists(new);
end
$$;

create trigger stamp_kind before update of content, kind, thread, needs_user on public.notifications
  for each row execute function private.stamp_kind();

revoke all on all functions in schema private from public;
