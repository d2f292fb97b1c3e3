-- The calls of a backend: to send, to read the status of a message, and to cancel it.

/** The public form of a message, with the first of its deliveries: {id, state, counts, deliveries, …}. `unknown`: recipients without an account. */
create function private.describe_message(
  message private.messages, user_id uuid, after uuid, page_size integer, unknown uuid[] default '{}'
) returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', message.id,
    'idempotency_key', message.idempotency_key,
    'state', case when message.state = 'queued' and message.send_at > now() then 'scheduled' else message.state end,
    'send_at', message.send_at,
    'local_time', to_char(message.local_time, 'YYYY-MM-DD"T"HH24:MI:SS'),
    'expires_at', message.expires_at,
    'created_at', message.created_at,
    'finished_at', message.finished_at,
    'counts', (
      select jsonb_build_object(
        'delivered', message.delivered_count + coalesce(sum(r.delivered_count), 0),
        'suppressed', message.suppressed_count + coalesce(sum(r.suppressed_count), 0),
        'failed', message.failed_count + coalesce(sum(r.failed_count), 0),
        'unknown', case
          when message.state in ('delivered', 'expired') then greatest(
            message.recipient_count - message.delivered_count - message.suppressed_count - message.failed_count, 0
          )
          else cardinality(unknown)
        end
      )
      from private.message_ranges r where r.message_id = message.id
    ),
    'deliveries', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(page)) order by page.recipient_id), '[]')
      from (
        (
          select
            d.recipient_id, d.outcome, d.reason, d.notification_id,
            case when d.outcome = 'delivered' then d.channels end as channels,
            d.quiet_until,
            (
              select m.state from private.notification_mail_items i join private.notification_mails m on m.id = i.mail_id
              where i.notification_id = d.notification_id
            ) as mail_state,
            d.created_at
          from private.message_deliveries d
          where d.message_id = message.id and (describe_message.user_id is null or d.recipient_id = describe_message.user_id)
            and d.recipient_id > coalesce(after, '00000000-0000-0000-0000-000000000000')
          order by d.recipient_id limit page_size
        )
        union all
        select u, 'unknown', null, null, null, null, null, null from unnest(unknown) u
        order by recipient_id limit page_size
      ) page
    )
  );
end
$$;

/**
 * Whether the call may deliver before its response: a request of the API that does nothing else. Within another transaction
 * it would keep the rows of recipients locked until that one ends.
 */
create function private.is_call_of_api() returns boolean
  language sql stable
  set search_path = ''
as $$
  select pg_trigger_depth() = 0 and coalesce(current_setting('request.path', true), '') ~ '/rpc/send_notifications$'
$$;

/**
 * Stores messages, given with the pairs of their ids and recipients, and their work. A key that is known stores nothing;
 * where its message failed for some recipients, these are retried. Returns the ids of the stored ones.
 */
create function private.accept_messages(parsed private.messages[], message_ids uuid[], recipient_ids uuid[]) returns uuid[]
  language plpgsql security definer
  set search_path = ''
as $$
declare
  few constant integer := 100;
  accepted uuid[];
begin
  with added as (
    insert into private.messages (
      id, idempotency_key, request_hash, sender_id, content, audience, is_for_everyone, is_for_followers, channels, send_at, local_time,
      expires_at, recipient_count, created_at
    )
    select
      m.id, m.idempotency_key, m.request_hash, m.sender_id, m.content, m.audience, m.is_for_everyone, m.is_for_followers, m.channels,
      m.send_at, m.local_time, m.expires_at, m.recipient_count, now() + m.ordinality * interval '1 microsecond'
    from unnest(parsed) with ordinality m
    -- Always in the same order, so that two calls with the same keys do not deadlock.
    order by m.idempotency_key, m.id
    on conflict (idempotency_key) do nothing
    returning id
  )
  select coalesce(array_agg(a.id), '{}') into accepted from added a;
  insert into private.message_recipients (message_id, recipient_id)
  select p.message_id, p.recipient_id from unnest(message_ids, recipient_ids) p (message_id, recipient_id)
  where p.message_id = any (accepted);
  insert into private.message_ranges (message_id, lane, due_at, is_open)
  select
    m.id,
    case when size.number <= few then 0 else 2 end
      + case when private.parse_json(m.content) #> '{data,important}' = 'true' then 0 else 1 end,
    m.send_at,
    size.number > few
  from unnest(parsed) m
  cross join lateral (
    select coalesce(
      m.recipient_count,
      case when m.is_for_everyone or m.is_for_followers then few + 1 end,
      (select count(*) from (select from public.audience_members a where a.audience = m.audience limit few + 1) members)
    ) as number
  ) size
  where m.id = any (accepted);
  return accepted;
