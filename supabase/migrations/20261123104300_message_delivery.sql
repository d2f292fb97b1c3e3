-- The delivery of messages. A worker takes ranges of recipients that no other worker has locked, delivers to some of them, and commits.

/** Whether a notification may use a channel: the message that it belongs to is restricted to some, or to none. */
create function private.may_use_channel(notification_id uuid, channel text) returns boolean
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return not exists (
    select from private.message_deliveries d join private.messages m on m.id = d.message_id
    where d.notification_id = may_use_channel.notification_id and not channel = any (m.channels)
  );
end
$$;

/** The channels that a notification went by. Excludes mail that its recipient cannot get. */
create function private.used_channels(notification_id uuid, recipient uuid, called_at timestamptz) returns text[]
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return array_remove(array[
    (select 'in_app' from public.notifications n where n.id = used_channels.notification_id),
    (
      select 'email' from private.notification_mail_items i
      where i.notification_id = used_channels.notification_id and private.mail_obstacle(recipient, called_at) is null
    ),
    (select 'push' from private.push_message_items i where i.notification_id = used_channels.notification_id limit 1)
  ], null);
end
$$;

/** Why a message reached a recipient by no channel. */
create function private.suppression_reason(message private.messages, recipient uuid) returns text
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  content jsonb := private.parse_json(message.content);
  wanted record;
begin
  select * into wanted from private.wanted_channels(recipient, private.notification_kind(content));
  return case
    when private.is_blocked(recipient, message.sender_id) then 'sender_blocked'
    when private.is_muted(recipient, content) then 'muted'
    when wanted.by_mail and (message.channels is null or 'email' = any (message.channels)) then 'no_address'
    when message.channels is not null and (wanted.in_app or wanted.by_mail) then 'channels_off'
    else 'kind_off'
  end;
end
$$;

/**
 * Delivers messages to recipients, given as pairs, and logs the outcome of each. All notifications are one statement, whose
 * triggers update the counters last and in the order of their users, so that two deliveries and the clicks of recipients
 * never deadlock. Recipients without an account are left out.
 */
create function private.deliver_messages(message_ids uuid[], recipient_ids uuid[]) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  called_at timestamptz := clock_timestamp();
begin
  insert into private.message_deliveries (message_id, recipient_id, notification_id, created_at)
  select pair.message_id, account.id, gen_random_uuid(), called_at
  from unnest(message_ids, recipient_ids) pair (message_id, recipient_id)
  -- The lock keeps an account from being deleted between the log and the notification.
  join (
    select u.id from auth.users u where u.id = any (recipient_ids) and u.deleted_at is null order by u.id for key share
  ) account on account.id = pair.recipient_id
  order by account.id
  on conflict do nothing;
  -- From here on the counters of the recipients are locked: what can be done before is done.
  insert into public.notifications (id, recipient_id, sender_id, content, created_at, updated_at, expires_at)
  select
    d.notification_id, d.recipient_id, m.sender_id, m.content,
    -- The messages of a call keep their order.
    called_at + row_number() over (partition by d.recipient_id order by m.created_at, m.id) * interval '1 microsecond',
    clock_timestamp(), m.expires_at
  from private.message_deliveries d join private.messages m on m.id = d.message_id
  where d.message_id = any (message_ids) and d.recipient_id = any (recipient_ids) and d.outcome is null
  order by d.recipient_id;
  with found as materialized (
    select n.message_id, n.recipient_id, private.used_channels(n.notification_id, n.recipient_id, called_at) as channels
    from private.message_deliveries n
    where n.message_id = any (message_ids) and n.recipient_id = any (recipient_ids) and n.outcome is null
  )
  update private.message_deliveries d
  set
    channels = f.channels,
    outcome = case when f.channels = '{}' then 'suppressed' else 'delivered' end,
    reason = case when f.channels = '{}' then private.suppression_reason(m, d.recipient_id) end,
    quiet_until = case when f.channels && '{email,push}' then private.quiet_until(d.recipient_id, called_at) end
  from found f join private.messages m on m.id = f.message_id
  where d.message_id = f.message_id and d.recipient_id = f.recipient_id;
end
$$;

/**
 * Delivers a message to one recipient. A transient failure leaves a range of this recipient alone, for a later attempt; another one, and
 * the last attempt, are logged as `failed`. Returns the code of the failure; null: delivered.
 */
