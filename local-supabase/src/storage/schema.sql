-- The tables of the storage service, with the names of a hosted project. The bytes are in the object store; policies
-- on these tables control access.
create schema if not exists storage;

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
  add column if not exists lifecycle jsonb;
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
  as $$ select regexp_replace(name, '^.*/', '') $$;

create or replace function storage.extension(name text) returns text
  language sql immutable
  as $$ select substring(name from '\.([^./]+)$') $$;

grant usage on schema storage to anon, authenticated, service_role;
grant all on storage.buckets, storage.objects to anon, authenticated, service_role;
grant execute on all functions in schema storage to anon, authenticated, service_role;
