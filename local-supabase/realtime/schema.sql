-- Where changes of published tables wait until they are sent. Rows come from triggers, so they are part of the
-- transaction that changed the table: what is rolled back is never there, what is committed is never lost.

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

-- Whether somebody listens, or did when the power went. What is captured while nobody does is told to nobody.
create table if not exists realtime.process (alive boolean not null);
insert into realtime.process select false where not exists (select from realtime.process);

revoke all on realtime.outbox, realtime.process from public;

create or replace function realtime.capture() returns trigger
  language plpgsql security definer set search_path = '' set timezone = 'UTC'
as $$
begin
  insert into realtime.outbox (relation, action, new_row, old_row)
  values (
    tg_relid,
    tg_op,
    case when tg_op <> 'DELETE' then to_jsonb(new) end,
    case when tg_op <> 'INSERT' then to_jsonb(old) end
  );
  -- The payload is always the same: PostgreSQL then sends one notification for the whole transaction.
  perform pg_notify('realtime_outbox', '');
  return null;
end
$$;

-- The first changes between two places, in the order of their commits. Only transactions that ended before every
-- running one are read: a statement that shares the session with an open transaction must not see what may be rolled
-- back, and an identity alone does not follow the order of commits. Values come as JSON text, so that no digit is lost.
-- A function, because its plan is kept.
create or replace function realtime.waiting(
  after_xid xid8, after_id bigint, last_xid xid8, last_id bigint,
  out xid text, out id bigint, out relation bigint, out action text, out committed_at text,
  out new_row jsonb, out old_row jsonb
) returns setof record
  language plpgsql
as $$
begin
  return query
    select o.xid::text, o.id, o.relation::bigint, o.action,
      to_char(
        (select max(t.captured_at) from realtime.outbox t where t.xid = o.xid) at time zone 'utc',
        'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      (select jsonb_object_agg(n.key, n.value::text) from jsonb_each(o.new_row) n),
      (select jsonb_object_agg(n.key, n.value::text) from jsonb_each(o.old_row) n)
    from realtime.outbox o
    where o.xid < pg_snapshot_xmin(pg_current_snapshot())
      and (o.xid, o.id) > (after_xid, after_id)
      and (last_xid is null or (o.xid, o.id) <= (last_xid, last_id))
    order by o.xid, o.id
    limit 200;
end
$$;

-- Puts the trigger on each table of the publication, for the actions that it publishes, and takes it from others.
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

-- Follows every change of tables, privileges and publications. It must never make the statement fail that it follows.
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

-- Answers, for each check, whether its query is true for its role and claims. The role is never left set: it is
-- taken back after each check, and it is local to the statement's transaction besides.
create or replace function realtime.visible(checks jsonb) returns boolean[]
  language plpgsql
as $$
declare
  checked jsonb;
  seen boolean;
  results boolean[] := '{}';
begin
  for checked in select value from jsonb_array_elements(checks) with ordinality order by ordinality loop
    begin
      perform set_config('request.jwt.claims', checked ->> 'claims', true);
      perform set_config('role', checked ->> 'role', true);
      execute checked ->> 'query' into seen;
    exception when others then
      seen := false;
    end;
    perform set_config('role', 'none', true), set_config('request.jwt.claims', '', true);
    results := results || coalesce(seen, false);
  end loop;
  return results;
end
$$;

-- What the policies of private channels are about. A row is only ever tried out, never kept.
create table if not exists realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp not null default now(),
  inserted_at timestamp not null default now(),
  id uuid not null default gen_random_uuid(),
  primary key (id, inserted_at)
);
alter table realtime.messages enable row level security;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;

-- The topic in question, for use in policies.
create or replace function realtime.topic() returns text
  language sql stable
as $$ select nullif(current_setting('realtime.topic', true), '') $$;

-- What a role with these claims may do in a topic: per extension, whether it sees a message that is there, and whether
-- it can add one. Each try is undone, and with it the role and the settings.
create or replace function realtime.permissions(asked_topic text, asked_role text, asked_claims text) returns jsonb
  language plpgsql
as $$
declare
  tried text;
  message uuid;
  reads boolean;
  writes boolean;
  results jsonb := '{}';
begin
  foreach tried in array array['broadcast', 'presence'] loop
    reads := false;
    writes := false;
    begin
      insert into realtime.messages (topic, extension) values (asked_topic, tried) returning id into message;
      perform set_config('realtime.topic', asked_topic, true);
      perform set_config('request.jwt.claims', asked_claims, true);
      perform set_config('role', asked_role, true);
      select exists (select from realtime.messages m where m.id = message) into reads;
      insert into realtime.messages (topic, extension) values (asked_topic, tried);
      writes := true;
      raise exception 'undo';
    exception when others then
      null;
    end;
    results := results || jsonb_build_object(tried, jsonb_build_object('read', reads, 'write', writes));
  end loop;
  return results;
end
$$;

revoke all on function realtime.permissions(text, text, text), realtime.visible(jsonb), realtime.watch_publication(text),
  realtime.waiting(xid8, bigint, xid8, bigint) from public;

select realtime.watch_publication();
