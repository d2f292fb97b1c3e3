-- Database webhooks: triggers that send each change to a URL.

create schema supabase_functions;

create table supabase_functions.hooks (
  id bigint generated always as identity primary key,
  hook_table_id integer not null,
  hook_name text not null,
  created_at timestamptz not null default now(),
  request_id bigint
);

-- The trigger's arguments: URL, method, headers, parameters, timeout in milliseconds.
create function supabase_functions.http_request() returns trigger
  language plpgsql security definer
  set search_path = ''
  as $$
  declare
    headers jsonb := coalesce(nullif(tg_argv[2], 'null'), '{"Content-Type": "application/json"}');
    params jsonb := coalesce(nullif(tg_argv[3], 'null'), '{}');
    timeout_ms integer := coalesce(nullif(tg_argv[4], 'null'), '1000');
    request_id bigint;
  begin
    if tg_argv[1] = 'GET' then
      request_id := net.http_get(tg_argv[0], params, headers, timeout_ms);
    elsif tg_argv[1] = 'POST' then
      request_id := net.http_post(
        tg_argv[0],
        jsonb_build_object('old_record', old, 'record', new, 'type', tg_op, 'table', tg_table_name, 'schema', tg_table_schema),
        params, headers, timeout_ms
      );
    else
      raise 'method argument % is invalid', tg_argv[1];
    end if;
    insert into supabase_functions.hooks (hook_table_id, hook_name, request_id)
      values (tg_relid::bigint::integer, tg_name, request_id);
    return new;
  end
  $$;

grant usage on schema supabase_functions to postgres, anon, authenticated, service_role;
grant all on all tables in schema supabase_functions to postgres, anon, authenticated, service_role;
grant all on all sequences in schema supabase_functions to postgres, anon, authenticated, service_role;
