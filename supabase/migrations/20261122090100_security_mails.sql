-- Mails about the safety of an account: a sign-in from a new device, a used recovery code. They use the queue of
-- notification mails, and neither preferences nor quiet hours apply to them. Changes of password, email and second factor
-- are mailed by the auth service (`[auth.email.notification]` in config.toml).

create table private.security_events (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  kind text not null check (kind in ('new_device', 'recovery_code_used', 'recovery_codes_created')),
  -- `user_agent` and `ip` of the session.
  detail jsonb not null default '{}',
  created_at timestamptz not null default now()
);
create index security_events_user_idx on private.security_events (user_id, created_at);
create index security_events_created_idx on private.security_events (created_at);
alter table private.security_events enable row level security;

/** Whether preferences and quiet hours apply to a mail: not to test mails and to those about the account's safety. */
create function private.is_notification_mail(topic text) returns boolean
  language sql immutable parallel safe
  set search_path = ''
as $$
  select topic <> 'test' and topic not like 'security:%'
$$;

/** Records an event and queues the mail about it. */
create function private.report_security_event(user_id uuid, kind text, detail jsonb default '{}') returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  event_id uuid;
begin
  insert into private.security_events as e (user_id, kind, detail)
  values (report_security_event.user_id, report_security_event.kind, report_security_event.detail)
  returning e.id into event_id;
  insert into private.notification_mails (recipient_id, topic, due_at)
  values (report_security_event.user_id, 'security:' || event_id, now());
end
$$;

/** Everything that a worker needs to render and send a mail, or null and a reason in `obstacle`. */
create or replace function private.mail_payload(
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
  select
    coalesce(jsonb_agg(jsonb_build_object(
      'id', i.id, 'kind', i.kind, 'content', private.parse_json(i.content), 'created_at', i.created_at,
      'is_in_inbox', i.is_in_inbox
    ) order by i.position) filter (where i.position <= most_items), '[]'),
    count(*)
  into items, total
  from (select m.*, row_number() over () as position from private.mail_items(mail.id, called_at) m) i;
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
    'lease_until', mail.lease_until,
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

-- What a user has signed in with before: browsers, by the user agent without its versions, and networks (IPv4 /16,
-- IPv6 /32).
create table private.known_devices (
  user_id uuid not null references auth.users (id) on delete cascade,
  kind text not null check (kind in ('browser', 'network')),
  value text not null,
  last_seen_at timestamptz not null,
  primary key (user_id, kind, value)
);
create index known_devices_seen_idx on private.known_devices (last_seen_at);
alter table private.known_devices enable row level security;

/** The browser and the network of a session, as private.known_devices has them. */
create function private.device_traits(user_agent text, ip inet)
  returns table (kind text, value text)
  language sql immutable parallel safe
  set search_path = ''
as $$
  select 'browser', left(regexp_replace(coalesce(user_agent, ''), '[0-9][0-9._]*', '', 'g'), 500)
  union all
  select 'network', network(set_masklen(ip, case family(ip) when 4 then 16 else 32 end))::text where ip is not null
$$;

insert into private.known_devices (user_id, kind, value, last_seen_at)
select s.user_id, t.kind, t.value, max(coalesce(s.created_at, now()))
from auth.sessions s cross join lateral private.device_traits(s.user_agent, s.ip) t
group by s.user_id, t.kind, t.value;

/**
 * Runs after a sign-in: reports it unless the account has signed in with this browser and from this network before. The
 * first sign-in of an account is not reported. A failure is a warning, because it must not prevent the sign-in.
 */
create function private.note_sign_in() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if exists (select from private.known_devices k where k.user_id = new.user_id)
    and exists (
      select from private.device_traits(new.user_agent, new.ip) t
      where not exists (
        select from private.known_devices k
        where k.user_id = new.user_id and k.kind = t.kind and k.value = t.value
      )
    )
  then
    perform private.report_security_event(
      new.user_id, 'new_device',
      jsonb_strip_nulls(jsonb_build_object('user_agent', left(new.user_agent, 500), 'ip', host(new.ip)))
    );
  end if;
  insert into private.known_devices as k (user_id, kind, value, last_seen_at)
  select new.user_id, t.kind, t.value, now() from private.device_traits(new.user_agent, new.ip) t
  on conflict on constraint known_devices_pkey do update set last_seen_at = excluded.last_seen_at;
  return null;
exception when others then
  raise warning 'A sign-in could not be compared with earlier ones: %', sqlerrm;
  return null;
end
$$;

-- The auth service owns the table; a project whose migrations may not create triggers there sends no such mails.
do $$
begin
  create trigger note_sign_in after insert on auth.sessions
    for each row execute function private.note_sign_in();
exception when insufficient_privilege then
  raise notice 'Sign-ins from new devices are not mailed: %', sqlerrm;
end
$$;

insert into private.retention (name, keep) values ('security_events', '365 days'), ('known_devices', '180 days');

/** Deletes events and devices that are past their time at `called_at`. */
create function private.delete_expired_security_events(called_at timestamptz default now()) returns void
  language sql security definer
  set search_path = ''
as $$
  delete from private.security_events e
  where e.created_at < called_at - (select r.keep from private.retention r where r.name = 'security_events');
  delete from private.known_devices k
  where k.last_seen_at < called_at - (select r.keep from private.retention r where r.name = 'known_devices');
$$;

revoke all on all functions in schema private from public;
