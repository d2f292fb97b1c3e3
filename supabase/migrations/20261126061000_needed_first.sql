-- What needs the user stands above the rest from the first answer on, however much came later.

/**
 * The changes since a time, in one response:
 * {as_of, reset, changed: [row, ...], deleted: [id, ...], snoozed: [row, ...],
 * needed: [row, ...], counts, kinds: [row, ...]}.
 *
 * `as_of` is the `since` of the next call. `reset`: changes are missing from the answer (more than `page_size` rows, a
 * bulk change, or a time more than a day ago), so the lists must be read again. Changes of the 30 seconds before
 * `since` are repeated, because a transaction commits after it has stamped its rows.
 *
 * `snoozed`, with a reset only: the next 100 notifications to return, and the last 100 that returned within a week. The
 * lists are ordered by creation, so that a client cannot find them there.
 *
 * `needed`, with a reset only: of the newest ten unread notifications that need the user those that are older than the first
 * page of 30, newest first: a client shows them above the rest.
 *
 * `kinds`: those of public.notification_kinds, with a reset and after one of them was registered; else null.
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
  needed jsonb := '[]';
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
    select coalesce(jsonb_agg(to_jsonb(o) order by o.created_at desc, o.id desc), '[]') into needed
    from (
      select * from public.notifications n
      where n.recipient_id = me and n.status = 'unread' and n.needs_user
        and (n.snoozed_until is null or n.snoozed_until <= as_of)
      order by n.created_at desc, n.id desc limit 10
    ) o
    where (o.created_at, o.id) < (
      select n.created_at, n.id from public.notifications n
      where n.recipient_id = me and n.status <> 'archived' and (n.snoozed_until is null or n.snoozed_until <= as_of)
      order by n.created_at desc, n.id desc offset 29 limit 1
    );
  end if;
  return jsonb_build_object(
    'as_of', as_of,
    'reset', is_reset,
    'changed', changed,
    'deleted', deleted,
    'snoozed', snoozed,
    'needed', needed,
    'counts', (select to_jsonb(c) from public.notification_counts() c),
    'kinds', case
      when is_reset or exists (select from public.notification_kinds k where k.updated_at > earliest)
        then (select coalesce(jsonb_agg(to_jsonb(k) order by k.name), '[]') from public.notification_kinds k)
    end
  );
end
$$;

revoke all on function public.notification_changes(timestamptz, integer) from public, anon;
grant execute on function public.notification_changes(timestamptz, integer) to authenticated, service_role;