end
$$;

/** Refuses a key that belongs to another message. */
create function private.refuse_reused_keys(parsed private.messages[]) returns void
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  reused integer;
begin
  select array_position(parsed, m) - 1 into reused
  from unnest(parsed) m join private.messages kept on kept.idempotency_key = m.idempotency_key
  where kept.request_hash <> m.request_hash limit 1;
  if reused is not null then
    raise sqlstate 'PT409' using message = 'key_reused',
      detail = format('messages[%s].idempotency_key belongs to another message.', reused);
  end if;
end
$$;

/** Retries the failed recipients of a finished message, with the content of the call that repeats it. */
create function private.revive_message(repeated private.messages) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update private.messages m set state = 'queued', finished_at = null, content = repeated.content, failed_count = 0
  where m.idempotency_key = repeated.idempotency_key and m.state = 'delivered' and m.failed_count > 0;
  if found then
    with failed as (
      delete from private.message_deliveries d using private.messages m
      where m.idempotency_key = repeated.idempotency_key and d.message_id = m.id and d.outcome = 'failed'
      returning d.message_id, d.recipient_id
    )
    insert into private.message_ranges (message_id, lane, due_at, only_id)
    select f.message_id, 1, now(), f.recipient_id from failed f order by f.recipient_id;
  end if;
end
$$;

/** Delivers messages to few recipients within the call, and queues those with locked rows. */
create function private.deliver_at_once(delivered_ids uuid[], message_ids uuid[], recipient_ids uuid[]) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  part private.message_ranges;
begin
  perform private.deliver_pairs(array_agg(p.message_id), array_agg(p.recipient_id))
  from unnest(message_ids, recipient_ids) p (message_id, recipient_id) where p.message_id = any (delivered_ids);
  for part in
    select * from private.message_ranges r where r.message_id = any (delivered_ids) and r.only_id is null order by r.message_id
  loop
    perform private.advance_range(
      part,
      array(
        select p.recipient_id from unnest(message_ids, recipient_ids) p (message_id, recipient_id) where p.message_id = part.message_id
      ),
      null,
      true
    );
  end loop;
end
$$;

/** Previews a message: the delivery itself, to its first recipients, in a subtransaction that is rolled back. */
create function private.preview_message(message private.messages, recipients uuid[]) returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most constant integer := 100;
  chosen uuid[];
  deliveries jsonb;
begin
  begin
    message.idempotency_key := null;
    message.send_at := now();
    perform private.accept_messages(array[message], array_fill(message.id, array[coalesce(cardinality(recipients), 0)]), recipients);
    select private.range_recipients(r, message, most) into chosen from private.message_ranges r where r.message_id = message.id;
    perform private.deliver_pairs(array_fill(message.id, array[cardinality(chosen)]), chosen);
    deliveries := private.describe_message(message, null, null, most, array(
      select c from unnest(chosen) c where not exists (select from auth.users u where u.id = c and u.deleted_at is null) order by c
    )) -> 'deliveries';
    raise sqlstate 'PT200';
  exception when sqlstate 'PT200' then
    null;
  end;
  return jsonb_build_object(
    'recipient_count', case
      when message.audience is null then message.recipient_count
      else (select count(*) from public.audience_members a where a.audience = message.audience)
    end,
    'deliveries', (
      select coalesce(jsonb_agg(d - '{notification_id,mail_state,created_at}'::text[] order by d ->> 'recipient_id'), '[]')
      from jsonb_array_elements(deliveries) d
    ),
    'content', message.content::jsonb,
    'words', (
      select jsonb_object_agg(l.language, private.kind_words_in(l.language, k.name, message.content::jsonb))
      from public.notification_kinds k
      cross join lateral (
        select 'en' union select 'de' union select jsonb_object_keys(k.labels) union select jsonb_object_keys(k.templates)
      ) l (language)
      where k.name = message.content::jsonb ->> 'type'
    )
  );
