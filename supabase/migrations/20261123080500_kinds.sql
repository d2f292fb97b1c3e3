-- The kinds of notifications that a team registers, beside those that the application has words for. The application, its preferences,
-- mails and push messages read labels, icons and templates from here.

create table public.notification_kinds (
  name text primary key,
  -- By language: {"en": "Failed builds", "de": …}.
  labels jsonb not null,
  icon text not null default 'bell' check (
    icon in (
      'bell', 'info', 'alert', 'check', 'clock', 'calendar', 'card', 'person', 'comment', 'document', 'archive', 'settings'
    )
  ),
  -- The channels that a recipient without a choice gets.
  in_app boolean not null default true,
  email boolean not null default true,
  push boolean not null default true,
  -- By language: {"en": {"title": "{branch} failed", "text": …}}, with placeholders of private.kind_values().
  templates jsonb not null default '{}',
  -- Functions of the API that a button of a notification may call.
  callbacks text[] not null default '{}',
  -- Whether users follow it by themselves: it is off by default, and a message may go to its followers.
  is_topic boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table public.notification_kinds is
  'Kinds that a team registers by public.register_kind(). The other built-in kinds have no row; that of `system` holds its defaults.';

create trigger stamp_updated_at before update on public.notification_kinds
  for each row execute function private.stamp_updated_at();

alter table public.notification_kinds enable row level security;
revoke all on public.notification_kinds from anon, authenticated;
grant select on public.notification_kinds to authenticated;
grant all on public.notification_kinds to service_role;
select private.require_assurance_on('public.notification_kinds');
create policy "Users read all kinds" on public.notification_kinds for select to authenticated using (true);

insert into public.notification_kinds (name, labels, icon, email)
values ('system', '{"en": "System", "de": "System"}', 'info', false);

/** Whether the application has words and switches for a kind. */
create function private.is_built_in_kind(kind text) returns boolean
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
begin
  return kind in ('mention', 'message', 'comment', 'edit', 'invite');
end
$$;

/** The entry of a language such as `de-AT`, of its first part, or of English; null without these. */
create function private.in_language(entries jsonb, language text) returns jsonb
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
begin
  return coalesce(entries -> language, entries -> split_part(language, '-', 1), entries -> 'en');
end
$$;

/** A template with each `{name}` replaced by the value of that name, or by nothing; null where nothing remains. */
create function private.fill_template(template text, given jsonb) returns text
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
begin
  return (
    select nullif(trim(string_agg(part.literal || coalesce(given ->> part.field, ''), '' order by part.place)), '')
    from unnest(
      regexp_split_to_array(template, '\{[a-z][a-z0-9_]*\}'),
      array(select hit[1] from regexp_matches(template, '\{([a-z][a-z0-9_]*)\}', 'g') hit)
    ) with ordinality part (literal, field, place)
  );
end
$$;

/** The values of a template's placeholders: the fields of a message, and its `text`, `entity` and `sender`. */
create function private.kind_values(content jsonb) returns jsonb
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
begin
  return case when jsonb_typeof(content #> '{data,fields}') = 'object' then content #> '{data,fields}' else '{}' end
    || jsonb_build_object(
      'text', content #> '{data,text}',
      'entity', content #> '{data,entity_name}',
      'sender', content #> '{metadata,actor_name}'
    );
end
$$;

/**
 * How a notification of a registered kind is worded in a language, in a mail or a push message: {label, title, text}, the last two null
 * without a template. Null for a kind that is not registered.
 */
create function private.kind_words_in(language text, kind text, content jsonb) returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  registered public.notification_kinds;
  template jsonb;
  given constant jsonb := private.kind_values(content);
begin
  select * into registered from public.notification_kinds k where k.name = kind_words_in.kind;
  if not found then
    return null;
  end if;
  template := private.in_language(registered.templates, language);
  return jsonb_build_object(
    'label', coalesce(private.in_language(registered.labels, language) #>> '{}', registered.name),
    'title', private.fill_template(template ->> 'title', given),
    'text', private.fill_template(template ->> 'text', given)
  );
end
$$;

/** How a notification of a registered kind is worded for its recipient, as by private.kind_words_in(). */
create function private.kind_words(kind text, content text, recipient uuid) returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return private.kind_words_in(
    coalesce((select p.language from public.notification_preferences p where p.user_id = recipient), 'en'),
    kind,
    private.parse_json(content)
  );
end
$$;

/** Texts by language: an object of 1 to 20 entries, named by tags such as `en` and `de-AT`. */
create function private.check_languages(given jsonb, path text) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  tag text;
begin
  if jsonb_typeof(given) is distinct from 'object' then
    perform private.refuse_message(path, 'is not an object by language');
  end if;
  select k into tag from jsonb_object_keys(given) k where k !~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$' or length(k) > 35 order by k limit 1;
  if tag is not null then
    perform private.refuse_message(path || '.' || tag, 'is not a language such as en or de-AT');
  elsif (select count(*) from jsonb_object_keys(given)) not between 1 and 20 then
    perform private.refuse_message(path, 'does not have 1 to 20 languages');
  end if;
end
$$;

/** The labels of a kind by language, checked and trimmed. */
create function private.kind_labels(given jsonb, path text) returns jsonb
  language plpgsql
  set search_path = ''
as $$
declare
  labels jsonb := '{}';
  tag text;
begin
  perform private.check_languages(given, path);
  for tag in select k from jsonb_object_keys(given) k order by k loop
    labels := labels || jsonb_build_object(tag, private.message_text(given, tag, path, 60));
  end loop;
  if labels ->> 'en' is null then
    perform private.refuse_message(path || '.en', 'is missing: it stands for the languages without a label');
  end if;
  return jsonb_strip_nulls(labels);
end
$$;

/** The templates of a kind by language, checked and trimmed. */
create function private.kind_templates(given jsonb, path text) returns jsonb
  language plpgsql
  set search_path = ''
as $$
declare
  templates jsonb := '{}';
  tag text;
  place text;
begin
  if given is null or given in ('null', '{}') then
    return templates;
  end if;
  perform private.check_languages(given, path);
  for tag in select k from jsonb_object_keys(given) k order by k loop
    place := path || '.' || tag;
    perform private.check_fields(given -> tag, place, '{title,text}');
    templates := templates || jsonb_build_object(tag, jsonb_strip_nulls(jsonb_build_object(
      'title', private.message_text(given -> tag, 'title', place, 150),
      'text', private.message_text(given -> tag, 'text', place, 500)
    )));
  end loop;
  if given -> 'en' is null then
    perform private.refuse_message(path || '.en', 'is missing: it stands for the languages without a template');
  end if;
  return templates;
end
$$;

/** Functions that buttons may call: in the schema `public`, with the one argument `notification_id uuid`, granted to authenticated. */
create function private.kind_callbacks(given jsonb, path text) returns text[]
  language plpgsql stable
  set search_path = ''
as $$
declare
  place integer;
begin
  if given is null or given = 'null' then
    return '{}';
  elsif jsonb_typeof(given) <> 'array' or jsonb_array_length(given) > 10 then
    perform private.refuse_message(path, 'is not a list of up to 10 functions');
  end if;
  select c.place - 1 into place from jsonb_array_elements(given) with ordinality c (name, place)
  where not exists (
    select from pg_catalog.pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proname = c.name #>> '{}'
      and p.pronargs = 1 and p.proargnames[1] = 'notification_id' and p.proargtypes[0] = 'uuid'::regtype
      and has_function_privilege('authenticated', p.oid, 'execute')
  )
  order by c.place limit 1;
  if place is not null then
    perform private.refuse_message(
      format('%s[%s]', path, place), 'is not a function (notification_id uuid) that is granted to authenticated'
    );
  end if;
  return array(select distinct c from jsonb_array_elements_text(given) c order by 1);
end
$$;

/**
 * Registers a kind, or replaces the one of the same name, for a backend with the secret key. `kind` is an object:
 * - `name`: small letters, digits and underscores, up to 50, such as `build_failed`; `system` changes the defaults of that kind;
 * - `labels`: by language, at least in English, up to 60 characters;
 * - `icon`: of those that public.notification_kinds allows; default `bell`;
 * - `channels`: some of `in_app`, `email`, `push`, for recipients who have not chosen; default: all of these;
 * - `templates`: {title, text} by language, up to 150 and 500 characters; `{name}` is replaced by a field of the message, `{text}`,
 *   `{entity}` and `{sender}` for its parts; default: the message's own text;
 * - `callbacks`: functions that buttons of the notifications may call, see private.kind_callbacks();
 * - `topic`: true where users follow it by themselves: it is off until they switch one of its `channels` on.
 *
 * Returns the kind. Errors: PT400 kind_invalid, the detail names the field; PT409 notification_kinds_limit_exceeded, above 50.
 */
create function public.register_kind(kind jsonb) returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most_kinds constant integer := 50;
  registered public.notification_kinds;
  channels text[];
begin
  perform private.check_fields(kind, 'kind', '{name,labels,icon,channels,templates,callbacks,topic}');
  registered.name := coalesce(private.message_text(kind, 'name', 'kind', 50), '');
  if registered.name !~ '^[a-z][a-z0-9_]*$' then
    perform private.refuse_message('kind.name', 'is not a name such as build_failed');
  elsif registered.name = 'other' or private.is_built_in_kind(private.notification_kind(jsonb_build_object('type', registered.name))) then
    perform private.refuse_message('kind.name', 'is a kind of the application');
  end if;
  channels := coalesce(private.message_channels(kind -> 'channels', 'kind.channels'), '{in_app,email,push}');
  registered.icon := coalesce(private.message_text(kind, 'icon', 'kind', 20), 'bell');
  registered.labels := private.kind_labels(kind -> 'labels', 'kind.labels');
  registered.templates := private.kind_templates(kind -> 'templates', 'kind.templates');
  if jsonb_typeof(kind -> 'topic') <> 'boolean' then
    perform private.refuse_message('kind.topic', 'is not true or false');
  end if;
  registered.is_topic := coalesce(kind -> 'topic', 'false') = 'true';
  registered.callbacks := private.kind_callbacks(kind -> 'callbacks', 'kind.callbacks');
  -- Without the lock, two concurrent calls could exceed the limit.
  lock table public.notification_kinds in share row exclusive mode;
  insert into public.notification_kinds as k (name, labels, icon, in_app, email, push, templates, callbacks, is_topic)
  values (
    registered.name, registered.labels, registered.icon,
    'in_app' = any (channels) and not registered.is_topic, 'email' = any (channels) and not registered.is_topic, 'push' = any (channels),
    registered.templates, registered.callbacks, registered.is_topic
  )
  on conflict (name) do update set
    labels = excluded.labels, icon = excluded.icon, in_app = excluded.in_app, email = excluded.email, push = excluded.push,
    templates = excluded.templates, callbacks = excluded.callbacks, is_topic = excluded.is_topic
  returning * into registered;
  if (select count(*) from public.notification_kinds) > most_kinds then
    raise sqlstate 'PT409' using message = 'notification_kinds_limit_exceeded',
      detail = format('A project has at most %s kinds.', most_kinds), hint = 'Remove some of them.';
  end if;
  return to_jsonb(registered);
exception when check_violation then
  perform private.refuse_message('kind.icon', 'is not an icon of the application');
end
$$;

/**
 * Removes a kind. Its notifications stay, as plain ones; messages of it are refused from then on. Returns whether there was one.
 *
 * Error: PT400 kind_invalid, for `system`.
 */
create function public.remove_kind(name text) returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if remove_kind.name = 'system' then
    perform private.refuse_message('name', 'is a kind of the application');
  end if;
  delete from public.notification_kinds k where k.name = remove_kind.name;
  return found;
end
$$;

/** The fields of a message for the templates of its kind, as texts. Refuses the message if a placeholder of a template has no field. */
create function private.message_fields(message jsonb, kind text, path text) returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  given jsonb := coalesce(nullif(message -> 'fields', 'null'), '{}');
  parts constant text[] := '{text,entity,sender}';
  name text;
begin
  if jsonb_typeof(given) <> 'object' or (select count(*) from jsonb_object_keys(given)) > 20 then
    perform private.refuse_message(path || '.fields', 'is not an object of up to 20 fields');
  end if;
  for name in select k from jsonb_object_keys(given) k order by k loop
    if name !~ '^[a-z][a-z0-9_]{0,49}$' or name = any (parts) then
      perform private.refuse_message(path || '.fields.' || name, 'is not the name of a field');
    elsif jsonb_typeof(given -> name) = 'number' and length(given ->> name) <= 200 then
      given := given || jsonb_build_object(name, given ->> name);
    elsif jsonb_typeof(given -> name) = 'number' then
      perform private.refuse_message(path || '.fields.' || name, 'has more than 200 digits');
    elsif private.message_text(given, name, path || '.fields', 200) is null then
      perform private.refuse_message(path || '.fields.' || name, 'is not a text');
    end if;
  end loop;
  select hit[1] into name
  from public.notification_kinds k,
    jsonb_each(k.templates) template (language, texts),
    jsonb_each_text(template.texts) line (part, words),
    regexp_matches(line.words, '\{([a-z][a-z0-9_]*)\}', 'g') hit
  where k.name = message_fields.kind and hit[1] <> all (parts) and not given ? hit[1]
  order by 1 limit 1;
  if name is not null then
    perform private.refuse_message(path || '.fields.' || name, 'is missing: a template of the kind has it');
  end if;
  return nullif(given, '{}');
end
$$;

/** The buttons of a notification: up to 3 of {label, url} or {label, callback}; a callback is one that the kind has registered. */
create function private.message_actions(given jsonb, kind text, path text) returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  actions jsonb := '[]';
  place text;
  label text;
  url text;
  callback text;
begin
  if given is null or given = 'null' then
    return null;
  elsif jsonb_typeof(given) <> 'array' or jsonb_array_length(given) not between 1 and 3 then
    perform private.refuse_message(path, 'is not a list of 1 to 3 actions');
  end if;
  for number in 0 .. jsonb_array_length(given) - 1 loop
    place := format('%s[%s]', path, number);
    perform private.check_fields(given -> number, place, '{label,url,callback}');
    label := private.message_text(given -> number, 'label', place, 40);
    url := private.message_text(given -> number, 'url', place, 1000);
    callback := private.message_text(given -> number, 'callback', place, 63);
    if label is null then
      perform private.refuse_message(place || '.label', 'is missing');
    elsif num_nonnulls(url, callback) <> 1 then
      perform private.refuse_message(place, 'needs either url or callback');
    elsif url is not null and private.application_path(url) is null then
      perform private.refuse_message(place || '.url', 'is not a path of the application, such as /orders/7');
    elsif callback is not null and not exists (
      select from public.notification_kinds k where k.name = message_actions.kind and callback = any (k.callbacks)
    ) then
      perform private.refuse_message(place || '.callback', 'is not a callback of the kind');
    end if;
    actions := actions || jsonb_strip_nulls(jsonb_build_object('label', label, 'url', url, 'callback', callback));
  end loop;
  return actions;
end
$$;

revoke all on function public.register_kind(jsonb), public.remove_kind(text) from public, anon, authenticated;
grant execute on function public.register_kind(jsonb), public.remove_kind(text) to service_role;

revoke all on all functions in schema private from public;
