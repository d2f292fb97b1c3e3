-- Search of the words in a notification's text, sender and entity. The words have their own table, because realtime
-- and the API would send a column with every row.
--
-- Each word is prefixed with the end of the recipient's id, so that the words of one user are adjacent in the index: a
-- search reads only the rows of its user, and a word prefix is one range of the index.
--
-- Words are kept and looked for without accents: "uber" finds "Über", and "Über" finds "uber".
--
-- Chinese, Japanese and Korean words are found inside a text. The parser of PostgreSQL takes a run of these letters for one word,
-- because they are written without spaces. A run is stored as the parts of four letters that begin at each of its letters:
-- "春季计划表" as 春季计划, 季计划表, 计划表, 划表 and 表. A search for up to four letters is a prefix of such a part, so one range of
-- the index as for other words. A longer run is looked for by all its parts of four letters.
create extension if not exists unaccent with schema extensions;

create table private.notification_words (
  notification_id uuid primary key,
  words tsvector not null
);
create index notification_words_idx on private.notification_words using gin (words) with (fastupdate = off);
alter table private.notification_words alter column words set statistics 0;

-- The deletion of an account leaves the words of its sent notifications to the delivery job: writing them again took two
-- thirds of the deletion, and after thousands of notifications the request timed out.
create table private.forgotten_words (
  notification_id uuid primary key
);

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

create function private.word_prefix(recipient uuid) returns text
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
begin
  return right(recipient::text, 8);
end
$$;

/**
 * The pattern of a run of letters of scripts that are written without spaces: Han, Hiragana, Katakana, Bopomofo and Hangul.
 * Korean has spaces, but compounds and particles follow without.
 */
create function private.unspaced_run() returns text
  language sql immutable parallel safe
  set search_path = ''
as $$
  select '[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3031-\u3035\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u318f\u31a0-\u31ff'
    || '\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]+'
$$;

/** The parts of up to four letters that begin at each letter of the runs that are written without spaces. */
create function private.unspaced_parts(written text) returns setof text
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
begin
  -- Not substr(), which reads a text of several bytes a letter from its beginning each time.
  return query
    select distinct concat(letter, lead(letter) over of_run, lead(letter, 2) over of_run, lead(letter, 3) over of_run)
    from regexp_matches(written, private.unspaced_run(), 'g') with ordinality run (letters, run_number),
      unnest(string_to_array(run.letters[1], null)) with ordinality letters (letter, place)
    window of_run as (partition by run_number order by place);
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
  written text := left(
    case when jsonb_typeof(parsed) = 'object' then concat_ws(
      ' ',
      parsed #>> '{metadata,actor_name}',
      parsed #>> '{data,entity_name}', parsed #>> '{metadata,entity_name}',
      parsed #>> '{data,title}', parsed #>> '{data,subject}',
      parsed #>> '{data,text}', parsed #>> '{data,message}', parsed #>> '{data,body}', parsed #>> '{data,comment}'
    ) else content end,
    20000
  );
  parts text[];
begin
  -- ASCII has neither accents nor such runs.
  if octet_length(written) > length(written) then
    written := private.without_accents(written);
    parts := array(select private.unspaced_parts(written));
    written := regexp_replace(written, private.unspaced_run(), ' ', 'g');
  end if;
  return coalesce(
    (
      select array_to_tsvector(array_agg(prefix || found.lexeme))
      from unnest(
        tsvector_to_array(to_tsvector('pg_catalog.simple', written) || to_tsvector(config, written)) || parts
      ) found (lexeme)
      where length(found.lexeme) <= 100
    ),
    ''
  );
end
$$;

/** Runs after each statement on notifications. */
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

/**
 * Wakes a scheduler that listens, after the commit. pg_cron does not listen, and a NOTIFY takes a lock of the whole cluster until the
 * commit is on disk, so that senders would wait for each other.
 */
create function private.wake_delivery() returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if to_regclass('cron.job') is null then
    perform pg_notify('outgoing_notifications', '');
  end if;
end
$$;

/** Runs after a service changed the content of a notification, or the account of its sender was deleted. */
create function private.renew_words() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if old.sender_id is not null and new.sender_id is null then
    insert into private.forgotten_words (notification_id) values (new.id) on conflict do nothing;
    perform private.wake_delivery();
    return null;
  end if;
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

/** Writes the words of notifications without the names of their deleted senders. Returns whether there were any. */
create function private.renew_forgotten_words(batch_size integer) returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
declare
  ids uuid[];
begin
  with taken as (
    delete from private.forgotten_words f
    where f.notification_id in (
      select o.notification_id from private.forgotten_words o limit batch_size for update skip locked
    )
    returning f.notification_id
  )
  select array_agg(t.notification_id) into ids from taken t;
  update private.notification_words w
  set words = private.notification_words(n.recipient_id, n.content, coalesce(p.language, 'en'))
  from public.notifications n left join public.notification_preferences p on p.user_id = n.recipient_id
  where n.id = any (ids) and w.notification_id = n.id;
  return ids is not null;
exception when others then
  -- The jobs that deliver call this: a row that cannot be renewed must not stop them.
  raise warning 'The words of deleted senders are not renewed: %', sqlerrm;
  return false;
end
$$;

/**
 * Every word of the query, as the beginning of a word or as a stem, and every run that is written without spaces; null without
 * words.
 */
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
  from private.without_accents(left(query, 200)) written,
    lateral (
      (
        select word
        from unnest(tsvector_to_array(to_tsvector('pg_catalog.simple', regexp_replace(written, private.unspaced_run(), ' ', 'g')))) word
        limit 10
      )
      union all
      (
        -- The parts at the end of a run are shorter, and their letters are in the parts before.
        select distinct substr(run.letters[1], place, 4)
        from regexp_matches(written, private.unspaced_run(), 'g') run (letters),
          generate_series(1, greatest(length(run.letters[1]) - 3, 1)) place
        limit 10
      )
    ) asked (word)
$$;

/**
 * The caller's notifications that have every word of `query`, newest first. A word matches words that begin with it,
 * and words of the same stem in the caller's language. Neither case nor accents matter.
 *
 * `tab`: all (not archived), unread, archived or snoozed; snoozed ones are in their own tab only. `sender`, `thread` and
 * `needs_user` narrow the list by the columns of these names. The next page: `before_created_at` and `before_id` of the last row.
 *
 * The index does not know the order of the rows. So words that two of the newest five rows have are looked for in the newest
 * rows first: the index would read its entries of all rows that have them. Other words are found by the index, unless reading
 * the newest rows takes less than reading its entries. The words of each of the newest rows are looked up by its id: as a
 * join, PostgreSQL reads all entries of two words and compares each of those rows with all of them. Error: PT400 tab_invalid.
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
  -- Whether the list has at most `$1` rows.
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

revoke all on all functions in schema private from public;
