-- PostgreSQL in WebAssembly loads no library at its start, so no statement is counted.
create view pg_stat_statements as
  select null::oid as userid, null::oid as dbid, null::boolean as toplevel, null::bigint as queryid, null::text as query,
    null::bigint as plans, null::float8 as total_plan_time, null::float8 as min_plan_time, null::float8 as max_plan_time,
    null::float8 as mean_plan_time, null::bigint as calls, null::float8 as total_exec_time, null::float8 as min_exec_time,
    null::float8 as max_exec_time, null::float8 as mean_exec_time, null::float8 as stddev_exec_time, null::bigint as rows,
    null::bigint as shared_blks_hit, null::bigint as shared_blks_read
  where false;

create view pg_stat_statements_info as
  select 0::bigint as dealloc, pg_postmaster_start_time() as stats_reset;

create function pg_stat_statements_reset(userid oid default 0, dbid oid default 0, queryid bigint default 0, minmax_only boolean default false)
  returns timestamptz
  language sql
  as $$ select clock_timestamp() $$;
