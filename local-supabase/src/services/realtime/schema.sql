-- The outbox of undelivered changes of published tables. Triggers write the rows within the transaction that changes the
-- table, so a rollback removes them.

create schema if not exists realtime;

create table if not exists realtime.outbox (
  xid xid8 not null default pg_current_xact_id(),
  id bigint generated always as identity,
  relation oid not null,
  action text not null,
  new_row jsonb,
  old_row jsonb,
  captured_at timestamptz not null default clock_timestamp(),
  primary key (xid, id)
);

-- Whether a service is running, or was running when the process was killed. Changes captured without a service are not
-- delivered.
create table if not exists realtime.process (alive boolean not null);
insert into realtime.process select false where not exists (select from realtime.process);

revoke all on realtime.outbox, realtime.process from public;

-- The columns of an updated row whose value is unchanged and stored out of line (TOAST). Logical decoding omits them,
-- unless the replica identity is full. A row is looked up by its primary key.
create or replace function realtime.unchanged_toast(relation regclass, new_row jsonb, old_row jsonb) returns text[]
  language plpgsql set search_path = ''
as $$
declare
  candidates text[];
  key_columns text;
  result text[];
begin
  if (select c.relreplident = 'f' from pg_catalog.pg_class c where c.oid = relation) then
    return '{}';
  end if;
  select array_agg(a.attname) into candidates
  from pg_catalog.pg_attribute a
  where a.attrelid = relation and a.attnum > 0 and not a.attisdropped and a.attstorage <> 'p'
    and new_row -> a.attname::text = old_row -> a.attname::text;
  select string_agg(format('t.%1$I = r.%1$I', a.attname), ' and ') into key_columns
  from pg_catalog.pg_index i
  join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
  where i.indrelid = relation and i.indisprimary;
  if candidates is null or key_columns is null then
    return '{}';
  end if;
  execute format(
    'select array_remove(array[%s], null) from %s t join jsonb_populate_record(null::%2$s, $1) r on %s',
    (select string_agg(format('case when pg_column_toast_chunk_id(t.%1$I) is not null then %1$L end', c), ', ')
     from unnest(candidates) c),
    relation, key_columns)
  into result using new_row;
  return coalesce(result, '{}');
end
$$;

create or replace function realtime.capture() returns trigger
  language plpgsql security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  -- PostgreSQL's TOAST_TUPLE_THRESHOLD: a smaller row has no value out of line.
  toast_threshold constant int := 2000;
  new_row jsonb;
  old_row jsonb;
begin
  if tg_op <> 'DELETE' then
    new_row := to_jsonb(new);
  end if;
  if tg_op <> 'INSERT' then
    old_row := to_jsonb(old);
  end if;
  -- Check before the call: a statement may change 100,000 rows, and the call takes a third of the trigger's time.
  if tg_op = 'UPDATE' and octet_length(new_row::text) >= toast_threshold then
    new_row := new_row - realtime.unchanged_toast(tg_relid, new_row, old_row);
  end if;
  insert into realtime.outbox (relation, action, new_row, old_row) values (tg_relid, tg_op, new_row, old_row);
  -- The payload is constant, so PostgreSQL sends one notification per transaction.
  perform pg_notify('realtime_outbox', '');
  return null;
end
$$;

-- The first changes between two positions, in commit order: at most `part_size`, and none of a transaction that begins
-- after `max_changes`. Reads only transactions that ended before every open one: a statement in the session of an open
-- transaction must not see changes that may be rolled back. Rows are JSON text, so that no digit is lost. All changes of
-- a transaction have the time of its last one. A function, because its plan is cached.
drop function if exists realtime.waiting(xid8, bigint, xid8, bigint);
drop function if exists realtime.waiting(xid8, bigint, xid8, bigint, int);
create or replace function realtime.waiting(
  after_xid xid8, after_id bigint, last_xid xid8, last_id bigint, max_changes int, part_size int,
  out xid text, out id bigint, out relation bigint, out action text, out committed_at text,
  out new_row text, out old_row text
) returns setof record
  language plpgsql
  -- A plan cached while the outbox is nearly empty would read and sort all of it for each part.
  set enable_seqscan = off
  set enable_bitmapscan = off
as $$
declare
  final_xid xid8;
