create function graphql.resolve(query text, variables jsonb default '{}', "operationName" text default null, extensions jsonb default null)
  returns jsonb
  language sql stable
  as $$
    select jsonb_build_object('data', null, 'errors', jsonb_build_array(jsonb_build_object(
      'message', 'pg_graphql is not available in the local Supabase: use the REST API'
    )))
  $$;

grant usage on schema graphql to postgres, anon, authenticated, service_role;
