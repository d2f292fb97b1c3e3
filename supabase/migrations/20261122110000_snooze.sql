-- Snoozed notifications. Until `snoozed_until` a notification is in the list of snoozed ones only; then it returns to
-- the top of the inbox as unread. Nothing has to run at that time: every query compares with the clock.

alter table public.notifications
  add constraint snoozed_until_is_finite check (isfinite(snoozed_until));

comment on column public.notifications.snoozed_until is
  'Until then the notification is snoozed. A past time is when it returned to the inbox; null: it was never snoozed.';

-- The list of snoozed notifications, in the order of every list.
create index notifications_snoozed_list_idx on public.notifications (recipient_id, created_at desc, id desc)
  where snoozed_until is not null;

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

/**
 * The changes since a time, in one response:
 * {as_of, reset, changed: [row, ...], deleted: [id, ...], snoozed: [row, ...], counts}.
 *
 * `as_of` is the `since` of the next call. `reset`: changes are missing from the answer (more than `page_size` rows, a
 * bulk change, or a time more than a day ago), so the lists must be read again. Changes of the 30 seconds before
 * `since` are repeated, because a transaction commits after it has stamped its rows.
 *
 * `snoozed`, with a reset only: the next 100 notifications to return, and the last 100 that returned within a week. The
 * lists are ordered by creation, so that a client cannot find them there.
 */
create or replace function public.notification_changes(since timestamptz, page_size integer default 100) returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
  as_of timestamptz := clock_timestamp();
  earliest timestamptz := coalesce(since, '-infinity') - interval '30 seconds';
  most integer := least(greatest(page_size, 1), 1000);
  changed jsonb := '[]';
  deleted jsonb := '[]';
  snoozed jsonb := '[]';
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
  return jsonb_build_object(
    'as_of', as_of,
    'reset', is_reset,
    'changed', changed,
    'deleted', deleted,
    'snoozed', snoozed,
    'counts', (select to_jsonb(c) from public.notification_counts() c)
  );
end
$$;

/** The tabs of the inbox: all (not archived), unread, archived, snoozed. Error: PT400 tab_invalid. */
create or replace function private.statuses_of_tab(tab text) returns text[]
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
 * Marks every unread notification of the caller as read, or those of one kind, in one statement. Snoozed ones stay unread.
 *
 * `up_to`: only those created until then; default: all. Returns how many changed.
 */
create or replace function public.mark_all_notifications_read(
  kind text default null, up_to timestamptz default null
)
  returns bigint
  language plpgsql security definer
  set search_path = ''
  set statement_timeout = '60s'
as $$
declare
  me uuid := private.require_assurance();
  changed bigint;
begin
  if (select c.unread > 100 from public.notification_counters c where c.user_id = me) then
    perform private.mark_bulk_change(me);
  end if;
  update public.notifications n set status = 'read'
  where n.recipient_id = me and n.status = 'unread'
    and (n.snoozed_until is null or n.snoozed_until <= now())
    and (mark_all_notifications_read.kind is null or n.kind = mark_all_notifications_read.kind)
    and (up_to is null or n.created_at <= up_to);
  get diagnostics changed = row_count;
  return changed;
end
$$;

/**
 * Deletes every notification of a tab (all, unread, archived, snoozed), or those of one kind, in one statement. Snoozed
 * ones are in their own tab only.
 *
 * `up_to`: only those created until then; default: all. Returns how many there were. Error: PT400 tab_invalid.
 */
create or replace function public.delete_notifications(
  tab text, kind text default null, up_to timestamptz default null
)
  returns bigint
  language plpgsql security definer
  set search_path = ''
  set statement_timeout = '60s'
as $$
declare
  me uuid := private.require_assurance();
  statuses text[] := private.statuses_of_tab(tab);
  deleted bigint;
begin
  if (select c.unread + c.read + c.archived > 100 from public.notification_counters c where c.user_id = me) then
    perform private.mark_bulk_change(me);
  end if;
  delete from public.notifications n
  where n.recipient_id = me and n.status = any (statuses)
    and case when tab = 'snoozed' then n.snoozed_until > now()
      else n.snoozed_until is null or n.snoozed_until <= now() end
    and (delete_notifications.kind is null or n.kind = delete_notifications.kind)
    and (up_to is null or n.created_at <= up_to);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

revoke all on all functions in schema private from public;
