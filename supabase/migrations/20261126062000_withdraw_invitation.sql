-- An inviter withdraws an invitation. The work is the same whether its address has an account: the delivery takes the notification back.

/**
 * Notifies and mails the account that has confirmed the address of a pending invitation, unless it has blocked the inviter.
 * The notification replaces the one of an earlier delivery; of a withdrawn invitation it is only deleted.
 */
create or replace function private.deliver_invitation(about public.invitations) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  invitee uuid := private.account_of_address(about.invitee_email);
begin
  if about.status = 'revoked' then
    perform private.forget_invitation_notifications(invitee, about);
    return;
  end if;
  if invitee is null or about.status <> 'pending' or private.is_blocked(invitee, about.inviter_id) then
    return;
  end if;
  perform private.mail_invitation(invitee, about);
  perform private.forget_invitation_notifications(invitee, about);
  perform private.notify_about_invitation(invitee, about.inviter_id, about, '/join/' || about.token);
end
$$;

/**
 * Withdraws a pending invitation of the caller: its link no longer works. Its notification is deleted after the commit, so that
 * neither the duration nor a lock tells whether the address has an account, and a delivery that has read the pending invitation
 * leaves no notification behind. Withdrawing again changes nothing.
 *
 * Errors: those of private.require_assurance(); PT404 invitation_not_found; PT409 invitation_already_answered.
 */
create function public.withdraw_invitation(token text)
  returns table (
    id uuid,
    status text,
    inviter_id uuid,
    inviter_name text,
    invitee_email text,
    is_for_me boolean,
    entity_type text,
    entity_id text,
    entity_name text,
    created_at timestamptz,
    expires_at timestamptz
  )
  language plpgsql security definer rows 1
  set search_path = ''
as $$
#variable_conflict use_column
declare
  me uuid := private.require_assurance();
  found public.invitations;
begin
  select * into found from public.invitations i
  where i.token = withdraw_invitation.token and i.inviter_id = me for update;
  if found.id is null then
    raise sqlstate 'PT404' using message = 'invitation_not_found', detail = 'There is no such invitation.';
  end if;
  if found.status not in ('pending', 'revoked') then
    raise sqlstate 'PT409' using message = 'invitation_already_answered',
      detail = 'The invitation is ' || found.status || '.';
  end if;
  if found.status = 'pending' then
    update public.invitations i set status = 'revoked' where i.id = found.id returning * into found;
    insert into private.outgoing_notifications (sender_id, invitation_id, created_at)
    values (me, found.id, clock_timestamp());
  end if;
  return query select r.* from private.read_invitation(found) r;
end
$$;

revoke all on function public.withdraw_invitation(text) from public, anon;
grant execute on function public.withdraw_invitation(text) to authenticated, service_role;
