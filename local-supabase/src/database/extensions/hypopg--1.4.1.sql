create function hypopg_create_index(sql_order text, out indexrelid oid, out indexname text) returns setof record
  language plpgsql
  as $$
  begin
    raise 'The extension hypopg makes no hypothetical indexes in the local Supabase' using errcode = '0A000';
  end
  $$;
create function hypopg_drop_index(indexid oid) returns boolean
  language sql as $$ select false $$;
create function hypopg_reset() returns void
  language sql as $$ $$;
