-- A search that walks the newest rows looks up the words of each row by its id. As a join, PostgreSQL read all entries of
-- two words from the index and compared each of the newest rows with all of them: it expects few rows to have two words.

/**
 * The caller's notifications that have every word of `query`, newest first. A word matches words that begin with it,
 * and words of the same stem in the caller's language.
 *
 * `tab`: all (not archived), unread, archived or snoozed; snoozed ones are in their own tab only. The next page:
 * `before_created_at` and `before_id` of the last row.
 *
 * The index does not know the order of the rows. So words that two of the newest five rows have are looked for in the
 * newest rows first: the index would read its entries of all rows that have them. Other words are found by the index,
 * unless it has so many entries that reading the newest rows takes less. Error: PT400 tab_invalid.
 */
create or replace function public.search_notifications(
  query text,
  tab text default 'all',
  kind text default null,
  before_created_at timestamptz default null,
  before_id uuid default null,
  page_size integer default 50
)
  returns setof public.notifications
  language plpgsql stable security definer rows 50
  set search_path = ''
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_sort = off
  -- The settings above raise the estimated costs so far that JIT compilation would start, which takes too long.
  set jit = off
as $$
declare
  me uuid := private.require_assurance();
  statuses text[] := private.statuses_of_tab(tab);
  most integer := least(greatest(page_size, 1), 100);
  language text := coalesce(
    (select p.language from public.notification_preferences p where p.user_id = me), 'en'
  );
  asked tsquery := private.search_query(me, query, language);
  conditions text := format(
    'n.recipient_id = %L and %s%s%s',
    me,
    case tab
      when 'all' then 'n.status <> ''archived'' and (n.snoozed_until is null or n.snoozed_until <= now())'
      when 'snoozed' then 'n.snoozed_until > now()'
      else format('n.status = %L and (n.snoozed_until is null or n.snoozed_until <= now())', statuses[1])
    end,
    case when search_notifications.kind is not null then format(' and n.kind = %L', search_notifications.kind) end,
    case when before_created_at is not null then format(
      ' and n.created_at <= %1$L and (n.created_at < %1$L or n.id < %2$L)', before_created_at, before_id
    ) end
  );
  newest_first text := format(
    'select array(
       select n.id from (
         select n.id, n.created_at from public.notifications n where %s order by n.created_at desc, n.id desc limit $2
       ) n
       cross join lateral (
         select w.words from private.notification_words w where w.notification_id = n.id offset 0
       ) w
       where w.words @@ $1 order by n.created_at desc, n.id desc limit $3
     )',
    conditions
  );
  probe_newest text := format(
    'select count(*) as scanned, count(*) filter (where w.words @@ $1) as matching
     from (select n.id from public.notifications n where %s order by n.created_at desc, n.id desc limit $2) n
     cross join lateral (
       select w.words from private.notification_words w where w.notification_id = n.id offset 0
     ) w',
    conditions
  );
  -- Whether the list has no more rows than that.
  is_whole text := format(
    'select not exists (
       select from public.notifications n where %s order by n.created_at desc, n.id desc offset $1
     )',
    conditions
  );
  by_id text := format(
    'select n.* from (
       select n.* from unnest($1) found (id)
       cross join lateral (select * from public.notifications o where o.id = found.id offset 0) n
       where %s offset 0
     ) n order by n.created_at desc, n.id desc limit $2',
    conditions
  );
  probed constant integer := 5;
  few constant integer := 10 * most;
  many constant integer := 200 * most;
  -- With fewer entries the index is faster than reading the newest rows.
  most_entries constant integer := 20 * most;
  newest record;
  found_ids uuid[];
  is_complete boolean;
begin
  if asked is null then
    return;
  end if;
  execute probe_newest into newest using asked, probed;
  if newest.scanned < probed or newest.matching >= 2 then
    execute newest_first into found_ids using asked, few, most;
    is_complete := cardinality(found_ids) = most;
    if not is_complete then
      execute is_whole into is_complete using few;
    end if;
    if is_complete then
      return query execute by_id using found_ids, most;
      return;
    end if;
  end if;
  found_ids := array(select w.notification_id from private.notification_words w where w.words @@ asked limit most_entries);
  if cardinality(found_ids) = most_entries then
    execute newest_first into found_ids using asked, many, most;
    is_complete := cardinality(found_ids) = most;
    if not is_complete then
      execute is_whole into is_complete using many;
    end if;
    if not is_complete then
      found_ids := array(select w.notification_id from private.notification_words w where w.words @@ asked);
    end if;
  end if;
  return query execute by_id using found_ids, most;
end
$$;

revoke all on all functions in schema private from public;
