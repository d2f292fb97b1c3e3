-- The safety of an account: mails about new devices, passkeys and recovery codes, the recovery codes themselves, and passkeys as a second
-- factor. The mails
-- use the queue of notification mails, and neither preferences nor quiet hours apply to them. Changes of password, email and
-- second factor are mailed by the auth service (`[auth.email.notification]` in config.toml).

create table private.security_events (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  kind text not null check (
    kind in ('new_device', 'recovery_code_used', 'recovery_codes_created', 'passkey_added', 'passkey_removed')
  ),
  -- `user_agent` and `ip` of the session.
  detail jsonb not null default '{}',
  created_at timestamptz not null default now()
);
create index security_events_user_idx on private.security_events (user_id, created_at);
create index security_events_created_idx on private.security_events (created_at);
alter table private.security_events enable row level security;

/**
 * Records an event and queues the mail about it. An account can cause sign-ins and recovery codes at will, so an hour has at
 * most 10 mails of each kind, which keep it from using up the mail provider's limit, and 100 records. Kinds are counted
 * separately.
 */
create function private.report_security_event(user_id uuid, kind text, detail jsonb default '{}') returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  event_id uuid;
  earlier integer := (
    select count(*) from private.security_events e
    where e.user_id = report_security_event.user_id and e.kind = report_security_event.kind
      and e.created_at > now() - interval '1 hour'
  );
begin
  if earlier >= 100 then
    return;
  end if;
  insert into private.security_events as e (user_id, kind, detail)
  values (report_security_event.user_id, report_security_event.kind, report_security_event.detail)
  returning e.id into event_id;
  if earlier < 10 then
    insert into private.notification_mails (recipient_id, topic, due_at)
    values (report_security_event.user_id, 'security:' || event_id, now());
  end if;
end
$$;

-- The devices of earlier sign-ins: browsers, by the user agent without its versions, and networks (IPv4 /16, IPv6 /32).
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

-- Recovery codes: each replaces the second factor at one sign-in.
create table private.recovery_codes (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  -- bcrypt, with a salt per code. A code has 60 random bits.
  code_hash text not null,
  created_at timestamptz not null default now(),
  used_at timestamptz,
  used_by_session uuid
);
create index recovery_codes_user_idx on private.recovery_codes (user_id);

-- Wrong codes of the current hour.
create table private.recovery_attempts (
  user_id uuid primary key references auth.users (id) on delete cascade,
  started_at timestamptz not null,
  failures integer not null
);

alter table private.recovery_codes enable row level security;
alter table private.recovery_attempts enable row level security;

/** Twelve random characters of Crockford's base 32, in groups of four. */
create function private.new_recovery_code() returns text
  language sql volatile
  set search_path = ''
as $$
  select regexp_replace(
    string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', (get_byte(random.bytes, n) & 31) + 1, 1), '' order by n),
    '(.{4})(.{4})(.{4})', '\1-\2-\3'
  )
  from (select extensions.gen_random_bytes(12) as bytes) random cross join generate_series(0, 11) n
$$;

/** A code as a person types it, without case, spaces, dashes and the letters that look like digits. */
create function private.normalize_recovery_code(code text) returns text
  language sql immutable parallel safe
  set search_path = ''
as $$
  select translate(regexp_replace(upper(left(code, 100)), '[^0-9A-Z]', '', 'g'), 'OIL', '011')
$$;

/**
 * Creates ten recovery codes, which replace all earlier ones, and returns them: the database keeps only their hashes.
 *
 * Errors: those of private.require_recent_proof(); PT409 second_factor_missing.
 */
create function public.create_recovery_codes() returns text[]
  language plpgsql security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_recent_proof();
  codes text[];
begin
  if not exists (select from auth.mfa_factors f where f.user_id = me and f.status = 'verified') then
    raise sqlstate 'PT409' using message = 'second_factor_missing', detail = 'The account has no verified factor.';
  end if;
  -- Without the lock, two concurrent requests would leave two sets of codes.
  perform from auth.users u where u.id = me for no key update;
  if exists (select from private.recovery_codes c where c.user_id = me) then
    perform private.report_security_event(me, 'recovery_codes_created');
  end if;
  delete from private.recovery_codes c where c.user_id = me;
  select array_agg(private.new_recovery_code()) into codes from generate_series(1, 10);
  insert into private.recovery_codes (user_id, code_hash)
  select me, extensions.crypt(private.normalize_recovery_code(code), extensions.gen_salt('bf', 6)) from unnest(codes) code;
  return codes;
end
$$;

/** How many of the caller's recovery codes are unused, and when they were created; null without any. */
create function public.recovery_code_status() returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
begin
  return (
    select case when count(*) > 0 then jsonb_build_object(
      'unused', count(*) filter (where c.used_at is null), 'created_at', min(c.created_at)
    ) end
    from private.recovery_codes c where c.user_id = me
  );
