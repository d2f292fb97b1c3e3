-- The objects that every Supabase project has before its first migration: the roles of the services, their schemas, the
-- functions that policies use, the publication that realtime reads. Idempotent.

do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      ('anon', 'nologin'),
      ('authenticated', 'nologin'),
      ('service_role', 'nologin bypassrls'),
      ('authenticator', 'login noinherit'),
      ('postgres', 'login createdb createrole replication bypassrls'),
      ('supabase_admin', 'login superuser createdb createrole replication bypassrls'),
      ('supabase_auth_admin', 'login noinherit'),
      ('supabase_storage_admin', 'login noinherit createrole'),
      ('supabase_realtime_admin', 'login noinherit createrole replication'),
      ('supabase_read_only_user', 'login bypassrls'),
      ('supabase_replication_admin', 'login replication'),
      ('dashboard_user', 'nologin createdb createrole replication')
    ) as role (name, options)
  loop
    if not exists (select from pg_roles where rolname = wanted.name) then
      execute format('create role %I %s', wanted.name, wanted.options);
    end if;
  end loop;
  execute format('alter database %I owner to postgres', current_database());
  execute format(
    'grant create on database %I to supabase_auth_admin, supabase_realtime_admin; grant all on database %1$I to dashboard_user',
    current_database());
end
$$;

grant anon, authenticated, service_role to authenticator, supabase_realtime_admin;
grant anon, authenticated, service_role to postgres with admin option;
grant authenticator to supabase_storage_admin;
grant pg_monitor, pg_read_all_data, pg_signal_backend to postgres;
grant pg_read_all_data to supabase_read_only_user;
-- As in a hosted project.
alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
-- The services read this setting; the library itself is not loaded.
alter role authenticator set session_preload_libraries = supautils, safeupdate;
alter role postgres set search_path = "$user", public, extensions;
alter role supabase_admin set search_path = "$user", public, auth, extensions;
alter role supabase_auth_admin set search_path = auth;
alter role supabase_auth_admin set idle_in_transaction_session_timeout = 60000;
alter role supabase_realtime_admin set search_path = public, extensions, realtime;
alter role supabase_storage_admin set search_path = storage;

create schema if not exists extensions authorization postgres;
create schema if not exists auth;
create schema if not exists storage;
create schema if not exists realtime;
create schema if not exists supabase_migrations authorization postgres;

grant usage on schema public, extensions, auth, storage, realtime to anon, authenticated, service_role, postgres;
grant usage on schema auth, extensions, public to supabase_realtime_admin;
grant usage, create on schema public to supabase_realtime_admin;
grant all on schema auth to supabase_auth_admin, dashboard_user;
grant all on schema storage to supabase_storage_admin, dashboard_user;
grant all on schema realtime to supabase_realtime_admin with grant option;
grant usage on schema storage, realtime to postgres with grant option;
grant all on schema extensions to dashboard_user;

create extension if not exists pgcrypto with schema extensions;
create extension if not exists "uuid-ossp" with schema extensions;

do $$ begin
  execute format('alter database %I set search_path = "$user", public, extensions', current_database());
end $$;
set search_path = "$user", public, extensions;

-- A project grants the API roles every privilege on the objects that `postgres` creates in public and relies on
-- row-level security; migrations revoke the privileges that they do not need.
do $$
declare
  kind text;
begin
  foreach kind in array array['tables', 'sequences', 'functions'] loop
    execute format('alter default privileges for role postgres, supabase_admin in schema public
      grant all on %s to postgres, anon, authenticated, service_role', kind);
    execute format('alter default privileges for role postgres in schema storage
      grant all on %s to postgres, anon, authenticated, service_role', kind);
    execute format('alter default privileges for role supabase_admin in schema extensions
      grant all on %s to postgres with grant option', kind);
    execute format('alter default privileges for role supabase_admin in schema realtime
      grant all on %s to postgres, dashboard_user', kind);
    execute format('alter default privileges for role supabase_auth_admin in schema auth
      grant all on %s to postgres, dashboard_user', kind);
  end loop;
end
$$;

create or replace function auth.jwt() returns jsonb
  language sql stable
  as $$
    select coalesce(
      nullif(current_setting('request.jwt.claim', true), ''),
      nullif(current_setting('request.jwt.claims', true), '')
    )::jsonb
  $$;

create or replace function auth.uid() returns uuid
  language sql stable
  as $$
    select coalesce(
      nullif(current_setting('request.jwt.claim.sub', true), ''),
      nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
    )::uuid
  $$;

create or replace function auth.role() returns text
  language sql stable
  as $$
    select coalesce(
      nullif(current_setting('request.jwt.claim.role', true), ''),
      nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
    )
  $$;

create or replace function auth.email() returns text
  language sql stable
  as $$
    select coalesce(
      nullif(current_setting('request.jwt.claim.email', true), ''),
      nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
    )
  $$;

create table if not exists supabase_migrations.schema_migrations (
  version text primary key,
  statements text[],
  name text
);
alter table supabase_migrations.schema_migrations owner to postgres;

do $$
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
    alter publication supabase_realtime owner to postgres;
  end if;
end
$$;

-- As on a project, a schema change makes the REST service reload its schema cache.
create or replace function extensions.notify_schema_change() returns event_trigger
  language plpgsql
  as $$ begin notify pgrst, 'reload schema'; end $$;

drop event trigger if exists pgrst_ddl_watch;
create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.notify_schema_change();
drop event trigger if exists pgrst_drop_watch;
create event trigger pgrst_drop_watch on sql_drop execute function extensions.notify_schema_change();
