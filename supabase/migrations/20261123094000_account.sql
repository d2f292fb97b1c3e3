-- What users do with their accounts beyond the auth service: download all data, delete the account, end sessions. And the
-- welcome of a new account.

-- A recent proof of identity, which irreversible actions require. A session alone can set credentials, so a new one proves
-- nothing for a day, in which the owner can read the mail about it and act.

/** The times of credentials for which the auth service stores none. */
create table private.credentials_set (
  user_id uuid not null references auth.users (id) on delete cascade,
  -- 'password', 'address', or the type of a factor.
  credential text not null,
  set_at timestamptz not null,
  primary key (user_id, credential)
);
alter table private.credentials_set enable row level security;

create function private.note_credential(user_id uuid, credential text) returns void
  language sql security definer
  set search_path = ''
as $$
  insert into private.credentials_set (user_id, credential, set_at)
  values (note_credential.user_id, note_credential.credential, now())
  on conflict on constraint credentials_set_pkey do update set set_at = excluded.set_at
$$;

/**
 * Runs after the password, the email address or the phone number of a user was set. A password that came with a mailed code is not noted:
 * the auth service has emptied the token of the code then, and keeps the time of its sending until the password is stored.
 */
create function private.note_user_credentials() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if new.encrypted_password is distinct from old.encrypted_password
    and not (old.reauthentication_token = '' and coalesce(old.reauthentication_sent_at > now() - interval '1 hour', false))
  then
    perform private.note_credential(new.id, 'password');
  end if;
  if new.email is distinct from old.email or new.phone is distinct from old.phone then
    perform private.note_credential(new.id, 'address');
  end if;
  return null;
end
$$;
create trigger note_user_credentials after update of encrypted_password, email, phone on auth.users
  for each row execute function private.note_user_credentials();

/** Runs when a factor becomes usable, possibly long after its creation. */
create function private.note_factor() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.note_credential(new.user_id, new.factor_type::text);
  return null;
end
$$;
create trigger note_factor after insert or update of status on auth.mfa_factors
  for each row when (new.status = 'verified') execute function private.note_factor();

/** The methods of the claim `amr` with a credential that the user has set within a day. They prove nothing yet. */
create function private.unproven_methods(user_id uuid) returns text[]
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  since constant timestamptz := now() - interval '1 day';
  credentials text[] := array(
    select c.credential from private.credentials_set c where c.user_id = unproven_methods.user_id and c.set_at > since
    union all
    -- The account at a provider by which a person signs up is as old as the account.
    select 'provider' from auth.identities i join auth.users u on u.id = i.user_id
    where i.user_id = unproven_methods.user_id and i.provider not in ('email', 'phone')
      and i.created_at > greatest(since, u.created_at + interval '1 minute')
  );
begin
  -- An older auth service has no passkeys.
  if to_regclass('auth.webauthn_credentials') is not null then
    credentials := credentials || array(
      select 'passkey' from auth.webauthn_credentials c where c.user_id = unproven_methods.user_id and c.created_at > since
    );
  end if;
  return array(
    select unnest(case credential
      when 'password' then array['password']
      when 'address' then array['otp', 'magiclink', 'recovery', 'invite', 'email/signup', 'email_change']
      when 'provider' then array['oauth', 'sso/saml', 'web3']
      -- A session by passkey has the method `mfa/webauthn` too, by private.raise_by_passkey().
      when 'passkey' then array['passkey', 'mfa/webauthn']
      when 'totp' then array['totp']
      else array['mfa/' || credential]
    end)
    from unnest(credentials) credential
  );
end
$$;

/**
 * Returns the caller, if the session was authenticated within the last 10 minutes by a credential that is at least a day old: the entries of
 * the token's `amr` claim.
 *
 * Errors: those of private.require_assurance(); PT403 reauthentication_needed.
 */
create function private.require_recent_proof() returns uuid
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
  proofs jsonb := auth.jwt() -> 'amr';
begin
  if not exists (
    select from jsonb_array_elements(case jsonb_typeof(proofs) when 'array' then proofs else '[]' end) proof
    where jsonb_typeof(proof) = 'object'
      and jsonb_typeof(proof -> 'timestamp') = 'number'
      and to_timestamp((proof ->> 'timestamp')::float8) > now() - interval '10 minutes'
      -- A session alone replaces the auth service's recovery codes, and no row has the time of it.
      and proof ->> 'method' not in ('anonymous', 'token_refresh', 'mfa/recovery_code')
      and proof ->> 'method' <> all (private.unproven_methods(me))
  ) then
    raise sqlstate 'PT403' using message = 'reauthentication_needed',
      detail = 'The session was authenticated more than 10 minutes ago, or by a credential that was set within a day.',
      hint = 'Sign in by an older credential, then repeat the request.';
  end if;
  return me;
end
$$;

/** The user's passkeys for the download, without their keys; none where an older auth service has no table of them. */
create function private.export_passkeys(user_id uuid) returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  if to_regclass('auth.webauthn_credentials') is null then
    return '[]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'friendly_name', c.friendly_name, 'created_at', c.created_at, 'last_used_at', c.last_used_at
    ) order by c.created_at), '[]')
    from auth.webauthn_credentials c where c.user_id = export_passkeys.user_id
  );
