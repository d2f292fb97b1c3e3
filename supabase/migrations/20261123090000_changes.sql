-- The changes since a time, which a client requests after a gap, and the announcement of bulk changes.
create table private.notification_tombstones (
  recipient_id uuid not null references auth.users (id) on delete cascade,
  notification_id uuid not null,
  deleted_at timestamptz not null default clock_timestamp(),
  primary key (recipient_id, notification_id)
);
create index notification_tombstones_changes_idx on private.notification_tombstones (recipient_id, deleted_at);
create index notification_tombstones_retention_idx on private.notification_tombstones (deleted_at);

create table public.notification_bulk_changes (
  user_id uuid primary key references auth.users (id) on delete cascade,
  revision bigint not null default 1,
  changed_at timestamptz not null default clock_timestamp()
);

comment on table public.notification_bulk_changes is
  'One row per user, changed when one statement changes more than 100 notifications of this user. A client that receives '
  'it over realtime reads its lists again and ignores the single changes. The functions for whole lists write it first, '
  'so that it arrives before the changes.';

alter table public.notification_bulk_changes enable row level security;
revoke all on public.notification_bulk_changes from anon, authenticated;
grant select on public.notification_bulk_changes to authenticated;
grant all on public.notification_bulk_changes to service_role;
select private.require_assurance_on('public.notification_bulk_changes');
select private.hide_statistics('public.notification_bulk_changes');
create policy "Users read their own bulk changes" on public.notification_bulk_changes
  for select to authenticated using (user_id = (select auth.uid()));

/** Announces a bulk change to a user's clients, which then reload. */
create function private.mark_bulk_change(changed_user uuid) returns void
  language sql security definer
  set search_path = ''
as $$
  insert into public.notification_bulk_changes as b (user_id)
  select u.id from auth.users u where u.id = changed_user
  on conflict (user_id) do update set revision = b.revision + 1, changed_at = clock_timestamp()
$$;

/** Runs after each statement: stores the ids of deleted rows for a day and announces bulk changes. */
create function private.record_changes() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  changed record;
begin
  for changed in
    select recipient_id, count(*) > 100 as is_bulk from old_rows group by recipient_id order by recipient_id
  loop
    if changed.is_bulk then
      perform private.mark_bulk_change(changed.recipient_id);
    elsif tg_op = 'DELETE' then
      insert into private.notification_tombstones (recipient_id, notification_id)
      select o.recipient_id, o.id
      from old_rows o join auth.users u on u.id = o.recipient_id
      where o.recipient_id = changed.recipient_id
      on conflict (recipient_id, notification_id) do update set deleted_at = excluded.deleted_at;
    end if;
  end loop;
  return null;
end
$$;

create trigger record_updated after update on public.notifications
  referencing old table as old_rows for each statement execute function private.record_changes();
create trigger record_deleted after delete on public.notifications
  referencing old table as old_rows for each statement execute function private.record_changes();

/**
 * The changes since a time, in one response: {as_of, reset, changed: [row, ...], deleted: [id, ...], snoozed: [row, ...],
 * counts, kinds: [row, ...]}.
 *
 * `as_of` is the `since` of the next call. `reset`: changes are missing from the response (more than `page_size` rows, a
 * bulk change, or a time more than a day ago), so the lists must be read again. Changes of the 30 seconds before `since` are
 * repeated, because a transaction commits after it has stamped its rows.
 *
 * `snoozed`, with a reset only: the next 100 notifications to return, and the last 100 that returned within a week. The
 * lists are ordered by creation, so that a client cannot find them there.
 *
 * `counts`: those of public.notification_counts, and as `needs_you` how many unread notifications need the user.
 *
 * `kinds`: those of public.notification_kinds, with a reset and after one of them was registered; else null.
 */
create function public.notification_changes(since timestamptz, page_size integer default 100) returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
  as_of timestamptz := clock_timestamp();
  earliest timestamptz := since - interval '30 seconds';
  most integer := least(greatest(page_size, 1), 1000);
  changed jsonb := '[]';
  deleted jsonb := '[]';
  snoozed jsonb := '[]';
  needs_you bigint;
  is_reset boolean;
