-- The retention jobs. They delete no unread notification but one that has expired.
create table private.retention (
  name text primary key,
  keep interval not null
);
insert into private.retention (name, keep)
values
  ('notifications', '90 days'),
  ('mail_only_notifications', '14 days'),
  ('sent_notifications', '90 days'),
  ('tombstones', '2 days'),
  ('invitations', '30 days'),
  ('outgoing_notifications', '30 days');

/**
 * Deletes at most `batch_size` rows of each table whose retention period has ended at `called_at`. Returns their number;
 * a result below `batch_size` means that no expired rows are left.
 */
create function private.delete_expired(batch_size integer default 1000, called_at timestamptz default now())
  returns integer
  language plpgsql security definer
  set search_path = ''
as $$
declare
  deleted integer;
  most integer := 0;
begin
  delete from public.notifications n
  where n.id in (
    select o.id from public.notifications o
    where o.status <> 'unread'
      and o.updated_at < called_at - (select r.keep from private.retention r where r.name = 'notifications')
    order by o.updated_at
    limit batch_size
    for update skip locked
  );
  get diagnostics deleted = row_count;
  most := greatest(most, deleted);
  delete from public.notifications n
  where n.id in (
    select o.id from public.notifications o where o.expires_at <= called_at
    order by o.expires_at limit batch_size for update skip locked
  );
  get diagnostics deleted = row_count;
  most := greatest(most, deleted);
  delete from private.outgoing_notifications n
  where n.id in (
    select o.id from private.outgoing_notifications o
    where o.due_at = 'infinity'
      and o.created_at < called_at - (select r.keep from private.retention r where r.name = 'outgoing_notifications')
    order by o.id limit batch_size
  );
  get diagnostics deleted = row_count;
  most := greatest(most, deleted);
  delete from private.mail_only_notifications n
  where n.id in (
    select o.id from private.mail_only_notifications o
    where o.created_at < called_at - (select r.keep from private.retention r where r.name = 'mail_only_notifications')
    order by o.created_at
    limit batch_size
  );
  get diagnostics deleted = row_count;
  most := greatest(most, deleted);
  delete from private.sent_notifications n
  where n.id in (
    select o.id from private.sent_notifications o
    where o.created_at < called_at - (select r.keep from private.retention r where r.name = 'sent_notifications')
    order by o.created_at
    limit batch_size
  );
  get diagnostics deleted = row_count;
  most := greatest(most, deleted);
  delete from private.notification_tombstones t
  where t.ctid = any (array(
    select o.ctid from private.notification_tombstones o
    where o.deleted_at < called_at - (select r.keep from private.retention r where r.name = 'tombstones')
    order by o.deleted_at
    limit batch_size
  ));
  get diagnostics deleted = row_count;
  most := greatest(most, deleted);
  delete from public.invitations i
  where i.id in (
    select o.id from public.invitations o
    where o.expires_at < called_at - (select r.keep from private.retention r where r.name = 'invitations')
    order by o.expires_at
    limit batch_size
  );
  get diagnostics deleted = row_count;
  most := greatest(most, deleted);
  delete from private.send_usage u
  where u.ctid = any (array(
    select o.ctid from private.send_usage o
    where o.day_started_at < called_at - interval '1 day'
    order by o.day_started_at
    limit batch_size
  ));
  get diagnostics deleted = row_count;
  return greatest(most, deleted);
end
$$;

/** Deletes pg_cron's records of this role's runs that are older than a day: the job of each second writes 86,400 a day. */
create function private.delete_expired_job_runs(called_at timestamptz) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  if to_regclass('cron.job_run_details') is not null then
    execute $query$ delete from cron.job_run_details r where r.end_time < $1 - interval '1 day' $query$ using called_at;
  end if;
exception when insufficient_privilege then
  raise warning 'The records of jobs cannot be deleted: %', sqlerrm;
end
$$;

/**
 * Deletes everything that is past its time, each batch in its own transaction and a batch of each sort in turn. Ends after `run_seconds`,
 * before a hosted project cancels the statement; the next run continues.
 */
create procedure private.run_retention(
  batch_size integer default 1000, called_at timestamptz default now(), run_seconds double precision default 50
)
  language plpgsql
as $$
declare
  ends_at constant timestamptz := clock_timestamp() + make_interval(secs => run_seconds);
  is_more boolean := true;
begin
  while is_more and clock_timestamp() < ends_at loop
    is_more := false;
    if private.delete_expired(batch_size, called_at) >= batch_size then
      is_more := true;
      commit;
    end if;
    if private.delete_expired_mails(batch_size, called_at) >= batch_size then
      is_more := true;
      commit;
    end if;
    if private.delete_expired_push_messages(batch_size, called_at) >= batch_size then
      is_more := true;
      commit;
    end if;
    if private.delete_expired_webhooks(batch_size, called_at) >= batch_size then
      is_more := true;
      commit;
    end if;
    if private.delete_expired_messages(batch_size, called_at) then
      is_more := true;
      commit;
    end if;
  end loop;
  perform private.delete_expired_security_events(called_at);
  perform private.delete_expired_job_runs(called_at);
end
$$;

/**
 * Repairs the counters of every user, each in its own transaction. Ends after `run_seconds`, before a hosted project cancels the statement.
 * Each run begins at a random user, so that further runs reach the users that it misses.
 */
create procedure private.run_counter_repair(run_seconds double precision default 100)
  language plpgsql
as $$
declare
  ends_at constant timestamptz := clock_timestamp() + make_interval(secs => run_seconds);
  first_user constant uuid := gen_random_uuid();
  is_before boolean;
  counted_user uuid;
begin
  foreach is_before in array '{false,true}'::boolean[] loop
    for counted_user in
      select c.user_id from public.notification_counters c where (c.user_id < first_user) = is_before order by c.user_id
    loop
      exit when clock_timestamp() >= ends_at;
      if private.repair_counters(counted_user) then
        raise warning 'The counters of user % were wrong and are repaired.', counted_user;
      end if;
      commit;
    end loop;
  end loop;
end
$$;

revoke all on procedure
  private.run_retention(integer, timestamptz, double precision), private.run_counter_repair(double precision)
  from public;

revoke all on all functions in schema private from public;
