-- The extension files are in memory and lost at the next start; the objects that they created remain.

create function pgtle.write_file(name text, content text) returns void
  language plpgsql security definer set search_path = ''
  as $$
  declare
    object oid := lo_from_bytea(0, convert_to(content, 'UTF8'));
  begin
    perform lo_export(object, '/pglite/share/postgresql/extension/' || name);
    perform lo_unlink(object);
  end
  $$;

create function pgtle.install_extension(name text, version text, description text, ext text, requires text[] default null)
  returns boolean
  language plpgsql
  as $$
  begin
    if name !~ '^[\w-]+$' or version !~ '^[\w.-]+$' then
      raise 'invalid extension name or version: %, %', name, version;
    end if;
    -- A package that could not be downloaded from database.dev may be built in.
    if ext is null then
      return exists (select from pg_available_extensions as available where available.name = install_extension.name);
    end if;
    perform pgtle.write_file(format('%s--%s.sql', name, version), ext);
    perform pgtle.write_file(name || '.control', format(E'comment = %L\ndefault_version = %L\nrelocatable = false\n%s',
      description, version, 'requires = ' || quote_literal(array_to_string(requires, ', '))));
    return true;
  end
  $$;

create function pgtle.uninstall_extension_if_exists(extname text) returns boolean
  language sql as $$ select false $$;
create function pgtle.uninstall_extension(extname text) returns boolean
  language sql as $$ select true $$;

grant usage on schema pgtle to postgres;
