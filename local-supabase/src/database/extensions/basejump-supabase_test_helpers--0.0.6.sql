-- The names and results of https://database.dev/basejump/supabase_test_helpers, which most pgTAP tests of projects use.

create schema tests;
create schema test_overrides;
grant usage on schema tests, test_overrides to postgres, anon, authenticated, service_role;

create function tests.create_supabase_user(identifier text, email text default null, phone text default null, metadata jsonb default null)
  returns uuid
  language sql security definer set search_path = ''
  as $$
    with new_user as (select gen_random_uuid() as id)
    insert into auth.users (id, email, phone, raw_user_meta_data, raw_app_meta_data, created_at, updated_at)
    select id, coalesce($2, id || '@test.com'), $3,
      jsonb_build_object('test_identifier', $1) || coalesce($4, '{}'), '{}', now(), now()
    from new_user returning id
  $$;

create function tests.get_supabase_user(identifier text) returns json
  language plpgsql stable security definer set search_path = ''
  as $$
  declare
    found_user json;
  begin
    select json_build_object('id', u.id, 'email', u.email, 'phone', u.phone,
      'raw_user_meta_data', u.raw_user_meta_data, 'raw_app_meta_data', u.raw_app_meta_data)
    into found_user from auth.users as u where u.raw_user_meta_data ->> 'test_identifier' = identifier limit 1;
    if found_user is null then
      raise 'User with identifier % not found', identifier;
    end if;
    return found_user;
  end
  $$;

create function tests.get_supabase_uid(identifier text) returns uuid
  language sql stable set search_path = ''
  as $$ select (tests.get_supabase_user($1) ->> 'id')::uuid $$;

create function tests.authenticate_as(identifier text) returns void
  language plpgsql
  as $$
  declare
    found_user json := tests.get_supabase_user(identifier);
  begin
    perform set_config('role', 'authenticated', true);
    perform set_config('request.jwt.claims', json_build_object('sub', found_user -> 'id', 'email', found_user -> 'email',
      'phone', found_user -> 'phone', 'user_metadata', found_user -> 'raw_user_meta_data',
      'app_metadata', found_user -> 'raw_app_meta_data')::text, true);
  end
  $$;

create function tests.authenticate_as_service_role() returns void
  language sql
  as $$ select set_config('role', 'service_role', true), set_config('request.jwt.claims', null, true) $$;

create function tests.clear_authentication() returns void
  language sql
  as $$ select set_config('role', 'anon', true), set_config('request.jwt.claims', null, true) $$;

-- Bodies in plpgsql, because pgTAP may be created later.
create function tests.rls_enabled(testing_schema text) returns text
  language plpgsql
  as $$
  begin
    return is(
      (select count(*)::integer from pg_class where relnamespace = testing_schema::regnamespace and relkind in ('r', 'p') and not relrowsecurity),
      0, format('All tables in the schema %s should have row level security enabled', testing_schema));
  end
  $$;

create function tests.rls_enabled(testing_schema text, testing_table text) returns text
  language plpgsql
  as $$
  begin
    return is((select relrowsecurity from pg_class where oid = format('%I.%I', testing_schema, testing_table)::regclass),
      true, format('The table %s.%s should have row level security enabled', testing_schema, testing_table));
  end
  $$;

-- Takes the place of now() while time is frozen.
create function test_overrides.now() returns timestamptz
  language sql stable
  as $$ select coalesce(nullif(current_setting('tests.frozen_time', true), '')::timestamptz, pg_catalog.now()) $$;

create function tests.freeze_time(frozen_time timestamptz) returns void
  language plpgsql
  as $$
  begin
    perform set_config('tests.frozen_time', frozen_time::text, true);
    if current_setting('search_path') !~ '^test_overrides' then
      perform set_config('search_path', 'test_overrides, ' || current_setting('search_path') || ', pg_catalog', true);
    end if;
  end
  $$;

create function tests.unfreeze_time() returns void
  language plpgsql
  as $$
  begin
    perform set_config('tests.frozen_time', '', true);
    perform set_config('search_path',
      regexp_replace(regexp_replace(current_setting('search_path'), '^test_overrides, ', ''), ', pg_catalog$', ''), true);
  end
  $$;

grant execute on all functions in schema tests to postgres, anon, authenticated, service_role;
grant execute on all functions in schema test_overrides to postgres, anon, authenticated, service_role;
