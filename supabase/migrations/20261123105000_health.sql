-- What an operator watches: how long the queues are and how old, why deliveries fail, and whether the jobs run.

/**
 * The last run of each scheduled job that has ended: [{name, schedule, last_run_at, last_status, last_message, running_seconds}];
 * `running_seconds` is of the run that has not ended, else null. Null where pg_cron is not installed or its records cannot be read.
 */
create function private.job_health(called_at timestamptz) returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  jobs jsonb;
begin
  if to_regclass('cron.job_run_details') is null then
    return null;
  end if;
  execute $query$
    select coalesce(jsonb_agg(jsonb_build_object(
      'name', j.jobname, 'schedule', j.schedule, 'last_run_at', r.start_time, 'last_status', r.status,
      'last_message', case when r.status = 'failed' then left(r.return_message, 500) end,
      'running_seconds', case when n.end_time is null then floor(extract(epoch from $1 - n.start_time)) end
    ) order by j.jobname), '[]')
    from cron.job j
    left join lateral (
      select d.start_time, d.end_time from cron.job_run_details d where d.jobid = j.jobid order by d.runid desc limit 1
    ) n on true
    left join lateral (
      select d.start_time, d.status, d.return_message from cron.job_run_details d
      where d.jobid = j.jobid and d.end_time is not null order by d.runid desc limit 1
    ) r on true
  $query$ into jobs using called_at;
  return jobs;
exception when insufficient_privilege then
  return null;
end
$$;

/**
 * How the last call of each worker by the timer ended: [{name, worker, called_at, status, error}]. `status` is null while it runs, and where no
 * response came. Null where pg_net is not installed.
 */
create function private.worker_health() returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  workers jsonb;
begin
  if to_regclass('net._http_response') is null then
    return null;
  end if;
  execute $query$
    select coalesce(jsonb_agg(jsonb_build_object(
      'name', c.function_name, 'worker', c.worker, 'called_at', c.called_at, 'status', r.status_code,
      'error', case when r.id is not null and r.status_code is distinct from 200 then left(coalesce(r.error_msg, r.content), 500) end
    ) order by c.function_name, c.worker), '[]')
    from private.worker_calls c left join net._http_response r on r.id = c.request_id
  $query$ into workers;
  return workers;
end
$$;

/** The state of a queue whose rows workers lease: {waiting, oldest_seconds, sending, retrying, held_seconds, dead, failures}. */
create function private.leased_queue_health(queue regclass, called_at timestamptz, held_since text default 'q.held_since') returns jsonb
  language plpgsql stable
  set search_path = ''
as $$
declare
  health jsonb;
begin
  execute format($query$
    select jsonb_build_object('waiting', w.waiting, 'oldest_seconds', w.oldest_seconds, 'failures', f.failures) || to_jsonb(s)
    from (
      select count(*) as waiting, floor(extract(epoch from $1 - min(d.due_at))) as oldest_seconds
      from (
        select q.due_at from %1$s q where q.state in ('pending', 'retrying') and q.due_at <= $1 order by q.due_at limit 10000
      ) d
    ) w, (
      select
        count(*) filter (where m.state = 'sending') as sending, count(*) filter (where m.state = 'retrying') as retrying,
        floor(extract(epoch from $1 - min(m.held_since) filter (where m.state = 'retrying'))) as held_seconds,
        count(*) filter (where m.state = 'dead') as dead
      from (
        (select q.state, %2$s as held_since from %1$s q where q.state in ('sending', 'retrying') limit 10000)
        union all
        (select q.state, null from %1$s q where q.state = 'dead' limit 10000)
      ) m
    ) s, (
      select coalesce(jsonb_object_agg(r.reason, r.number), '{}') as failures
      from (
        select coalesce(m.reason, 'unknown') as reason, count(*) as number
        from (
          (
            select q.reason from %1$s q
            where q.state = 'dead' and q.finished_at > $1 - interval '1 day' order by q.finished_at desc limit 10000
          )
          union all
          (select q.reason from %1$s q where q.state = 'retrying' and q.reason is not null limit 10000)
        ) m
        group by 1 order by 2 desc limit 20
      ) r
    ) f
  $query$, queue, held_since) into health using called_at;
  return health;
end
$$;

/**
 * Of the mails that ended in the last day, the newest 10,000: {sent, dead, failed_share}, the share of those that were not skipped, null
 * without any. Addresses that were suppressed in the last day, at most 10,000: {bounces, complaints}.
 */
create function private.day_health(called_at timestamptz) returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  select jsonb_build_object(
    'sent', m.sent, 'dead', m.dead, 'failed_share', round(m.dead::numeric / nullif(m.sent + m.dead, 0), 4),
    'bounces', s.bounces, 'complaints', s.complaints
  )
  from (
    select count(*) filter (where f.state = 'sent') as sent, count(*) filter (where f.state = 'dead') as dead
    from (
      select q.state from private.notification_mails q
      where q.state in ('sent', 'skipped', 'dead') and q.finished_at > called_at - interval '1 day'
      order by q.finished_at desc limit 10000
    ) f
  ) m, (
    select
      count(*) filter (where f.reason = 'bounce') as bounces, count(*) filter (where f.reason = 'complaint') as complaints
    from (
      select a.reason from private.suppressed_addresses a
      where a.created_at > called_at - interval '1 day' order by a.created_at desc limit 10000
    ) f
  ) s