begin
  is_reset := coalesce(since, '-infinity') < as_of - interval '1 day'
    or exists (
      select from public.notification_bulk_changes b where b.user_id = me and b.changed_at > earliest
    );
  if not is_reset then
    select coalesce(jsonb_agg(to_jsonb(c) order by c.updated_at), '[]') into changed
    from (
      select * from public.notifications n
      where n.recipient_id = me and n.updated_at > earliest
      order by n.updated_at limit most + 1
    ) c;
    select coalesce(jsonb_agg(t.notification_id), '[]') into deleted
    from (
      select d.notification_id from private.notification_tombstones d
      where d.recipient_id = me and d.deleted_at > earliest
      limit 1000
    ) t;
    if jsonb_array_length(changed) > most or jsonb_array_length(deleted) = 1000 then
      is_reset := true;
      changed := '[]';
      deleted := '[]';
    end if;
  end if;
  if is_reset then
    select coalesce(jsonb_agg(to_jsonb(s) order by s.snoozed_until), '[]') into snoozed
    from (
      (
        select * from public.notifications n
        where n.recipient_id = me and n.snoozed_until > as_of
        order by n.snoozed_until limit 100
      )
      union all
      (
        select * from public.notifications n
        where n.recipient_id = me and n.snoozed_until <= as_of and n.snoozed_until > as_of - interval '7 days'
          and n.status <> 'archived'
        order by n.snoozed_until desc limit 100
      )
    ) s;
  end if;
  select count(*) into needs_you from public.notifications n
  where n.recipient_id = me and n.status = 'unread' and n.needs_user
    and (n.snoozed_until is null or n.snoozed_until <= as_of);
  return jsonb_build_object(
    'as_of', as_of,
    'reset', is_reset,
    'changed', changed,
    'deleted', deleted,
    'snoozed', snoozed,
    'counts', (select to_jsonb(c) from public.notification_counts() c) || jsonb_build_object('needs_you', needs_you),
    'kinds', case
      when is_reset or exists (select from public.notification_kinds k where k.updated_at > earliest)
        then (select coalesce(jsonb_agg(to_jsonb(k) order by k.name), '[]') from public.notification_kinds k)
    end
  );
end
$$;

/** The tabs of the inbox: all (not archived), unread, archived, snoozed. Error: PT400 tab_invalid. */
create function private.statuses_of_tab(tab text) returns text[]
  language plpgsql immutable
  set search_path = ''
as $$
begin
  case tab
    when 'all' then return array['unread', 'read'];
    when 'unread' then return array['unread'];
    when 'archived' then return array['archived'];
    when 'snoozed' then return array['unread'];
    else raise sqlstate 'PT400' using message = 'tab_invalid',
      detail = 'The tab is all, unread, archived or snoozed.';
  end case;
end
$$;

/**
 * Marks every unread notification of the caller as read, or those of one kind. Snoozed ones stay unread.
 *
 * `up_to`: only those created until then; default: all. `most`: the newest of them, in a part that an API's limit of time allows; default:
 * all in one statement. Returns how many there were: fewer than `most` mean that no other is left.
 */
create function public.mark_all_notifications_read(
  kind text default null, up_to timestamptz default null, most integer default null
)
  returns bigint
  language plpgsql security definer
  set search_path = ''
  set statement_timeout = '60s'
as $$
declare
  me uuid := private.require_assurance();
  part uuid[];
begin
  if (select c.unread > 100 from public.notification_counters c where c.user_id = me) then
    perform private.mark_bulk_change(me);
  end if;
  -- As an array, which costs the same by whichever index the planner finds the rows: these tables have no statistics.
  part := array(
    select n.id from public.notifications n
    where n.recipient_id = me and n.status = 'unread'
      and (n.snoozed_until is null or n.snoozed_until <= now())
      and (mark_all_notifications_read.kind is null or n.kind = mark_all_notifications_read.kind)
      and (up_to is null or n.created_at <= up_to)
    order by n.created_at desc, n.id desc limit most
  );
  update public.notifications n set status = 'read'
  where n.id = any (part) and n.recipient_id = me and n.status = 'unread';
  return cardinality(part);
end
$$;