end
$$;

/**
 * All data of the caller as one JSON document. Secrets (password, factors, passkeys, tokens, codes) are not part of it. With
 * `without_notifications` the caller's notifications are left out, which may be too many for one response: read the table in pages.
 *
 * Errors: those of private.require_recent_proof().
 */
create function public.export_account_data(without_notifications boolean default false) returns json
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '60s'
as $$
declare
  me uuid := private.require_recent_proof();
begin
  return json_build_object(
    'exported_at', now(),
    'account', (
      select json_build_object(
        'id', u.id, 'email', u.email, 'email_confirmed_at', u.email_confirmed_at, 'phone', u.phone,
        'created_at', u.created_at, 'last_sign_in_at', u.last_sign_in_at, 'profile', u.raw_user_meta_data
      )
      from auth.users u where u.id = me
    ),
    'identities', (
      select coalesce(json_agg(json_build_object(
        'provider', i.provider, 'data', i.identity_data, 'created_at', i.created_at,
        'last_sign_in_at', i.last_sign_in_at
      )), '[]')
      from auth.identities i where i.user_id = me
    ),
    'factors', (
      select coalesce(json_agg(json_build_object(
        'friendly_name', f.friendly_name, 'factor_type', f.factor_type, 'status', f.status, 'created_at', f.created_at
      )), '[]')
      from auth.mfa_factors f where f.user_id = me
    ),
    'sessions', (
      select coalesce(json_agg(json_build_object(
        'created_at', s.created_at, 'refreshed_at', s.refreshed_at, 'user_agent', s.user_agent, 'ip', s.ip
      )), '[]')
      from auth.sessions s where s.user_id = me
    ),
    'preferences', (select to_json(p) from public.notification_preferences p where p.user_id = me),
    'notifications', (
      select coalesce(json_agg(n order by n.created_at desc), '[]')
      from public.notifications n where n.recipient_id = me and not without_notifications
    ),
    'mail_only_notifications', (
      select coalesce(json_agg(n order by n.created_at desc), '[]')
      from private.mail_only_notifications n where n.recipient_id = me
    ),
    'sent_notifications', (
      select coalesce(json_agg(json_build_object(
        'recipient_id', n.recipient_id, 'content', n.content, 'created_at', n.created_at
      ) order by n.created_at desc), '[]')
      from private.sent_notifications n where n.sender_id = me
    ),
    'sent_invitations', (
      select coalesce(json_agg(json_build_object(
        'invitee_email', i.invitee_email, 'entity_type', i.entity_type, 'entity_id', i.entity_id,
        'entity_name', i.entity_name, 'status', i.status, 'created_at', i.created_at, 'expires_at', i.expires_at
      )), '[]')
      from public.invitations i where i.inviter_id = me
    ),
    'blocked_senders', (
      select coalesce(json_agg(b), '[]') from public.blocked_senders b where b.user_id = me
    ),
    'muted_threads', (select coalesce(json_agg(m), '[]') from public.muted_threads m where m.user_id = me),
    'reports', (select coalesce(json_agg(r), '[]') from public.notification_reports r where r.reporter_id = me),
    'security_events', (
      select coalesce(json_agg(json_build_object('kind', e.kind, 'detail', e.detail, 'created_at', e.created_at)), '[]')
      from private.security_events e where e.user_id = me
    ),
    'known_devices', (
      select coalesce(json_agg(json_build_object('kind', k.kind, 'value', k.value, 'last_seen_at', k.last_seen_at)), '[]')
      from private.known_devices k where k.user_id = me
    ),
    'recovery_codes', (
      select coalesce(json_agg(json_build_object('created_at', r.created_at, 'used_at', r.used_at)), '[]')
      from private.recovery_codes r where r.user_id = me
    ),
    'emails', (
      select coalesce(json_agg(json_build_object(
        'topic', m.topic, 'state', m.state, 'reason', m.reason, 'created_at', m.created_at, 'due_at', m.due_at,
        'finished_at', m.finished_at,
        'notification_ids', (
          select coalesce(json_agg(i.notification_id), '[]') from private.notification_mail_items i where i.mail_id = m.id
        )
      ) order by m.created_at desc), '[]')
      from private.notification_mails m where m.recipient_id = me
    ),
    'suppressed_addresses', (
      select coalesce(json_agg(json_build_object(
        'address', lower(u.email), 'reason', s.reason, 'detail', s.detail, 'created_at', s.created_at
      )), '[]')
      from private.suppressed_addresses s join auth.users u on s.address_hash = private.address_hash(u.email) where u.id = me
    ),
    'push_subscriptions', (
      select coalesce(json_agg(json_build_object('id', s.id, 'created_at', s.created_at)), '[]')
      from public.push_subscriptions s where s.user_id = me
    ),
    'audience_members', (
      select coalesce(json_agg(json_build_object('audience', a.audience, 'created_at', a.created_at)), '[]')
      from public.audience_members a where a.user_id = me
    ),
    'message_deliveries', (
      select coalesce(json_agg(json_build_object(
        'notification_id', d.notification_id, 'outcome', d.outcome, 'reason', d.reason, 'channels', d.channels,
        'created_at', d.created_at
      )), '[]')
      from private.message_deliveries d where d.recipient_id = me
    ),
    'accepted_invitations', (
      select coalesce(json_agg(json_build_object(
        'invitation_id', a.invitation_id, 'inviter_id', a.inviter_id, 'invitee_id', a.invitee_id
      )), '[]')
      from private.accepted_invitations a where me in (a.inviter_id, a.invitee_id)
    ),
    'passkeys', private.export_passkeys(me)
  );
