-- `private.broadcast_notifications(true)` sends changes of preferences too, so that a client that listens to broadcasts needs
-- no subscription to `postgres_changes`. Times are UTC, because clients compare versions as text, and a request may
-- choose its time zone.

create or replace function private.broadcast_notification() returns trigger
  language plpgsql
  security definer
  set search_path = ''
  set timezone = 'UTC'
as $$
declare
  recipient uuid := case when tg_op = 'DELETE' then old.recipient_id else new.recipient_id end;
begin
  perform realtime.broadcast_changes(
    'user:' || recipient::text, tg_op, tg_op, tg_table_name::text, tg_table_schema::text, new, old
  );
  return null;
end
$$;

create function private.broadcast_preferences() returns trigger
  language plpgsql
  security definer
  set search_path = ''
  set timezone = 'UTC'
as $$
declare
  owner uuid := case when tg_op = 'DELETE' then old.user_id else new.user_id end;
begin
  perform realtime.broadcast_changes(
    'user:' || owner::text, tg_op, tg_op, tg_table_name::text, tg_table_schema::text, new, old
  );
  return null;
end
$$;

-- Turns the broadcasts on or off. Subscriptions to `postgres_changes` go on in both cases.
create or replace function private.broadcast_notifications(is_enabled boolean) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  drop trigger if exists broadcast_notification on public.notifications;
  drop trigger if exists broadcast_preferences on public.notification_preferences;
  if is_enabled then
    create trigger broadcast_notification after insert or update or delete on public.notifications
      for each row execute function private.broadcast_notification();
    create trigger broadcast_preferences after insert or update or delete on public.notification_preferences
      for each row execute function private.broadcast_preferences();
  end if;
end
$$;

revoke all on all functions in schema private from public;

-- A project that has them on gets those of preferences too.
do $$
begin
  if exists (select from pg_catalog.pg_trigger t where t.tgname = 'broadcast_notification') then
    perform private.broadcast_notifications(true);
  end if;
end
$$;
