-- What every other file uses: the schema `private`, texts from users, versions of rows, and the assurance that a token needs.
--
-- The data service does not expose `private`, and no role of the API has USAGE on it. Functions that run for each row are in
-- PL/pgSQL, which caches their plans: SQL functions are planned again for each row that fires a trigger.
create schema if not exists private;
revoke all on schema private from public;

-- The key of private.keyed_hash().
create table private.hash_key (
  is_only_row boolean primary key default true check (is_only_row),
  secret bytea not null default extensions.gen_random_bytes(32)
);
insert into private.hash_key default values;
alter table private.hash_key enable row level security;

/**
 * A hash that identifies an address or an id without naming it, also after the deletion of its account: HMAC-SHA-256, in
 * hexadecimal.
 */
create function private.keyed_hash(input text) returns text
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return (select encode(extensions.hmac(convert_to(input, 'UTF8'), k.secret, 'sha256'), 'hex') from private.hash_key k);
end
$$;

/** The document, or null where the text is not JSON. */
create function private.parse_json(document text) returns jsonb
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
begin
  return document::jsonb;
exception when others then
  return null;
end
$$;

/**
 * Text from a user, for one field: without control characters and without the characters that reverse the reading
 * direction, trimmed, and cut to `max_length`. Null where nothing remains.
 */
create function private.bounded_text(input text, max_length integer) returns text
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
begin
  return nullif(
    left(
      trim(regexp_replace(input, '[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]', '', 'g')),
      max_length
    ),
    ''
  );
end
$$;

/**
 * Normalizes a name for the comparison with the product's: digits and letters of other scripts that look like Latin letters
 * become these.
 */
create function private.alike_letters(name text) returns text
  language sql immutable parallel safe
  set search_path = ''
as $$
  select regexp_replace(
    translate(
      lower(regexp_replace(normalize(name, nfkd), '[\u0300-\u036f]', '', 'g')),
      U&'\03c4\03a4\0442\04227\1d1b\0167\0166\a4d4\03b9\0399\0456\0406\0131\0269\026a\0268\a4f21l|!\04cf'
        '\0501\0257\1d05\0111\0110\03b4\a4d3\0578\043f\041f\03b7\0397\0274\014b\014a\03bd\a4e0\02619\0563\0262\03b3\a4d6\0455\04055$\a731\03c2\03c3\a4e2',
      'tttttttttiiiiiiiiiiiiiidddddddnnnnnnnnnnggggggssssssss'
    ),
    '[[:space:][:punct:]\u200c\u200d]', '', 'g'
  )
$$;

/**
 * A name that others see: one line, without invisible characters. Null if nothing visible remains, or if it contains the
 * product's name, because the product's own notifications have no sender.
 */
create function private.visible_name(input text) returns text
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
declare
  shown text := private.bounded_text(
    regexp_replace(
      regexp_replace(
        -- The auth service accepts a name of a megabyte, which each notification and each list of invitations would search.
        left(input, 1000),
        '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]',
        '', 'g'
      ),
      '[[:space:]\u0085\u2028\u2029]+', ' ', 'g'
    ),
    100
  );
begin
  return case
    -- Scripts such as Persian need the joiners, but they show nothing by themselves.
    when regexp_replace(shown, '[[:space:]\u200c\u200d]', '', 'g') <> ''
      and private.alike_letters(shown) not like '%tidings%'
    then shown
  end;
end
$$;

/**
 * The public name of a user: the name in the profile, else the part of the address before the @. Bounded, because it is
 * part of every notification that the user sends.
 */
create function private.display_name(user_id uuid) returns text
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return (
    select coalesce(
      private.visible_name(u.raw_user_meta_data ->> 'name'),
      private.visible_name(u.raw_user_meta_data ->> 'full_name'),
      private.visible_name(split_part(u.email, '@', 1)),
      'Someone'
    )
    from auth.users u
    where u.id = display_name.user_id
  );
end
$$;

/**
 * Runs after an INSERT into a list that a user keeps: bounds it. Trigger arguments: the owner's column, and the most rows.
 * Simultaneous requests may exceed the bound by their own rows.
 *
 * Error: PT409, the table's name with `_limit_exceeded`.
 */
create function private.limit_rows() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  owner uuid;
  kept integer;
begin
  for owner in execute format('select distinct %I from added', tg_argv[0]) loop
    execute format(
      'select count(*) from (select from %I.%I where %I = $1 limit $2 + 1) kept',
      tg_table_schema, tg_table_name, tg_argv[0]
    ) into kept using owner, tg_argv[1]::integer;
    if kept > tg_argv[1]::integer then
      raise sqlstate 'PT409' using message = tg_table_name || '_limit_exceeded',
        detail = format('An account keeps at most %s.', tg_argv[1]), hint = 'Remove some of them.';
    end if;
  end loop;
  return null;
