-- A filter offers the senders and threads of more notifications than a client has loaded.

/**
 * One of the caller's notifications for each of the 100 senders and each of the 100 threads that were notified about last: the
 * newest, which has the name. They come from the newest 2,000 notifications that are archived, and as many that are not.
 *
 * The planner does not know how many notifications a user has, because the statistics are hidden, and would sort all of them.
 */
create function public.recent_senders_and_threads() returns setof public.notifications
  language sql stable rows 100
  set search_path = ''
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_sort = off
  set jit = off
as $$
  with recent as materialized (
    (
      select n.id, n.sender_id, n.thread, n.created_at from public.notifications n
      where n.recipient_id = (select auth.uid()) and n.status <> 'archived'
      order by n.created_at desc, n.id desc limit 2000
    )
    union all
    (
      select n.id, n.sender_id, n.thread, n.created_at from public.notifications n
      where n.recipient_id = (select auth.uid()) and n.status = 'archived'
      order by n.created_at desc, n.id desc limit 2000
    )
  ), chosen as (
    (
      select (array_agg(r.id order by r.created_at desc))[1] as id from recent r
      where r.sender_id is not null group by r.sender_id order by max(r.created_at) desc limit 100
    )
    union
    (
      select (array_agg(r.id order by r.created_at desc))[1] from recent r
      where r.thread is not null group by r.thread order by max(r.created_at) desc limit 100
    )
  )
  select n.* from chosen c join public.notifications n on n.id = c.id order by n.created_at desc, n.id desc
$$;

revoke all on function public.recent_senders_and_threads() from public, anon;
grant execute on function public.recent_senders_and_threads() to authenticated, service_role;
