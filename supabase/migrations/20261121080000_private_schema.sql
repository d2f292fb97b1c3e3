-- Functions that only triggers and other functions call. The data service does not expose the schema, and no role of
-- the API has USAGE on it. Functions that run for each row are in PL/pgSQL, which caches their plans: SQL functions
-- are planned again for each row that fires a trigger.
create schema if not exists private;
revoke all on schema private from public;

/** The document, or null where the text is not JSON. */
create function private.parse_json(document text) returns jsonb
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
begin
  return document::jsonb;
exception when others then
  return null;
end
$$;

/**
 * Text from a user, for one field: without control characters and without the characters that reverse the reading
 * direction, trimmed, and cut to `max_length`. Null where nothing remains.
 */
create function private.bounded_text(input text, max_length integer) returns text
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
begin
  return nullif(
    left(
      trim(regexp_replace(input, '[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]', '', 'g')),
      max_length
    ),
    ''
  );
end
$$;

/**
 * The public name of a user: the name in the profile, else the part of the address before the @. Bounded, because it is
 * part of every notification that the user sends.
 */
create function private.display_name(user_id uuid) returns text
  language sql stable security definer
  set search_path = ''
as $$
  select coalesce(
    private.bounded_text(u.raw_user_meta_data ->> 'name', 100),
    private.bounded_text(u.raw_user_meta_data ->> 'full_name', 100),
    private.bounded_text(split_part(u.email, '@', 1), 100),
    'Someone'
  )
  from auth.users u
  where u.id = display_name.user_id
$$;

/**
 * Stamps the version of a row. It grows with every update, even when the clock does not: updates of one row are
 * serialized by the row's lock, so the later one always sees the earlier version.
 */
create function private.stamp_updated_at() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  return new;
end
$$;

/**
 * Keeps no statistics of a table's columns. The planner's estimates are public (`Prefer: count=planned`); without
 * statistics they do not depend on what other users received, sent, read or chose.
 */
create function private.hide_statistics(target regclass) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  execute format(
    'alter table %s %s',
    target,
    (
      select string_agg(format('alter column %I set statistics 0', a.attname), ', ')
      from pg_catalog.pg_attribute a
      where a.attrelid = target and a.attnum > 0 and not a.attisdropped
    )
  );
end
$$;

revoke all on all functions in schema private from public;
