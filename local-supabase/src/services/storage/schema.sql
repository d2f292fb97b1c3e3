-- The tables of the storage service, with the names of a hosted project. The bytes are in the object store; policies
-- on these tables control access.
create schema if not exists storage;

do $$ begin
  create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
exception when duplicate_object then null;
end $$;

create table if not exists storage.buckets (
  id text primary key,
  name text not null unique,
  owner uuid,
  owner_id text,
  public boolean not null default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table if not exists storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text not null references storage.buckets (id),
  name text not null,
  owner uuid,
  owner_id text,
  metadata jsonb,
  user_metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_accessed_at timestamptz not null default now()
);

-- Object versions, one per row: the current version of a path has no `archived_at`. In a bucket with versioning, a
-- deleted path has a delete marker.
alter table storage.buckets
  add column if not exists versioning_status text not null default 'DISABLED'
    check (versioning_status in ('DISABLED', 'ENABLED', 'SUSPENDED')),
  add column if not exists avif_autodetection boolean default false,
  add column if not exists type storage.buckettype not null default 'STANDARD',
  add column if not exists lifecycle_configuration jsonb
    constraint buckets_lifecycle_configuration_shape_check
      check (jsonb_array_length(lifecycle_configuration -> 'rules') between 1 and 1000)
    constraint buckets_lifecycle_configuration_standard_only_check check (type = 'STANDARD' or lifecycle_configuration is null),
  add column if not exists lifecycle_configuration_generation uuid
    constraint buckets_lifecycle_configuration_pair_check
      check ((lifecycle_configuration is null) = (lifecycle_configuration_generation is null));
do $$ begin
  -- The column of earlier versions.
  if exists (select from pg_attribute where attrelid = 'storage.buckets'::regclass and attname = 'lifecycle') then
    update storage.buckets set lifecycle_configuration = jsonb_build_object('rules', lifecycle),
      lifecycle_configuration_generation = gen_random_uuid() where lifecycle is not null;
    alter table storage.buckets drop column lifecycle;
  end if;
end $$;
-- The insert names the role that may set the columns; an update is checked against it after the policies of the caller.
create or replace function storage.protect_bucket_control_columns() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if tg_op = 'INSERT' then
    if (new.lifecycle_configuration is not null or new.lifecycle_configuration_generation is not null)
      and not pg_has_role(current_user, tg_argv[0], 'MEMBER') then
      raise exception 'only members of the configured storage service role may insert lifecycle policy state'
        using errcode = '42501', hint = format('Insert with both lifecycle columns NULL and configure lifecycle '
          'through the Storage API afterward, or insert as a member of %I.', tg_argv[0]);
    end if;
    return new;
  end if;
  if (old.lifecycle_configuration, old.lifecycle_configuration_generation)
    is not distinct from (new.lifecycle_configuration, new.lifecycle_configuration_generation) then
    return new;
  end if;
  if new.type is distinct from 'STANDARD' then
    raise exception 'bucket versioning and lifecycle controls require a Standard bucket' using errcode = '0A000';
  elsif num_nulls(new.lifecycle_configuration, new.lifecycle_configuration_generation) <> 2 and (
    num_nulls(new.lifecycle_configuration, new.lifecycle_configuration_generation) = 1
    or old.lifecycle_configuration is not distinct from new.lifecycle_configuration
    or old.lifecycle_configuration_generation is not distinct from new.lifecycle_configuration_generation) then
    raise exception 'a changed lifecycle policy requires a new non-null generation' using errcode = '22023';
  end if;
  return new;
end $$;
create or replace function storage.enforce_bucket_lifecycle_service_role() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if current_user <> tg_argv[0] and (old.lifecycle_configuration, old.lifecycle_configuration_generation)
    is distinct from (new.lifecycle_configuration, new.lifecycle_configuration_generation) then
    raise exception 'bucket control columns may only be changed by the configured storage service role'
      using errcode = 'PST01', schema = tg_table_schema, table = tg_table_name, constraint = tg_name;
  end if;
  return null;
end $$;
create or replace trigger protect_bucket_control_insert before insert on storage.buckets
  for each row execute function storage.protect_bucket_control_columns('service_role');
create or replace trigger protect_bucket_control_update
  before update of lifecycle_configuration, lifecycle_configuration_generation on storage.buckets
  for each row execute function storage.protect_bucket_control_columns();
create or replace trigger protect_bucket_control_update_role
  after update of lifecycle_configuration, lifecycle_configuration_generation on storage.buckets
  for each row execute function storage.enforce_bucket_lifecycle_service_role('service_role');
alter table storage.objects
  add column if not exists archived_at timestamptz,
  add column if not exists is_delete_marker boolean not null default false,
  add column if not exists is_versioned boolean not null default false;
alter table storage.objects drop constraint if exists objects_bucket_id_name_key;
create unique index if not exists bucketid_objname on storage.objects (bucket_id, name) where archived_at is null;

-- Resumable uploads. Their parts are in the object store; no role but the service's own sees them.
create table if not exists storage.resumable_uploads (
  id text primary key,
  -- Null until a part declares it.
  size_bytes bigint,
  offset_bytes bigint not null default 0,
  part_offsets bigint[] not null default '{}',
  -- Unlike jsonb, json keeps the order of the header's pairs.
  metadata json not null,
  created_at timestamptz not null
);
alter table storage.resumable_uploads alter column size_bytes drop not null,
  alter column metadata type json using metadata::json;
alter table storage.resumable_uploads enable row level security;

alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;

create or replace function storage.foldername(name text) returns text[]
  language sql immutable
  as $$ select (string_to_array(name, '/'))[1:array_length(string_to_array(name, '/'), 1) - 1] $$;

create or replace function storage.filename(name text) returns text
  language sql immutable
  as $$ select (string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)] $$;

-- A name without a dot is its own extension, as in the storage service.
create or replace function storage.extension(name text) returns text
  language sql immutable
  as $$ select reverse(split_part(reverse(storage.filename(name)), '.', 1)) $$;

-- What policies and triggers read of the request; null outside of one.
create or replace function storage.operation() returns text
  language sql stable
  as $$ select current_setting('storage.operation', true) $$;

-- The names of operations are compared without their prefix `storage.`.
create or replace function storage.allow_any_operation(expected_operations text[]) returns boolean
  language sql stable
  as $$
    select exists (
      select from unnest(expected_operations) as expected
      where expected <> ''
        and regexp_replace(expected, '^storage\.', '') = regexp_replace(storage.operation(), '^storage\.', '')
    )
  $$;

create or replace function storage.allow_only_operation(expected_operation text) returns boolean
  language sql stable
  as $$ select storage.allow_any_operation(array[expected_operation]) $$;

create or replace function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
  language sql stable
  as $$
    select sum((o.metadata ->> 'size')::bigint)::bigint, o.bucket_id from storage.objects o group by o.bucket_id
  $$;

-- Whether the caller's policies allow the row: always fails, with PT200 if they do, so that no row stays.
create or replace function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) returns void
  language plpgsql
  as $$
  begin
    insert into storage.objects (bucket_id, name, owner, metadata) values (bucketid, name, owner, metadata);
    raise sqlstate 'PT200' using message = 'ROLLBACK', detail = 'rollback successful insert';
  end
  $$;

create or replace function storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text) returns text
  language sql immutable
  as $$
    select left(p_key, length(p_prefix) + nullif(position(p_delimiter in substring(p_key from length(p_prefix) + 1)), 0))
  $$;

-- The files and folders of a folder. Names are compared without case.
create or replace function storage.search(
  prefix text, bucketname text, limits int default 100, levels int default 1, offsets int default 0,
  search text default '', sortcolumn text default 'name', sortorder text default 'asc'
) returns table (name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb)
  language plpgsql stable
  as $$
  #variable_conflict use_column
  declare
    wanted constant text := coalesce(prefix, '') || coalesce(search, '');
    direction constant text := case when lower(coalesce(sortorder, 'asc')) = 'asc' then 'asc' else 'desc' end;
    chosen constant text := lower(coalesce(sortcolumn, 'name'));
    by_time constant boolean := chosen in ('updated_at', 'created_at', 'last_accessed_at');
  begin
    return query execute format(
      $query$
        with found as (
          select o.*, storage.get_common_prefix(%s, $1, '/') as folder
          from storage.objects o
          where o.bucket_id = $2 and starts_with(lower(o.name), lower($1))
        ), entries as (
          select distinct on (folder) rtrim(left(f.name, length(folder)), '/') as name, null::uuid as id,
            null::timestamptz as updated_at, null::timestamptz as created_at, null::timestamptz as last_accessed_at,
            null::jsonb as metadata, folder as position, false as is_file
          from found f where folder is not null
          union all
          select f.name, f.id, f.updated_at, f.created_at, f.last_accessed_at, f.metadata, lower(f.name), true
          from found f where folder is null
        )
        select substring(name from $3), id, updated_at, created_at, last_accessed_at, metadata
        from entries order by %s limit least(coalesce($4, 100), 1500) offset $5
      $query$,
      -- As in the storage service, only the order by name puts folders together that differ in case.
      case when by_time then 'o.name' else 'lower(o.name)' end,
      case when by_time
        then format('is_file, case when is_file then %I end %s, position collate "C" %2$s', chosen, direction)
        else format('position collate "C" %s', direction)
      end)
    using wanted, bucketname, length(coalesce(prefix, '')) + 1, limits, offsets;
  end
  $$;

-- Deleting a row would leave the bytes without an owner; the service sets the setting in its transactions.
create or replace function storage.protect_delete() returns trigger
  language plpgsql
  as $$
  begin
    if coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
      raise insufficient_privilege using
        message = 'Direct deletion from storage tables is not allowed. Use the Storage API instead.',
        hint = 'This prevents accidental data loss from orphaned objects.';
    end if;
    return null;
  end
  $$;
create or replace trigger protect_objects_delete before delete on storage.objects
  for each statement execute function storage.protect_delete();
create or replace trigger protect_buckets_delete before delete on storage.buckets
  for each statement execute function storage.protect_delete();

create or replace function storage.enforce_bucket_name_length() returns trigger
  language plpgsql
  as $$
  begin
    if length(new.name) > 100 then
      raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, length(new.name);
    end if;
    return new;
  end
  $$;
create or replace trigger enforce_bucket_name_length_trigger before insert or update of name on storage.buckets
  for each row execute function storage.enforce_bucket_name_length();

create or replace function storage.update_updated_at_column() returns trigger
  language plpgsql
  as $$
  begin
    new.updated_at = now();
    return new;
  end
  $$;
create or replace trigger update_objects_updated_at before update on storage.objects
  for each row execute function storage.update_updated_at_column();

grant usage on schema storage to anon, authenticated, service_role;
grant all on storage.buckets, storage.objects to anon, authenticated, service_role;
