-- Notifications by email: a worker claims due mails in batches, sends them and acknowledges each. Delivery is at least once; a
-- crash between sending and acknowledgement is the only cause of a duplicate.

/** Base64 without padding, for URLs (RFC 4648). */
create function private.encode_base64url(input bytea) returns text
  language sql immutable parallel safe
  set search_path = ''
as $$
  select rtrim(translate(encode(input, 'base64'), E'+/\n', '-_'), '=')
$$;

/** The signature of a link's claims by a key: HMAC-SHA-256, base64url. */
create function private.sign_mail_token(claims text, secret bytea) returns text
  language sql stable
  set search_path = ''
as $$
  select private.encode_base64url(extensions.hmac(convert_to(claims, 'UTF8'), secret, 'sha256'))
$$;

/**
 * Signs links from now on with a new key. Links of earlier mails stay valid for as long as `keep`; by default for as long as links
 * are valid at all. `private.rotate_mail_link_key('0')` ends them at once, where the earlier key has leaked.
 */
create function private.rotate_mail_link_key(keep interval default '90 days') returns void
  language plpgsql
  set search_path = ''
as $$
begin
  delete from private.mail_link_key k where k.valid_until <= now();
  update private.mail_link_key k set valid_until = least(k.valid_until, now() + keep);
  insert into private.mail_link_key default values;
end
$$;

/** A token for a link in a mail: purpose, user and end in seconds since the epoch, signed with HMAC-SHA-256. */
create function private.create_mail_token(purpose text, user_id uuid, valid_until timestamptz) returns text
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  claims text := concat_ws('.', purpose, user_id, floor(extract(epoch from valid_until))::bigint);
begin
  return claims || '.' || private.sign_mail_token(
    claims, (select k.secret from private.mail_link_key k where k.valid_until > now() order by k.id desc limit 1)
  );
end
$$;

/** The user of a token for this purpose; null where the token is forged, has ended or has another purpose. */
create function private.verify_mail_token(token text, purpose text, called_at timestamptz) returns uuid
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  parts text[] := string_to_array(token, '.');
  claims text := array_to_string(parts[1:3], '.');
begin
  -- The signatures are compared by their hashes, so that the time of the comparison reveals nothing about them.
  if cardinality(parts) is distinct from 4
    or not exists (
      select from private.mail_link_key k
      where k.valid_until > called_at
        and sha256(convert_to(parts[4], 'UTF8')) = sha256(convert_to(private.sign_mail_token(claims, k.secret), 'UTF8'))
    )
    or parts[1] <> purpose
    or parts[3]::bigint < extract(epoch from called_at)
  then
    return null;
  end if;
  return parts[2]::uuid;
end
$$;

/** The invitation of a mail that is about one, in the form of an item of private.mail_items(), while it can be answered. */
create function private.mailed_invitation(mail_id uuid, called_at timestamptz)
  returns table (id uuid, kind text, content text, created_at timestamptz, is_in_inbox boolean)
  language plpgsql stable security definer rows 1
  set search_path = ''
as $$
begin
  return query
  select
    i.id,
    'invite',
    jsonb_strip_nulls(jsonb_build_object(
      'type', 'invite',
      'metadata', jsonb_build_object('actor_id', i.inviter_id, 'actor_name', private.display_name(i.inviter_id)),
      'entity_type', i.entity_type,
      'entity_id', i.entity_id,
      'data', jsonb_build_object('status', i.status, 'entity_name', i.entity_name, 'url', '/join/' || i.token)
    ))::text,
    i.created_at,
    false
  from private.notification_mails m
  join public.invitations i
    on i.id = case when m.topic like 'invitation:%' then substr(m.topic, length('invitation:') + 1)::uuid end
  where m.id = mailed_invitation.mail_id and i.status = 'pending' and i.expires_at > called_at
    and private.wants_mail(m.recipient_id) and not private.is_blocked(m.recipient_id, i.inviter_id);
end
$$;

/**
 * The notifications of a mail that are still worth mailing: unread, wanted, and of no blocked sender or muted thread; or the
 * invitation that it is about.
 */