end
$$;

/**
 * Uses a recovery code of the caller instead of the second factor: raises the session to `aal2`, which its next token has,
 * and queues a mail about it. The factors stay; a lost one can then be removed. The counter's row serializes simultaneous
 * attempts.
 *
 * Returns `{"outcome"}`: `accepted`, with the number of `unused` codes; `invalid`; `limited` after five wrong codes in an
 * hour, with `retry_after_seconds`; `no_factor`. The same code is accepted again from the same session for 10 minutes,
 * because its response may be lost. An outcome is no error: an error would undo the count of failures.
 *
 * Errors: those of private.require_session().
 */
create function public.use_recovery_code(code text) returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most_failures constant integer := 5;
  me uuid := private.require_session();
  my_session uuid := nullif(auth.jwt() ->> 'session_id', '')::uuid;
  called_at timestamptz := clock_timestamp();
  given text := private.normalize_recovery_code(use_recovery_code.code);
  attempts private.recovery_attempts;
  found_code uuid;
  replaced record;
begin
  insert into private.recovery_attempts as a (user_id, started_at, failures)
  values (me, called_at, 0)
  on conflict on constraint recovery_attempts_pkey do update set
    failures = case when a.started_at > called_at - interval '1 hour' then a.failures else 0 end,
    started_at = case when a.started_at > called_at - interval '1 hour' then a.started_at else called_at end
  returning * into attempts;
  if attempts.failures >= most_failures then
    return jsonb_build_object(
      'outcome', 'limited',
      'retry_after_seconds', ceil(extract(epoch from attempts.started_at + interval '1 hour' - called_at))
    );
  end if;
  -- Every code is compared, so that the duration does not depend on the position of the matching one.
  select (array_agg(c.id) filter (
    where extensions.crypt(given, c.code_hash) = c.code_hash
      and (c.used_at is null or (c.used_at > called_at - interval '10 minutes' and c.used_by_session = my_session))
  ))[1]
  into found_code
  from private.recovery_codes c where c.user_id = me;
  if found_code is null or my_session is null then
    update private.recovery_attempts a set failures = a.failures + 1 where a.user_id = me;
    return jsonb_build_object('outcome', 'invalid');
  end if;
  select f.id, f.factor_type::text as type into replaced from auth.mfa_factors f
  where f.user_id = me and f.status = 'verified'
  order by f.factor_type <> 'totp', f.created_at limit 1;
  if replaced.id is null then
    return jsonb_build_object('outcome', 'no_factor');
  end if;
  update private.recovery_codes c set used_at = called_at, used_by_session = my_session
  where c.id = found_code and c.used_at is null;
  if found then
    perform private.report_security_event(me, 'recovery_code_used', (
      select jsonb_strip_nulls(jsonb_build_object('user_agent', left(s.user_agent, 500), 'ip', host(s.ip)))
      from auth.sessions s where s.id = my_session
    ));
  end if;
  -- The auth service reads the level of a session's next token from its methods. The factor is the session's, so that the session
  -- falls back when the factor is removed, as any session that has used it.
  update auth.sessions s set aal = 'aal2', factor_id = replaced.id where s.id = my_session;
  insert into auth.mfa_amr_claims as a (id, session_id, created_at, updated_at, authentication_method)
  values (
    gen_random_uuid(), my_session, called_at, called_at,
    case replaced.type when 'totp' then 'totp' else 'mfa/' || replaced.type end
  )
  on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey do update set updated_at = excluded.updated_at;
  delete from private.recovery_attempts a where a.user_id = me;
  return jsonb_build_object(
    'outcome', 'accepted',
    'unused', (select count(*) from private.recovery_codes c where c.user_id = me and c.used_at is null)
  );
end
$$;

revoke all on function
  public.create_recovery_codes(),
  public.recovery_code_status(),
  public.use_recovery_code(text)
  from public, anon, authenticated;
grant execute on function
  public.create_recovery_codes(), public.recovery_code_status(), public.use_recovery_code(text)
  to authenticated;

/**
 * Runs after a newer auth service has stored its own recovery codes, which it lists as a factor: ends those of the database,
 * because an account has one set. The service's count of wrong codes applies to it.
 */
create function private.end_recovery_codes() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  delete from private.recovery_codes c where c.user_id = new.user_id;
  if found then
    perform private.report_security_event(new.user_id, 'recovery_codes_created');
  end if;
  return null;
exception when others then
  raise warning 'The recovery codes of the database could not be ended: %', sqlerrm;
  return null;
end
$$;

/** Runs after a recovery code of the auth service has raised a session, because the service sends no mail about it. */
create function private.note_recovery_code() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.report_security_event(s.user_id, 'recovery_code_used', jsonb_strip_nulls(
    jsonb_build_object('user_agent', left(s.user_agent, 500), 'ip', host(s.ip))
  ))
  from auth.sessions s where s.id = new.session_id;
  return null;
