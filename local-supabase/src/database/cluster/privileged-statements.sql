-- What the library supautils allows to `postgres` on the platform, by event triggers: while such a statement runs,
-- `postgres` is a member of the services' roles, or a superuser. A statement that fails takes that back with itself.

create schema if not exists local_supabase;
grant usage on schema local_supabase to postgres;

-- Whether `postgres` needs the services' roles or a superuser for a statement.
create or replace function local_supabase.privilege_of(tag text) returns text
language sql stable
as $$
  select case
    when tag in ('CREATE POLICY', 'ALTER POLICY', 'DROP POLICY', 'DROP TRIGGER') then 'member'
    when tag in ('CREATE PUBLICATION', 'ALTER PUBLICATION', 'CREATE FOREIGN DATA WRAPPER', 'ALTER EXTENSION',
      'DROP EXTENSION') then 'superuser'
    when tag <> 'COMMENT' then null
    when current_query() ~* 'comment\s+on\s+policy' then 'member'
    when current_query() ~* 'comment\s+on\s+extension' then 'superuser'
  end
$$;

create or replace function local_supabase.set_privilege(privilege text, is_granted boolean) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if privilege = 'superuser' then
    execute case when is_granted then 'alter role postgres superuser' else 'alter role postgres nosuperuser' end;
  elsif is_granted then
    grant supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin to postgres;
  else
    revoke supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin from postgres;
  end if;
end
$$;

create or replace function local_supabase.before_statement() returns event_trigger
language plpgsql
as $$
begin
  if current_user = 'postgres' and local_supabase.privilege_of(tg_tag) is not null then
    perform local_supabase.set_privilege(local_supabase.privilege_of(tg_tag), true);
  end if;
end
$$;

create or replace function local_supabase.after_statement() returns event_trigger
language plpgsql
as $$
begin
  if current_user = 'postgres' and local_supabase.privilege_of(tg_tag) is not null then
    perform local_supabase.set_privilege(local_supabase.privilege_of(tg_tag), false);
  end if;
end
$$;

-- PostgreSQL calls event triggers by name: those of a project run without the privileges.
drop event trigger if exists "~supautils";
drop event trigger if exists " supautils";
create event trigger "~supautils" on ddl_command_start execute function local_supabase.before_statement();
create event trigger " supautils" on ddl_command_end execute function local_supabase.after_statement();

-- No event trigger is called for this statement, whose owner has to be a superuser at that moment.
create or replace function local_supabase.create_event_trigger(statement text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  execute statement;
  alter role postgres superuser;
  execute (select format('alter event trigger %I owner to postgres', evtname)
    from pg_catalog.pg_event_trigger order by oid desc limit 1);
  alter role postgres nosuperuser;
end
$$;

revoke execute on all functions in schema local_supabase from public;
grant execute on all functions in schema local_supabase to postgres;

do $$
declare
  setting text;
begin
  foreach setting in array array['auto_explain.log_min_duration', 'auto_explain.log_analyze', 'log_lock_waits',
    'log_min_duration_statement', 'log_min_messages', 'log_parameter_max_length', 'log_replication_commands',
    'log_statement', 'log_temp_files', 'pg_stat_statements.track', 'session_replication_role', 'track_io_timing',
    'wal_compression', 'pgrst.db_aggregates_enabled', 'pgrst.db_anon_role', 'pgrst.db_extra_search_path',
    'pgrst.db_max_rows', 'pgrst.db_plan_enabled', 'pgrst.db_pre_request', 'pgrst.db_root_spec', 'pgrst.db_schemas',
    'pgrst.db_tx_end', 'pgrst.jwt_aud', 'pgrst.jwt_role_claim_key', 'pgrst.openapi_mode',
    'pgrst.server_timing_enabled', 'pgrst.url_use_legacy_target_names'] loop
    execute format('grant set on parameter %I to postgres', setting);
  end loop;
  -- Since PostgreSQL 16 a role changes the settings of those that it administers.
  if current_setting('server_version_num')::int >= 160000 then
    execute 'grant authenticator to postgres with admin option, inherit false, set false';
  end if;
end
$$;

do $$
declare
  role text;
begin
  foreach role in array array['postgres', 'supabase_admin', 'authenticator', 'supabase_auth_admin',
    'supabase_storage_admin', 'supabase_read_only_user', 'supabase_replication_admin'] loop
    execute format('alter role %I password %L', role, 'postgres');
  end loop;
end
$$;