create function private.mail_items(mail_id uuid, called_at timestamptz)
  returns table (id uuid, kind text, content text, created_at timestamptz, is_in_inbox boolean)
  language plpgsql stable security definer rows 20
  set search_path = ''
as $$
begin
  return query select n.id, n.kind, n.content, n.created_at, n.is_in_inbox
  from (
    select n.id, n.recipient_id, n.sender_id, n.kind, n.content, n.created_at, true as is_in_inbox
    from private.notification_mail_items i
    join public.notifications n on n.id = i.notification_id
    where i.mail_id = mail_items.mail_id and n.status = 'unread'
      and (n.snoozed_until is null or n.snoozed_until <= called_at)
    union all
    select n.id, n.recipient_id, n.sender_id, n.kind, n.content, n.created_at, false
    from private.notification_mail_items i
    join private.mail_only_notifications n on n.id = i.notification_id
    where i.mail_id = mail_items.mail_id
  ) n
  where (private.wanted_channels(n.recipient_id, n.kind)).by_mail
    and not private.is_blocked(n.recipient_id, n.sender_id)
    and not private.is_muted(n.recipient_id, private.parse_json(n.content))
  order by n.created_at desc, n.id desc;
  -- A mail with notifications is about no invitation.
  if not found then
    return query select * from private.mailed_invitation(mail_items.mail_id, called_at);
  end if;
end
$$;

/** Why an account gets no mail now; null where it gets mail. */
create function private.mail_obstacle(user_id uuid, called_at timestamptz) returns text
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return (
    select case
      when u.id is null or u.deleted_at is not null or u.banned_until > called_at then 'account'
      when u.email is null or u.email_confirmed_at is null then 'unconfirmed'
      when s.address_hash is not null then 'suppressed'
    end
    from (select) one
    left join auth.users u on u.id = mail_obstacle.user_id
    left join private.suppressed_addresses s on s.address_hash = private.address_hash(u.email)
  );
end
$$;

/**
 * The group of a notification in a digest: the kind and the thread, or, without an entity, the words of its line. A hash,
 * because senders choose the length of the parts.
 */
create function private.digest_group(kind text, content jsonb) returns text
  language sql immutable parallel safe
  set search_path = ''
as $$
  select encode(sha256(convert_to(
    jsonb_build_array(
      kind,
      private.mail_topic(kind, content),
      case when content ->> 'entity_id' is null then jsonb_build_array(
        content -> 'entity_type', content -> 'metadata', content #> '{data,title}', content #> '{data,entity_name}',
        content #> '{data,name}', content #> '{data,url}',
        -- A registered kind without a template shows the text itself.
        case when kind not in ('mention', 'edit', 'comment', 'invite', 'system') then content #> '{data,text}' end
      ) end
    )::text, 'UTF8'
  )), 'hex')
$$;

/** Everything that a worker needs to render and send a mail, or null and a reason in `obstacle`. A digest begins with what needs the user. */
create function private.mail_payload(
  mail private.notification_mails, called_at timestamptz, out payload jsonb, out obstacle text
)
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  most_items constant integer := 50;
  account record;
  items jsonb;
  total integer;
