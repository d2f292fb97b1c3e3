-- Message queues: each has a table and an archive table.

create table pgmq.meta (
  queue_name varchar unique not null,
  is_partitioned boolean not null default false,
  is_unlogged boolean not null default false,
  created_at timestamptz not null default now()
);
select pg_catalog.pg_extension_config_dump('pgmq.meta', '');

create type pgmq.message_record as (
  msg_id bigint, read_ct integer, enqueued_at timestamptz, vt timestamptz, message jsonb, headers jsonb
);
create type pgmq.queue_record as (
  queue_name varchar, is_partitioned boolean, is_unlogged boolean, created_at timestamptz
);
create type pgmq.metrics_result as (
  queue_name text, queue_length bigint, newest_msg_age_sec integer, oldest_msg_age_sec integer, total_messages bigint,
  scrape_time timestamptz, queue_visible_length bigint
);

create function pgmq.format_table_name(queue_name text, prefix text) returns text
  language plpgsql immutable
  as $$
  begin
    if queue_name !~ '^[A-Za-z_0-9-]{1,47}$' then
      raise 'queue name contains invalid characters: $, ;, --, or \'', or is too long: %', queue_name;
    end if;
    return lower(prefix || '_' || queue_name);
  end
  $$;

create function pgmq._create(queue_name text, is_unlogged boolean) returns void
  language plpgsql
  as $$
  declare
    queue text := pgmq.format_table_name(queue_name, 'q');
    archive text := pgmq.format_table_name(queue_name, 'a');
  begin
    execute format(
      'create %s table if not exists pgmq.%I (
        msg_id bigint primary key generated always as identity,
        read_ct integer not null default 0,
        enqueued_at timestamptz not null default now(),
        vt timestamptz not null,
        message jsonb,
        headers jsonb
      )', case when is_unlogged then 'unlogged' else '' end, queue
    );
    execute format(
      'create table if not exists pgmq.%I (
        msg_id bigint primary key,
        read_ct integer not null default 0,
        enqueued_at timestamptz not null default now(),
        archived_at timestamptz not null default now(),
        vt timestamptz not null,
        message jsonb,
        headers jsonb
      )', archive
    );
    execute format('create index if not exists %I on pgmq.%I (vt)', queue || '_vt_idx', queue);
    execute format('create index if not exists %I on pgmq.%I (archived_at)', 'archived_at_idx_' || queue_name, archive);
    insert into pgmq.meta (queue_name, is_partitioned, is_unlogged) values (_create.queue_name, false, _create.is_unlogged)
      on conflict do nothing;
  end
  $$;

create function pgmq.create(queue_name text) returns void
  language sql as $$ select pgmq._create($1, false) $$;
create function pgmq.create_non_partitioned(queue_name text) returns void
  language sql as $$ select pgmq._create($1, false) $$;
create function pgmq.create_unlogged(queue_name text) returns void
  language sql as $$ select pgmq._create($1, true) $$;

create function pgmq.create_partitioned(queue_name text, partition_interval text default '10000', retention_interval text default '100000')
  returns void
  language plpgsql
  as $$
  begin
    raise 'The local Supabase has no partitioned queues' using errcode = '0A000', hint = 'pgmq.create makes one without partitions.';
  end
  $$;

create function pgmq.drop_queue(queue_name text) returns boolean
  language plpgsql
  as $$
  begin
    execute format('drop table if exists pgmq.%I', pgmq.format_table_name(queue_name, 'q'));
    execute format('drop table if exists pgmq.%I', pgmq.format_table_name(queue_name, 'a'));
    delete from pgmq.meta m where m.queue_name = drop_queue.queue_name;
    return found;
  end
  $$;

create function pgmq.purge_queue(queue_name text) returns bigint
  language plpgsql
  as $$
  declare
    count bigint;
  begin
    execute format('delete from pgmq.%I', pgmq.format_table_name(queue_name, 'q'));
    get diagnostics count = row_count;
    return count;
  end
  $$;

create function pgmq._send(queue_name text, msgs jsonb[], headers jsonb[], delay timestamptz) returns setof bigint
  language plpgsql
  as $$
  begin
    return query execute format(
      'insert into pgmq.%I (vt, message, headers)
        select $2, m.message, m.headers from unnest($1, $3) with ordinality as m (message, headers, place) order by m.place
        returning msg_id', pgmq.format_table_name(queue_name, 'q')
    ) using msgs, delay, headers;
  end
  $$;

create function pgmq.send(queue_name text, msg jsonb) returns setof bigint
  language sql as $$ select pgmq._send($1, array[$2], null, clock_timestamp()) $$;
create function pgmq.send(queue_name text, msg jsonb, delay integer) returns setof bigint
  language sql as $$ select pgmq._send($1, array[$2], null, clock_timestamp() + make_interval(secs => $3)) $$;
create function pgmq.send(queue_name text, msg jsonb, delay timestamptz) returns setof bigint
  language sql as $$ select pgmq._send($1, array[$2], null, $3) $$;
create function pgmq.send(queue_name text, msg jsonb, headers jsonb) returns setof bigint
  language sql as $$ select pgmq._send($1, array[$2], array[$3], clock_timestamp()) $$;
create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay integer) returns setof bigint
  language sql as $$ select pgmq._send($1, array[$2], array[$3], clock_timestamp() + make_interval(secs => $4)) $$;