/**
 * Archives every notification of a tab (all, unread, snoozed), or those of one kind. Snoozed ones are in their own tab only;
 * archiving ends the snooze.
 *
 * `up_to` and `most` as of mark_all_notifications_read(). Returns how many there were. Error: PT400 tab_invalid.
 */
create function public.archive_notifications(
  tab text, kind text default null, up_to timestamptz default null, most integer default null
)
  returns bigint
  language plpgsql security definer
  set search_path = ''
  set statement_timeout = '60s'
as $$
declare
  me uuid := private.require_assurance();
  statuses text[] := array_remove(private.statuses_of_tab(tab), 'archived');
  part uuid[];
begin
  if (select c.unread + c.read > 100 from public.notification_counters c where c.user_id = me) then
    perform private.mark_bulk_change(me);
  end if;
  part := array(
    select n.id from public.notifications n
    where n.recipient_id = me and n.status = any (statuses)
      and case when tab = 'snoozed' then n.snoozed_until > now()
        else n.snoozed_until is null or n.snoozed_until <= now() end
      and (archive_notifications.kind is null or n.kind = archive_notifications.kind)
      and (up_to is null or n.created_at <= up_to)
    order by n.created_at desc, n.id desc limit most
  );
  update public.notifications n set status = 'archived'
  where n.id = any (part) and n.recipient_id = me and n.status = any (statuses);
  return cardinality(part);
end
$$;

/**
 * Deletes every notification of a tab (all, unread, archived, snoozed), or those of one kind. Snoozed ones are in their own
 * tab only.
 *
 * `up_to` and `most` as of mark_all_notifications_read(). Returns how many there were. Error: PT400 tab_invalid.
 */
create function public.delete_notifications(
  tab text, kind text default null, up_to timestamptz default null, most integer default null
)
  returns bigint
  language plpgsql security definer
  set search_path = ''
  set statement_timeout = '60s'
as $$
declare
  me uuid := private.require_assurance();
  statuses text[] := private.statuses_of_tab(tab);
  part uuid[];
begin
  if (select c.unread + c.read + c.archived > 100 from public.notification_counters c where c.user_id = me) then
    perform private.mark_bulk_change(me);
  end if;
  part := array(
    select n.id from public.notifications n
    where n.recipient_id = me and n.status = any (statuses)
      and case when tab = 'snoozed' then n.snoozed_until > now()
        else n.snoozed_until is null or n.snoozed_until <= now() end
      and (delete_notifications.kind is null or n.kind = delete_notifications.kind)
      and (up_to is null or n.created_at <= up_to)
    order by n.created_at desc, n.id desc limit most
  );
  delete from public.notifications n where n.id = any (part) and n.recipient_id = me and n.status = any (statuses);
  return cardinality(part);
end
$$;

revoke all on function
  public.notification_changes(timestamptz, integer),
  public.mark_all_notifications_read(text, timestamptz, integer),
  public.archive_notifications(text, text, timestamptz, integer),
  public.delete_notifications(text, text, timestamptz, integer)
  from public, anon;
grant execute on function
  public.notification_changes(timestamptz, integer),
  public.mark_all_notifications_read(text, timestamptz, integer),
  public.archive_notifications(text, text, timestamptz, integer),
  public.delete_notifications(text, text, timestamptz, integer)
  to authenticated, service_role;

-- Snoozed notifications. Until `snoozed_until` a notification is in the list of snoozed ones only; then it returns to
-- the top of the inbox as unread. Nothing has to run at that time: every query compares with the clock.

/**
 * Runs before the reading state changes: a snoozed notification is unread, so that it returns as unread and retention
 * keeps it. Reading or archiving it ends the snooze.
 */
create function private.align_snooze() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if new.snoozed_until > now() then
    if new.snoozed_until is distinct from old.snoozed_until then
      new.status := 'unread';
    elsif new.status <> 'unread' then
      new.snoozed_until := null;
    end if;
  end if;
  return new;
end
$$;

create trigger align_snooze before update of status, snoozed_until on public.notifications
  for each row when (new.snoozed_until is not null) execute function private.align_snooze();

revoke all on all functions in schema private from public;