begin
  if max_changes is not null then
    select o.xid into final_xid
    from realtime.outbox o
    where (o.xid, o.id) > (after_xid, after_id)
    order by o.xid, o.id
    offset greatest(max_changes - 1, 0) limit 1;
  end if;
  return query
    with part as materialized (
      select o.*
      from realtime.outbox o
      where o.xid < pg_snapshot_xmin(pg_current_snapshot())
        and (o.xid, o.id) > (after_xid, after_id)
        and (final_xid is null or o.xid <= final_xid)
        and (last_xid is null or (o.xid, o.id) <= (last_xid, last_id))
      order by o.xid, o.id
      limit part_size
    ),
    commits as materialized (
      select t.xid, to_char(
          (select l.captured_at from realtime.outbox l where l.xid = t.xid order by l.id desc limit 1)
            at time zone 'utc',
          'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as committed_at
      from (select distinct p.xid from part p) t
    )
    select p.xid::text, p.id, p.relation::bigint, p.action, c.committed_at, p.new_row::text, p.old_row::text
    from part p
    join commits c on c.xid = p.xid
    order by p.xid, p.id;
end
$$;

-- Creates the trigger on each table of the publication, for the actions that it publishes, and drops it elsewhere.
create or replace function realtime.watch_publication(publication text default 'supabase_realtime') returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  watched record;
begin
  for watched in
    select tgrelid::regclass as relation from pg_catalog.pg_trigger where tgname = 'realtime_capture'
    and not exists (
      select from pg_catalog.pg_publication_tables p
      where p.pubname = publication and format('%I.%I', p.schemaname, p.tablename)::regclass = tgrelid
    )
  loop
    execute format('drop trigger realtime_capture on %s', watched.relation);
  end loop;

  for watched in
    select format('%I.%I', p.schemaname, p.tablename)::regclass as relation,
      concat_ws(' or ',
        case when b.pubinsert then 'insert' end,
        case when b.pubdelete then 'delete' end,
        case when b.pubupdate then 'update' end) as actions -- in the order of pg_get_triggerdef
    from pg_catalog.pg_publication_tables p
    join pg_catalog.pg_publication b using (pubname)
    where p.pubname = publication
  loop
    if watched.actions <> '' and not exists (
      select from pg_catalog.pg_trigger
      where tgrelid = watched.relation and tgname = 'realtime_capture'
        and pg_catalog.pg_get_triggerdef(oid) ilike '%after ' || watched.actions || ' on %'
    ) then
      execute format(
        'create or replace trigger realtime_capture after %s on %s for each row execute function realtime.capture()',
        watched.actions, watched.relation);
      execute format('alter table %s enable always trigger realtime_capture', watched.relation);
    end if;
  end loop;
end
$$;

-- Runs after every change of tables, privileges and publications. An error here must not fail that statement.
create or replace function realtime.follow_schema() returns event_trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if current_setting('realtime.following', true) = 'on' then
    return;
  end if;
  perform set_config('realtime.following', 'on', true);
  begin
    if tg_tag in ('CREATE PUBLICATION', 'ALTER PUBLICATION', 'DROP PUBLICATION', 'CREATE TABLE', 'ALTER TABLE',
      'CREATE TABLE AS', 'ALTER SCHEMA') then
      perform realtime.watch_publication();
    end if;
  exception when others then
    raise warning 'realtime: %', sqlerrm;
  end;
  perform set_config('realtime.following', 'off', true);
  perform pg_notify('realtime_schema', '');
end
$$;

drop event trigger if exists realtime_follow_schema;
create event trigger realtime_follow_schema on ddl_command_end execute function realtime.follow_schema();
drop event trigger if exists realtime_follow_drops;
create event trigger realtime_follow_drops on sql_drop
  when tag in ('DROP PUBLICATION', 'DROP TABLE') execute function realtime.follow_schema();

-- Runs each check with its role and claims. Its query returns an array, with an element for each of its rows: whether
-- the role can see it. A policy that raises makes the whole call fail, like the real server's poll. The role is reset
-- after each check and is also local to the transaction.
drop function if exists realtime.visible(jsonb);
create function realtime.visible(checks jsonb) returns setof boolean[]
  language plpgsql
as $$
declare
  checked jsonb;
  are_visible boolean[];
begin
  for checked in select value from jsonb_array_elements(checks) with ordinality order by ordinality loop
    perform set_config('request.jwt.claims', checked ->> 'claims', true);
    perform set_config('role', checked ->> 'role', true);
    execute checked ->> 'query' into are_visible;
    perform set_config('role', 'none', true), set_config('request.jwt.claims', '', true);
    return next are_visible;
  end loop;
end
$$;

-- The partitioned table behind private channels and broadcasts from the database. A table of an earlier version of this
-- file was not partitioned; its policies are kept.
do $$
declare
  policy record;
  statements text[] := '{}';
begin
  if (select relkind from pg_class where oid = to_regclass('realtime.messages')) = 'r' then
    for policy in select * from pg_policies where schemaname = 'realtime' and tablename = 'messages' loop
      statements := statements || concat_ws(' ',
        format('create policy %I on realtime.messages as %s for %s', policy.policyname, policy.permissive, policy.cmd),
        'to ' || (select string_agg(quote_ident(role), ', ') from unnest(policy.roles) role),
        'using (' || policy.qual || ')',
        'with check (' || policy.with_check || ')');
    end loop;
    drop table realtime.messages;
  end if;
  create table if not exists realtime.messages (
    topic text not null,
    extension text not null,
    payload jsonb,
    event text,
    private boolean default false,
    updated_at timestamp not null default now(),
    inserted_at timestamp not null default now(),
    id uuid not null default gen_random_uuid(),
    binary_payload bytea,
    constraint messages_payload_exclusive check (payload is null or binary_payload is null),
    primary key (id, inserted_at)
  ) partition by range (inserted_at);
  alter table realtime.messages enable row level security;
  for index in 1 .. coalesce(array_length(statements, 1), 0) loop
    execute statements[index];
  end loop;
end
$$;
alter table realtime.messages add column if not exists expires_at timestamp;
create index if not exists messages_inserted_at_topic_index on realtime.messages (inserted_at desc, topic)
  where extension = 'broadcast' and private is true;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;

-- Creates the partitions from yesterday to three days ahead, and drops those older than 72 hours.
create or replace function realtime.maintain_messages() returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  today constant date := (now() at time zone 'utc')::date;
  day date;
  expired record;
begin
  for day in select generate_series(today - 1, today + 3, interval '1 day')::date loop
    -- `create table if not exists` is not cheap even if the table exists, because the event trigger runs after it.
    if to_regclass('realtime.messages_' || to_char(day, 'YYYY_MM_DD')) is null then
      execute format('create table if not exists realtime.%I partition of realtime.messages for values from (%L) to (%L)',
        'messages_' || to_char(day, 'YYYY_MM_DD'), day, day + 1);
    end if;
  end loop;
  for expired in
    select c.relname from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'realtime.messages'::regclass and c.relname ~ '^messages_\d{4}_\d\d_\d\d$'
      and to_date(substr(c.relname, 10), 'YYYY_MM_DD') < today - 3
  loop
    execute format('drop table realtime.%I', expired.relname);
  end loop;
end
$$;

-- Notifies the service of each committed message. A permission check also inserts rows, but rolls them back.
create or replace function realtime.announce_message() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform pg_notify('realtime_messages', new.id::text || ' ' || new.inserted_at::text);
  return null;
end
$$;
create or replace trigger realtime_announce after insert on realtime.messages
  for each row execute function realtime.announce_message();

-- Broadcasts a message to a topic when the transaction commits. A failure is a warning, never an error.
create or replace function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
  language plpgsql
as $$
declare
  message_id constant uuid := gen_random_uuid();
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (
    message_id,
    case when payload ? 'id' then payload else jsonb_set(payload, '{id}', to_jsonb(message_id)) end,
    event, topic, private, 'broadcast'
  );
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

-- Broadcasts bytes, as `realtime.send` broadcasts JSON.
create or replace function realtime.send_binary(payload bytea, event text, topic text, private boolean default true) returns void
  language plpgsql
as $$
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (binary_payload, event, topic, private, extension)
  values (payload, event, topic, private, 'broadcast');
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

-- Broadcasts a row's change; called by a trigger.
create or replace function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text,
  new record, old record, level text default 'ROW'
) returns void
  language plpgsql
