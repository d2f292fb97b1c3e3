-- Functions that only triggers and other functions call. The schema is not exposed by the data service, and no role of
-- the API may use it.
create schema if not exists private;
revoke all on schema private from public;

/** The document, or null where the text is none. */
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
 * How a user is named to others: by the name they chose, else by the part of their address before the @. Cut, because
 * it goes into every notification of theirs, and those have a size.
 */
create function private.display_name(user_id uuid) returns text
  language sql stable security definer
  set search_path = ''
as $$
  select left(
    coalesce(
      nullif(trim(u.raw_user_meta_data ->> 'name'), ''),
      nullif(trim(u.raw_user_meta_data ->> 'full_name'), ''),
      nullif(split_part(u.email, '@', 1), ''),
      'Someone'
    ),
    100
  )
  from auth.users u
  where u.id = display_name.user_id
$$;

/**
 * Stamps the version of a row. It grows with every update of the row, also where the clock does not: updates of one
 * row wait for each other, so the later always sees the earlier's.
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

revoke all on all functions in schema private from public;