begin
  obstacle := private.mail_obstacle(mail.recipient_id, called_at);
  if obstacle is not null then
    return;
  end if;
  with numbered as (
    select
      m.*,
      row_number() over () as position,
      -- A digest has a line for each thread, a mail about one thread a line for each event.
      case when mail.topic = 'digest'
        then private.digest_group(m.kind, private.parse_json(m.content)) else m.id::text
      end as line,
      mail.topic = 'digest' and private.needs_user(m.kind, private.parse_json(m.content)) as is_first
    from private.mail_items(mail.id, called_at) m
  ), lines as (
    select n.line, min(n.position) as position, count(*) as events, bool_or(n.is_first) as is_first
    from numbered n group by n.line
  ), ranked as (
    select l.*, row_number() over (order by l.is_first desc, l.position) as rank from lines l
  )
  select
    coalesce(jsonb_agg(jsonb_build_object(
      'id', i.id, 'kind', i.kind, 'content', private.parse_json(i.content), 'created_at', i.created_at,
      'is_in_inbox', i.is_in_inbox, 'words', private.kind_words(i.kind, i.content, mail.recipient_id), 'count', r.events
    ) order by r.rank) filter (where r.rank <= most_items), '[]'),
    coalesce(sum(r.events), 0)
  into items, total
  from ranked r join numbered i on i.line = r.line and i.position = r.position;
  if total = 0 and private.is_notification_mail(mail.topic) then
    obstacle := 'nothing unread';
    return;
  end if;
  select
    u.email,
    coalesce(p.language, 'en') as language,
    private.known_time_zone(coalesce(p.time_zone, 'UTC')) as time_zone,
    coalesce(p.email_digest_frequency, 'daily') as frequency
  into account
  from auth.users u left join public.notification_preferences p on p.user_id = u.id
  where u.id = mail.recipient_id;
  payload := jsonb_build_object(
    'id', mail.id,
    'lease', mail.lease,
    'topic', mail.topic,
    'thread_id', encode(sha256(convert_to(mail.recipient_id || mail.topic, 'UTF8')), 'hex'),
    'due_at', mail.due_at,
    'address', account.email,
    'name', private.display_name(mail.recipient_id),
    'language', account.language,
    'time_zone', account.time_zone,
    'frequency', account.frequency,
    'items', items,
    'item_count', total,
    'security_event', (
      select jsonb_build_object('kind', e.kind, 'detail', e.detail, 'created_at', e.created_at)
      from private.security_events e
      where mail.topic like 'security:%' and e.id = substr(mail.topic, length('security:') + 1)::uuid
    ),
    'unsubscribe_token', private.create_mail_token('unsubscribe', mail.recipient_id, called_at + interval '90 days')
  );
end
$$;

/** Whether a worker has something to do. */
create function private.has_due_mails(called_at timestamptz default now()) returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select exists (
      select from private.notification_mails m where m.state in ('pending', 'retrying') and m.due_at <= called_at
    )
    or exists (select from private.notification_mails m where m.state = 'sending' and m.lease_until <= clock_timestamp())
$$;

/**
 * Takes a leased row back whose payload cannot be written, so that it keeps no other row from being claimed. After a transient failure it is due
 * again in 1, 4, 16 … minutes; another one, and the last attempt, end it. `queue`: private.notification_mails, push_messages or webhooks.
 */
create function private.take_back(
  queue regclass, row_id uuid, most_attempts integer, failure text, message text, called_at timestamptz
) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  execute format($query$
    update %s q
    set
      state = case when $2 and q.attempts < $3 then 'retrying' else 'dead' end,
      due_at = case when $2 and q.attempts < $3 then $4 + interval '1 minute' * power(4, q.attempts - 1) else q.due_at end,
      finished_at = case when not ($2 and q.attempts < $3) then $4 end,
      lease = null, lease_until = null, reason = left($5, 500)
    where q.id = $1
  $query$, queue) using row_id, private.is_transient(failure), most_attempts, called_at, message;
end
$$;

/**
 * Leases at most `batch_size` due mails to the caller for `lease_seconds` of the database's clock, so that workers whose clocks differ
 * take no mail from each other, and returns what to send. Mails whose lease ran out are due again; after five attempts they are dead. Mails that are no longer wanted are skipped. Mails of a user
 * whose quiet hours are in force, because no worker ran in time, are due at their end; test mails and mails about the
 * account's safety are not delayed.
 *
 * `claimed` counts all mails of the batch, skipped and delayed ones too: fewer than `batch_size` means that nothing else
 * is due. `due_before`: also claims mails that are due later than `called_at`, in quiet hours too.
 */
create function public.claim_notification_mails(
  batch_size integer default 50,
  lease_seconds integer default 120,
  called_at timestamptz default now(),
  due_before timestamptz default null
) returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most_attempts constant integer := 5;
  leased_at constant timestamptz := clock_timestamp();
  mail private.notification_mails;
  result record;
  claimed integer := 0;
  mails jsonb := '[]';