$$;

/** How far retention is behind: {table, behind_seconds} of the table whose oldest row should have been deleted the longest ago; else null. */
create function private.retention_health(called_at timestamptz) returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  select jsonb_build_object('table', o.name, 'behind_seconds', floor(extract(epoch from called_at - r.keep - o.oldest)))
  from (
    values
      ('notifications', (select min(n.updated_at) from public.notifications n where n.status <> 'unread')),
      ('mail_only_notifications', (select min(n.created_at) from private.mail_only_notifications n)),
      ('sent_notifications', (select min(n.created_at) from private.sent_notifications n)),
      ('tombstones', (select min(t.deleted_at) from private.notification_tombstones t)),
      ('invitations', (select min(i.expires_at) from public.invitations i)),
      (
        'notification_mails',
        (select min(m.finished_at) from private.notification_mails m where m.state in ('sent', 'skipped', 'dead'))
      ),
      ('messages', (select min(m.finished_at) from private.messages m where m.state <> 'queued')),
      (
        'outgoing_notifications',
        (select min(o.created_at) from private.outgoing_notifications o where o.due_at = 'infinity')
      ),
      ('push_messages', (select min(m.finished_at) from private.push_messages m where m.state in ('sent', 'skipped', 'dead'))),
      ('webhooks', (select min(w.finished_at) from private.webhooks w where w.state in ('sent', 'skipped', 'dead')))
  ) o (name, oldest)
  join private.retention r on r.name = o.name
  where o.oldest < called_at - r.keep
  order by called_at - r.keep - o.oldest desc
  limit 1
$$;

/** The five tables with the most dead rows, of those that autovacuum should have cleaned: [{name, dead, live, vacuumed_at}]. */
create function private.table_health() returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'name', t.name, 'dead', t.dead, 'live', t.live, 'vacuumed_at', t.vacuumed_at
  ) order by t.dead desc), '[]')
  from (
    select
      s.schemaname || '.' || s.relname as name, s.n_dead_tup as dead, s.n_live_tup as live,
      greatest(s.last_vacuum, s.last_autovacuum) as vacuumed_at
    from pg_catalog.pg_stat_user_tables s
    -- Twice the share at which autovacuum begins by default.
    where s.schemaname in ('public', 'private') and s.n_dead_tup > 10000 and s.n_dead_tup > 0.4 * s.n_live_tup
    order by s.n_dead_tup desc limit 5
  ) t
$$;

/** The names of the problems in a result of public.queue_health(). */
create function private.alarms(health jsonb) returns jsonb
  language sql immutable parallel safe
  set search_path = ''
