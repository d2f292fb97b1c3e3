-- Changes of notifications by broadcast, off by default. Each change goes to the private channel of its recipient,
-- `user:<id>`, which only the recipient may join. `select private.broadcast_notifications(true)` turns it on.
create function private.broadcast_notification() returns trigger
  language plpgsql
  security definer
  set search_path = ''
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

-- Turns the broadcasts on or off. Subscriptions to `postgres_changes` go on in both cases.
create function private.broadcast_notifications(is_enabled boolean) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  drop trigger if exists broadcast_notification on public.notifications;
  if is_enabled then
    create trigger broadcast_notification after insert or update or delete on public.notifications
      for each row execute function private.broadcast_notification();
  end if;
end
$$;

revoke all on all functions in schema private from public;