end
$$;

/**
 * Stamps the version of a row. It grows with every update, even when the clock does not: updates of one row are
 * serialized by the row's lock, so the later one always sees the earlier version.
 */
create function private.stamp_updated_at() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  return new;
end
$$;

/**
 * Keeps no statistics of a table's columns. The planner's estimates are public (`Prefer: count=planned`); without
 * statistics they do not depend on what other users received, sent, read or chose.
 */
create function private.hide_statistics(target regclass) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  execute format(
    'alter table %s %s',
    target,
    (
      select string_agg(format('alter column %I set statistics 0', a.attname), ', ')
      from pg_catalog.pg_attribute a
      where a.attrelid = target and a.attnum > 0 and not a.attisdropped
    )
  );
end
$$;

-- The assurance checks of a token: its account and its session must exist, an account with a verified second factor must have
-- used it (`aal2`), and it must not be a token that another application got by the auth service's OAuth server (its claim
-- `client_id`): a person who signs in there with this account has not granted access to the inbox. Every table has a
-- restrictive policy on private.has_assurance(); every function of the API begins with private.require_assurance().

/**
 * Whether the session of the caller's token has not ended: the token itself stays valid for up to an hour. A token without a
 * session is not one of the auth service, but made by the holder of the signing key.
 */
create function private.has_session() returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select auth.jwt() ->> 'session_id' is null
    or exists (
      select from auth.sessions s
      where s.id = nullif(auth.jwt() ->> 'session_id', '')::uuid
        and s.user_id = auth.uid()
        and (s.not_after is null or s.not_after > now())
    )
$$;

/**
 * Whether the caller's account exists, is not banned, whether the session has not ended, and whether the token has the assurance
 * level that the account needs. False for tokens of other applications. Policies wrap it into a scalar subquery, so that it runs once per statement.
 */
create function private.has_assurance() returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select exists (
      select from auth.users u
      where u.id = auth.uid() and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
    )
    and private.has_session()
    and auth.jwt() ->> 'client_id' is null
    and (
      auth.jwt() ->> 'aal' = 'aal2'
      or not exists (
        select from auth.mfa_factors f where f.user_id = auth.uid() and f.status = 'verified'
      )
    )
$$;

/**
 * The id of the caller, whose account and session must not have ended, regardless of the assurance of the session.
 *
 * Errors: PT401 account_not_found; PT401 session_ended; PT403 account_banned; PT403 application_not_allowed.
 */
create function private.require_session() returns uuid
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  account record;
begin
  select u.id, u.banned_until into account from auth.users u where u.id = auth.uid() and u.deleted_at is null;
  if account.id is null then
    raise sqlstate 'PT401' using message = 'account_not_found', detail = 'The account of this token does not exist.';
  end if;
  if not private.has_session() then
    raise sqlstate 'PT401' using message = 'session_ended', detail = 'The session of this token has ended.';
  end if;
  if auth.jwt() ->> 'client_id' is not null then
    raise sqlstate 'PT403' using message = 'application_not_allowed', detail = 'This is a token of another application.';
  end if;
  if account.banned_until > now() then
    raise sqlstate 'PT403' using message = 'account_banned', detail = 'The account is banned.';
  end if;
  return account.id;
end
$$;

/**
 * The id of the caller, for functions that act with the owner's privileges.
 *
 * Errors: those of private.require_session(); PT403 insufficient_aal.
 */
create function private.require_assurance() returns uuid
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_session();
begin
  if not coalesce(private.has_assurance(), false) then
    raise sqlstate 'PT403' using message = 'insufficient_aal',
      detail = 'The account has a second factor, which this session has not used.',
      hint = 'Verify a factor, then repeat the request.';
  end if;
  return me;
end
$$;

/**
 * Whether a statement that failed may succeed later: after a deadlock, a full disk, a lock that was not free, a cancellation
 * or a fault of the server. Any other error, also of a team's trigger, concerns only its row of a queue, and must not stop
 * the others.
 */
create function private.is_transient(failure text) returns boolean
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
begin
  return left(failure, 2) in ('40', '53', '55', '57', '58', 'XX');
end
$$;

/** Adds the restrictive policy to a table. */
create function private.require_assurance_on(target regclass) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  execute format(
    'create policy "Accounts act with the assurance they need" on %s as restrictive for all to authenticated
       using ((select private.has_assurance())) with check ((select private.has_assurance()))',
    target
  );
