-- Search of the words in a notification's text, sender and entity. The words have their own table, because realtime
-- and the API would send a column with every row.
--
-- Each word is prefixed with the end of the recipient's id, so that the words of one user are adjacent in the index: a
-- search reads only the rows of its user, and a word prefix is one range of the index.
--
-- Words are kept and looked for without accents: "uber" finds "Über", and "Über" finds "uber".
create extension if not exists unaccent with schema extensions;

create table private.notification_words (
  notification_id uuid primary key,
  words tsvector not null
);
create index notification_words_idx on private.notification_words using gin (words) with (fastupdate = off);
alter table private.notification_words alter column words set statistics 0;

/** The text search configuration of a language tag; `simple` where PostgreSQL has none. */
create function private.text_search_config(language text) returns regconfig
  language plpgsql stable parallel safe
  set search_path = ''
as $$
begin
  return case left(language, 2)
    when 'en' then 'pg_catalog.english'
    when 'de' then 'pg_catalog.german'
    else 'pg_catalog.simple'
  end::regconfig;
end
$$;

/**
 * A text without accents: "Straße" becomes "Strasse". Composed letters come first, because the rules of unaccent for
 * combining marks differ between versions of PostgreSQL.
 */
create function private.without_accents(accented text) returns text
  language plpgsql stable parallel safe
  set search_path = ''
as $$
begin
  return extensions.unaccent('extensions.unaccent', normalize(accented, NFC));
end
$$;

/** The prefix of the words of one recipient. */
create function private.word_prefix(recipient uuid) returns text
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
begin
  return right(recipient::text, 8);
end
$$;

/** The words of a notification, without accents, and their stems in the recipient's language. */
create function private.notification_words(recipient uuid, content text, language text) returns tsvector
  language plpgsql stable parallel safe
  set search_path = ''
as $$
declare
  parsed jsonb := private.parse_json(content);
  prefix text := private.word_prefix(recipient);
  config regconfig := private.text_search_config(language);
  written text := private.without_accents(left(
    case when jsonb_typeof(parsed) = 'object' then concat_ws(
      ' ',
      parsed #>> '{metadata,actor_name}',
      parsed #>> '{data,entity_name}', parsed #>> '{metadata,entity_name}',
      parsed #>> '{data,title}', parsed #>> '{data,subject}',
      parsed #>> '{data,text}', parsed #>> '{data,message}', parsed #>> '{data,body}', parsed #>> '{data,comment}'
    ) else content end,
    20000
  ));
begin
  return coalesce(
    (
      select array_to_tsvector(array_agg(prefix || found.lexeme))
      from (
        select lexeme from unnest(to_tsvector('pg_catalog.simple', written))
        union
        select lexeme from unnest(to_tsvector(config, written))
      ) found
      where length(found.lexeme) <= 100
    ),
    ''
  );
end
$$;

/** After each statement on notifications. */
create function private.keep_words() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_op = 'TRUNCATE' then
    truncate private.notification_words;
  elsif tg_op = 'DELETE' then
    delete from private.notification_words w using old_rows o where w.notification_id = o.id;
  elsif tg_op = 'INSERT' then
    insert into private.notification_words (notification_id, words)
    select n.id, private.notification_words(n.recipient_id, n.content, coalesce(p.language, 'en'))
    from new_rows n left join public.notification_preferences p on p.user_id = n.recipient_id;
  end if;
  return null;
end
$$;

create trigger keep_words_of_inserted after insert on public.notifications
  referencing new table as new_rows for each statement execute function private.keep_words();
create trigger keep_words_of_deleted after delete on public.notifications
  referencing old table as old_rows for each statement execute function private.keep_words();
create trigger keep_words_of_truncated after truncate on public.notifications
  for each statement execute function private.keep_words();

/** A lexeme as the text form of a tsquery quotes it. */
create function private.quoted_lexeme(lexeme text) returns text
  language sql immutable parallel safe
  set search_path = ''
as $$ select '''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''' $$;

/** After a service changed the content of a notification. */
create function private.renew_words() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update private.notification_words w
  set words = private.notification_words(
    new.recipient_id,
    new.content,
    coalesce((select p.language from public.notification_preferences p where p.user_id = new.recipient_id), 'en')
  )
  where w.notification_id = new.id;
  return null;
end
$$;

create trigger renew_words after update of content, sender_id on public.notifications
  for each row when (old.content is distinct from new.content) execute function private.renew_words();

/** Every word of the query, as the beginning of a word or as a stem; null without words. */
create function private.search_query(recipient uuid, query text, language text) returns tsquery
  language sql stable
  set search_path = ''
as $$
  select string_agg(
      '(' || private.quoted_lexeme(private.word_prefix(recipient) || asked.word) || ':*'
        || coalesce(
          (
            select string_agg(' | ' || private.quoted_lexeme(private.word_prefix(recipient) || stem), '')
            from unnest(tsvector_to_array(to_tsvector(private.text_search_config(language), asked.word))) stem
            where stem <> asked.word
          ),
          ''
        ) || ')',
      ' & '
    )::tsquery
  from (
    select word from unnest(tsvector_to_array(to_tsvector('pg_catalog.simple', private.without_accents(left(query, 200))))) word limit 10
  ) asked
$$;

/**
 * The caller's notifications that have every word of `query`, newest first. A word matches words that begin with it,
 * and words of the same stem in the caller's language. Neither case nor accents matter.
 *
 * `tab`: all (not archived), unread, archived or snoozed; snoozed ones are in their own tab only. `sender`, `thread` and
 * `needs_user` narrow the list by the columns of these names. The next page: `before_created_at` and `before_id` of the last row.
 *
 * The index does not know the order of the rows. So words that two of the newest five rows have are looked for in the
 * newest rows first: the index would read its entries of all rows that have them. Other words are found by the index,
 * unless it has so many entries that reading the newest rows takes less. The words of each of the newest rows are looked up
 * by its id: as a join, PostgreSQL reads all entries of two words and compares each of those rows with all of them. Error:
 * PT400 tab_invalid.
 */
create function public.search_notifications(
  query text,
  tab text default 'all',
  kind text default null,
  before_created_at timestamptz default null,
  before_id uuid default null,
  page_size integer default 50,
  sender uuid default null,
  thread text default null,
  needs_user boolean default false
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
    'n.recipient_id = %L and %s%s%s%s%s%s',
    me,
    case tab
      when 'all' then 'n.status <> ''archived'' and (n.snoozed_until is null or n.snoozed_until <= now())'
      when 'snoozed' then 'n.snoozed_until > now()'
      else format('n.status = %L and (n.snoozed_until is null or n.snoozed_until <= now())', statuses[1])
    end,
    case when search_notifications.kind is not null then format(' and n.kind = %L', search_notifications.kind) end,
    case when sender is not null then format(' and n.sender_id = %L', sender) end,
    case when search_notifications.thread is not null then format(' and n.thread = %L', search_notifications.thread) end,
    case when search_notifications.needs_user then ' and n.needs_user' end,
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

revoke all on function public.search_notifications(text, text, text, timestamptz, uuid, integer, uuid, text, boolean) from public, anon;
grant execute on function public.search_notifications(text, text, text, timestamptz, uuid, integer, uuid, text, boolean)
  to authenticated, service_role;

revoke all on all functions in schema private from public;
