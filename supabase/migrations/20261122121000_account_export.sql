-- The download of all data contains events about the account's safety, known devices, the history of emails, a suppressed
-- address, the browsers that get push messages, passkeys, and contacts, whose table is made by 20261122130000_online.sql.

alter function public.export_account_data() rename to account_data;
alter function public.account_data() set schema private;
revoke all on function private.account_data() from public, authenticated;

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