end
$$;
-- Policies call this function as the role of the request.
grant execute on function private.has_assurance() to authenticated;

-- A bare PostgreSQL lacks the tables of storage objects and of private channels.
do $$
declare
  target text;
begin
  foreach target in array array['storage.objects', 'storage.buckets', 'realtime.messages'] loop
    if to_regclass(target) is not null then
      perform private.require_assurance_on(to_regclass(target));
    end if;
  end loop;
end
$$;

-- The last call of each worker. pg_net keeps its response for some hours.
create table private.worker_calls (
  function_name text,
  worker integer,
  request_id bigint not null,
  called_at timestamptz not null,
  primary key (function_name, worker)
);
alter table private.worker_calls enable row level security;

/**
 * Calls an Edge Function of the project. Reads its address and the secret of the workers from the vault: `project_url` and
 * `worker_secret`. Without them the call fails, and with it the job. `worker`: workers with other numbers run at the same time.
 */
create function private.call_edge_function(function_name text, worker integer) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  project_url text;
  worker_secret text;
  request_id bigint;
begin
  execute $query$ select s.decrypted_secret from vault.decrypted_secrets s where s.name = 'project_url' $query$
    into project_url;
  execute $query$ select s.decrypted_secret from vault.decrypted_secrets s where s.name = 'worker_secret' $query$
    into worker_secret;
  if project_url is null or worker_secret is null then
    raise exception 'The function % is not called, because the vault lacks project_url or worker_secret.', function_name;
  end if;
  execute $query$
    select net.http_post(
      url := $1 || '/functions/v1/' || $3,
      headers := jsonb_build_object('x-worker-secret', $2, 'content-type', 'application/json'),
      body := jsonb_build_object('worker', $4),
      timeout_milliseconds := 150000
    )
  $query$ into request_id using project_url, worker_secret, function_name, worker;
  insert into private.worker_calls as c (function_name, worker, request_id, called_at)
  values (call_edge_function.function_name, call_edge_function.worker, request_id, clock_timestamp())
  on conflict on constraint worker_calls_pkey
    do update set request_id = excluded.request_id, called_at = excluded.called_at;
end
$$;

/** Whether the last call of a worker has no response yet. No run lasts longer than 150 seconds. */
create function private.is_worker_running(function_name text, worker integer) returns boolean
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  called private.worker_calls;
  has_ended boolean;
begin
  select * into called from private.worker_calls c
  where c.function_name = is_worker_running.function_name and c.worker = is_worker_running.worker
    and c.called_at > clock_timestamp() - interval '150 seconds';
  if called.request_id is null then
    return false;
  end if;
  execute 'select exists (select from net._http_response r where r.id = $1)' into has_ended using called.request_id;
  return not has_ended;
end
$$;

/**
 * Schedules a job of pg_cron, which is created with the other extensions that the job needs. A server that does not offer them gets a
 * warning: call the job by another scheduler there. Where they are offered and refused, the migration fails, because nothing
 * would be delivered.
 */
create function private.schedule_job(job_name text, schedule text, command text, extensions text[]) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  extension text;
begin
  if exists (
    select unnest(extensions) except select e.name::text from pg_catalog.pg_available_extensions e
  ) then
    raise warning 'The job % is not scheduled, because this server lacks %.', job_name, array_to_string(extensions, ' or ');
    return;
  end if;
  foreach extension in array extensions loop
    -- pg_cron chooses its schema itself; the others belong into the schema that every project keeps for them.
    execute format(
      'create extension if not exists %I %s', extension, case extension when 'pg_cron' then '' else 'with schema extensions' end
    );
  end loop;
  execute 'select cron.schedule($1, $2, $3)' using job_name, schedule, command;
end
$$;

-- Without statistics the planner expects few rows per user. With the default random_page_cost of 4, for spinning disks,
-- the planner then reads and sorts all of them instead of scanning an index in order.
alter role authenticated set random_page_cost = 1.1;

-- Every list of the application is an index's range in the index's order. These settings make the planner use it, because it
-- has no statistics of the tables to compare plans by. With sorting allowed it sorts all rows of a small account; a request
-- that only sorting can answer is still sorted, at an estimated cost that would start the JIT compiler. The generic plan of a
-- prepared statement, preferred after five executions, cannot use the partial indexes.
alter role authenticated set enable_sort = off;
alter role authenticated set jit = off;
alter role authenticated set plan_cache_mode = force_custom_plan;

revoke all on all functions in schema private from public;