as $$
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object(
      'old_record', old, 'record', new, 'operation', operation, 'table', table_name, 'schema', table_schema),
    event_name, topic_name);
exception when others then
  raise exception 'Failed to process the row: %', sqlerrm;
end
$$;

-- The topic that a policy is evaluated for.
create or replace function realtime.topic() returns text
  language sql stable
as $$ select nullif(current_setting('realtime.topic', true), '') $$;

-- The permissions of a role with these claims in a topic: per extension, whether it can read an existing message and
-- whether it can insert one. Each attempt is rolled back, and with it the role and the settings.
create or replace function realtime.permissions(asked_topic text, asked_role text, asked_claims text) returns jsonb
  language plpgsql
as $$
declare
  tested text;
  message uuid;
  can_read boolean;
  can_write boolean;
  results jsonb := '{}';
begin
  foreach tested in array array['broadcast', 'presence'] loop
    can_read := false;
    can_write := false;
    begin
      insert into realtime.messages (topic, extension) values (asked_topic, tested) returning id into message;
      perform set_config('realtime.topic', asked_topic, true);
      perform set_config('request.jwt.claims', asked_claims, true);
      perform set_config('request.jwt.claim.role', asked_role, true);
      perform set_config('request.jwt.claim.sub', coalesce(asked_claims::jsonb ->> 'sub', ''), true);
      perform set_config('role', asked_role, true);
      select exists (select from realtime.messages m where m.id = message) into can_read;
      insert into realtime.messages (topic, extension) values (asked_topic, tested);
      can_write := true;
      raise exception 'undo';
    exception when others then
      null;
    end;
    results := results || jsonb_build_object(tested, jsonb_build_object('read', can_read, 'write', can_write));
  end loop;
  return results;
end
$$;

revoke all on function realtime.permissions(text, text, text), realtime.visible(jsonb), realtime.watch_publication(text),
  realtime.waiting(xid8, bigint, xid8, bigint, int, int), realtime.unchanged_toast(regclass, jsonb, jsonb),
  realtime.maintain_messages() from public;

select realtime.watch_publication();
