create function index_advisor(query text) returns table (
  startup_cost_before jsonb, startup_cost_after jsonb, total_cost_before jsonb, total_cost_after jsonb,
  index_statements text[], errors text[])
  language sql
  as $$
    select null::jsonb, null::jsonb, null::jsonb, null::jsonb, '{}'::text[],
      array['The extension index_advisor advises nothing in the local Supabase']
  $$;
