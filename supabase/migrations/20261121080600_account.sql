-- Account functions beyond the auth service: export all data, delete the account, end single sessions.

/** All data of the caller as one JSON document. Secrets (password, factors, tokens) are not part of it. */
create function public.export_account_data() returns json
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
  return found;
end
$$;

revoke all on function
  public.export_account_data(),
  public.delete_account(),
  public.list_sessions(),
  public.end_session(uuid)
  from public, anon;
grant execute on function
  public.export_account_data(),
  public.delete_account(),
  public.list_sessions(),
  public.end_session(uuid)
  to authenticated;
