create function plpgsql_check_function(funcoid regprocedure, relid regclass default 0) returns setof text
  language plpgsql
  as $$
  begin
    raise 'The extension plpgsql_check checks nothing in the local Supabase' using errcode = '0A000';
  end
  $$;
create function plpgsql_check_function(name text, relid regclass default 0) returns setof text
  language sql as $$ select @extschema@.plpgsql_check_function(name::regprocedure, relid) $$;