create function private.deliver_to_one(message_id uuid, recipient uuid) returns text
  language plpgsql security definer
  set search_path = ''
as $$
declare
  failed_before smallint := coalesce(
    (
      select max(r.attempts) from private.message_ranges r
      where r.message_id = deliver_to_one.message_id and r.only_id = recipient
    ), 0
  );
begin
  perform private.deliver_messages(array[message_id], array[recipient]);
  return null;
exception when others then
  if private.is_transient(sqlstate) and failed_before + 1 < private.most_attempts() then
    insert into private.message_ranges (message_id, lane, due_at, only_id, attempts)
    values (message_id, 1, private.next_attempt_at(failed_before + 1), recipient, failed_before + 1);
  else
    insert into private.message_deliveries (message_id, recipient_id, notification_id, outcome, reason, created_at)
    select deliver_to_one.message_id, u.id, gen_random_uuid(), 'failed', left(sqlerrm, 500), clock_timestamp()
    from auth.users u where u.id = recipient
    on conflict do nothing;
  end if;
  return sqlstate;
end
$$;

/**
 * Delivers messages to recipients, given as pairs; where that fails, to each alone, so that one failed delivery does
 * not stop the others. One whose rows are locked is retried later, so that no recipient waits for another.
 */
create function private.deliver_pairs(message_ids uuid[], recipient_ids uuid[]) returns void
  language plpgsql security definer
  set search_path = ''
  set lock_timeout = '500ms'
as $$
declare
  pair record;
  locked uuid[] := '{}';
begin
  perform private.deliver_messages(message_ids, recipient_ids);
exception when others then
  for pair in select * from unnest(message_ids, recipient_ids) p (message_id, recipient_id) loop
    if pair.recipient_id = any (locked) then
      insert into private.message_ranges (message_id, lane, due_at, only_id)
      values (pair.message_id, 1, private.next_attempt_at(1), pair.recipient_id);
    elsif private.deliver_to_one(pair.message_id, pair.recipient_id) = '55P03' then
      locked := locked || pair.recipient_id;
    end if;
  end loop;
end
$$;

/** Ends messages: their content, recipients and ranges are needed no more. */
create function private.finish_messages(message_ids uuid[], end_state text) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  -- In the same order as a worker, which locks a range before its message.
  perform from private.message_ranges r where r.message_id = any (message_ids) order by r.id for update;
  update private.messages m
  set
    state = end_state, finished_at = clock_timestamp(), content = null,
    delivered_count = m.delivered_count + coalesce(left_over.delivered, 0),
    suppressed_count = m.suppressed_count + coalesce(left_over.suppressed, 0),
    failed_count = m.failed_count + coalesce(left_over.failed, 0)
  from unnest(message_ids) given (id)
  left join lateral (
    select sum(r.delivered_count) as delivered, sum(r.suppressed_count) as suppressed, sum(r.failed_count) as failed
    from private.message_ranges r where r.message_id = given.id
  ) left_over on true
  where m.id = given.id and m.state = 'queued';
  delete from private.message_ranges r where r.message_id = any (message_ids);
  delete from private.message_recipients r where r.message_id = any (message_ids);
end
$$;

/** When a recipient's time zone reaches a local time. */
create function private.local_due_at(local_time timestamp, recipient uuid) returns timestamptz
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return local_time at time zone private.known_time_zone(
    coalesce((select p.time_zone from public.notification_preferences p where p.user_id = recipient), 'UTC')
  );
end
$$;

/**
 * The next recipients of a range whose time zone has reached the local time of the message. The range is due again when the
 * next of the others reaches it, and then omits those who were delivered to.
 */
create function private.due_by_clock(
  part private.message_ranges, message private.messages, candidates uuid[], called_at timestamptz
) returns uuid[]
  language plpgsql security definer
  set search_path = ''
as $$
declare
  due uuid[];
  later_at timestamptz;
