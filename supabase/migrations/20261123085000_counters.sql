-- The notification counts of each user. Every statement updates the user's row in its own transaction: the row's lock
-- serializes the writers, so the counts are exact at every commit.
create table public.notification_counters (
  user_id uuid primary key references auth.users (id) on delete cascade,
  unread bigint not null default 0,
  read bigint not null default 0,
  archived bigint not null default 0,
  -- {kind: number}, without zeros.
  unread_by_kind jsonb not null default '{}'
) with (fillfactor = 70);

alter table public.notification_counters enable row level security;
revoke all on public.notification_counters from anon, authenticated;
grant select on public.notification_counters to authenticated;
grant all on public.notification_counters to service_role;
select private.require_assurance_on('public.notification_counters');
select private.hide_statistics('public.notification_counters');
create policy "Users read their own counters" on public.notification_counters
  for select to authenticated using (user_id = (select auth.uid()));

/** `a + sign * b`, key by key, without zeros. */
create function private.add_numbers(a jsonb, b jsonb, sign integer default 1) returns jsonb
  language sql immutable parallel safe
  set search_path = ''
as $$
  select coalesce(jsonb_object_agg(key, total) filter (where total <> 0), '{}')
  from (
    select key, sum(number) as total
    from (
      select key, value::bigint as number from jsonb_each_text(a)
      union all
      select key, sign * value::bigint from jsonb_each_text(b)
    ) numbers
    group by key
  ) totals
$$;

/**
 * Adds to the counters of users, in the order of their ids, so that two statements never wait for each other.
 *
 * `changes` is a list of {recipient_id, status, kind, number}.
 */
create function private.add_to_counters(changes jsonb) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  delta record;
begin
  for delta in
    select
      c.recipient_id,
      coalesce(sum(c.number) filter (where c.status = 'unread'), 0) as unread,
      coalesce(sum(c.number) filter (where c.status = 'read'), 0) as read,
      coalesce(sum(c.number) filter (where c.status = 'archived'), 0) as archived,
      coalesce(jsonb_object_agg(c.kind, c.number) filter (where c.status = 'unread'), '{}') as unread_by_kind
    from jsonb_to_recordset(changes) as c (recipient_id uuid, status text, kind text, number bigint)
    group by c.recipient_id
    order by c.recipient_id
  loop
    insert into public.notification_counters as c (user_id, unread, read, archived, unread_by_kind)
    select delta.recipient_id, delta.unread, delta.read, delta.archived, delta.unread_by_kind
    -- Do not create counters for a deleted account: its notifications are deleted after its counters.
    where exists (select from auth.users u where u.id = delta.recipient_id)
    on conflict (user_id) do update set
      unread = c.unread + excluded.unread,
      read = c.read + excluded.read,
      archived = c.archived + excluded.archived,
      unread_by_kind = private.add_numbers(c.unread_by_kind, excluded.unread_by_kind);
  end loop;
end
$$;

/** Runs after each statement on notifications. */
create function private.count_changes() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  changes jsonb;
begin
  if tg_op = 'INSERT' then
    select jsonb_agg(to_jsonb(g)) into changes
    from (
      select recipient_id, status, kind, count(*) as number from new_rows group by recipient_id, status, kind
    ) g;
  elsif tg_op = 'DELETE' then
    select jsonb_agg(to_jsonb(g)) into changes
    from (
      select recipient_id, status, kind, -count(*) as number from old_rows group by recipient_id, status, kind
    ) g;
  else
    select jsonb_agg(to_jsonb(g)) into changes
    from (
      select recipient_id, status, kind, sum(sign) as number
      from (
        select recipient_id, status, kind, 1 as sign from new_rows
        union all
        select recipient_id, status, kind, -1 from old_rows
      ) both_rows
      group by recipient_id, status, kind
      having sum(sign) <> 0
    ) g;
  end if;
  if changes is not null then
    perform private.add_to_counters(changes);
  end if;
  return null;
