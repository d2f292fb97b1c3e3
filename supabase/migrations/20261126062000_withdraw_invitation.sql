-- Whoever invited the wrong address takes the invitation back.

/**
 * Withdraws a pending invitation of the caller: its link no longer works, and its notification is gone. Withdrawing again changes
 * nothing.
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
  update public.invitations i set status = 'revoked' where i.id = found.id returning * into found;
  delete from private.outgoing_notifications o where o.invitation_id = found.id;
  perform private.forget_invitation_notifications(private.account_of_address(found.invitee_email), found);
  return query select r.* from private.read_invitation(found) r;
end
$$;

revoke all on function public.withdraw_invitation(text) from public, anon;
grant execute on function public.withdraw_invitation(text) to authenticated, service_role;
