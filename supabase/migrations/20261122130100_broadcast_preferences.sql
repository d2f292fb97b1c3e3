-- `private.broadcast_notifications(true)` sends changes of preferences too, so that a client that listens to broadcasts needs
-- no subscription to `postgres_changes`. Times are UTC, because clients compare versions as text, and a request may
-- choose its time zone.

/** Broadcasts a change of a row to the private channel of its owner, whose column is the trigger's argument. */
create function private.broadcast_to_owner() returns trigger
  language plpgsql
  security definer
  set search_path = ''
  set timezone = 'UTC'
as $$
declare
  owner text := to_jsonb(case when tg_op = 'DELETE' then old else new end) ->> tg_argv[0];
begin
  perform realtime.broadcast_changes(
    'user:' || owner, tg_op, tg_op, tg_table_name::text, tg_table_schema::text, new, old
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
      for each row execute function private.broadcast_to_owner('recipient_id');
    create trigger broadcast_preferences after insert or update or delete on public.notification_preferences
      for each row execute function private.broadcast_to_owner('user_id');
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

drop function private.broadcast_notification();
