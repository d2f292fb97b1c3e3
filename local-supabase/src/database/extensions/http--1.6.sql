-- Requests within a statement are impossible: PostgreSQL runs in the process that would have to wait for the response.

create domain http_method as text;
create type http_header as (field varchar, value varchar);
create type http_request as (method http_method, uri varchar, headers http_header[], content_type varchar, content varchar);
create type http_response as (status integer, content_type varchar, headers http_header[], content varchar);

create function http_header(field varchar, value varchar) returns http_header
  language sql immutable
  as $$ select $1, $2 $$;

create function http(request http_request) returns http_response
  language plpgsql
  as $$
  begin
    -- Test setups install a package manager from there; its replacement is already installed.
    if request.uri like 'https://api.database.dev/%' then
      return (200, 'application/json', null, '[]')::@extschema@.http_response;
    end if;
    raise 'The extension http sends no requests in the local Supabase: % %', request.method, request.uri
      using errcode = '0A000', hint = 'The extension pg_net sends requests here: net.http_get, net.http_post.';
  end
  $$;

create function http_get(uri varchar) returns http_response
  language sql as $$ select @extschema@.http(('GET', $1, null, null, null)::@extschema@.http_request) $$;
create function http_get(uri varchar, data jsonb) returns http_response
  language sql as $$ select @extschema@.http_get($1) $$;
create function http_head(uri varchar) returns http_response
  language sql as $$ select @extschema@.http(('HEAD', $1, null, null, null)::@extschema@.http_request) $$;
create function http_post(uri varchar, content varchar, content_type varchar) returns http_response
  language sql as $$ select @extschema@.http(('POST', $1, null, $3, $2)::@extschema@.http_request) $$;
create function http_post(uri varchar, data jsonb) returns http_response
  language sql as $$ select @extschema@.http_post($1, $2::varchar, 'application/x-www-form-urlencoded') $$;
create function http_put(uri varchar, content varchar, content_type varchar) returns http_response
  language sql as $$ select @extschema@.http(('PUT', $1, null, $3, $2)::@extschema@.http_request) $$;
create function http_patch(uri varchar, content varchar, content_type varchar) returns http_response
  language sql as $$ select @extschema@.http(('PATCH', $1, null, $3, $2)::@extschema@.http_request) $$;
create function http_delete(uri varchar) returns http_response
  language sql as $$ select @extschema@.http(('DELETE', $1, null, null, null)::@extschema@.http_request) $$;
create function http_delete(uri varchar, content varchar, content_type varchar) returns http_response
  language sql as $$ select @extschema@.http(('DELETE', $1, null, $3, $2)::@extschema@.http_request) $$;

-- Options for requests, which are all rejected.
create function http_set_curlopt(curlopt varchar, value varchar) returns boolean
  language sql as $$ select true $$;
create function http_reset_curlopt() returns boolean
  language sql as $$ select true $$;

create function urlencode(string varchar) returns text
  language sql immutable strict
  as $$
    select coalesce(string_agg(
      case when part ~ '^[A-Za-z0-9_.~-]$' then part
        else regexp_replace(upper(encode(convert_to(part, 'UTF8'), 'hex')), '(..)', '%\1', 'g') end,
      '' order by place), '')
    from regexp_split_to_table($1, '') with ordinality as parts (part, place)
  $$;
create function urlencode(data jsonb) returns text
  language sql immutable strict
  as $$
    select string_agg(@extschema@.urlencode(key::varchar) || '=' || @extschema@.urlencode(value::varchar), '&' order by key)
    from jsonb_each_text($1)
  $$;