begin
  with stopped as materialized (
    select d.id from private.notification_mails d
    where d.state = 'sending' and d.lease_until <= leased_at and d.attempts >= most_attempts
    order by d.lease_until limit batch_size for update skip locked
  )
  update private.notification_mails m
  set state = 'dead', lease = null, lease_until = null, finished_at = called_at,
    reason = 'The worker stopped before it acknowledged the last attempt.'
  from stopped s
  where m.id = s.id;
  for mail in
    with due as materialized (
      select d.id, d.recipient_id, d.topic from private.notification_mails d
      where d.state in ('pending', 'retrying') and d.due_at <= coalesce(due_before, called_at)
      order by d.due_at limit batch_size for update skip locked
    ), timed as materialized (
      select d.id, case when private.is_notification_mail(d.topic) and due_before is null
        then private.quiet_until(d.recipient_id, called_at) end as quiet_until
      from due d
    ), expired as materialized (
      select d.id from private.notification_mails d
      where d.state = 'sending' and d.lease_until <= leased_at and d.attempts < most_attempts
      order by d.lease_until limit batch_size for update skip locked
    ), delayed as (
      update private.notification_mails m set due_at = t.quiet_until
      from timed t where m.id = t.id and t.quiet_until is not null
      returning m.*
    ), leased as (
      update private.notification_mails m
      set state = 'sending', lease = gen_random_uuid(), lease_until = leased_at + make_interval(secs => lease_seconds),
        attempts = m.attempts + 1
      where m.id in (select t.id from timed t where t.quiet_until is null union all select e.id from expired e)
      returning m.*
    )
    select * from delayed union all select * from leased
  loop
    claimed := claimed + 1;
    continue when mail.state <> 'sending';
    begin
      result := private.mail_payload(mail, called_at);
    exception when others then
      perform private.take_back('private.notification_mails', mail.id, most_attempts, sqlstate, sqlerrm, called_at);
      continue;
    end;
    if result.payload is null then
      update private.notification_mails m
      set state = 'skipped', lease = null, lease_until = null, reason = result.obstacle, finished_at = called_at
      where m.id = mail.id;
    else
      mails := mails || result.payload;
    end if;
  end loop;
  return jsonb_build_object('claimed', claimed, 'mails', mails);
end
$$;

/**
 * Acknowledges a leased mail. Returns whether the mail changed. Outcomes:
 * - `sent`, which counts without the lease too: a mail that left must not be sent again because its worker was slow;
 * - `failed`: retried with backoff, and dead after the fifth attempt;
 * - `delayed`: the provider accepts no mail at all. Retried after `retry_after_seconds`; the attempt does not count;
 * - `held`: the provider does not accept this mail now, for reasons that are neither the mail's nor the address's. Retried
 *   after a quarter of the time that it has been held, between a minute and an hour; the attempt does not count. Dead when it
 *   has been held for as long as finished mails are kept;
 * - `refused`: the provider does not accept this mail. Dead;
 * - `rejected`: the address does not exist. Dead, and the address is suppressed.
 */
create function public.finish_notification_mail(
  mail_id uuid, lease uuid, outcome text, reason text default null, called_at timestamptz default now(),
  retry_after_seconds double precision default 0
) returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most_attempts constant integer := 5;
  mail private.notification_mails;
  is_counted constant boolean := outcome not in ('delayed', 'held');
  held_for interval;
  is_retried boolean;