begin
  if message.local_time is null or part.only_id is not null then
    return candidates;
  end if;
  select coalesce(array_agg(c.id order by c.id) filter (where c.due_at <= called_at), '{}'), min(c.due_at) filter (where c.due_at > called_at)
  into due, later_at
  from (select id, private.local_due_at(message.local_time, id) as due_at from unnest(candidates) id) c;
  if later_at is not null then
    insert into private.message_ranges (message_id, lane, due_at, after_id, last_id)
    values (part.message_id, part.lane, later_at, part.after_id, candidates[cardinality(candidates)]);
  end if;
  return array(
    select d from unnest(due) d
    where not exists (select from private.message_deliveries l where l.message_id = message.id and l.recipient_id = d)
      and not exists (select from private.message_ranges r where r.message_id = message.id and r.only_id = d)
    order by d
  );
end
$$;

/** The next recipients of a range, in the order of their ids. */
create function private.range_recipients(part private.message_ranges, message private.messages, most integer) returns uuid[]
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  lowest constant uuid := coalesce(part.after_id, '00000000-0000-0000-0000-000000000000');
  highest constant uuid := coalesce(part.last_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
  return case
    when part.only_id is not null then array[part.only_id]
    when message.recipient_count is not null then array(
      select r.recipient_id from private.message_recipients r
      where r.message_id = message.id and r.recipient_id > lowest and r.recipient_id <= highest
      order by r.recipient_id limit most
    )
    when message.is_for_everyone then array(
      select u.id from auth.users u
      where u.id > lowest and u.id <= highest
        and not u.is_anonymous and u.confirmed_at is not null and u.deleted_at is null
        and (u.banned_until is null or u.banned_until <= now())
      order by u.id limit most
    )
    when message.is_for_followers then array(
      select p.user_id from public.notification_preferences p
      where p.user_id > lowest and p.user_id <= highest
        and p.kinds -> (private.parse_json(message.content) ->> 'type') @> any ('{"{\"in_app\": true}","{\"email\": true}"}'::jsonb[])
      order by p.user_id limit most
    )
    else array(
      select a.user_id from public.audience_members a
      where a.audience = message.audience and a.user_id > lowest and a.user_id <= highest
      order by a.user_id limit most
    )
  end;
end
$$;

/** Splits the first recipients off an open range, for one worker; the rest stays open for others. The last part is closed. */
create function private.split_range(part private.message_ranges, message private.messages) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  size constant integer := 1000;
  lowest constant uuid := coalesce(part.after_id, '00000000-0000-0000-0000-000000000000');
  boundary uuid;
begin
  boundary := case
    when message.recipient_count is not null then (
      select r.recipient_id from private.message_recipients r
      where r.message_id = message.id and r.recipient_id > lowest order by r.recipient_id offset size - 1 limit 1
    )
    when message.is_for_everyone then (select u.id from auth.users u where u.id > lowest order by u.id offset size - 1 limit 1)
    when message.is_for_followers then (
      select p.user_id from public.notification_preferences p where p.user_id > lowest order by p.user_id offset size - 1 limit 1
    )
    else (
      select a.user_id from public.audience_members a
      where a.audience = message.audience and a.user_id > lowest order by a.user_id offset size - 1 limit 1
    )
  end;
  if boundary is not null then
    insert into private.message_ranges (message_id, lane, due_at, after_id, last_id)
    values (part.message_id, part.lane, part.due_at, part.after_id, boundary);
  end if;
  update private.message_ranges r set after_id = coalesce(boundary, r.after_id), is_open = boundary is not null
  where r.id = part.id;
end
$$;

/**
 * Counts the outcomes of the recipients of a range, which continues after `last_seen`, or ends after the last of them.
 */
create function private.advance_range(part private.message_ranges, reached uuid[], last_seen uuid, is_last boolean) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  select
    part.delivered_count + count(*) filter (where d.outcome = 'delivered'),
    part.suppressed_count + count(*) filter (where d.outcome = 'suppressed'),
    part.failed_count + count(*) filter (where d.outcome = 'failed')
  into part.delivered_count, part.suppressed_count, part.failed_count
  from private.message_deliveries d where d.message_id = part.message_id and d.recipient_id = any (reached);
  if is_last then
    delete from private.message_ranges r where r.id = part.id;
    update private.messages m
    set
      delivered_count = m.delivered_count + part.delivered_count,
      suppressed_count = m.suppressed_count + part.suppressed_count,
      failed_count = m.failed_count + part.failed_count
    where m.id = part.message_id;
    -- The message's row is locked: of two workers that end its last ranges, the second one sees that none is left.
    if not exists (select from private.message_ranges r where r.message_id = part.message_id) then
      perform private.finish_messages(
        array[part.message_id],
        (select case when m.expires_at <= now() then 'expired' else 'delivered' end from private.messages m where m.id = part.message_id)
      );
    end if;
  else
    update private.message_ranges r
    set
      after_id = last_seen,
      -- The members of an audience may have become many.
      lane = case
        when r.lane < 2 and exists (select from private.messages m where m.id = r.message_id and m.recipient_count is null)
          then r.lane + 2 else r.lane
      end,
      delivered_count = part.delivered_count,
      suppressed_count = part.suppressed_count,
      failed_count = part.failed_count
    where r.id = part.id;
  end if;
end
$$;

/**
 * Delivers to the next recipients of ranges that are due and that no other session has locked. Without `are_many`: ranges of several
 * messages to few recipients, important and old ones first. With `are_many`: a range of one message to many recipients. Important messages
 * go first; the others take turns, and `last_message` is the one that had the last turn. `was_busy`: whether there was such a range.
 */
create function private.deliver_ranges(
  are_many boolean, batch_size integer, called_at timestamptz, inout last_message uuid, out was_busy boolean
)
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most_ranges constant integer := case when are_many then 1 else 20 end;
  ids bigint[];
  part private.message_ranges;
  parts private.message_ranges[] := '{}';
  message private.messages;
  chunk uuid[];
  due uuid[];
  last_seen uuid[] := '{}';
  message_ids uuid[] := '{}';
  recipient_ids uuid[] := '{}';
  -- Where the recipients of each part begin, and whether they are its last.
  starts integer[] := '{}';
  ends boolean[] := '{}';
  place integer;
begin
  ids := array(
    select r.id from private.message_ranges r
    where r.lane = any (case when are_many then '{2,3}' else '{0,1}' end::smallint[]) and r.due_at <= called_at
    order by
      r.lane,
      case when are_many then r.message_id <= coalesce(last_message, '00000000-0000-0000-0000-000000000000') end,
      case when are_many then r.message_id end,
      r.is_open, r.due_at, r.id
    limit most_ranges for update skip locked
  );
  was_busy := ids <> '{}';
  for part in select * from private.message_ranges r where r.id = any (ids) order by r.lane, r.due_at, r.id loop
    select * into message from private.messages m where m.id = part.message_id;
    last_message := part.message_id;
    if part.is_open and (message.expires_at > called_at or message.expires_at is null) then
      perform private.split_range(part, message);
    elsif cardinality(recipient_ids) < batch_size then
      chunk := case when message.expires_at <= called_at then '{}'
        else private.range_recipients(part, message, batch_size - cardinality(recipient_ids)) end;
      parts := parts || part;
      starts := starts || cardinality(recipient_ids) + 1;
      ends := ends || (part.only_id is not null or cardinality(chunk) < batch_size - cardinality(recipient_ids));
      last_seen := last_seen || array[chunk[cardinality(chunk)]];
      due := private.due_by_clock(part, message, chunk, called_at);
      message_ids := message_ids || array_fill(part.message_id, array[cardinality(due)]);
      recipient_ids := recipient_ids || due;
    end if;
  end loop;
  if recipient_ids <> '{}' then
    perform private.deliver_pairs(message_ids, recipient_ids);
  end if;
  -- In the order of their ids, so that two workers lock messages in the same order.
  for place in select p.place from unnest(parts) with ordinality p (
    id, message_id, lane, due_at, after_id, last_id, is_open, only_id, attempts, delivered_count, suppressed_count, failed_count, place
  ) order by p.message_id, p.place loop
    perform private.advance_range(
      parts[place],
      recipient_ids[starts[place]:coalesce(starts[place + 1] - 1, cardinality(recipient_ids))],
      last_seen[place],
      ends[place]
    );
  end loop;
end
$$;

/** When the next queued delivery is due; null without one. For schedulers that do not run each second. */
create function private.next_message_at() returns timestamptz
  language sql stable security definer
  set search_path = ''
as $$
  select least(
    (select min(r.due_at) from private.message_ranges r),
    (select o.due_at from private.outgoing_notifications o where o.due_at < 'infinity' order by o.due_at limit 1)
  )
$$;

revoke all on all functions in schema private from public;
