-- Jobs and their runs. The process runs due jobs.

create schema cron;
create sequence cron.jobid_seq;
create sequence cron.runid_seq;

create table cron.job (
  jobid bigint primary key default nextval('cron.jobid_seq'),
  schedule text not null,
  command text not null,
  nodename text not null default 'localhost',
  nodeport integer not null default 5432,
  database text not null default current_database(),
  username text not null default current_user,
  active boolean not null default true,
  jobname text,
  constraint jobname_username_uniq unique (jobname, username)
);
alter table cron.job enable row level security;
create policy cron_job_policy on cron.job using (username = current_user);

create table cron.job_run_details (
  jobid bigint,
  runid bigint primary key default nextval('cron.runid_seq'),
  job_pid integer,
  database text,
  username text,
  command text,
  status text,
  return_message text,
  start_time timestamptz,
  end_time timestamptz
);
alter table cron.job_run_details enable row level security;
create policy cron_job_run_details_policy on cron.job_run_details using (username = current_user);

-- The caller of the functions below, which run as their owner.
create function cron._caller() returns text
  language sql stable
  as $$ select coalesce(nullif(current_setting('role'), 'none'), session_user) $$;

create function cron._require_schedule(schedule text) returns void
  language plpgsql immutable
  as $$
  begin
    if schedule ~* '^\s*([1-9]|[1-5][0-9])\s+seconds?\s*$'
      or schedule ~* '^\s*@(yearly|annually|monthly|weekly|daily|midnight|hourly|reboot)\s*$'
      or schedule ~* '^\s*([0-9a-z*$/,-]+\s+){4}[0-9a-z*$/,-]+\s*$' then
      return;
    end if;
    raise 'invalid schedule: %', schedule
      using errcode = '22023', hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
  end
  $$;

create function cron.schedule_in_database(job_name text, schedule text, command text, database text, username text default null, active boolean default true)
  returns bigint
  language plpgsql security definer
  as $$
  #variable_conflict use_variable
  begin
    perform cron._require_schedule(schedule);
    insert into cron.job as j (jobname, schedule, command, database, username, active)
      values (job_name, schedule, command, database, coalesce(username, cron._caller()), active)
      on conflict on constraint jobname_username_uniq
        do update set schedule = excluded.schedule, command = excluded.command, database = excluded.database, active = excluded.active;
    return (
      select j.jobid from cron.job j
      where j.jobname is not distinct from job_name and j.username = coalesce(schedule_in_database.username, cron._caller())
      order by j.jobid desc limit 1
    );
  end
  $$;

create function cron.schedule(job_name text, schedule text, command text) returns bigint
  language sql
  as $$ select cron.schedule_in_database($1, $2, $3, current_database()) $$;

create function cron.schedule(schedule text, command text) returns bigint
  language sql
  as $$ select cron.schedule_in_database(null, $1, $2, current_database()) $$;

create function cron.unschedule(job_id bigint) returns boolean
  language plpgsql security definer
  as $$
  begin
    delete from cron.job where jobid = job_id and username = cron._caller();
    if not found then raise 'could not find valid entry for job ''%''', job_id; end if;
    return true;
  end
  $$;

create function cron.unschedule(job_name text) returns boolean
  language plpgsql security definer
  as $$
  begin
    delete from cron.job where jobname = job_name and username = cron._caller();
    if not found then raise 'could not find valid entry for job ''%''', job_name; end if;
    return true;
  end
  $$;

create function cron.alter_job(job_id bigint, schedule text default null, command text default null, database text default null, username text default null, active boolean default null)
  returns void
  language plpgsql security definer
  as $$
  begin
    if alter_job.schedule is not null then perform cron._require_schedule(alter_job.schedule); end if;
    update cron.job j set
      schedule = coalesce(alter_job.schedule, j.schedule),
      command = coalesce(alter_job.command, j.command),
      database = coalesce(alter_job.database, j.database),
      username = coalesce(alter_job.username, j.username),
      active = coalesce(alter_job.active, j.active)
    where j.jobid = job_id and j.username = cron._caller();
    if not found then raise 'Job % does not exist or you don''t own it', job_id; end if;
  end
  $$;

-- As in a hosted project, `postgres` reads the jobs and can change them only through the functions.
grant usage on schema cron to postgres with grant option;
grant all on all functions in schema cron to postgres with grant option;
grant select on cron.job to postgres with grant option;
grant all on cron.job_run_details to postgres with grant option;
grant select on cron.job to public;
grant select, delete on cron.job_run_details to public;

-- The process starts to run what this one replaces.
select pg_notify('local_supabase_extension', 'pg_cron');
