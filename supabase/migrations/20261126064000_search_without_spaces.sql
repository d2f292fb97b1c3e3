-- Chinese, Japanese and Korean words are found inside a text. The parser of PostgreSQL takes a run of these letters for one word,
-- because they are written without spaces, so that a search found the beginning of the run only.
--
-- A run is stored as the parts of four letters that begin at each of its letters: "春季计划表" as 春季计划, 季计划表, 计划表, 划表 and 表.
-- A search for up to four letters is a prefix of such a part, so one range of the index as for other words. A longer run is looked
-- for by all its parts of four letters.

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
create or replace function private.notification_words(recipient uuid, content text, language text) returns tsvector
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

/**
 * Every word of the query, as the beginning of a word or as a stem, and every run that is written without spaces; null without
 * words.
 */
create or replace function private.search_query(recipient uuid, query text, language text) returns tsquery
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

-- Content of services may have its letters escaped.
update private.notification_words w
set words = private.notification_words(n.recipient_id, n.content, coalesce(p.language, 'en'))
from public.notifications n left join public.notification_preferences p on p.user_id = n.recipient_id
where n.id = w.notification_id and n.content ~ (private.unspaced_run() || '|\\u[0-9a-fA-F]{4}');

revoke all on all functions in schema private from public;
