-- What an operator watches: how long the queues are and how old, why deliveries fail, and whether the jobs run.

/**
 * The last run of each scheduled job: [{name, schedule, last_run_at, last_status, last_message}]; null where pg_cron is not
 * installed or its records cannot be read.
 */
create function private.job_health() returns jsonb
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
      'last_message', case when r.status = 'failed' then left(r.return_message, 500) end
    ) order by j.jobname), '[]')
    from cron.job j
    left join lateral (
      select d.start_time, d.status, d.return_message from cron.job_run_details d
      where d.jobid = j.jobid order by d.runid desc limit 1
    ) r on true
  $query$ into jobs;
  return jobs;
exception when insufficient_privilege then
  return null;
end
$$;

/**
 * The state of everything that delivers: {outgoing, messages, announcements, mails, push, jobs}. `outgoing` is what users sent, `messages`
 * those of backends to few recipients, `announcements` those to many, which take as long as they take. A queue is {waiting, oldest_seconds}: how many rows
 * are due, and since when the oldest is. `mails` and `push` add {sending, retrying, dead, failures}; `failures` counts those of the last day
 * by their reason. Counting stops at 10,000. `jobs` is of private.job_health().
 */
create function public.queue_health() returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  called_at timestamptz := now();
begin
  return jsonb_build_object(
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
    'mails', (
      select jsonb_build_object(
        'waiting', count(*), 'oldest_seconds', floor(extract(epoch from called_at - min(m.due_at)))
      )
      from (
        select q.due_at from private.notification_mails q
        where q.state in ('pending', 'retrying') and q.due_at <= called_at order by q.due_at limit 10000
      ) m
    ) || (
      select jsonb_build_object(
        'sending', count(*) filter (where m.state = 'sending'),
        'retrying', count(*) filter (where m.state = 'retrying'),
        'dead', count(*) filter (where m.state = 'dead')
      )
      from (
        (select q.state from private.notification_mails q where q.state in ('sending', 'retrying') limit 10000)
        union all
        (select q.state from private.notification_mails q where q.state = 'dead' limit 10000)
      ) m
    ) || jsonb_build_object('failures', (
      select coalesce(jsonb_object_agg(f.reason, f.number), '{}')
      from (
        select coalesce(q.reason, 'unknown') as reason, count(*) as number
        from (
          (
            select m.reason from private.notification_mails m
            where m.state = 'dead' and m.finished_at > called_at - interval '1 day' order by m.finished_at desc limit 10000
          )
          union all
          (select m.reason from private.notification_mails m where m.state = 'retrying' and m.reason is not null limit 10000)
        ) q
        group by 1 order by 2 desc limit 20
      ) f
    )),
    'push', (
      select jsonb_build_object(
        'waiting', count(*), 'oldest_seconds', floor(extract(epoch from called_at - min(m.due_at)))
      )
      from (
        select q.due_at from private.push_messages q
        where q.state in ('pending', 'retrying') and q.due_at <= called_at order by q.due_at limit 10000
      ) m
    ) || (
      select jsonb_build_object(
        'sending', count(*) filter (where m.state = 'sending'),
        'retrying', count(*) filter (where m.state = 'retrying'),
        'dead', count(*) filter (where m.state = 'dead')
      )
      from (
        (select q.state from private.push_messages q where q.state in ('sending', 'retrying') limit 10000)
        union all
        (select q.state from private.push_messages q where q.state = 'dead' limit 10000)
      ) m
    ) || jsonb_build_object('failures', (
      select coalesce(jsonb_object_agg(f.reason, f.number), '{}')
      from (
        select coalesce(q.reason, 'unknown') as reason, count(*) as number
        from (
          (
            select m.reason from private.push_messages m
            where m.state = 'dead' and m.finished_at > called_at - interval '1 day' order by m.finished_at desc limit 10000
          )
          union all
          (select m.reason from private.push_messages m where m.state = 'retrying' and m.reason is not null limit 10000)
        ) q
        group by 1 order by 2 desc limit 20
      ) f
    )),
    'jobs', private.job_health()
  );
end
$$;

/**
 * Makes dead mails, push messages and notifications of users due again, with all their attempts: after an outage of a provider, for example. `letter_ids`: only
 * these; `died_after`: only what died since then. A mail about what was
 * read meanwhile is skipped when it is claimed. Returns {mails, push, outgoing}, the numbers of each.
 */
create function public.resend_dead_letters(letter_ids uuid[] default null, died_after timestamptz default null)
  returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  mails integer;
  push_messages integer;
  outgoing integer;
begin
  update private.notification_mails m
  set state = 'retrying', attempts = 0, due_at = now(), finished_at = null, reason = null
  where m.state = 'dead' and (letter_ids is null or m.id = any (letter_ids))
    and (died_after is null or m.finished_at >= died_after);
  get diagnostics mails = row_count;
  update private.push_messages m
  set state = 'retrying', attempts = 0, due_at = now(), finished_at = null, reason = null
  where m.state = 'dead' and (letter_ids is null or m.id = any (letter_ids))
    and (died_after is null or m.finished_at >= died_after);
  get diagnostics push_messages = row_count;
  update private.outgoing_notifications o set attempts = 0, due_at = now(), reason = null
  where o.due_at = 'infinity' and letter_ids is null and (died_after is null or o.created_at >= died_after);
  get diagnostics outgoing = row_count;
  return jsonb_build_object('mails', mails, 'push', push_messages, 'outgoing', outgoing);
end
$$;

revoke all on function public.queue_health(), public.resend_dead_letters(uuid[], timestamptz)
  from public, anon, authenticated;
grant execute on function public.queue_health(), public.resend_dead_letters(uuid[], timestamptz) to service_role;

revoke all on all functions in schema private from public;