exception when others then
  raise warning 'The use of a recovery code could not be reported: %', sqlerrm;
  return null;
end
$$;

-- The auth service owns the tables. An older one has no such factors, so that neither trigger ever runs.
do $$
begin
  create trigger end_recovery_codes after insert on auth.mfa_factors
    for each row when (new.factor_type::text = 'recovery_code') execute function private.end_recovery_codes();
  create trigger note_recovery_code after insert or update of updated_at on auth.mfa_amr_claims
    for each row when (new.authentication_method = 'mfa/recovery_code') execute function private.note_recovery_code();
exception when insufficient_privilege then
  raise notice 'Recovery codes of the auth service do not end those of the database: %', sqlerrm;
end
$$;

/**
 * Runs after a passkey was added or removed, about which the auth service sends no mail: reports it, with the name that the
 * passkey has then. The deletion of the account is no removal. A failure is a warning, because it must not prevent the change.
 */
create function private.note_passkey() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  passkey record := case tg_op when 'INSERT' then new else old end;
begin
  if exists (select from auth.users u where u.id = passkey.user_id) then
    perform private.report_security_event(
      passkey.user_id,
      case tg_op when 'INSERT' then 'passkey_added' else 'passkey_removed' end,
      jsonb_build_object('name', left(passkey.friendly_name, 120))
    );
  end if;
  return null;
exception when others then
  raise warning 'A change of a passkey could not be reported: %', sqlerrm;
  return null;
end
$$;

-- The table belongs to the auth service, and older versions do not have it. Without the trigger a project sends no such mails.
do $$
begin
  create trigger note_passkey after insert or delete on auth.webauthn_credentials
    for each row execute function private.note_passkey();
exception when insufficient_privilege or undefined_table then
  raise notice 'Changes of passkeys are not mailed: %', sqlerrm;
end
$$;

/**
 * Names a factor of the caller. The auth service takes a name only with the enrollment, before the person has chosen the app or device.
 *
 * Errors: those of private.require_assurance(); PT400 name_invalid; PT404 factor_not_found; PT409 name_taken, by another factor.
 */
create function public.rename_factor(factor_id uuid, name text) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
  bounded text := private.bounded_text(regexp_replace(rename_factor.name, '\s+', ' ', 'g'), 80);
begin
  if bounded is null then
    raise sqlstate 'PT400' using message = 'name_invalid', detail = 'The name has no visible character.';
  end if;
  update auth.mfa_factors f set friendly_name = bounded, updated_at = now()
  where f.id = rename_factor.factor_id and f.user_id = me;
  if not found then
    raise sqlstate 'PT404' using message = 'factor_not_found', detail = 'The caller has no such factor.';
  end if;
exception when unique_violation then
  raise sqlstate 'PT409' using message = 'name_taken', detail = 'Another factor of the caller has this name.';
end
$$;
revoke all on function public.rename_factor(uuid, text) from public, anon, authenticated;
grant execute on function public.rename_factor(uuid, text) to authenticated;

-- A passkey satisfies the second factor. The auth service gives a sign-in by passkey `aal1` with the method `passkey`, because it asks
-- authenticators to verify the person only where they can. Here the verification is required, and the session has `aal2`.

/**
 * Runs before the auth service stores the challenge of a passkey: go-webauthn then refuses a response whose authenticator has
 * not verified the person by a fingerprint, a face or a PIN.
 */
create function private.require_user_verification() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  new.session_data := new.session_data || '{"userVerification": "required"}';
  return new;
end
$$;

/**
 * Runs after a session was signed in by a passkey: adds the method by which the auth service gives its tokens `aal2`, the
 * first one too. Other methods, such as a password, stay unchanged.
 */
create function private.raise_by_passkey() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  insert into auth.mfa_amr_claims as a (id, session_id, created_at, updated_at, authentication_method)
  values (gen_random_uuid(), new.session_id, new.created_at, new.updated_at, 'mfa/webauthn')
  on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey do update set updated_at = excluded.updated_at;
  update auth.sessions s set aal = 'aal2' where s.id = new.session_id;
  return null;
end
$$;

-- The auth service owns the tables, and an older one has no passkeys: without both triggers a passkey still requires the
-- second factor. Open challenges do not require the verification yet.
do $$
begin
  create trigger require_user_verification before insert on auth.webauthn_challenges
    for each row execute function private.require_user_verification();
  create trigger raise_by_passkey after insert or update of updated_at on auth.mfa_amr_claims
    for each row when (new.authentication_method = 'passkey') execute function private.raise_by_passkey();
  delete from auth.webauthn_challenges;
exception when insufficient_privilege or undefined_table then
  raise notice 'Passkeys do not satisfy the second factor: %', sqlerrm;
end
$$;

revoke all on all functions in schema private from public;
