-- The function of the hook `before_user_created`, for the audits of hooks that are functions of the database.
create schema if not exists conformance_hooks;

-- Returns what the new user's metadata asks for: a response, or the call itself as the message of an error.
create or replace function conformance_hooks.before_user_created(event jsonb) returns jsonb language sql as $$
  select case
    when event #> '{user,user_metadata,hook_tells_call}' is not null
      then jsonb_build_object('error', jsonb_build_object('http_code', 418, 'message', event::text))
    when event #> '{user,user_metadata,hook_divides_by}' is not null
      then jsonb_build_object('quotient', 1 / (event #>> '{user,user_metadata,hook_divides_by}')::int)
    else coalesce(event #> '{user,user_metadata,hook_response}', '{}')
  end;
$$;

do $$
begin
  if exists (select from pg_roles where rolname = 'supabase_auth_admin') then
    grant usage on schema conformance_hooks to supabase_auth_admin;
  end if;
end;
$$;
