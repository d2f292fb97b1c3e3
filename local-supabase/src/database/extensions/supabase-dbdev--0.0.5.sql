create function dbdev.install(package_name text, base_url text default null, api_key text default null) returns boolean
  language plpgsql
  as $$
  begin
    if exists (select from pg_available_extensions where name in (package_name, replace(package_name, '@', ''), replace(package_name, '/', '-'))) then
      return true;
    end if;
    raise 'database.dev is out of reach of the local Supabase: the package "%" is not here', package_name
      using errcode = '0A000',
        hint = format('Put its SQL into supabase/extensions/%s--<version>.sql, and its control file beside it.', package_name);
  end
  $$;

grant usage on schema dbdev to postgres;
