-- Validates the keywords that table constraints use. Rejects references ($ref); ignores `format` and annotations.

create function jsonschema_type_of(value jsonb) returns text
  language sql immutable
  as $$
    select case when jsonb_typeof(value) = 'number' and value::numeric = trunc(value::numeric) then 'integer'
      else jsonb_typeof(value) end
  $$;

create function jsonschema_errors(schema jsonb, document jsonb, path text) returns setof text
  language plpgsql immutable
  as $$
  declare
    kind text := @extschema@.jsonschema_type_of(document);
    types jsonb := case jsonb_typeof(schema -> 'type') when 'string' then jsonb_build_array(schema -> 'type') else schema -> 'type' end;
    text_value text := document #>> '{}';
    matches bigint;
    item record;
  begin
    if schema = 'false' then
      return next format('%s: False schema does not allow %s', path, document);
      return;
    end if;
    if jsonb_typeof(schema) <> 'object' then return; end if;
    if schema ? '$ref' then
      raise 'The extension pg_jsonschema follows no $ref in the local Supabase' using errcode = '0A000';
    end if;
    if types is not null and not (types ? kind or kind = 'integer' and types ? 'number') then
      return next format('%s: %s is not of type %s', path, document, schema ->> 'type');
    end if;
    if schema ? 'enum' and not (schema -> 'enum') @> jsonb_build_array(document) or schema ? 'const' and schema -> 'const' <> document then
      return next format('%s: %s is not one of %s', path, document, coalesce(schema -> 'enum', schema -> 'const'));
    end if;
    if kind in ('integer', 'number') and (document::numeric < (schema ->> 'minimum')::numeric or document::numeric > (schema ->> 'maximum')::numeric
        or document::numeric <= (schema ->> 'exclusiveMinimum')::numeric or document::numeric >= (schema ->> 'exclusiveMaximum')::numeric
        or mod(document::numeric, (schema ->> 'multipleOf')::numeric) <> 0) then
      return next format('%s: %s is out of range', path, document);
    elsif kind = 'string' and (length(text_value) < (schema ->> 'minLength')::int or length(text_value) > (schema ->> 'maxLength')::int
        or text_value !~ (schema ->> 'pattern')) then
      return next format('%s: %s has a wrong length or form', path, document);
    elsif kind = 'array' then
      if jsonb_array_length(document) < (schema ->> 'minItems')::int or jsonb_array_length(document) > (schema ->> 'maxItems')::int
          or (schema -> 'uniqueItems')::boolean and (select count(*) <> count(distinct element) from jsonb_array_elements(document) as element) then
        return next format('%s: %s has a wrong number of items', path, document);
      end if;
      if schema ? 'items' then
        for item in select * from jsonb_array_elements(document) with ordinality as items (element, place) loop
          return query select @extschema@.jsonschema_errors(schema -> 'items', item.element, format('%s/%s', path, item.place - 1));
        end loop;
      end if;
    elsif kind = 'object' then
      for item in select name from jsonb_array_elements_text(coalesce(schema -> 'required', '[]')) as name where not document ? name loop
        return next format('%s: "%s" is a required property', path, item.name);
      end loop;
      for item in select * from jsonb_each(document) loop
        if schema -> 'properties' ? item.key then
          return query select @extschema@.jsonschema_errors(schema -> 'properties' -> item.key, item.value, path || '/' || item.key);
        elsif schema ? 'additionalProperties' then
          return query select @extschema@.jsonschema_errors(schema -> 'additionalProperties', item.value, path || '/' || item.key);
        end if;
      end loop;
    end if;
    for item in select each.schema from jsonb_array_elements(coalesce(schema -> 'allOf', '[]')) as each (schema) loop
      return query select @extschema@.jsonschema_errors(item.schema, document, path);
    end loop;
    for item in select * from jsonb_each(schema) where key in ('anyOf', 'oneOf', 'not') loop
      select count(*) into matches
      from jsonb_array_elements(case item.key when 'not' then jsonb_build_array(item.value) else item.value end) as each (schema)
      where not exists (select @extschema@.jsonschema_errors(each.schema, document, path));
      if item.key = 'not' and matches > 0 or item.key = 'anyOf' and matches = 0 or item.key = 'oneOf' and matches <> 1 then
        return next format('%s: %s does not fit %s', path, document, item.key);
      end if;
    end loop;
  end
  $$;

create function jsonschema_validation_errors(schema json, instance json) returns text[]
  language sql immutable
  as $$ select coalesce(array_agg(error), '{}') from @extschema@.jsonschema_errors($1::jsonb, $2::jsonb, '') as error $$;
create function json_matches_schema(schema json, instance json) returns boolean
  language sql immutable
  as $$ select not exists (select @extschema@.jsonschema_errors($1::jsonb, $2::jsonb, '')) $$;
create function jsonb_matches_schema(schema json, instance jsonb) returns boolean
  language sql immutable
  as $$ select not exists (select @extschema@.jsonschema_errors($1::jsonb, $2, '')) $$;
create function jsonschema_is_valid(schema json) returns boolean
  language sql immutable
  as $$ select json_typeof($1) in ('object', 'boolean') $$;
