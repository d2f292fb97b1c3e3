-- Live changes, by broadcast and by `postgres_changes`.

-- Every project has the publication; a bare PostgreSQL has none. It publishes no deletions: the realtime service tests
-- them against the filters of a subscription and against no policy, so that a stranger's filters would reveal ids. The
-- private channels below send them to the owner. An operator may publish them for clients that subscribe to changes.
do $$
declare
  published text;
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
  foreach published in array array['notifications', 'notification_preferences', 'notification_bulk_changes'] loop
    if not exists (
      select from pg_publication_tables
      where pubname = 'supabase_realtime' and schemaname = 'public' and tablename = published
    ) then
      execute format('alter publication supabase_realtime add table public.%I', published);
    end if;
  end loop;
end
$$;
alter publication supabase_realtime set (publish = 'insert, update');

-- The log of a deletion names the key and the owner, by which the realtime service tests the filters of subscriptions. The
-- full row would reveal its content to strangers.
create unique index notifications_identity_idx on public.notifications (id, recipient_id);
alter table public.notifications replica identity using index notifications_identity_idx;
create unique index notification_preferences_identity_idx on public.notification_preferences (id, user_id);
alter table public.notification_preferences replica identity using index notification_preferences_identity_idx;

-- The private channel of a user: the user receives, services send. Every other private channel is closed.
do $$
begin
  if to_regclass('realtime.messages') is not null then
    create policy "Users receive in their own channel" on realtime.messages
      for select to authenticated
      using ((select realtime.topic()) = 'user:' || (select auth.uid())::text);
  end if;
end
$$;

/** Broadcasts to the private channel of a user. The realtime service warns of what it cannot send, so no statement fails. */
create function private.send_to_user(user_id uuid, event text, payload jsonb default '{}') returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  -- A bare PostgreSQL lacks the realtime service.
  if to_regprocedure('realtime.send(jsonb, text, text, boolean)') is not null then
    perform realtime.send(payload, event, 'user:' || user_id, true);
  end if;
end
$$;

/**
 * Broadcasts changed rows to their owner in one message {schema, table, operation, records}; for a deletion {…,
 * old_records} with the ids. Null, or more than 128 kB: the message has no rows, and its receivers read again.
 */
create function private.send_changes(owner_id uuid, operation text, table_name text, changed_rows jsonb) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  message jsonb := jsonb_build_object('schema', 'public', 'table', table_name, 'operation', operation);
begin
  if octet_length(changed_rows::text) <= 128 * 1024 then
    message := message
      || jsonb_build_object(case operation when 'DELETE' then 'old_records' else 'records' end, changed_rows);
  end if;
  perform private.send_to_user(owner_id, operation, message);
end
$$;

/**
 * Runs after each statement: one message for each recipient, without rows if the statement changed more than 100 of this
 * recipient. Times are UTC: clients compare versions as text, and a request may choose its time zone.
 */
create function private.broadcast_notification_changes() returns trigger
  language plpgsql security definer
  set search_path = ''
  set timezone = 'UTC'
as $$
declare
  changed record;
begin
  if tg_op = 'DELETE' then
    for changed in
      select
        o.recipient_id,
        case when count(*) <= 100 then jsonb_agg(jsonb_build_object('id', o.id)) filter (where o.place <= 100) end as rows
      from (
        select r.recipient_id, r.id, row_number() over (partition by r.recipient_id) as place from old_rows r
      ) o
      group by o.recipient_id
    loop
      perform private.send_changes(changed.recipient_id, tg_op, tg_table_name, changed.rows);
    end loop;
  else
    for changed in
      select
        n.recipient_id,
        case when count(*) <= 100 then jsonb_agg(to_jsonb(n.changed_row)) filter (where n.place <= 100) end as rows
      from (
        select r.recipient_id, r as changed_row, row_number() over (partition by r.recipient_id) as place
        from new_rows r
      ) n
      group by n.recipient_id
    loop
      perform private.send_changes(changed.recipient_id, tg_op, tg_table_name, changed.rows);
    end loop;
  end if;
  return null;
end
$$;

create trigger broadcast_inserted after insert on public.notifications
  referencing new table as new_rows for each statement execute function private.broadcast_notification_changes();
create trigger broadcast_updated after update on public.notifications
  referencing new table as new_rows for each statement execute function private.broadcast_notification_changes();
create trigger broadcast_deleted after delete on public.notifications
  referencing old table as old_rows for each statement execute function private.broadcast_notification_changes();

/** Runs after each change of a user's preferences, which are one row. Times are UTC, as those of notifications. */
create function private.broadcast_preferences() returns trigger
  language plpgsql security definer
  set search_path = ''
  set timezone = 'UTC'
as $$
begin
  if tg_op = 'DELETE' then
    perform private.send_changes(
      old.user_id, tg_op, tg_table_name, jsonb_build_array(jsonb_build_object('id', old.id))
    );
  else
    perform private.send_changes(new.user_id, tg_op, tg_table_name, jsonb_build_array(to_jsonb(new)));
  end if;
  return null;
end
$$;

create trigger broadcast_written after insert or update on public.notification_preferences
  for each row execute function private.broadcast_preferences();
create trigger broadcast_deleted after delete on public.notification_preferences
  for each row execute function private.broadcast_preferences();

/**
 * Turns the broadcasts of inserts and updates on, the default, or off, for a project whose clients all subscribe to
 * `postgres_changes`. Deletions are broadcast in both cases.
 */
create function private.broadcast_notifications(is_enabled boolean) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  if is_enabled then
    alter table public.notifications enable trigger broadcast_inserted, enable trigger broadcast_updated;
    alter table public.notification_preferences enable trigger broadcast_written;
  else
    alter table public.notifications disable trigger broadcast_inserted, disable trigger broadcast_updated;
    alter table public.notification_preferences disable trigger broadcast_written;
  end if;
end
$$;

revoke all on all functions in schema private from public;