end
$$;

/**
 * Deletes the caller's account: the user, the sessions and every row that refers to them, in one transaction. Sent
 * notifications stay with their recipients, without the sender. Access tokens that have not expired are refused from
 * then on.
 *
 * Errors: those of private.require_recent_proof(); PT409 account_has_files, while storage has objects of the user.
 */
create function public.delete_account() returns void
  language plpgsql security definer
  set search_path = ''
  set statement_timeout = '60s'
as $$
declare
  me uuid := private.require_recent_proof();
  has_files boolean := false;
begin
  -- Deleting the rows here would leave the bytes in storage: the storage service deletes both.
  if to_regclass('storage.objects') is not null then
    execute 'select exists (select from storage.objects o where o.owner_id = $1)' into has_files using me::text;
  end if;
  if has_files then
    raise sqlstate 'PT409' using message = 'account_has_files', detail = 'Storage has objects of this account.',
      hint = 'Delete them with the storage service, then repeat the request.';
  end if;
  delete from public.invitations i using auth.users u where u.id = me and lower(i.invitee_email) = lower(u.email);
  delete from auth.users u where u.id = me;
end
$$;

/** The caller's sessions that have not ended, the latest used first. */
create function public.list_sessions()
  returns table (
    id uuid, created_at timestamptz, last_active_at timestamptz, user_agent text, ip text, aal text, is_current boolean
  )
  language sql stable security definer rows 10
  set search_path = ''
as $$
  select
    s.id,
    s.created_at,
    coalesce(s.refreshed_at at time zone 'utc', s.created_at),
    s.user_agent,
    host(s.ip),
    s.aal::text,
    coalesce(s.id::text = auth.jwt() ->> 'session_id', false)
  from auth.sessions s
  where s.user_id = (select private.require_assurance()) and (s.not_after is null or s.not_after > now())
  order by 3 desc
$$;

/** Ends one session of the caller: its refresh token is refused from then on. Returns whether there was such a session. */
create function public.end_session(session_id uuid) returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
begin
  delete from auth.sessions s where s.id = end_session.session_id and s.user_id = me;
  if not found then
    return false;
  end if;
  perform private.send_to_user(me, 'sessions_ended');
  return true;
end
$$;

/**
 * Ends all sessions of the caller but the current one, and notifies their devices, also if the auth service has ended
 * the sessions already, after a change of the password. Returns how many ended.
 */
create function public.end_other_sessions() returns integer
  language plpgsql security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
  ended integer;
begin
  delete from auth.sessions s where s.user_id = me and s.id::text is distinct from auth.jwt() ->> 'session_id';
  get diagnostics ended = row_count;
  perform private.send_to_user(me, 'sessions_ended');
  return ended;
end
$$;

revoke all on function
  public.export_account_data(boolean),
  public.delete_account(),
  public.list_sessions(),
  public.end_session(uuid),
  public.end_other_sessions()
  from public, anon;
grant execute on function
  public.export_account_data(boolean),
  public.delete_account(),
  public.list_sessions(),
  public.end_session(uuid),
  public.end_other_sessions()
  to authenticated;

-- A welcome notification for each account that confirms its address by a mail, in the language that its sign-up named.

/** Runs when an account's address is confirmed for the first time. A failure must not undo the confirmation. */
create function private.welcome_user() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  is_german boolean := coalesce(new.raw_user_meta_data ->> 'language', 'en') like 'de%';
begin
  insert into public.notifications (recipient_id, content)
  values (
    new.id,
    json_build_object(
      'type', 'system',
      'data', json_build_object(
        'title', case when is_german then 'Willkommen bei Tidings' else 'Welcome to Tidings' end,
        'text', case when is_german
          then 'Hier erscheinen Erwähnungen, Kommentare, Änderungen und Einladungen. Wähle aus, worüber du informiert wirst.'
          else 'Mentions, comments, edits and invites show up here. Choose what you want to hear about.' end,
        'url', '/preferences'
      )
    )::text
  );
  return null;
exception when others then
  raise warning 'No welcome for %: %', new.id, sqlerrm;
  return null;
end
$$;

create trigger welcome_user after update of email_confirmed_at on auth.users
  for each row when (
    old.email_confirmed_at is null and new.email_confirmed_at is not null
    -- Accounts that an operator or a service made are not welcomed.
    and (old.confirmation_sent_at is not null or old.invited_at is not null)
  )
  execute function private.welcome_user();

revoke all on all functions in schema private from public;
