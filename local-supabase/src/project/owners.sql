-- As in a hosted project, the services' roles own what is in their schemas, and `postgres` may use it, but not change it.
-- Applied after the other parts whenever one of them has changed.

do $$
declare
  owned record;
begin
  for owned in
    select format('table %s', c.oid::regclass) as object, c.relnamespace as schema
    from pg_class c where c.relkind in ('r', 'p', 'v')
    union all
    select format('routine %s', p.oid::regprocedure), p.pronamespace from pg_proc p
    union all
    select format('type %s', t.oid::regtype), t.typnamespace from pg_type t where t.typtype in ('e', 'd')
  loop
    if owned.schema = 'auth'::regnamespace then
      execute format('alter %s owner to supabase_auth_admin', owned.object);
    elsif owned.schema = 'storage'::regnamespace then
      execute format('alter %s owner to supabase_storage_admin', owned.object);
    elsif owned.object ~ '^(table realtime\.messages|routine realtime\.(send|send_binary|broadcast_changes|topic)\()' then
      execute format('alter %s owner to supabase_realtime_admin', owned.object);
    end if;
  end loop;
end
$$;

grant all on all tables in schema auth to postgres, dashboard_user;
grant all on all sequences in schema auth to postgres, dashboard_user;
grant all on all functions in schema auth to dashboard_user;
grant execute on function auth.jwt() to postgres;
grant all on storage.buckets, storage.objects to postgres, supabase_storage_admin with grant option;
grant execute on function storage.extension(text), storage.filename(text), storage.foldername(text)
  to anon, authenticated, service_role, dashboard_user, postgres;

do $$
declare
  protected text;
begin
  foreach protected in array array['audit_log_entries', 'flow_state', 'identities', 'instances', 'mfa_amr_claims',
    'mfa_challenges', 'mfa_factors', 'one_time_tokens', 'refresh_tokens', 'saml_providers', 'saml_relay_states',
    'sessions', 'sso_domains', 'sso_providers', 'users'] loop
    if to_regclass('auth.' || protected) is not null then
      execute format('alter table auth.%I enable row level security', protected);
      execute format('grant select on auth.%I to postgres with grant option', protected);
    end if;
  end loop;
end
$$;