as $$
  select coalesce(jsonb_agg(a.name order by a.name), '[]')
  from (
    values
      ('outgoing_late', (health #>> '{outgoing,oldest_seconds}')::numeric > 5),
      ('messages_late', (health #>> '{messages,oldest_seconds}')::numeric > 5),
      ('push_late', (health #>> '{push,oldest_seconds}')::numeric > 60),
      ('webhooks_late', (health #>> '{webhooks,oldest_seconds}')::numeric > 60),
      ('webhooks_fail', (health #>> '{webhooks,dead}')::numeric > 0),
      ('mails_late', (health #>> '{mails,oldest_seconds}')::numeric > 900),
      ('mails_held', (health #>> '{mails,held_seconds}')::numeric > 3600),
      ('push_held', (health #>> '{push,held_seconds}')::numeric > 3600),
      (
        'mails_fail',
        (health #>> '{day,failed_share}')::numeric > 0.05 and (health #>> '{day,dead}')::numeric >= 10
      ),
      (
        'addresses_bounce',
        (health #>> '{day,bounces}')::numeric > greatest(20, 0.02 * (health #>> '{day,sent}')::numeric)
      ),
      (
        'recipients_complain',
        (health #>> '{day,complaints}')::numeric > greatest(5, 0.001 * (health #>> '{day,sent}')::numeric)
      ),
      ('retention_late', (health #>> '{retention,behind_seconds}')::numeric > 86400),
      ('tables_bloated', jsonb_array_length(health -> 'tables') > 0),
      ('job_fails', jsonb_path_exists(health, '$.jobs[*] ? (@.last_status == "failed")')),
      ('job_runs_long', jsonb_path_exists(health, '$.jobs[*] ? (@.running_seconds > 600)')),
      ('worker_fails', jsonb_path_exists(health, '$.workers[*] ? (@.error != null || @.status >= 400)'))
  ) a (name, rings)
  where a.rings
$$;

/**
 * The state of everything that delivers: {alarms, outgoing, messages, announcements, mails, push, webhooks, day, jobs, workers, retention, tables}. `alarms`
 * names what an operator has to look at. `outgoing` is what users sent, `messages` those of backends to few recipients, `announcements` those to many, which
 * take as long as they take. A queue is {waiting, oldest_seconds}: how many rows are due, and since when the oldest is. `mails`, `push` and `webhooks` add
 * {sending, retrying, held_seconds, dead, failures}; `held_seconds` is how long the provider has refused the longest held one; `failures` counts those of the
 * last day by their reason. Counting stops at 10,000. The others are of private.day_health(), job_health(), worker_health(), retention_health(), table_health().
 */
create function public.queue_health() returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  called_at timestamptz := now();
  health jsonb;
begin
  health := jsonb_build_object(
    'outgoing', (
      select jsonb_build_object(
        'waiting', count(*), 'oldest_seconds', floor(extract(epoch from called_at - min(o.created_at)))
      )
      from (
        select q.created_at from private.outgoing_notifications q where q.due_at <= called_at order by q.due_at limit 10000
      ) o
    ) || (
      select jsonb_build_object('retrying', count(*) filter (where o.due_at < 'infinity'), 'dead', count(*) filter (where o.due_at = 'infinity'))
      from (select q.due_at from private.outgoing_notifications q where q.due_at > called_at limit 10000) o
    ),
    'messages', (
      select jsonb_build_object(
        'waiting', count(*), 'oldest_seconds', floor(extract(epoch from called_at - min(m.due_at)))
      )
      from (
        select q.due_at from private.message_ranges q where q.lane < 2 and q.due_at <= called_at limit 10000
      ) m
    ),
    'announcements', (
      select jsonb_build_object(
        'waiting', count(distinct m.message_id), 'oldest_seconds', floor(extract(epoch from called_at - min(m.due_at)))
      )
      from (
        select q.message_id, q.due_at from private.message_ranges q where q.lane >= 2 and q.due_at <= called_at limit 10000
      ) m
    ),
    'mails', private.leased_queue_health('private.notification_mails', called_at),
    'push', private.leased_queue_health('private.push_messages', called_at),
    'webhooks', private.leased_queue_health('private.webhooks', called_at, 'null::timestamptz'),
    'day', private.day_health(called_at),
    'jobs', private.job_health(called_at),
    'workers', private.worker_health(),
    'retention', private.retention_health(called_at),
    'tables', private.table_health()
  );
  return jsonb_build_object('alarms', private.alarms(health)) || health;
end
$$;

/**
 * Makes dead mails, push messages, webhooks and notifications of users due again, with all their attempts: after an outage of a provider, for example.
 * `letter_ids`: only these; `died_after`: only what died since then. A mail about what was read meanwhile is skipped when it is claimed. Webhooks of an
 * endpoint that is gone stay dead. Returns {mails, push, webhooks, outgoing, skipped}, the numbers of each; `skipped` counts, by their obstacles, the
 * mails that stay dead because their recipients get none: `suppressed` (see public.lift_suppressions()), `unconfirmed`, `account`.
 */
create function public.resend_dead_letters(letter_ids uuid[] default null, died_after timestamptz default null)
  returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  resent jsonb;
  push_messages integer;
  webhooks integer;
  outgoing integer;
begin
  with dead as materialized (
    select m.id, private.mail_obstacle(m.recipient_id, now()) as obstacle
    from private.notification_mails m
    where m.state = 'dead' and (letter_ids is null or m.id = any (letter_ids))
      and (died_after is null or m.finished_at >= died_after)
    for update
  ), due as (
    update private.notification_mails m
    set state = 'retrying', attempts = 0, held_since = null, due_at = now(), finished_at = null, reason = null
    from dead d
    where m.id = d.id and d.obstacle is null
  )
  select jsonb_build_object(
    'mails', count(*) filter (where d.obstacle is null),
    'skipped', (
      select coalesce(jsonb_object_agg(o.obstacle, o.number), '{}')
      from (select s.obstacle, count(*) as number from dead s where s.obstacle is not null group by 1) o
    )
  )
  into resent from dead d;
  update private.push_messages m
  set state = 'retrying', attempts = 0, held_since = null, due_at = now(), finished_at = null, reason = null
  where m.state = 'dead' and (letter_ids is null or m.id = any (letter_ids))
    and (died_after is null or m.finished_at >= died_after);
  get diagnostics push_messages = row_count;
  update private.webhooks w
  set state = 'retrying', attempts = 0, due_at = now(), finished_at = null, reason = null
  from private.webhook_endpoints e
  where e.id = w.endpoint_id and e.gone_at is null and w.state = 'dead' and (letter_ids is null or w.id = any (letter_ids))
    and (died_after is null or w.finished_at >= died_after);
  get diagnostics webhooks = row_count;
  update private.outgoing_notifications o set attempts = 0, due_at = now(), reason = null
  where o.due_at = 'infinity' and letter_ids is null and (died_after is null or o.created_at >= died_after);
  get diagnostics outgoing = row_count;
  return resent || jsonb_build_object('push', push_messages, 'webhooks', webhooks, 'outgoing', outgoing);
end
$$;

revoke all on function public.queue_health(), public.resend_dead_letters(uuid[], timestamptz)
  from public, anon, authenticated;
grant execute on function public.queue_health(), public.resend_dead_letters(uuid[], timestamptz) to service_role;

revoke all on all functions in schema private from public;