end
$$;

-- The counters are locked last, for as short as possible, and always after the other rows of a user: triggers fire in
-- the order of their names.
create trigger update_counters_of_inserted after insert on public.notifications
  referencing new table as new_rows for each statement execute function private.count_changes();
create trigger update_counters_of_updated after update on public.notifications
  referencing old table as old_rows new table as new_rows for each statement execute function private.count_changes();
create trigger update_counters_of_deleted after delete on public.notifications
  referencing old table as old_rows for each statement execute function private.count_changes();

/** Deletes all counters after TRUNCATE, which provides no rows to subtract. */
create function private.reset_counters() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  delete from public.notification_counters;
  return null;
end
$$;

create trigger reset_counters after truncate on public.notifications
  for each statement execute function private.reset_counters();

/**
 * Counts the notifications of a user again. Writers wait for the counters' row, and those that committed before are
 * visible to the second statement, so that no change is lost.
 *
 * Returns whether the counters were wrong.
 */
create function private.repair_counters(repaired_user uuid) returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
declare
  kept public.notification_counters;
  counted record;
begin
  insert into public.notification_counters (user_id) values (repaired_user) on conflict do nothing;
  select * into kept from public.notification_counters c where c.user_id = repaired_user for update;
  select
    coalesce(sum(g.number) filter (where g.status = 'unread'), 0) as unread,
    coalesce(sum(g.number) filter (where g.status = 'read'), 0) as read,
    coalesce(sum(g.number) filter (where g.status = 'archived'), 0) as archived,
    coalesce(jsonb_object_agg(g.kind, g.number) filter (where g.status = 'unread'), '{}') as unread_by_kind
  into counted
  from (
    select n.status, n.kind, count(*) as number
    from public.notifications n where n.recipient_id = repaired_user
    group by n.status, n.kind
  ) g;
  update public.notification_counters c
  set unread = counted.unread, read = counted.read, archived = counted.archived, unread_by_kind = counted.unread_by_kind
  where c.user_id = repaired_user
    and (c.unread, c.read, c.archived, c.unread_by_kind)
      is distinct from (counted.unread, counted.read, counted.archived, counted.unread_by_kind);
  return found;
end
$$;

/**
 * All counts of the inbox, in one row. Snoozed notifications are in no other list, so they are subtracted from the
 * counters; a partial index finds them.
 */
create function public.notification_counts()
  returns table (inbox bigint, unread bigint, archived bigint, snoozed bigint, unread_by_kind jsonb)
  language sql stable security invoker rows 1
  set search_path = ''
begin atomic
  with snoozed as materialized (
    select n.status, n.kind
    from public.notifications n
    where n.recipient_id = (select auth.uid()) and n.snoozed_until > now()
  ),
  hidden as (
    select
      count(*) filter (where s.status <> 'archived') as inbox,
      count(*) filter (where s.status = 'unread') as unread,
      count(*) filter (where s.status = 'archived') as archived
    from snoozed s
  ),
  hidden_kinds as (
    select jsonb_object_agg(k.kind, k.number) as numbers
    from (select s.kind, count(*) as number from snoozed s where s.status = 'unread' group by s.kind) k
  )
  select
    coalesce(c.unread + c.read, 0) - h.inbox,
    coalesce(c.unread, 0) - h.unread,
    coalesce(c.archived, 0) - h.archived,
    h.inbox + h.archived,
    case when k.numbers is null then coalesce(c.unread_by_kind, '{}')
      else private.add_numbers(c.unread_by_kind, k.numbers, -1) end
  from hidden h
  cross join hidden_kinds k
  left join public.notification_counters c on c.user_id = (select auth.uid());
end;
grant execute on function private.add_numbers(jsonb, jsonb, integer) to authenticated, service_role;
revoke all on function public.notification_counts() from public, anon;
grant execute on function public.notification_counts() to authenticated, service_role;

revoke all on all functions in schema private from public;