begin
  if outcome is null or outcome not in ('sent', 'failed', 'delayed', 'held', 'refused', 'rejected') then
    raise sqlstate 'PT400' using message = 'outcome_invalid',
      detail = 'The outcome is sent, failed, delayed, held, refused or rejected.';
  end if;
  select * into mail from private.notification_mails m
  where m.id = finish_notification_mail.mail_id and m.state in ('sending', 'retrying')
    and (m.lease = finish_notification_mail.lease or outcome = 'sent')
  for update;
  if mail.id is null then
    return false;
  end if;
  held_for := coalesce(called_at - mail.held_since, interval '0');
  is_retried := outcome = 'delayed'
    or (outcome = 'held' and held_for < (select r.keep from private.retention r where r.name = 'notification_mails'))
    or (outcome = 'failed' and mail.attempts < most_attempts);
  update private.notification_mails m
  set
    state = case when outcome = 'sent' then 'sent' when is_retried then 'retrying' else 'dead' end,
    attempts = case when is_counted then mail.attempts else mail.attempts - 1 end,
    held_since = case
      when outcome = 'held' or (outcome = 'delayed' and retry_after_seconds > 0) then coalesce(mail.held_since, called_at)
      else mail.held_since
    end,
    due_at = case when is_retried then called_at + greatest(
        make_interval(secs => coalesce(retry_after_seconds, 0)),
        -- 1, 4, 16 and 64 minutes, each between half and one and a half of it.
        case outcome
          when 'failed' then interval '1 minute' * power(4, mail.attempts - 1) * (0.5 + random())
          when 'held' then least(greatest(held_for / 4, interval '1 minute'), interval '1 hour') * (0.5 + random())
        end
      ) else mail.due_at end,
    finished_at = case when not is_retried then called_at end,
    lease = null,
    lease_until = null,
    reason = left(finish_notification_mail.reason, 500)
  where m.id = mail.id;
  if outcome = 'rejected' then
    perform public.suppress_mail_address((select u.email from auth.users u where u.id = mail.recipient_id), 'bounce', reason);
  end if;
  return true;
end
$$;

/** Sends no more mail to an address. Reasons: `bounce`, `complaint`. The addresses in `detail` are left out. */
create function public.suppress_mail_address(address text, reason text, detail text default null) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  known_reason text;
begin
  select s.reason into known_reason from private.suppressed_addresses s
  where s.address_hash = private.address_hash(suppress_mail_address.address);
  if known_reason is null or (known_reason = 'bounce' and reason = 'complaint') then
    perform private.queue_webhooks_of_address(address, reason);
  end if;
  insert into private.suppressed_addresses as s (address_hash, reason, detail)
  values (
    private.address_hash(suppress_mail_address.address),
    suppress_mail_address.reason,
    left(regexp_replace(suppress_mail_address.detail, '[^[:space:]<>]+@[^[:space:]<>]+', '…', 'g'), 500)
  )
  -- A complaint of the address's owner outweighs later responses of its server.
  on conflict on constraint suppressed_addresses_pkey do update set reason = excluded.reason, detail = excluded.detail
    where s.reason <> 'complaint' or excluded.reason = 'complaint';
end
$$;

/**
 * Sends mail again to addresses that were suppressed since a time: after a wrong setting, or a provider's fault. `reason`: only for this
 * one, `bounce` or `complaint`. Returns how many. Dead mails to them then go by public.resend_dead_letters().
 */
create function public.lift_suppressions(since timestamptz, reason text default null) returns integer
  language plpgsql security definer
  set search_path = ''
as $$
declare
  lifted integer;
begin
  if since is null or reason not in ('bounce', 'complaint') then
    raise sqlstate 'PT400' using message = 'suppressions_invalid', detail = 'A time is needed; the reason is bounce or complaint.';
  end if;
  delete from private.suppressed_addresses s
  where s.created_at >= since and (lift_suppressions.reason is null or s.reason = lift_suppressions.reason);
  get diagnostics lifted = row_count;
  return lifted;
end
$$;

/**
 * Turns mails of one kind, or all of them, off (or on again) for the user of a link's token. Returns null for a token
 * that is forged or has ended, else `{kind, label, is_off, language}`; an unknown kind means all mails, `label` is a registered kind's.
 */
create function public.unsubscribe_from_mails(
  token text, kind text default null, undo boolean default false, dry_run boolean default false,
  called_at timestamptz default now()
) returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  subscriber uuid := private.verify_mail_token(token, 'unsubscribe', called_at);
  chosen public.notification_preferences;
  registered public.notification_kinds;
