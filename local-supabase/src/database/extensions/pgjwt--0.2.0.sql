create function url_encode(data bytea) returns text
  language sql immutable
  as $$ select translate(encode(data, 'base64'), E'+/=\n', '-_') $$;

create function url_decode(data text) returns bytea
  language sql immutable
  as $$ select decode(rpad(translate(data, '-_', '+/'), 4 * ((length(data) + 3) / 4), '='), 'base64') $$;

create function algorithm_sign(signables text, secret text, algorithm text) returns text
  language sql immutable
  as $$
    select @extschema@.url_encode(@extschema:pgcrypto@.hmac(
      signables, secret, case algorithm when 'HS256' then 'sha256' when 'HS384' then 'sha384' when 'HS512' then 'sha512' else '' end
    ))
  $$;

create function sign(payload json, secret text, algorithm text default 'HS256') returns text
  language sql immutable
  as $$
    with part as (
      select @extschema@.url_encode(convert_to(format('{"alg":"%s","typ":"JWT"}', algorithm), 'utf8')) || '.' ||
        @extschema@.url_encode(convert_to(payload::text, 'utf8')) as signed
    )
    select signed || '.' || @extschema@.algorithm_sign(signed, secret, algorithm) from part
  $$;

create function verify(token text, secret text, algorithm text default 'HS256')
  returns table (header json, payload json, valid boolean)
  language sql immutable
  as $$
    select
      convert_from(@extschema@.url_decode(r[1]), 'utf8')::json,
      convert_from(@extschema@.url_decode(r[2]), 'utf8')::json,
      r[3] = @extschema@.algorithm_sign(r[1] || '.' || r[2], secret, algorithm)
        and coalesce(to_timestamp((convert_from(@extschema@.url_decode(r[2]), 'utf8')::json ->> 'exp')::float8) > current_timestamp, true)
        and coalesce(to_timestamp((convert_from(@extschema@.url_decode(r[2]), 'utf8')::json ->> 'nbf')::float8) <= current_timestamp, true)
    from regexp_split_to_array(token, '\.') as r
  $$;
