-- Reports of notifications, for the operators of the service.
create table public.notification_reports (
  id uuid primary key default gen_random_uuid(),
  reporter_id uuid not null references auth.users (id) on delete cascade,
  notification_id uuid not null,
  sender_id uuid references auth.users (id) on delete set null,
  reason text not null check (reason in ('spam', 'abuse', 'phishing', 'other')),
  comment text check (length(comment) <= 1000),
  -- A copy of the reported content: the notification may be deleted later.
  content text,
  created_at timestamptz not null default now(),
  unique (reporter_id, notification_id)
);
create index notification_reports_sender_idx on public.notification_reports (sender_id);

alter table public.notification_reports enable row level security;
revoke all on public.notification_reports from anon, authenticated;
grant select on public.notification_reports to authenticated;
grant all on public.notification_reports to service_role;
select private.require_assurance_on('public.notification_reports');
select private.hide_statistics('public.notification_reports');
create policy "Users read their own reports" on public.notification_reports
  for select to authenticated using (reporter_id = (select auth.uid()));

/**
 * Reports a notification of the caller, with its content. A second report of it replaces the first.
 *
 * Errors: PT404 notification_not_found; PT400 report_reason_invalid.
 */
create function public.report_notification(notification_id uuid, reason text, comment text default null)
  returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
  reported public.notifications;
begin
  if reason is null or reason not in ('spam', 'abuse', 'phishing', 'other') then
    raise sqlstate 'PT400' using message = 'report_reason_invalid',
      detail = 'The reason is spam, abuse, phishing or other.';
  end if;
  select * into reported from public.notifications n
    where n.id = report_notification.notification_id and n.recipient_id = me;
  if reported.id is null then
    raise sqlstate 'PT404' using message = 'notification_not_found', detail = 'There is no such notification.';
  end if;
  insert into public.notification_reports as r (reporter_id, notification_id, sender_id, reason, comment, content)
  values (
    me, reported.id, reported.sender_id, report_notification.reason,
    private.bounded_text(report_notification.comment, 1000), reported.content
  )
  on conflict on constraint notification_reports_reporter_id_notification_id_key do update
    set reason = excluded.reason, comment = excluded.comment;
end
$$;

revoke all on function public.report_notification(uuid, text, text) from public, anon;
grant execute on function public.report_notification(uuid, text, text) to authenticated, service_role;

-- Account functions beyond the auth service: export all data, delete the account, end single sessions.

/** All data of the caller as one JSON document. Secrets (password, factors, tokens) are not part of it. */
create function private.account_data() returns json
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '60s'
as $$
declare
  me uuid := private.require_assurance();
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
      from public.notifications n where n.recipient_id = me
    ),
    'mail_only_notifications', (
      select coalesce(json_agg(n order by n.created_at desc), '[]')
      from private.mail_only_notifications n where n.recipient_id = me
    ),
    -- The reading state is excluded, because it is the recipients' data.
    'sent_notifications', (
      select coalesce(json_agg(json_build_object(
        'recipient_id', n.recipient_id, 'content', n.content, 'created_at', n.created_at
      ) order by n.created_at desc), '[]')
      from public.notifications n where n.sender_id = me
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
    'reports', (select coalesce(json_agg(r), '[]') from public.notification_reports r where r.reporter_id = me)
  );
end
$$;

/**
 * Deletes the caller's account: the user, the sessions and every row that refers to them, in one transaction. Sent
 * notifications stay with their recipients, without the sender. Access tokens that have not expired are refused from
 * then on.
 *
 * Errors: those of private.require_assurance(); PT403 reauthentication_needed, unless the session was authenticated
 * within the last 10 minutes; PT409 account_has_files, while storage has objects of the user.
 */
create function public.delete_account() returns void
  language plpgsql security definer
  set search_path = ''
  set statement_timeout = '60s'
as $$
declare
  me uuid := private.require_assurance();
  has_files boolean := false;
begin
  if not private.has_fresh_proof(interval '10 minutes') then
    raise sqlstate 'PT403' using message = 'reauthentication_needed',
      detail = 'The session was authenticated more than 10 minutes ago.', hint = 'Sign in again, then repeat the request.';
  end if;
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
    id uuid, created_at timestamptz, last_active_at timestamptz, user_agent text, aal text, is_current boolean
  )
  language sql stable security definer rows 10
  set search_path = ''
as $$
  select
    s.id,
    s.created_at,
    coalesce(s.refreshed_at at time zone 'utc', s.created_at),
    s.user_agent,
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
  perform private.announce_ended_sessions(me);
  return true;
end
$$;

revoke all on function
  public.delete_account(),
  public.list_sessions(),
  public.end_session(uuid)
  from public, anon;
grant execute on function
  public.delete_account(),
  public.list_sessions(),
  public.end_session(uuid)
  to authenticated;

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
revoke all on function private.export_passkeys(uuid) from public;

/** All data of the caller as one JSON document. Secrets (password, factors, passkeys, tokens, codes) are not part of it. */
create function public.export_account_data() returns json
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '60s'
as $$
declare
  me uuid := private.require_assurance();
begin
  return (private.account_data()::jsonb || jsonb_build_object(
    'security_events', (
      select coalesce(jsonb_agg(jsonb_build_object('kind', e.kind, 'detail', e.detail, 'created_at', e.created_at)), '[]')
      from private.security_events e where e.user_id = me
    ),
    'known_devices', (
      select coalesce(jsonb_agg(jsonb_build_object('kind', k.kind, 'value', k.value, 'last_seen_at', k.last_seen_at)), '[]')
      from private.known_devices k where k.user_id = me
    ),
    'recovery_codes', (
      select coalesce(jsonb_agg(jsonb_build_object('created_at', r.created_at, 'used_at', r.used_at)), '[]')
      from private.recovery_codes r where r.user_id = me
    ),
    'emails', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'topic', m.topic, 'state', m.state, 'reason', m.reason, 'created_at', m.created_at, 'due_at', m.due_at,
        'finished_at', m.finished_at,
        'notification_ids', (
          select coalesce(jsonb_agg(i.notification_id), '[]') from private.notification_mail_items i where i.mail_id = m.id
        )
      ) order by m.created_at desc), '[]')
      from private.notification_mails m where m.recipient_id = me
    ),
    'suppressed_addresses', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'address', s.address, 'reason', s.reason, 'detail', s.detail, 'created_at', s.created_at
      )), '[]')
      from private.suppressed_addresses s join auth.users u on s.address = lower(u.email) where u.id = me
    ),
    'push_subscriptions', (
      select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'created_at', s.created_at)), '[]')
      from public.push_subscriptions s where s.user_id = me
    ),
    'accepted_invitations', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'invitation_id', a.invitation_id, 'inviter_id', a.inviter_id, 'invitee_id', a.invitee_id
      )), '[]')
      from private.accepted_invitations a where me in (a.inviter_id, a.invitee_id)
    ),
    'passkeys', private.export_passkeys(me)
  ))::json;
end
$$;

revoke all on function public.export_account_data() from public, anon;
grant execute on function public.export_account_data() to authenticated;

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
revoke all on function private.welcome_user() from public;

create trigger welcome_user after update of email_confirmed_at on auth.users
  for each row when (
    old.email_confirmed_at is null and new.email_confirmed_at is not null
    -- Accounts that an operator or a service made are not welcomed.
    and (old.confirmation_sent_at is not null or old.invited_at is not null)
  )
  execute function private.welcome_user();