create function pgmq.send_batch(queue_name text, msgs jsonb[]) returns setof bigint
  language sql as $$ select pgmq._send($1, $2, null, clock_timestamp()) $$;
create function pgmq.send_batch(queue_name text, msgs jsonb[], delay integer) returns setof bigint
  language sql as $$ select pgmq._send($1, $2, null, clock_timestamp() + make_interval(secs => $3)) $$;
create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[]) returns setof bigint
  language sql as $$ select pgmq._send($1, $2, $3, clock_timestamp()) $$;

create function pgmq.read(queue_name text, vt integer, qty integer, conditional jsonb default '{}') returns setof pgmq.message_record
  language plpgsql
  as $$
  begin
    return query execute format(
      'with next as (
        select msg_id from pgmq.%1$I where vt <= clock_timestamp() and ($3 = ''{}'' or message @> $3)
        order by msg_id limit $1 for update skip locked
      )
      update pgmq.%1$I q set vt = clock_timestamp() + make_interval(secs => $2), read_ct = read_ct + 1
      from next where q.msg_id = next.msg_id
      returning q.msg_id, q.read_ct, q.enqueued_at, q.vt, q.message, q.headers', pgmq.format_table_name(queue_name, 'q')
    ) using qty, vt, conditional;
  end
  $$;

-- Reads without waiting: no message can arrive while a statement blocks the only session.
create function pgmq.read_with_poll(queue_name text, vt integer, qty integer, max_poll_seconds integer default 5, poll_interval_ms integer default 100, conditional jsonb default '{}')
  returns setof pgmq.message_record
  language sql as $$ select * from pgmq.read($1, $2, $3, $6) $$;

create function pgmq.set_vt(queue_name text, msg_id bigint, vt integer) returns setof pgmq.message_record
  language plpgsql
  as $$
  begin
    return query execute format(
      'update pgmq.%I set vt = clock_timestamp() + make_interval(secs => $2) where msg_id = $1
      returning msg_id, read_ct, enqueued_at, vt, message, headers', pgmq.format_table_name(queue_name, 'q')
    ) using msg_id, vt;
  end
  $$;

create function pgmq.pop(queue_name text) returns setof pgmq.message_record
  language plpgsql
  as $$
  begin
    return query execute format(
      'delete from pgmq.%1$I where msg_id = (
        select msg_id from pgmq.%1$I where vt <= clock_timestamp() order by msg_id limit 1 for update skip locked
      ) returning msg_id, read_ct, enqueued_at, vt, message, headers', pgmq.format_table_name(queue_name, 'q')
    );
  end
  $$;

create function pgmq.delete(queue_name text, msg_ids bigint[]) returns setof bigint
  language plpgsql
  as $$
  begin
    return query execute format(
      'delete from pgmq.%I where msg_id = any ($1) returning msg_id', pgmq.format_table_name(queue_name, 'q')
    ) using msg_ids;
  end
  $$;
create function pgmq.delete(queue_name text, msg_id bigint) returns boolean
  language sql as $$ select exists (select from pgmq.delete($1, array[$2])) $$;

create function pgmq.archive(queue_name text, msg_ids bigint[]) returns setof bigint
  language plpgsql
  as $$
  begin
    return query execute format(
      'with moved as (
        delete from pgmq.%I where msg_id = any ($1) returning msg_id, read_ct, enqueued_at, vt, message, headers
      )
      insert into pgmq.%I (msg_id, read_ct, enqueued_at, vt, message, headers) select * from moved returning msg_id',
      pgmq.format_table_name(queue_name, 'q'), pgmq.format_table_name(queue_name, 'a')
    ) using msg_ids;
  end
  $$;
create function pgmq.archive(queue_name text, msg_id bigint) returns boolean
  language sql as $$ select exists (select from pgmq.archive($1, array[$2])) $$;

create function pgmq.list_queues() returns setof pgmq.queue_record
  language sql as $$ select queue_name, is_partitioned, is_unlogged, created_at from pgmq.meta $$;

create function pgmq.metrics(queue_name text) returns pgmq.metrics_result
  language plpgsql
  as $$
  declare
    queue text := pgmq.format_table_name(queue_name, 'q');
    result pgmq.metrics_result;
  begin
    execute format(
      'select $1, count(*), extract(epoch from now() - max(enqueued_at))::integer, extract(epoch from now() - min(enqueued_at))::integer,
        (select case when is_called then last_value else 0 end from pgmq.%I), now(), count(*) filter (where vt <= clock_timestamp())
      from pgmq.%I', queue || '_msg_id_seq', queue
    ) into result using queue_name;
    return result;
  end
  $$;
create function pgmq.metrics_all() returns setof pgmq.metrics_result
  language sql as $$ select (pgmq.metrics(queue_name)).* from pgmq.meta $$;

grant usage on schema pgmq to service_role;

-- As in a hosted project, `postgres` owns the queues.
do $$
declare
  owned text;
begin
  for owned in
    select format('table %s', oid::regclass) from pg_class where relnamespace = 'pgmq'::regnamespace and relkind = 'r'
    union all
    select format('routine %s', oid::regprocedure) from pg_proc where pronamespace = 'pgmq'::regnamespace
    union all
    select format('type %s', reltype::regtype) from pg_class where relnamespace = 'pgmq'::regnamespace and relkind = 'c'
  loop
    execute format('alter %s owner to postgres', owned);
  end loop;
end
$$;
grant all on schema pgmq to postgres;