end
$$;

/**
 * Sends notifications, for a backend with the secret key. `messages` is a list of 1 to 100 objects:
 * - `recipients`: 1 to 10,000 account ids; or `audience`: a name of public.audiences; or `everyone`: true, which leaves out anonymous,
 *   banned and unconfirmed accounts; or `followers`: true, those who have switched the kind on, which is a topic;
 * - `kind`: `mention`, `comment`, `edit`, `invite`, `message`, `system` (default), or one of public.register_kind();
 * - `text`: up to 2,000 characters; `url`: a path of the application; `entity`: {type, id, name?};
 * - `sender`: {user_id} of an account, or {name}; default: the product itself;
 * - `fields`: up to 20 texts or numbers for the placeholders of the kind's templates;
 * - `actions`: up to 3 buttons of {label, url} or {label, callback}, with a path of the application or a callback of the kind;
 * - `important`: true where the inbox lists it above the rest until it is read; it overtakes others in the queue;
 * - `channels`: some of `in_app`, `email`, `push`, of those that the recipients want; default: all of these;
 * - `send_at`: a time within a year; or {local_time}, such as 2027-01-31T09:00, by the clocks of each recipient; default: now;
 * - `expires_at`: after this time it is not delivered, and disappears from inboxes; default: never, and for an audience and everyone 90 days
 *   after `send_at`;
 * - `idempotency_key`: up to 200 characters. Repeated with the same message it sends nothing and returns what became of the first, for 30
 *   days; its failed recipients are tried again.
 *
 * A request of the API with up to 100 recipients in all is delivered to at once. Everything else is queued for the jobs of
 * each second: more recipients, audiences, everyone, and calls within another transaction, which lock no row of a recipient.
 * A recipient without an account does not stop the others. Returns a list in the order of the messages, each as of
 * public.message_status(), with `is_repeated` and with deliveries of the outcome `unknown` for recipients without an account.
 *
 * `dry_run`: nothing is sent or stored. The list has {recipient_count, deliveries, content, words} instead: the outcomes that
 * the message would have now for its first 100 recipients in the order of their ids, the content of its notifications, and
 * the words of a registered kind by language. `recipient_count` is null for everyone and for followers.
 *
 * Errors: PT400 message_invalid; PT409 key_reused, for a key of another message. The detail names the field. Then nothing is sent.
 */
create function public.send_notifications(messages jsonb, dry_run boolean default false) returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most_messages constant integer := 100;
  most_at_once constant integer := 100;
  parsed private.messages[] := '{}';
  one record;
  message_ids uuid[] := '{}';
  recipient_ids uuid[] := '{}';
  accepted uuid[];
begin
  if jsonb_typeof(messages) is distinct from 'array' or jsonb_array_length(messages) not between 1 and most_messages then
    perform private.refuse_message('messages', format('is not a list of 1 to %s messages', most_messages));
  end if;
  for place in 0 .. jsonb_array_length(messages) - 1 loop
    select * into one from private.parse_message(messages -> place, format('messages[%s]', place));
    parsed := parsed || one.parsed;
    message_ids := message_ids || array_fill((one.parsed).id, array[coalesce(cardinality(one.recipients), 0)]);
    recipient_ids := recipient_ids || coalesce(one.recipients, '{}');
  end loop;
  if dry_run then
    perform private.refuse_reused_keys(parsed);
    return (
      select jsonb_agg(
        private.preview_message(m, array(
          select p.recipient_id from unnest(message_ids, recipient_ids) p (message_id, recipient_id) where p.message_id = m.id
        )) order by array_position(parsed, m)
      )
      from unnest(parsed) m
    );
  end if;
  accepted := private.accept_messages(parsed, message_ids, recipient_ids);
  perform private.refuse_reused_keys(parsed);
  perform private.revive_message(m) from unnest(parsed) m where m.id <> all (accepted) and m.idempotency_key is not null;
  if private.is_call_of_api() and (
    select coalesce(sum(coalesce(m.recipient_count, most_at_once + 1)), 0) from unnest(parsed) m where m.id = any (accepted)
  ) between 1 and most_at_once then
    perform private.deliver_at_once(
      array(
        select m.id from unnest(parsed) m where m.id = any (accepted) and m.send_at <= now() and m.local_time is null
      ),
      message_ids,
      recipient_ids
    );
  end if;
  return (
    select jsonb_agg(
      private.describe_message(kept, null, null, most_at_once, array(
        select p.recipient_id from unnest(message_ids, recipient_ids) p (message_id, recipient_id)
        where p.message_id = m.id
          and not exists (select from auth.users u where u.id = p.recipient_id and u.deleted_at is null)
        order by p.recipient_id
      )) || jsonb_build_object('is_repeated', kept.id <> m.id)
      order by array_position(parsed, m)
    )
    from unnest(parsed) m
    join private.messages kept on kept.id = m.id or kept.idempotency_key = m.idempotency_key
  );