begin
  select * into registered from public.notification_kinds k where k.name = unsubscribe_from_mails.kind;
  if registered.name is null and not private.is_built_in_kind(kind) then
    kind := null;
  end if;
  if subscriber is null or not exists (select from auth.users u where u.id = subscriber) then
    return null;
  end if;
  if not dry_run then
    insert into public.notification_preferences as p (user_id) values (subscriber) on conflict (user_id) do nothing;
    update public.notification_preferences p
    set
      enable_email_notifications = case
        when unsubscribe_from_mails.kind is null then undo else p.enable_email_notifications or undo end,
      email_mentions = case when unsubscribe_from_mails.kind in ('mention', 'message') then undo else p.email_mentions end,
      email_edits = case when unsubscribe_from_mails.kind = 'edit' then undo else p.email_edits end,
      email_comments = case when unsubscribe_from_mails.kind = 'comment' then undo else p.email_comments end,
      email_invites = case when unsubscribe_from_mails.kind = 'invite' then undo else p.email_invites end,
      kinds = case
        when registered.name is null then p.kinds
        else p.kinds || jsonb_build_object(
          registered.name, coalesce(p.kinds -> registered.name, '{}') || jsonb_build_object('email', undo)
        )
      end
    where p.user_id = subscriber;
  end if;
  select * into chosen from public.notification_preferences p where p.user_id = subscriber;
  return jsonb_build_object(
    'kind', unsubscribe_from_mails.kind,
    'label', private.in_language(registered.labels, coalesce(chosen.language, 'en')),
    'is_off', case unsubscribe_from_mails.kind
      when 'mention' then not chosen.email_mentions
      when 'message' then not chosen.email_mentions
      when 'edit' then not chosen.email_edits
      when 'comment' then not chosen.email_comments
      when 'invite' then not chosen.email_invites
      when registered.name then not coalesce((chosen.kinds #>> array[registered.name, 'email'])::boolean, registered.email)
      else not coalesce(chosen.enable_email_notifications, true)
    end,
    'language', coalesce(chosen.language, 'en')
  );
end
$$;

insert into private.retention (name, keep) values ('notification_mails', '30 days');

/** Deletes at most `batch_size` finished mails that are past their time at `called_at`. Returns how many. */
create function private.delete_expired_mails(batch_size integer, called_at timestamptz) returns integer
  language plpgsql security definer
  set search_path = ''
as $$
declare
  deleted integer;
begin
  delete from private.notification_mails m
  where m.id in (
    select o.id from private.notification_mails o
    where o.state in ('sent', 'skipped', 'dead')
      and o.finished_at < called_at - (select r.keep from private.retention r where r.name = 'notification_mails')
    order by o.finished_at
    limit batch_size
    for update skip locked
  );
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

/** Calls the Edge Function that sends mails while mails are due, unless this worker's last run has not ended. */
create function private.call_mail_worker(worker integer default 1) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if private.has_due_mails() and not private.is_worker_running('notification-mails', worker) then
    perform private.call_edge_function('notification-mails', worker);
  end if;
end
$$;

revoke all on function
  public.claim_notification_mails(integer, integer, timestamptz, timestamptz),
  public.finish_notification_mail(uuid, uuid, text, text, timestamptz, double precision),
  public.suppress_mail_address(text, text, text),
  public.lift_suppressions(timestamptz, text),
  public.unsubscribe_from_mails(text, text, boolean, boolean, timestamptz)
  from public, anon, authenticated;
grant execute on function
  public.claim_notification_mails(integer, integer, timestamptz, timestamptz),
  public.finish_notification_mail(uuid, uuid, text, text, timestamptz, double precision),
  public.suppress_mail_address(text, text, text),
  public.lift_suppressions(timestamptz, text),
  public.unsubscribe_from_mails(text, text, boolean, boolean, timestamptz)
  to service_role;

revoke all on all functions in schema private from public;
