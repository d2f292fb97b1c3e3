-- A user's INSERT into public.notifications answers the same, and takes the same time, whatever the recipient chose: a
-- kind that is off, a muted thread, a blocked sender or a deleted account changes neither the count, nor an error, nor
-- the duration. The count of rows is always 0, because the server stores the row, not the user's statement.

drop function private.even_out_duration(timestamptz);

/**
 * Replaces the version without a step: waits until the time since `started_at` is a multiple of `step_ms`. pg_sleep()
 * rounds up to whole milliseconds and so would keep the fraction of the elapsed time: it ends early, and a loop waits for
 * the rest.
 */
create function private.even_out_duration(started_at timestamptz, step_ms numeric default 30) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  elapsed_ms constant numeric := 1000 * extract(epoch from clock_timestamp() - started_at);
  ends_at constant timestamptz := started_at + interval '1 millisecond' * (ceil(elapsed_ms / step_ms) * step_ms)::float8;
  remaining_ms constant numeric := 1000 * extract(epoch from ends_at - clock_timestamp());
begin
  perform pg_sleep(greatest(floor(remaining_ms) - 1.5, 0) / 1000);
  while clock_timestamp() < ends_at loop
  end loop;
end
$$;

/**
 * Runs before a user's notification is stored: checks that the sender may send, and sets status, times, sender and
 * content. A type that is reserved for services becomes `message`.
 *
 * Errors: those of private.require_assurance() and private.count_sending(); PT403 sender_anonymous.
 */
create or replace function private.accept_from_user() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  sender uuid := private.require_assurance();
  content jsonb := private.parse_json(new.content);
  kind text;
begin
  if octet_length(new.content) > 65536 then
    raise check_violation using message = 'The content has more than 65536 bytes.';
  end if;
  if (auth.jwt() ->> 'is_anonymous')::boolean or (select u.is_anonymous from auth.users u where u.id = sender) then
    raise sqlstate 'PT403' using message = 'sender_anonymous', detail = 'Anonymous accounts send no notifications.';
  end if;
  perform private.count_sending(sender, 'notification', new.recipient_id::text);
  if jsonb_typeof(content) <> 'object' then
    content := null;
  end if;
  kind := private.notification_kind(content);
  if kind not in ('mention', 'edit', 'comment', 'invite') then
    kind := 'message';
  end if;
  new.sender_id := sender;
  new.status := 'unread';
  new.snoozed_until := null;
  new.created_at := clock_timestamp();
  new.updated_at := new.created_at;
  new.content := private.bounded_content(content, new.content, kind, sender);
  return new;
end
$$;

drop trigger limit_rows_per_request on public.notifications;
drop function private.limit_rows_per_request();

/**
 * Runs after private.accept_from_user(): stores the notification for an existing recipient who has not blocked the
 * sender, and skips the row of the user's statement, so that its count, its `RETURNING` and its conflicts tell nothing.
 * The id is the server's: a chosen one would tell by a conflict whether the recipient still has the notification.
 *
 * Error: PT413 too_many_notifications, at the 101st row of a statement.
 */
create function private.deliver_from_user() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  sent integer := coalesce(nullif(current_setting('private.sent_by_statement', true), ''), '0')::integer + 1;
begin
  if sent > 100 then
    raise sqlstate 'PT413' using message = 'too_many_notifications', detail = 'A request may send 100 notifications.';
  end if;
  perform set_config('private.sent_by_statement', sent::text, true);
  if exists (select from auth.users u where u.id = new.recipient_id)
    and not private.is_blocked(new.recipient_id, new.sender_id)
  then
    insert into public.notifications (recipient_id, sender_id, content, created_at, updated_at)
    values (new.recipient_id, new.sender_id, new.content, new.created_at, new.updated_at);
  end if;
  return null;
end
$$;

-- Triggers fire in the order of their names: after accept_from_user. The rows that this trigger inserts belong to the
-- owner of the function, so that neither trigger fires for them.
create trigger deliver_from_user before insert on public.notifications
  for each row when (current_user = 'authenticated') execute function private.deliver_from_user();

/** Runs after a user's INSERT: extends its duration to a multiple of 10 ms per row. */
create function private.even_out_sending() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  sent integer := coalesce(nullif(current_setting('private.sent_by_statement', true), ''), '0')::integer;
begin
  perform set_config('private.sent_by_statement', '', true);
  if sent > 0 then
    perform private.even_out_duration(statement_timestamp(), 10 * sent);
  end if;
  return null;
end
$$;

create trigger even_out_sending after insert on public.notifications
  for each statement when (current_user = 'authenticated') execute function private.even_out_sending();

revoke all on all functions in schema private from public;