end
$$;

/**
 * The status of a message: {id, idempotency_key, state, send_at, expires_at, created_at, finished_at, counts: {delivered,
 * suppressed, failed, unknown}, deliveries}. The state is `scheduled`, `queued`, `delivered`, `canceled` or `expired`. A
 * delivery is {recipient_id, outcome, reason, notification_id, channels, quiet_until, mail_state, created_at}; `outcome` is
 * `delivered`, `suppressed` (`kind_off`, `muted`, `sender_blocked`, `channels_off`, or `no_address`: it would go by mail
 * only, and the account has no address that gets mail) or `failed`. At most `page_size` of them, up to 1,000, in the order of
 * the recipients and after `after`; or that of `user_id`. Recipients without an account are counted as `unknown` when the
 * message is finished, and named only by the response to the call, because they may be those of a deleted account.
 *
 * Error: PT404 message_not_found, after 30 days too.
 */
create function public.message_status(
  message_id uuid, user_id uuid default null, after uuid default null, page_size integer default 100
) returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  message private.messages;
begin
  select * into message from private.messages m where m.id = message_status.message_id;
  if message.id is null then
    raise sqlstate 'PT404' using message = 'message_not_found', detail = 'There is no such message.';
  end if;
  return private.describe_message(message, message_status.user_id, message_status.after, least(greatest(page_size, 1), 1000));
end
$$;

/**
 * Cancels a message that is scheduled or queued; recipients who have it keep it. Returns its status, whose state tells whether
 * it was canceled or had been delivered.
 *
 * Error: PT404 message_not_found.
 */
create function public.cancel_message(message_id uuid) returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.finish_messages(array[cancel_message.message_id], 'canceled');
  return public.message_status(cancel_message.message_id);
end
$$;

insert into private.retention (name, keep) values ('messages', '30 days'), ('announcements', '90 days');

/**
 * Deletes finished messages that are past their time: at most `batch_size` rows of their logs, because that of an announcement has a row for
 * each recipient, or the messages themselves when no rows are left. Returns whether there was something to delete.
 */
create function private.delete_expired_messages(batch_size integer, called_at timestamptz) returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
declare
  expired constant uuid[] := array(
    select o.id from private.messages o
    where o.state <> 'queued'
      and o.finished_at < called_at - (select r.keep from private.retention r where r.name = 'messages')
    order by o.finished_at limit 10 for update skip locked
  );
begin
  delete from private.message_deliveries d
  where d.message_id = any (expired) and (d.message_id, d.recipient_id) in (
    select l.message_id, l.recipient_id from private.message_deliveries l where l.message_id = any (expired) limit batch_size
  );
  if not found then
    delete from private.messages m where m.id = any (expired);
  end if;
  return expired <> '{}';
end
$$;

revoke all on function
  public.send_notifications(jsonb, boolean), public.message_status(uuid, uuid, uuid, integer), public.cancel_message(uuid)
  from public, anon, authenticated;
grant execute on function
  public.send_notifications(jsonb, boolean), public.message_status(uuid, uuid, uuid, integer), public.cancel_message(uuid)
  to service_role;

revoke all on all functions in schema private from public;
